// Ends refunds: reports the outcome of their payouts to the client, and cancels refunds.

import type { Client } from '#access/permissions.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, CreditId, PaymentId, PayoutId } from '#ids.ts'
import { formatKobo, type Kobo } from '#money.ts'
import {
  type OutcomeHook,
  type PayoutOutcome,
  type SettleDeps,
  settlePayout,
} from '#payouts/settle.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { RefundFacts } from '#records/event-types.ts'
import { appendEvents, type NewEvent } from '#records/events.ts'
import { getRefund } from './refund.ts'

// Sends the client an event when a payout of a refund is confirmed or fails. payouts/settle.ts has already
// moved the money. The money of a failed payout can be refunded again. A cancellation sends no event, because
// the client itself cancelled.
export const settleRefund: OutcomeHook = async (tx, { now }, ...[payout, outcome]) => {
  if (outcome.status === 'cancelled') return
  const refunded = await readRefunded(tx, payout.id)
  const refund = toFacts(refunded, payout.amountKobo, outcome)
  await appendEvents(tx, now, [toEvent(refunded, outcome.status, refund)])
}

type Refunded = {
  reference: string
  clientId: ClientId
  creditId: CreditId
  refundedAmountKobo: Kobo // The total refunded of the payment or credit.
} & (
  | { paymentId: PaymentId; status: 'Successful' | 'Reversed'; amountPaidKobo: Kobo }
  | { paymentId: null; collectionAccountId: AccountId; accountBalanceKobo: Kobo }
)

// Reads the facts of the refund that its event states, in their present values. If a reversal took the money
// from the account that it was assigned to, the event names the account that the credit was sent to.
async function readRefunded(tx: Transaction, payoutId: PayoutId): Promise<Refunded> {
  const { rows } = await tx.query<Refunded>({
    name: 'read-refunded',
    text: `select r.reference, r.client_id, p.credit_id, r.payment_id, y.status, y.amount_paid_kobo,
                  l.id as collection_account_id,
                  l.credits_kobo - l.debits_kobo as account_balance_kobo,
                  (select coalesce(sum(a.amount_kobo), 0)::bigint
                     from refunds o join payouts a on a.refund_id = o.id
                    where (o.payment_id = r.payment_id or o.credit_id = r.credit_id)
                      and o.client_id = r.client_id and a.status = 'confirmed')
                    as refunded_amount_kobo
             from payouts p
             join refunds r on r.id = p.refund_id
             join credits c on c.id = p.credit_id
             left join suspense_items i on i.id = p.item_id
             left join payments y on y.id = r.payment_id
             left join ledger_accounts l on r.payment_id is null
                   and l.id = coalesce(i.assigned_account_id, c.collection_account_id)
            where p.id = $1`,
    values: [payoutId],
  })
  return rows[0] as Refunded
}

type Settled = Exclude<PayoutOutcome, { status: 'cancelled' }>

// Returns the part of a refund's event that describes this payout: its amount, and the bank's reference or
// the reason of the failure.
function toFacts({ reference }: Refunded, amountKobo: Kobo, outcome: PayoutOutcome): RefundFacts {
  const isConfirmed = outcome.status === 'confirmed'
  return {
    reference,
    amountKobo,
    bankReference: isConfirmed ? outcome.bankReference : null,
    failureReason: isConfirmed ? null : outcome.reason,
  }
}

// Returns the event that tells the client that a payout of a refund was confirmed or failed. The event
// names the payment, or else the collection account that the credit was booked to.
function toEvent(refunded: Refunded, status: Settled['status'], refund: RefundFacts): NewEvent {
  const { clientId, creditId, refundedAmountKobo } = refunded
  const verb = status === 'confirmed' ? 'refunded' : 'refund_failed'
  if (refunded.paymentId !== null) {
    const { paymentId, status, amountPaidKobo } = refunded
    const facts = { status, amountPaidKobo, refundedAmountKobo, refund }
    return { clientId, paymentId, creditId, type: `payment.${verb}`, facts }
  }
  const { collectionAccountId, accountBalanceKobo } = refunded
  const facts = { accountBalanceKobo, refundedAmountKobo, refund }
  return { clientId, collectionAccountId, creditId, type: `collection.${verb}`, facts }
}

// Cancels all payouts of a refund if none of them has been sent. A repetition changes nothing.
//
// Locks: the payouts, in id order; then the locks of settling a payout.
export async function cancelRefund(
  tx: Transaction,
  deps: SettleDeps & { client: Client; actor: string },
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
  const remaining = rows.filter(({ status }) => status !== 'cancelled')
  if (remaining.some(({ status }) => status !== 'queued')) throw new Refusal('refund_not_queued')
  for (const { id } of remaining) {
    const outcome = { status: 'cancelled', reason } as const
    const result = await settlePayout(tx, deps, { id, outcome, by: actor })
    // `otherwise`: nothing was changed, because the payout may have been sent before a restore.
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
