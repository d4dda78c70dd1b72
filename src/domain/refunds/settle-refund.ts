// Sends the client an event when a payout of a refund is confirmed or fails. settle-payout.ts has moved
// the money. A failed payout no longer counts, so its money can be refunded again.

import type { Transaction } from '#db/transaction.ts'
import type { OutcomeHook, PayoutOutcome } from '#domain/payouts/settle-payout.ts'
import type { NewEvent, RefundFacts } from '#domain/records/event-types.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import type { AccountId, ClientId, CreditId, PaymentId, PayoutId } from '#ids.ts'
import type { Kobo } from '#money.ts'

// Cancelling is the client's own action.
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
  refundedAmountKobo: Kobo // The total of the payment or credit.
} & (
  | { paymentId: PaymentId; status: 'Successful' | 'Reversed'; amountPaidKobo: Kobo }
  | { paymentId: null; collectionAccountId: AccountId; accountBalanceKobo: Kobo }
)

// If a reversal took the money from the assigned account, the event names the credit's own account.
async function readRefunded(tx: Transaction, payoutId: PayoutId): Promise<Refunded> {
  const { rows } = await tx.query<Refunded>({
    name: 'read-refunded',
    text: `select r.reference, r.client_id as "clientId", p.credit_id as "creditId",
                  r.payment_id as "paymentId", y.status, y.amount_paid_kobo as "amountPaidKobo",
                  l.id as "collectionAccountId",
                  l.credits_kobo - l.debits_kobo as "accountBalanceKobo",
                  (select coalesce(sum(a.amount_kobo), 0)::bigint
                     from refunds o join payouts a on a.refund_id = o.id
                    where (o.payment_id = r.payment_id or o.credit_id = r.credit_id)
                      and o.client_id = r.client_id and a.status = 'confirmed')
                    as "refundedAmountKobo"
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

function toFacts({ reference }: Refunded, amountKobo: Kobo, outcome: PayoutOutcome): RefundFacts {
  const isConfirmed = outcome.status === 'confirmed'
  return {
    reference,
    amountKobo,
    bankReference: isConfirmed ? outcome.bankReference : null,
    failureReason: isConfirmed ? null : outcome.reason,
  }
}

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
