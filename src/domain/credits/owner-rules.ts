// Which fee rule applies to whom money is booked to, at the moment `$2`.

import type { Transaction } from '#db/transaction.ts'
import { type FeeRule, readRules, ruleInForce } from '#domain/fees/fee-rules.ts'
import type { AccountId, FeeRuleId } from '#ids.ts'
import type { PaymentTarget } from './judge-credit.ts'

// Of a payment `p` of an advice `a`, and of a collection account `a`.
export const PAYMENT_RULE = `coalesce(p.fee_rule_id,
  ${ruleInForce({ clientId: 'p.client_id' }, '$2')})`
export const ACCOUNT_RULE = ruleInForce(
  { clientId: 'a.client_id', merchantCode: 'a.merchant_code' },
  '$2',
)

// The rule that a payment is charged by: the one that the customer was asked by, or else the one in
// force. A fee that the customer is to bear and was never asked for is not charged: the merchant
// would be short of it.
export function ruleOfPayment(
  { quotedRuleId }: Pick<PaymentTarget, 'quotedRuleId'>,
  rule: FeeRule | undefined,
): FeeRule | null {
  return rule && (quotedRuleId !== null || rule.bearer !== 'customer') ? rule : null
}

// Fills in `feeRule`. The payment must be locked.
export async function findPaymentRule(
  tx: Transaction,
  now: Date,
  payment: PaymentTarget,
): Promise<void> {
  const { rows } = await tx.query<{ id: FeeRuleId | null }>({
    name: 'fee-rule-of-payment',
    text: `select ${PAYMENT_RULE} as id
             from payments p join advices a on a.id = p.advice_id where p.id = $1`,
    values: [payment.paymentId, now],
  })
  const [rule] = (
    await readRules(
      tx,
      rows.map(({ id }) => id),
    )
  ).values()
  payment.feeRule = ruleOfPayment(payment, rule)
}

// Of a collection account.
export async function findAccountRule(
  tx: Transaction,
  now: Date,
  id: AccountId,
): Promise<FeeRule | null> {
  const { rows } = await tx.query<{ id: FeeRuleId | null }>({
    name: 'fee-rule-of-account',
    text: `select ${ACCOUNT_RULE} as id from collection_accounts a where a.id = $1`,
    values: [id, now],
  })
  const [rule] = (
    await readRules(
      tx,
      rows.map((row) => row.id),
    )
  ).values()
  return rule ?? null
}
