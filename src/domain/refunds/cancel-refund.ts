// Cancels a refund whose payouts are all unsent. Cancels all of them or none. Idempotent.
//
// Locks: its payouts, in id order; then the locks of settling a payout.

import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { type SettleDeps, settlePayout } from '#domain/payouts/settle-payout.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { PayoutId } from '#ids.ts'
import { formatKobo } from '#money.ts'
import { getRefund } from './refunds.ts'

type Acting = SettleDeps & { client: Client; actor: string }

export async function cancelRefund(
  tx: Transaction,
  deps: Acting,
  { reference, reason }: { reference: string; reason: string },
): Promise<void> {
  const { client, actor, now } = deps
  const refund = await getRefund(tx, client.id, reference)
  const { rows } = await tx.query<{ id: PayoutId; status: string }>({
    name: 'lock-payouts-of-refund',
    text: 'select id, status from payouts where refund_id = $1 order by id for no key update',
    values: [refund.id],
  })
  if (rows.every(({ status }) => status === 'cancelled')) return
  const open = rows.filter(({ status }) => status !== 'cancelled')
  if (open.some(({ status }) => status !== 'queued')) throw new Refusal('refund_not_queued')
  for (const { id } of open) {
    const outcome = { status: 'cancelled', reason } as const
    const result = await settlePayout(tx, deps, { id, outcome, by: actor })
    if (result === 'otherwise') throw new Refusal('payout_may_have_been_sent')
  }
  const { paymentId, creditId, amountKobo, currency } = refund
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: 'refund.cancel',
    subject: paymentId === null ? `credit/${creditId}` : `payment/${paymentId}`,
    detail: { reference, amount: formatKobo(amountKobo), currency, note: reason },
  })
}
