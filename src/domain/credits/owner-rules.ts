// Which fee rule and which split apply to whom money is booked to, at the moment `$2`.

import type { Transaction } from '#db/transaction.ts'
import { type FeeRule, readRules, ruleInForce } from '#domain/fees/fee-rules.ts'
import { readSplits, type Split } from '#domain/splits/splits.ts'
import type { AccountId, FeeRuleId, SplitId } from '#ids.ts'
import type { PaymentTarget } from './judge-credit.ts'

// Of a payment `p` of an advice `a`, and of a collection account `a`.
export const PAYMENT_RULE = `coalesce(p.fee_rule_id,
  ${ruleInForce({ clientId: 'p.client_id' }, '$2')})`
const ACCOUNT_RULE = ruleInForce(
  { clientId: 'a.client_id', merchantCode: 'a.merchant_code' },
  '$2',
)

// The rule that a payment is charged by: the one that the customer was asked by, or else the one in
// force. A fee that the customer is to bear and was never asked for is not charged: the merchant
// would be short of it.
export function ruleOfPayment(
  { quotedRuleId }: Pick<PaymentTarget, 'quotedRuleId'>,
  rule: FeeRule | null,
): FeeRule | null {
  return rule && (quotedRuleId !== null || rule.bearer !== 'customer') ? rule : null
}

// Fills in `feeRule` and `split`. The payment must be locked.
export async function findPaymentTerms(
  tx: Transaction,
  now: Date,
  payment: PaymentTarget,
): Promise<void> {
  const { rows } = await tx.query<TermIds>({
    name: 'terms-of-payment',
    text: `select ${PAYMENT_RULE} as "feeRuleId", a.split_id as "splitId"
             from payments p join advices a on a.id = p.advice_id where p.id = $1`,
    values: [payment.paymentId, now],
  })
  const { feeRule, split } = await readTerms(tx, rows)
  payment.feeRule = ruleOfPayment(payment, feeRule)
  payment.split = split
}

type TermIds = { feeRuleId: FeeRuleId | null; splitId: SplitId | null }
type Terms = { feeRule: FeeRule | null; split: Split | null }

// Of a collection account.
export async function findAccountTerms(tx: Transaction, now: Date, id: AccountId): Promise<Terms> {
  const { rows } = await tx.query<TermIds>({
    name: 'terms-of-account',
    text: `select ${ACCOUNT_RULE} as "feeRuleId", a.split_id as "splitId"
             from collection_accounts a where a.id = $1`,
    values: [id, now],
  })
  return readTerms(tx, rows)
}

async function readTerms(tx: Transaction, ids: readonly TermIds[]): Promise<Terms> {
  const rules = await readRules(
    tx,
    ids.map(({ feeRuleId }) => feeRuleId),
  )
  const splits = await readSplits(
    tx,
    ids.map(({ splitId }) => splitId),
  )
  const [[feeRule = null], [split = null]] = [[...rules.values()], [...splits.values()]]
  return { feeRule, split }
}
