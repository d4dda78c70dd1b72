// Claims due requeries of a bank, asks the bank, and decides the next step from the answer. A claim locks
// the bank's row in bank_health, so the rate (records/call-rates.ts) and concurrency limits hold for all
// processes together.
//
// A claim is a lease, committed before the call. After a crash the lease expires, and a worker asks the bank
// again, which is harmless.
//
// Locks: the bank's row, then its requeries.

import type {
  BankCalls,
  CallLimits,
  CallOptions,
  NoAnswer,
  Reservations,
} from '#banks/connector.ts'
import type { IdentifierKind, ParsedItem } from '#banks/notifications.ts'
import type { Clock } from '#clock.ts'
import { isDue, isWaiting } from '#db/due.ts'
import { quotedArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import {
  claimCalls,
  FAILURES_TO_PAUSE,
  isPaused,
  isPausedUntil,
  lockBank,
} from '#records/call-rates.ts'
import { addMs, CLOCK_MARGIN_MS } from './requery.ts'

export const LEASE_MS = 120_000
// The most time that all requests of a call to a bank may take. The rest of the lease is for booking.
export const ASK_MAX_MS = 90_000

const REPEAT_MIN_MS = 30_000
const REPEAT_MAX_MS = 900_000 // Longer than any other wait for a bank's answer.

// SQL condition: a worker has claimed the requery.
const isLeased = (now: string) => isWaiting('leased_until', { now, longest: LEASE_MS })

// SQL interval: the longest wait of a requery. One that was planned for the deadline of a payment may wait
// until it ends.
const waitMax = (now: string) => `case when reason in ('expiry', 'grace')
  then greatest(interval '${REPEAT_MAX_MS} ms', repeat_until - ${now}::timestamptz)
  else interval '${REPEAT_MAX_MS} ms' end`

// SQL condition: the bank can be asked now.
const isClaimable = (now: string) => `state = 'open'
  and ${isDue('due_at', { now, longest: waitMax(now) })} and not ${isLeased(now)}`

const UNMERGED_NUMBERS_MAX = 20 // With more numbers than this, one list replaces their requeries.
// The longest period of a list that replaces requeries: a bank's whole day costs too much.
const MERGED_SPAN_MAX_MS = 2 * 3_600_000

// Merges many requeries into one. If a bank would be asked about more account numbers than it can answer in a
// few seconds, the service asks it once for all of its transfers of the same period. If several sweeps
// (regular lists of all transfers, plan.ts) of one kind wait for a bank that is down, the last sweep covers
// the periods of all.
//
// A merged requery is not lost: the requery that it was merged into stays open until the bank answers.
async function mergeRequeries(tx: Transaction, now: Date, bankCode: string): Promise<void> {
  await mergeNumbers(tx, now, bankCode)
  await mergeSweeps(tx, now, bankCode)
}

// Replaces the due automatic requeries of single account numbers by one list per reason, if a reason has more
// than UNMERGED_NUMBERS_MAX of them. Leaves out a requery whose list of a number is already partly read.
async function mergeNumbers(tx: Transaction, now: Date, bankCode: string): Promise<void> {
  await tx.query({
    name: 'merge-requeries-of-numbers',
    text: `with many as materialized (
             select id, reason, from_at from requeries
              where bank_code = $1 and ${isClaimable('$2')}
                and reason in ('name_enquiry', 'expiry', 'grace')
                and account_number is not null and cursor is null
                and from_at > $2::timestamptz - interval '${MERGED_SPAN_MAX_MS} ms'
           ), wide as (
             insert into requeries (bank_code, reason, subject, from_at, due_at, created_at)
             select $1, reason, 'numbers/' || max(id), min(from_at), $2, $2
               from many group by reason having count(*) > ${UNMERGED_NUMBERS_MAX}
             returning id, reason
           )
           update requeries q
              set state = 'merged', merged_into = wide.id, finished_at = $2, leased_until = null
             from many join wide using (reason)
            where q.id = many.id`,
    values: [bankCode, now],
  })
}

// Merges the sweeps of each kind into the last one. Leaves out a sweep that has read a page of its list: it
// continues to its end.
async function mergeSweeps(tx: Transaction, now: Date, bankCode: string): Promise<void> {
  await tx.query({
    name: 'merge-sweeps',
    text: `with waiting as materialized (
             select id, from_at, split_part(subject, '/', 2) as sweep,
                    max(id) over (partition by split_part(subject, '/', 2)) as last_id
               from requeries
              where bank_code = $1 and state = 'open' and reason = 'sweep' and cursor is null
                and not ${isLeased('$2')}
           ), widened as (
             update requeries q set from_at = least(q.from_at, w.from_at)
               from (select last_id, min(from_at) as from_at, count(*) as sweeps
                       from waiting group by last_id) as w
              where q.id = w.last_id and w.sweeps > 1
           )
           update requeries q
              set state = 'merged', merged_into = w.last_id, finished_at = $2, leased_until = null
             from waiting w
            where q.id = w.id and w.id <> w.last_id`,
    values: [bankCode, now],
  })
}

export type Claim = {
  id: bigint
  bankCode: string
  identifierKind: IdentifierKind | null
  identifier: string | null
  accountNumber: string | null
  fromAt: Date | null
  toAt: Date | null
  cursor: string | null
  repeats: number
  newCredits: number // Found by earlier pages of the list.
  repeatUntil: Date | null
  leasedUntil: Date
  isProbe: boolean
}

type Asking = { bankCode: string; limits: CallLimits; realClock?: Clock | undefined }

// Claims due requeries of one bank, as many as its limits allow; while the bank fails, only one as a probe. A
// bank's pauses and limits are in real time, even if its requeries are due in a sandbox's test time.
export async function claimRequeries(
  tx: Transaction,
  clock: Clock,
  { bankCode, limits, realClock = clock }: Asking,
): Promise<Claim[]> {
  const now = clock()
  if (!(await hasDueRequery(tx, now, bankCode))) return []
  const bank = await lockBank(tx, bankCode)
  const bankNow = realClock()
  await dropUnneeded(tx, now, bankCode)
  if (isPaused(bank, bankNow)) return []
  await mergeRequeries(tx, now, bankCode)
  const isProbe = bank.failures >= FAILURES_TO_PAUSE
  const inFlight = await countInFlight(tx, now, bankCode)
  const claimsMax = isProbe ? 1 : limits.concurrency - inFlight
  const claims = await claimCalls(tx, bankNow, {
    bank,
    kind: 'requeries',
    limits,
    claimsMax,
    claim: (limit) => claimDueRequeries(tx, now, { bankCode, limit, isProbe }),
  })
  if (isProbe && claims.length > 0) await pauseForProbe(tx, bankNow, bankCode)
  return claims
}

// SQL condition: one of these banks is not paused, and has a due requery that no worker has claimed.
export const hasDueRequeries = (bankCodes: readonly string[]) => `exists (
  select from requeries q
   where bank_code = any (${quotedArray(bankCodes)}) and ${isClaimable('clock.now')}
     and not exists (select from bank_health h
                      where h.bank_code = q.bank_code
                        and ${isPausedUntil('h.paused_until', 'clock.real_now')}))`

// Returns whether the bank has a due requery. Reads one index entry and takes no lock, because most rounds
// end here.
async function hasDueRequery(tx: Transaction, now: Date, bankCode: string): Promise<boolean> {
  const { rows } = await tx.query<{ due: boolean }>({
    name: 'has-due-requeries',
    text: `select exists (
             select from requeries
              where bank_code = $1 and ${isClaimable('$2')}) as due`,
    values: [bankCode, now],
  })
  return rows[0]?.due === true
}

// Drops automatic requeries that are no longer needed: after a name enquiry, if a credit has arrived; and for
// payments that no longer wait for money. An expired payment may have been paid in time, so it still waits.
// Requeries that a user demanded are kept.
async function dropUnneeded(tx: Transaction, now: Date, bankCode: string): Promise<void> {
  await tx.query({
    name: 'drop-needless-requeries',
    text: `update requeries q set state = 'dropped', finished_at = $2, leased_until = null
            where q.bank_code = $1 and ${isClaimable('$2')}
              and q.reason in ('name_enquiry', 'payer', 'expiry', 'grace')
              and (exists (select from payments p
                            where p.id = q.payment_id
                              and p.status not in ('Processing', 'PartPayment', 'Expired'))
                   or (q.reason = 'name_enquiry'
                       and q.created_at <= (select c.received_at from credits c
                                             where c.account_number = q.account_number
                                               and c.bank_code = q.bank_code
                                             order by c.id desc limit 1)))`,
    values: [bankCode, now],
  })
}

// Counts the requeries of the bank that a process is asking about now.
async function countInFlight(tx: Transaction, now: Date, bankCode: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>({
    name: 'count-requeries-in-flight',
    text: `select count(*)::int as count from requeries
            where bank_code = $1 and state = 'open' and ${isLeased('$2')}`,
    values: [bankCode, now],
  })
  return rows[0]?.count ?? 0
}

// Claims in this order: requeries that a user or payer waits for or that a bank reported; then requeries of
// one number or transfer; then lists, the shorter ones first. Among equals, a list that is already partly
// read comes first.
async function claimDueRequeries(
  tx: Transaction,
  now: Date,
  { bankCode, limit, isProbe }: { bankCode: string; limit: number; isProbe: boolean },
): Promise<Claim[]> {
  const { rows } = await tx.query<Claim>({
    name: 'claim-requeries',
    text: `with chosen as materialized (
             select id from requeries
              where bank_code = $1 and ${isClaimable('$2')}
              order by reason not in ('demand', 'payer', 'notification'),
                       account_number is null and identifier is null,
                       coalesce(date_part('epoch', created_at - from_at)::int / 3600, 0),
                       cursor is null, due_at, id
              limit $4)
           update requeries q
              set leased_until = $3, asked_at = $2, attempts = attempts + 1,
                  to_at = case when from_at is not null then coalesce(to_at, $6) end
             from chosen
            where q.id = chosen.id
           returning q.id, q.bank_code, q.identifier_kind, q.identifier, q.account_number,
                     q.from_at, q.to_at, q.cursor, q.repeats, q.new_credits, q.repeat_until,
                     q.leased_until,
                     $5::boolean as is_probe`,
    values: [bankCode, now, addMs(now, LEASE_MS), limit, isProbe, addMs(now, CLOCK_MARGIN_MS)],
  })
  return rows
}

// Extends the bank's pause by the lease, so that no other requery is claimed before the probe is answered.
async function pauseForProbe(tx: Transaction, now: Date, bankCode: string): Promise<void> {
  await tx.query({
    name: 'pause-for-probe',
    text: 'update bank_health set paused_until = $2 where bank_code = $1',
    values: [bankCode, addMs(now, LEASE_MS)],
  })
}

type Page = { items: readonly ParsedItem[]; nextCursor: string | null }

export type BankAnswer = Page & { answer: AnswerKind; error: string | null; isUp?: boolean }

const ERROR_CHARACTERS_MAX = 200
const CURSOR = /^[^\p{Cc}\p{Cs}]{1,1000}$/u
const NOT_SUPPORTED = 'the bank has no such call'

// A connector awaits `takeTurn` before each request of a call except the first. `takeTurn` waits for room
// under the bank's rate limit, and resolves to false if the call must end.
type AskOptions = {
  signal: AbortSignal
  askMaxMs: number // The most time that the whole call may take.
  takeTurn?: (signal: AbortSignal) => Promise<boolean>
  reservations?: Reservations
}

// Asks the bank for one claimed requery: one call, with no transaction open. Never throws. A failed call, an
// unsupported call and a call that exceeds its time limit are `no_answer`.
export function askBank(
  calls: BankCalls,
  claim: Claim,
  { signal, askMaxMs, takeTurn = async () => true, reservations }: AskOptions,
): Promise<BankAnswer> {
  const end = AbortSignal.any([signal, AbortSignal.timeout(askMaxMs)])
  // Resolves when the time is over or the process stops.
  const stopped = new Promise<BankAnswer>((resolve) => {
    const stop = () => resolve(noAnswer(`no answer within ${askMaxMs} ms`))
    if (end.aborted) stop()
    else end.addEventListener('abort', stop, { once: true })
  })
  const options = {
    signal: end,
    takeTurn: () => takeTurn(end),
    ...(reservations && { reservations }),
  }
  return Promise.race([callBank(calls, claim, options), stopped])
}

// Makes the call that fits the requery: for one transfer, or for one page of a list.
async function callBank(calls: BankCalls, claim: Claim, options: CallOptions): Promise<BankAnswer> {
  const { identifierKind, identifier, accountNumber, fromAt, toAt, cursor } = claim
  if (identifierKind !== null && identifier !== null) {
    const transfer = { kind: identifierKind, value: identifier }
    const answer = await calls.findTransfer?.(transfer, options)
    if (!answer) return noAnswer(NOT_SUPPORTED)
    if (answer.status === 'no_answer') return toNoAnswer(answer)
    const items = answer.status === 'found' ? answer.items : []
    // `found` without any item that names money is treated as `not_found`.
    const isMoney = items.some((item) => item.ok || item.money !== null)
    const kind = answer.status === 'found' && !isMoney ? 'not_found' : answer.status
    return { answer: kind, items, nextCursor: null, error: null }
  }
  const window = { accountNumber, from: fromAt as Date, to: toAt as Date, cursor }
  const answer = await calls.listTransfers?.(window, options)
  if (!answer) return noAnswer(NOT_SUPPORTED)
  if (answer.status === 'no_answer') return toNoAnswer(answer)
  return readPage(cursor, answer)
}

// Reads one page of a list. An empty or repeated cursor ends the list, because it would return the same page
// forever. If the bank's cursor cannot be stored, the rest of the list stays unread, but the items of this
// page are booked.
function readPage(cursor: string | null, { items, nextCursor }: Page): BankAnswer {
  const isEnd = nextCursor === null || nextCursor === '' || nextCursor === cursor
  if (isEnd) return { answer: 'listed', items, nextCursor: null, error: null }
  if (!CURSOR.test(nextCursor)) return { ...noAnswer('the cursor cannot be used'), items }
  return { answer: 'listed', items, nextCursor, error: null }
}

function toNoAnswer({ reason, isUp }: NoAnswer): BankAnswer {
  return { ...noAnswer(reason), isUp: isUp === true }
}

function noAnswer(reason: string): BankAnswer {
  const error = reason.slice(0, ERROR_CHARACTERS_MAX)
  return { answer: 'no_answer', items: [], nextCursor: null, error }
}

export type AnswerKind = 'found' | 'listed' | 'in_progress' | 'not_found' | 'no_answer'

const RESUMES_MAX = 3 // After this many repeats, a list is read from its start: its cursor may have expired.

// The state of a requery before the bank's latest answer.
type RequeryProgress = {
  coversBank: boolean // The requery lists all transfers of a bank.
  cursor: string | null
  newCredits: number // Found by earlier pages.
  repeats: number
  repeatUntil: Date | null
}

type Outcome = { answer: AnswerKind; newCredits: number; nextCursor: string | null }

type NextStep =
  | { state: 'open'; dueAt: Date; repeats: number; cursor: string | null }
  | { state: 'found' | 'not_found' }

// Decides whether a requery is done, continued or repeated.
//
//   a page of a list, not the last               continued at once
//   found                                        done
//   a list read to its end                       done if it found new credits or covers all of the bank's
//                                                transfers; else repeated until `repeatUntil`
//   not found, in progress                       repeated until `repeatUntil`, then `not_found`
//   no answer                                    repeated without a limit
//
// The waits double, from 30 seconds to 15 minutes. The circuit breaker protects a bank that is down.
export function nextStep(requery: RequeryProgress, outcome: Outcome, now: Date): NextStep {
  const { answer, nextCursor } = outcome
  const isNew = requery.newCredits + outcome.newCredits > 0
  if (nextCursor !== null) return { state: 'open', dueAt: now, repeats: 0, cursor: nextCursor }
  if (answer === 'found') return { state: 'found' }
  if (answer === 'listed' && (isNew || requery.coversBank)) {
    return { state: isNew ? 'found' : 'not_found' }
  }
  const dueAt = new Date(now.getTime() + repeatAfterMs(requery.repeats))
  const isFinal = answer !== 'no_answer' && (!requery.repeatUntil || dueAt > requery.repeatUntil)
  if (isFinal) return { state: 'not_found' }
  // A list without an answer continues at the page it had reached, but only for the first few repeats.
  const isResumed = answer === 'no_answer' && requery.repeats < RESUMES_MAX
  const cursor = isResumed ? requery.cursor : null
  return { state: 'open', dueAt, repeats: requery.repeats + 1, cursor }
}

function repeatAfterMs(repeats: number): number {
  return Math.min(REPEAT_MIN_MS * 2 ** Math.min(repeats, 10), REPEAT_MAX_MS)
}
