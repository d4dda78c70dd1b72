// Payouts without an answer. They are asked for at growing intervals until the bank knows, and never
// sent again (I47).
//
//   sending ──no answer──▶ unknown     or its sender was frozen, and did not begin
//   sending, stale ──────▶ unknown     whoever sent it died, or could not write what it heard
//   queued, restored ────▶ unknown     it may have been sent after the moment we were restored to (I82)
//
// Locks: payouts in id order.

import { CALL_MS_MAX } from '#banks/call-deadlines.ts'
import type { BankConnection, PayoutAnswer } from '#banks/connector.ts'
import type { Due } from '#client-time.ts'
import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import type { PayoutId } from '#ids.ts'
import { CURRENCY } from '#money.ts'
import { markAccepted } from './absent-payouts.ts'
import { MAY_HAVE_BEEN_SENT } from './hold-payouts.ts'
import { recordPayoutChanges } from './payout-changes.ts'

// Whoever has not begun to send what it claimed by then was frozen, and sends it no more.
export const SEND_WITHIN_MS = 60_000
const SPARE_MS = 60_000
// Longer than anybody may be sending it.
export const STALE_MS = SEND_WITHIN_MS + CALL_MS_MAX + SPARE_MS
export const ALERT_AFTER_MS = 1_800_000
export const FIRST_MS = 5_000
export const LONGEST_MS = 3_600_000

// 5 s, 10 s, 20 s, … an hour.
export function queryAfterMs(queries: number): number {
  return Math.min(FIRST_MS * 2 ** Math.min(queries, 20), LONGEST_MS)
}

// Whether this connection would know of it, had it been sent: only the one that was told. Where nobody said
// which that was (an older release, a restore), the one that sends the bank's payouts is; it sends naira.
export function wouldKnow(
  { fingerprint, takesFiles = false }: Pick<BankConnection, 'fingerprint' | 'takesFiles'>,
  { sentOver, currency }: Pick<PayoutQuery, 'sentOver' | 'currency'>,
): boolean {
  return sentOver === null ? !takesFiles && currency === CURRENCY : sentOver === fingerprint
}

type Unanswered = { id: PayoutId; reason: string; by: string; isAccepted: boolean }

export async function markUnknown(
  tx: Transaction,
  now: Date,
  { id, reason, by, isAccepted }: Unanswered,
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'payout-unknown',
    text: `update payouts set status = 'unknown', next_query_at = $2, is_accepted = is_accepted or $3
            where id = $1 and status = 'sending'`,
    values: [id, new Date(now.getTime() + queryAfterMs(0)), isAccepted],
  })
  if (rowCount === 0) {
    if (isAccepted) await markAccepted(tx, id) // Somebody else called it unknown before.
    return
  }
  const change = { payoutIds: [id], change: 'unknown', changedBy: by, detail: reason } as const
  await recordPayoutChanges(tx, now, change)
}

// Only the operator can end the wait, at the bank.
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

// Those in files wait for their results, however long it takes.
export async function markStaleUnknown(tx: Transaction, { now, only }: Due): Promise<void> {
  const { rows } = await tx.query<{ id: PayoutId }>({
    name: 'stale-payouts',
    text: `with stale as materialized (
             select id from payouts
              where status = 'sending' and batch_id is null and sending_at < $2
                and ${livesIn('client_id', '$3')}
              order by id for no key update skip locked)
           update payouts p set status = 'unknown', next_query_at = $1
             from stale where p.id = stale.id
           returning p.id`,
    values: [now, new Date(now.getTime() - STALE_MS), only ?? null],
  })
  if (rows.length === 0) return
  const detail = 'Nobody heard the answer.'
  const payoutIds = rows.map(({ id }) => id)
  await recordPayoutChanges(tx, now, { payoutIds, change: 'unknown', changedBy: 'worker', detail })
}

