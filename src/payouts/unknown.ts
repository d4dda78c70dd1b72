// Payouts without an answer: when the bank is queried, and which answers settle them.

import { CALL_MS_MAX } from '#banks/bank-http.ts'
import type { BankConnection, PayoutAnswer } from '#banks/connector.ts'
import { isDue } from '#db/due.ts'
import type { Queryable } from '#db/pool.ts'
import { quotedArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import type { PayoutId } from '#ids.ts'
import { CURRENCY } from '#money.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import { IS_QUERIED_AFTER_LOSS } from './holds.ts'
import type { PayoutOutcome } from './settle.ts'
import { transition } from './states.ts'

// One answer "not found" or "reversed" is not enough to move money. The bank must repeat it ANSWERS_NEEDED
// times, over OBSERVED_MS_NEEDED. Our processes measure that time by their monotonic clocks, so that setting
// a machine's clock changes nothing. The time between the answers of two processes, and across a restart, is
// not included.

export const ANSWERS_NEEDED = 3
export const OBSERVED_MS_NEEDED = 900_000

// One query that the process `by` sent to a bank, and its answer. Times are on that process's monotonic
// clock.
export type Observation = { by: string; queriedAtMs: number; answeredAtMs: number }

export type ObservedAnswers = {
  answers: number // How often the bank has given the same answer.
  observedMs: number // The measured time between these answers.
  by: string | null // The process that received the last answer.
  atMs: number | null // When it received that answer, by its monotonic clock.
}

export const NO_ANSWERS: ObservedAnswers = { answers: 0, observedMs: 0, by: null, atMs: null }

// ObservedAnswers as the database returns them.
export type StoredAnswers = {
  answers: number
  observedMs: bigint
  by: string | null
  atMs: bigint | null
}

// Converts the stored count of a bank's repeated answers: numbers of the database are bigints, clocks use
// plain numbers.
export function readAnswers({ answers, observedMs, by, atMs }: StoredAnswers): ObservedAnswers {
  return {
    answers,
    observedMs: Number(observedMs),
    by,
    atMs: atMs === null ? null : Number(atMs),
  }
}

// Counts one more answer of a bank that repeats its earlier ones. Adds the time between the previous answer
// and this query if the same process measured both, because processes have different clocks.
export function addAnswer(
  { answers, observedMs, by, atMs }: ObservedAnswers,
  observation: Observation,
): ObservedAnswers {
  const isSameProcess = by === observation.by && atMs !== null
  const elapsedMs = isSameProcess ? Math.max(0, observation.queriedAtMs - atMs) : 0
  return {
    answers: answers + 1,
    observedMs: observedMs + Math.floor(elapsedMs),
    by: observation.by,
    atMs: Math.ceil(observation.answeredAtMs),
  }
}

// Returns whether a bank has repeated its answer often enough, and over a long enough time, to act on it.
export function areAnswersEnough({
  answers,
  observedMs,
}: Pick<ObservedAnswers, 'answers' | 'observedMs'>): boolean {
  return answers >= ANSWERS_NEEDED && observedMs >= OBSERVED_MS_NEEDED
}

export type Absence = {
  isProof: boolean // Whether this bank's "not found" proves that it never took the payout.
  isAccepted: boolean // Whether the bank has ever said that it has the payout.
  isHeld: boolean // Whether an operator or a restore holds all payouts.
  answers: number
  observedMs: number
}

// Decides whether a bank's "not found" fails a payout, which makes its money available again. All of these
// must hold:
//
//   proof      the connector says that its bank's "not found" proves that the bank never took the
//              payout and never will; the "not found" of other banks proves nothing
//   unseen     the bank has never said that it has the payout
//   observed   several such answers came, over a time that our processes have measured (areAnswersEnough)
//   released   no hold is open: after a restore or a failover an operator has released payouts
//
// Otherwise the payout stays unknown, and an alert tells a person what to do (I88).
export function isAbsent({ isProof, isAccepted, isHeld, answers, observedMs }: Absence): boolean {
  return isProof && !isAccepted && !isHeld && areAnswersEnough({ answers, observedMs })
}

// Returns the outcome that a bank's answer gives the payout, or undefined if the answer is not final.
export function outcomeOf(answer: PayoutAnswer): PayoutOutcome | undefined {
  return answer.status === 'confirmed' || answer.status === 'failed' ? answer : undefined
}

// The outcome of a payout that fails because isAbsent() accepts the bank's "not found".
export const ABSENT_OUTCOME: PayoutOutcome = {
  status: 'failed',
  reason: 'The bank has no record of it.',
}

// Counts one more "not found". Returns undefined if the payout is no longer unknown.
export async function recordNotFound(
  tx: Transaction,
  id: PayoutId,
  observation: Observation,
): Promise<Pick<Absence, 'isAccepted' | 'answers' | 'observedMs'> | undefined> {
  const { rows } = await tx.query<StoredAnswers & { isAccepted: boolean }>({
    name: 'lock-absent-payout',
    text: `select is_accepted, not_found_answers as answers,
                  not_found_ms as observed_ms, not_found_by as by, not_found_at_ms as at_ms
             from payouts where id = $1 and status = 'unknown' for no key update`,
    values: [id],
  })
  if (!rows[0]) return undefined
  const counted = addAnswer(readAnswers(rows[0]), observation)
  await tx.query({
    name: 'record-not-found',
    text: `update payouts set not_found_answers = $2, not_found_ms = $3, not_found_by = $4,
                  not_found_at_ms = $5
            where id = $1`,
    values: [id, counted.answers, counted.observedMs, counted.by, counted.atMs],
  })
  return { isAccepted: rows[0].isAccepted, ...counted }
}

// Records that the bank has said that it has the payout. A later "not found" of the bank is never believed.
export async function markAccepted(tx: Transaction, id: PayoutId): Promise<void> {
  await tx.query({
    name: 'mark-payout-accepted',
    text: `update payouts set is_accepted = true where id = $1 and not is_accepted`,
    values: [id],
  })
}

// Workers query the bank about payouts without an answer, at growing intervals, until the bank knows the
// outcome. They never send them again (I47).
//
//   sending ──no answer──▶ unknown     or the worker was frozen before it began to send
//   sending, stale ──────▶ unknown     the worker died, or could not record the bank's answer
//   queued, restored ────▶ unknown     it may have been sent after the moment we were restored to (I82)
//
// Locks: payouts in id order.

// A worker that has not begun to send within this time was frozen, and sends nothing.
export const SEND_WITHIN_MS = 60_000
const SPARE_MS = 60_000
// Longer than any worker may take to send a payout. After this time, a payout without an outcome becomes
// unknown.
export const STALE_MS = SEND_WITHIN_MS + CALL_MS_MAX + SPARE_MS
export const ALERT_AFTER_MS = 1_800_000
const FIRST_QUERY_MS = 5_000
const LONGEST_QUERY_MS = 3_600_000

// Returns the wait before the next query about a payout, after this many queries: 5 s, 10 s, 20 s, … up to an
// hour.
export function queryAfterMs(queries: number): number {
  return Math.min(FIRST_QUERY_MS * 2 ** Math.min(queries, 20), LONGEST_QUERY_MS)
}

// queryAfterMs() as an SQL interval.
export const queryAfter = (queries: string) =>
  `least(${FIRST_QUERY_MS} * power(2, least(${queries}, 20)), ${LONGEST_QUERY_MS}) * interval '1 millisecond'`

// SQL condition: the next query about an unknown payout is due.
const isUnknownDue = (now: string) =>
  isDue('next_query_at', { now, longest: queryAfter('queries') })

// SQL condition on a review `r` of a payout `p` (review.ts): the review is due. A repeated report plans a
// query up to a minute ahead.
export const isReviewDue = (now: string) =>
  `p.status not in ('sending', 'unknown') and ${isDue('r.next_query_at', {
    now,
    longest: `greatest(interval '1 minute', ${queryAfter('r.queries - 1')})`,
  })}`

// Returns whether a connection can know a payout, so that its "not found" means something. Only the
// connection that sent a payout knows it. If that connection is not recorded (by an older release, or because
// of a restore), it is the connection that sends the bank's payouts in naira.
export function canKnowPayout(
  { fingerprint, takesFiles = false }: Pick<BankConnection, 'fingerprint' | 'takesFiles'>,
  { sentOver, currency }: Pick<PayoutQuery, 'sentOver' | 'currency'>,
): boolean {
  return sentOver === null ? !takesFiles && currency === CURRENCY : sentOver === fingerprint
}

// Makes a payout unknown after a call without an answer, and plans the first query about it.
export async function markUnknown(
  tx: Transaction,
  now: Date,
  { id, reason, by, isAccepted }: { id: PayoutId; reason: string; by: string; isAccepted: boolean },
): Promise<void> {
  const moved = await transition(tx, {
    name: 'payout-unknown',
    rows: [id],
    mayStay: true, // Another worker may already have changed a stale payout.
    from: 'sending',
    to: 'unknown',
    set: 'next_query_at = $2, is_accepted = is_accepted or $3',
    values: [new Date(now.getTime() + queryAfterMs(0)), isAccepted],
    by,
    now,
    detail: reason,
  })
  if (moved.length === 0 && isAccepted) await markAccepted(tx, id) // The payout was unknown before.
}

// Alerts operators if the bank waits for an authorization before it pays. Only the operator can give it, at
// the bank.
export async function alertWaiting(
  tx: Transaction,
  now: Date,
  { reference, bankCode, answer }: { reference: string; bankCode: string; answer: PayoutAnswer },
): Promise<void> {
  if (answer.status !== 'unknown' || answer.waitsFor !== 'authorization') return
  const detail = { bankCode, status: answer.reason }
  const subject = `payout/${reference}`
  const alert = { kind: 'payout_needs_authorization', subject, detail } as const
  await appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
}

// The time from which a payout that is being sent is unknown.
const STALE_AT = `sending_at + interval '${STALE_MS + 1} ms'`

// Makes payouts unknown that were claimed too long ago. Excludes payouts in files: they wait for the bank's
// report, however long it takes.
export async function markStaleUnknown(tx: Transaction, now: Date): Promise<void> {
  await transition(tx, {
    name: 'stale-payouts',
    rows: `select id from payouts
            where status = 'sending' and batch_id is null
              and ${isDue(STALE_AT, { now: '$1', longest: STALE_MS })}
            order by id for no key update skip locked`,
    from: 'sending',
    to: 'unknown',
    set: 'next_query_at = $1',
    values: [now],
    by: 'worker',
    now,
    detail: 'Nobody heard the answer.',
  })
}

// Makes queued payouts unknown that may have been sent before the database was restored or moved. A queued
// payout can become unknown only by way of `sending` (TRANSITIONS in states.ts).
export async function markRestoredUnknown(tx: Transaction, now: Date): Promise<void> {
  const detail = 'It may have been sent before the database was restored or moved.'
  const cause = { by: 'restore', now, detail }
  const moved = await transition(tx, {
    name: 'restored-payouts',
    rows: `select id from payouts
            where status = 'queued' and approval in ('not_needed', 'approved')
              and ${IS_QUERIED_AFTER_LOSS}
            order by id for no key update skip locked`,
    from: 'queued',
    to: 'sending',
    set: 'sending_at = $1',
    values: [now],
    ...cause,
  })
  if (moved.length === 0) return
  await transition(tx, {
    name: 'restored-payouts-unknown',
    rows: moved.map(({ id }) => id),
    from: 'sending',
    to: 'unknown',
    set: 'next_query_at = $2',
    values: [now],
    ...cause,
  })
}

// Finds the banks that workers should query now, about an unknown payout or for a review.
export async function findQueriedBanks(db: Queryable, now: Date): Promise<string[]> {
  const { rows } = await db.query<{ bankCode: string }>({
    name: 'find-queried-banks',
    text: `select bank_code from payouts
            where status = 'unknown' and ${isUnknownDue('$1')}
            union
           select p.bank_code from payout_reviews r join payouts p on p.id = r.payout_id
            where ${isReviewDue('$1')}`,
    values: [now],
  })
  return rows.map(({ bankCode }) => bankCode)
}

// SQL condition: a payout at one of these banks, or a review at any bank, is due for a query.
export const hasPayoutsToQuery = (bankCodes: readonly string[]) => `(
  exists (select from payouts
           where status = 'unknown' and bank_code = any (${quotedArray(bankCodes)})
             and ${isUnknownDue('clock.now')})
  or exists (select from payout_reviews r join payouts p on p.id = r.payout_id
              where r.next_query_at is not null and ${isReviewDue('clock.now')}))`

export type PayoutQuery = {
  id: PayoutId
  reference: string
  currency: string
  sentOver: string | null // The fingerprint of the connection that sent the payout.
}

// Claims due payouts, the longest due first. Plans the next query of each, whether or not the bank answers.
export async function claimQueries(
  tx: Transaction,
  now: Date,
  { bankCode, limit }: { bankCode: string; limit: number },
): Promise<PayoutQuery[]> {
  const { rows } = await tx.query<PayoutQuery>({
    name: 'claim-payout-queries',
    text: `with due as materialized (
             select id from payouts
              where status = 'unknown' and bank_code = $1 and ${isUnknownDue('$2')}
              order by next_query_at, id limit $3 for no key update skip locked)
           update payouts p
              set queries = p.queries + 1, next_query_at = $2 + ${queryAfter('p.queries + 1')}
             from due where p.id = due.id
           returning p.id, p.reference, p.currency, p.sent_over`,
    values: [bankCode, now, limit],
  })
  return rows
}

const ALERT_AT = `sending_at + interval '${ALERT_AFTER_MS} ms'`

type LongUnknown = {
  reference: string
  bankCode: string
  sendingAt: Date
  notFoundAnswers: number // How often the bank has answered "not found".
}

// Finds payouts that have been unknown for half an hour and have no open alert.
export async function findLongUnknown(tx: Transaction, now: Date): Promise<LongUnknown[]> {
  const { rows } = await tx.query<LongUnknown>({
    name: 'long-unknown-payouts',
    text: `select reference, bank_code, sending_at, not_found_answers
             from payouts p
            where status = 'unknown' and ${isDue(ALERT_AT, { now: '$1', longest: ALERT_AFTER_MS })}
              and not exists (select from alerts
                               where kind = 'payout_unknown' and cleared_at is null
                                 and subject = 'payout/' || p.reference)
            order by id limit 100`,
    values: [now],
  })
  return rows
}
