// The states of a payout, the only code that changes them, and the history of each change.
//
// I47: `sending` is committed before the bank is called. Only a payout whose order certainly never reached
// the bank is queued again (I105).

import assert from 'node:assert/strict'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import { type Move, moveRows, type States, statusesOf } from '#db/states.ts'
import type { Transaction } from '#db/transaction.ts'
import type { PayoutId } from '#ids.ts'

const TRANSITIONS = {
  queued: ['sending', 'cancelled'],
  sending: ['queued', 'confirmed', 'failed', 'unknown'],
  confirmed: [],
  failed: [],
  unknown: ['confirmed', 'failed'],
  cancelled: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type PayoutStatus = keyof typeof TRANSITIONS

export const PAYOUTS: States<PayoutStatus> = {
  table: 'payouts',
  column: 'status',
  initial: 'queued',
  transitions: TRANSITIONS,
}

export const PAYOUT_STATUSES = statusesOf(TRANSITIONS)

type PayoutMove = Move<PayoutStatus> & {
  by: string
  now: Date
  detail?: string | null
  mayStay?: boolean // True: payouts in another state stay unchanged. False: they fail an assertion.
}

// Moves payouts from one status to another, and records the change in their history. Returns the payouts that
// moved. `rows` is a list of ids, or a query that selects and locks them. Throws if a listed payout is not in
// the status `from`, unless `mayStay` allows it to keep another status. In the history, a payout that is
// queued again is `unsent`.
export async function transition<Row extends { id: PayoutId }>(
  tx: Transaction,
  { by, now, detail = null, mayStay = false, ...move }: PayoutMove,
): Promise<Row[]> {
  const moved = await moveRows<PayoutStatus, Row>(tx, PAYOUTS, move)
  if (typeof move.rows !== 'string' && !mayStay) {
    const ids = move.rows.join(', ')
    assert(moved.length === move.rows.length, `payouts: not all of ${ids} were ${move.from}`)
  }
  if (moved.length === 0) return moved
  const payoutIds = moved.map(({ id }) => id)
  const change = move.to === 'queued' ? 'unsent' : move.to
  await recordPayoutChanges(tx, now, { payoutIds, change, changedBy: by, detail })
  return moved
}

// The history of a payout: every status, with its cause; `unsent`, when the payout was queued again because
// nothing reached the bank; and entries that were booked from a statement that contradicts the payout
// (src/reconciliation/book.ts).
export type PayoutChange = {
  change:
    | PayoutStatus
    | 'first_approved'
    | 'approved'
    | 'rejected'
    | 'paid_at_bank'
    | 'returned_by_bank'
    | 'unsent'
    | 'routed' // The detail is a decision (src/routing/decision.ts).
  changedBy: string
  changedAt: Date
  detail: string | null
}

type NewChange = Omit<PayoutChange, 'changedAt' | 'detail'> & {
  payoutIds: readonly PayoutId[]
  detail?: string | null
}

// Adds an entry to the history of each payout.
export async function recordPayoutChanges(
  tx: Transaction,
  now: Date,
  { payoutIds, change, changedBy, detail = null }: NewChange,
): Promise<void> {
  await tx.query({
    name: 'record-payout-changes',
    text: `insert into payout_changes (payout_id, change, changed_by, changed_at, detail)
           select id, $2, $3, $4, $5 from unnest($1::bigint[]) as p (id)`,
    values: [numberArray(payoutIds), change, changedBy, now, detail],
  })
}

export async function readPayoutChanges(db: Queryable, id: PayoutId): Promise<PayoutChange[]> {
  const { rows } = await db.query<PayoutChange>({
    name: 'read-payout-changes',
    text: `select change, changed_by, changed_at, detail
             from payout_changes where payout_id = $1 order by id`,
    values: [id],
  })
  return rows
}
