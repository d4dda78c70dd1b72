// Sets the status of a settlement from its payouts: paid when all are confirmed, failed when none is. The
// money of a failed payout is available again (src/domain/payouts) and goes into the next settlement.

import type { Transaction } from '#db/transaction.ts'
import type { OutcomeHook } from '#domain/payouts/settle-payout.ts'
import type { SettlementId } from '#ids.ts'
import { emitEvent } from './settlement-events.ts'
import { readSettlement } from './settlements.ts'

export const finishSettlement: OutcomeHook = async (tx, { now }, { settlementId }) => {
  const id = settlementId as SettlementId
  await tx.query({
    name: 'lock-paid-settlement',
    text: 'select from settlements where id = $1 for no key update',
    values: [id],
  })
  const { open, paid, unpaid } = await countPayouts(tx, id)
  if (open > 0) {
    await setStatus(tx, { id, status: 'sending', finishedAt: null })
    return
  }
  const status = unpaid === 0 ? 'paid' : paid === 0 ? 'failed' : 'part_failed'
  await setStatus(tx, { id, status, finishedAt: now })
  const settlement = await readSettlement(tx, id)
  const type = status === 'paid' ? 'settlement.paid' : 'settlement.failed'
  await emitEvent(tx, now, { settlement, type })
}

async function countPayouts(tx: Transaction, id: SettlementId) {
  const { rows } = await tx.query<{ open: number; paid: number; unpaid: number }>({
    name: 'count-settlement-payouts',
    text: `select count(*) filter (where status in ('queued', 'sending', 'unknown'))::int as open,
                  count(*) filter (where status = 'confirmed')::int as paid,
                  count(*) filter (where status in ('failed', 'cancelled'))::int as unpaid
             from payouts where settlement_id = $1`,
    values: [id],
  })
  return rows[0] as { open: number; paid: number; unpaid: number }
}

type Outcome = { id: SettlementId; status: string; finishedAt: Date | null }

async function setStatus(tx: Transaction, { id, status, finishedAt }: Outcome): Promise<void> {
  await tx.query({
    name: 'set-settlement-status',
    text: 'update settlements set status = $2, finished_at = $3 where id = $1',
    values: [id, status, finishedAt],
  })
}
