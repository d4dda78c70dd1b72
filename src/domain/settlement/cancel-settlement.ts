// Cancels a settlement that is not approved: opposite transfers put the money back, and the next
// settlement covers it again. Only the client's latest settlement can be cancelled, because each
// settlement starts where the previous one ends.
//
// Locks: the client's turn, the settlement; then ledger accounts.

import type { Transaction } from '#db/transaction.ts'
import { discountSettlement } from '#domain/accounts/received-today.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { undoSettlement } from '#ledger/take-balances.ts'
import { takeTurn } from './close-settlement.ts'
import { undoReserves } from './reserves.ts'
import { recordSettlement } from './settlement-events.ts'
import { findPrevious, lockSettlement, readSettlement, type Settlement } from './settlements.ts'

type Cancellation = { clientId: ClientId; reference: string; actor: string; now: Date }

// Idempotent.
export async function cancelSettlement(
  tx: Transaction,
  { clientId, reference, actor, now }: Cancellation,
): Promise<Settlement> {
  await takeTurn(tx, clientId)
  const settlement = await lockSettlement(tx, clientId, reference)
  const { id, status, currency } = settlement
  if (status === 'cancelled') return settlement
  const latest = await findPrevious(tx, clientId, currency)
  if (status !== 'closed' || latest?.id !== id) throw new Refusal('settlement_not_cancellable')
  await tx.query({
    name: 'cancel-settlement',
    text: `update settlements
              set status = 'cancelled', cancelled_by = $2, cancelled_at = $3, held_reason = null
            where id = $1`,
    values: [id, actor, now],
  })
  for (const table of ['settlement_lines', 'settlement_shares']) {
    await tx.query({
      name: `delete-${table}`,
      text: `delete from ${table} where settlement_id = $1`,
      values: [id],
    })
  }
  await undoReserves(tx, id)
  await undoSettlement(tx, now, id)
  await discountSettlement(tx, id)
  await recordSettlement(tx, now, { id, verb: 'cancel', actor })
  return readSettlement(tx, id)
}
