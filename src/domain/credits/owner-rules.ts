// Finds the fee rule and the split of the owner of booked money, at the time `$2`.

import type { Transaction } from '#db/transaction.ts'
import { type FeeRule, readRules, ruleInForce } from '#domain/fees/fee-rules.ts'
import { readSplits, type Split } from '#domain/splits/splits.ts'
import type { AccountId, FeeRuleId, SplitId } from '#ids.ts'
import type { PaymentTarget } from './judge-credit.ts'

// For a payment `p` of an advice `a`, and for a collection account `a`.
export const PAYMENT_RULE = `coalesce(p.fee_rule_id,
  ${ruleInForce({ clientId: 'p.client_id' }, '$2')})`
const ACCOUNT_RULE = ruleInForce({ clientId: 'a.client_id', merchantCode: 'a.merchant_code' }, '$2')

// The rule that a payment is charged by: the quoted rule, or else the one in force. A customer's fee that
// was never quoted is not charged, because the merchant would have to pay it.
export function ruleOfPayment(
  { quotedRuleId }: Pick<PaymentTarget, 'quotedRuleId'>,
  rule: FeeRule | null,
): FeeRule | null {
  return rule && (quotedRuleId !== null || rule.bearer !== 'customer') ? rule : null
}

// Sets `feeRule` and `split`. The payment must be locked.
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