export async function markRestoredUnknown(tx: Transaction, { now, only }: Due): Promise<void> {
  const { rows } = await tx.query<{ id: PayoutId }>({
    name: 'restored-payouts',
    text: `with restored as materialized (
             select id from payouts
              where status = 'queued' and approval in ('not_needed', 'approved')
                and ${MAY_HAVE_BEEN_SENT} and ${livesIn('client_id', '$2')}
              order by id for no key update skip locked)
           update payouts p set status = 'sending', sending_at = $1
             from restored where p.id = restored.id
           returning p.id`,
    values: [now, only ?? null],
  })
  if (rows.length === 0) return
  const payoutIds = rows.map(({ id }) => id)
  const detail = 'It may have been sent before the database was restored.'
  const by = { payoutIds, changedBy: 'restore', detail }
  await recordPayoutChanges(tx, now, { ...by, change: 'sending' })
  await tx.query({
    name: 'restored-payouts-unknown',
    text: `update payouts set status = 'unknown', next_query_at = $2 where id = any($1::bigint[])`,
    values: [numberArray(payoutIds), now],
  })
  await recordPayoutChanges(tx, now, { ...by, change: 'unknown' })
}

// Of payouts `p`, for their reviews (review-payouts.ts).
export const IS_SETTLED = `p.status not in ('sending', 'unknown')`

// A query that is further ahead than its interval was planned before the clock was set back.
const isQueryDue = (now: string) => `(next_query_at <= ${now} or next_query_at > ${now}
  + least(${FIRST_MS} * power(2, least(queries, 20)), ${LONGEST_MS}) * interval '1 millisecond')`

export async function findQueriedBanks(db: Queryable, { now, only }: Due): Promise<string[]> {
  const { rows } = await db.query<{ bankCode: string }>({
    name: 'find-queried-banks',
    text: `select bank_code as "bankCode" from payouts
            where status = 'unknown' and ${isQueryDue('$1')}
              and ${livesIn('client_id', '$2')}
            union
           select p.bank_code from payout_reviews r join payouts p on p.id = r.payout_id
            where r.next_query_at <= $1 and ${IS_SETTLED} and ${livesIn('p.client_id', '$2')}`,
    values: [now, only ?? null],
  })
  return rows.map(({ bankCode }) => bankCode)
}

export type PayoutQuery = {
  id: PayoutId
  reference: string
  currency: string
  sentOver: string | null // The fingerprint of a connection.
}

// Due ones, the longest due first; each is due again later, whatever comes of it.
export async function claimQueries(
  tx: Transaction,
  { now, only }: Due,
  { bankCode, limit }: { bankCode: string; limit: number },
): Promise<PayoutQuery[]> {
  const { rows } = await tx.query<PayoutQuery>({
    name: 'claim-payout-queries',
    text: `with due as materialized (
             select id from payouts
              where status = 'unknown' and bank_code = $1 and ${isQueryDue('$2')}
                and ${livesIn('client_id', '$6')}
              order by next_query_at, id limit $3 for no key update skip locked)
           update payouts p
              set queries = p.queries + 1,
                  next_query_at = $2 + least($4 * power(2, least(p.queries + 1, 20)), $5)
                                       * interval '1 millisecond'
             from due where p.id = due.id
           returning p.id, p.reference, p.currency, p.sent_over as "sentOver"`,
    values: [bankCode, now, limit, FIRST_MS, LONGEST_MS, only ?? null],
  })
  return rows
}

export type LongUnknown = {
  reference: string
  bankCode: string
  sendingAt: Date
  notFoundAnswers: number // How often the bank said that it does not know it.
}

export async function findLongUnknown(tx: Transaction, { now, only }: Due): Promise<LongUnknown[]> {
  const { rows } = await tx.query<LongUnknown>({
    name: 'long-unknown-payouts',
    text: `select reference, bank_code as "bankCode", sending_at as "sendingAt",
                  not_found_answers as "notFoundAnswers"
             from payouts p
            where status = 'unknown' and sending_at < $1 and ${livesIn('client_id', '$2')}
              and not exists (select from alerts
                               where kind = 'payout_unknown' and cleared_at is null
                                 and subject = 'payout/' || p.reference)
            order by id limit 100`,
    values: [new Date(now.getTime() - ALERT_AFTER_MS), only ?? null],
  })
  return rows
}
