// The history of a payout: every state that it got, who or what gave it, and why; that it was queued again
// because nothing reached the bank (`unsent`); and what was booked
// from a statement that showed it otherwise (src/domain/reconciliation/book-payout.ts).

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { toStored } from '#domain/routing/tell-decision.ts'
import type { PayoutId } from '#ids.ts'
import type { SendingChoice } from './choose-sending-bank.ts'
import type { PayoutStatus } from './payouts.ts'

export type PayoutChange = {
  change:
    | PayoutStatus
    | 'first_approved'
    | 'approved'
    | 'rejected'
    | 'paid_at_bank'
    | 'returned_by_bank'
    | 'unsent'
    | 'routed' // The detail is a decision (src/domain/routing/tell-decision.ts).
  changedBy: string
  changedAt: Date
  detail: string | null
}

type NewChange = Omit<PayoutChange, 'changedAt' | 'detail'> & {
  payoutIds: readonly PayoutId[]
  detail?: string | null
}

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

// The bank that sends them was chosen.
export async function recordRouting(
  tx: Transaction,
  now: Date,
  { payoutIds, routing }: { payoutIds: readonly PayoutId[]; routing: SendingChoice },
): Promise<void> {
  const detail = JSON.stringify({ bank: routing.bankCode, ...toStored(routing) })
  await recordPayoutChanges(tx, now, { payoutIds, change: 'routed', changedBy: 'routing', detail })
}

export async function readPayoutChanges(db: Queryable, id: PayoutId): Promise<PayoutChange[]> {
  const { rows } = await db.query<PayoutChange>({
    name: 'read-payout-changes',
    text: `select change, changed_by as "changedBy", changed_at as "changedAt", detail
             from payout_changes where payout_id = $1 order by id`,
    values: [id],
  })
  return rows
}
