// Locks payments for the transactions that book money, and reads their terms: fee rule, split, holdings and
// whether they may reopen. Also reopens payments.
//
// A payment holds the booked amounts of its credits and the amounts assigned to it from suspense (I10). These
// holdings are read only for part-paid payments.

import type { Transaction } from '#db/transaction.ts'
import { type FeeRule, readRules, ruleInForce } from '#fees/rules.ts'
import { texts } from '#hot-path/copy-rows.ts'
import type { AccountId, FeeRuleId, PaymentId, SplitId } from '#ids.ts'
import { readSplits, type Split } from '#splits/split.ts'
import type { Holding, PaymentTarget } from './judge.ts'

// SQL scalars: the fee rule of the payment `p`, and the fee rule of the collection account `a`, at the time
// `$2`.
const PAYMENT_RULE = `coalesce(p.fee_rule_id,
  ${ruleInForce({ clientId: 'p.client_id' }, '$2')})`
const ACCOUNT_RULE = ruleInForce({ clientId: 'a.client_id', merchantCode: 'a.merchant_code' }, '$2')

// Returns the fee rule of a payment: the quoted rule, or else the rule in force. If the customer bears the
// fee but was never quoted one, there is no fee, because the merchant would have to pay it.
export function ruleOfPayment(
  { quotedRuleId }: Pick<PaymentTarget, 'quotedRuleId'>,
  rule: FeeRule | null,
): FeeRule | null {
  return rule && (quotedRuleId !== null || rule.bearer !== 'customer') ? rule : null
}

// Sets `feeRule` and `split` of the payment, before suspended money is assigned to it. The caller has locked
// the payment.
export async function setPaymentTerms(
  tx: Transaction,
  now: Date,
  payment: PaymentTarget,
): Promise<void> {
  const { rows } = await tx.query<TermIds>({
    name: 'terms-of-payment',
    text: `select ${PAYMENT_RULE} as fee_rule_id, a.split_id
             from payments p join advices a on a.id = p.advice_id where p.id = $1`,
    values: [payment.paymentId, now],
  })
  const { feeRule, split } = await readTerms(tx, rows[0])
  payment.feeRule = ruleOfPayment(payment, feeRule)
  payment.split = split
}

type TermIds = { feeRuleId: FeeRuleId | null; splitId: SplitId | null }
type Terms = { feeRule: FeeRule | null; split: Split | null }

// Returns the fee rule and the split that apply now to money booked to this collection account.
export async function findAccountTerms(tx: Transaction, now: Date, id: AccountId): Promise<Terms> {
  const { rows } = await tx.query<TermIds>({
    name: 'terms-of-account',
    text: `select ${ACCOUNT_RULE} as fee_rule_id, a.split_id
             from collection_accounts a where a.id = $1`,
    values: [id, now],
  })
  return readTerms(tx, rows[0])
}

// Loads the fee rule and the split by their ids. An id that is null gives null.
async function readTerms(tx: Transaction, ids: TermIds | undefined): Promise<Terms> {
  const { feeRuleId = null, splitId = null } = ids ?? {}
  const rules = await readRules(tx, [feeRuleId])
  const splits = await readSplits(tx, [splitId])
  return {
    feeRule: feeRuleId === null ? null : (rules.get(feeRuleId) ?? null),
    split: splitId === null ? null : (splits.get(splitId) ?? null),
  }
}

type PaymentRow = Omit<
  PaymentTarget,
  'kind' | 'storedStatus' | 'pending' | 'mayReopen' | 'feeRule' | 'split'
>

const SELECT_TARGET = `
  select p.client_id, p.id as payment_id, p.status, p.amount_kobo, p.amount_paid_kobo,
         p.amount_policy, a.currency, p.created_at, p.closes_at,
         a.expires_in_seconds + a.extended_seconds + a.grace_seconds as open_seconds, a.payer_rules,
         p.fee_rule_id as quoted_rule_id, p.charged_fee_kobo, p.charged_vat_kobo`

// An account number that is leased to a payment. `isReused` is set only by setIsReused().
export type NumberOfPayment = {
  bankCode: string
  feeRuleId: FeeRuleId | null
  splitId: SplitId | null
  target: PaymentTarget
  isReused?: boolean
}
type NumberRow = PaymentRow &
  Omit<NumberOfPayment, 'target' | 'isReused'> & { accountNumber: string }

// Locks the payments that these numbers are leased to, in id order, and returns them by account number. Two
// numbers of one payment share one target, so that each sees the other's credits.
export async function lockPaymentsByNumber(
  tx: Transaction,
  now: Date,
  numbers: readonly string[],
): Promise<Map<string, NumberOfPayment>> {
  const { rows } = await tx.query<NumberRow>({
    name: 'lock-payments-by-number',
    text: `${SELECT_TARGET}, n.account_number, n.bank_code,
                  ${PAYMENT_RULE} as fee_rule_id, a.split_id
             from numbers n
             join payments p on p.id = n.payment_id
             join advices a on a.id = p.advice_id
            where n.account_number = any($1::text[])
            order by p.id
              for no key update of p`,
    values: [texts(numbers, (number) => number), now],
  })
  const byId = new Map<PaymentId, PaymentTarget>()
  return new Map(
    rows.map(({ accountNumber, bankCode, feeRuleId, splitId, ...row }) => {
      const target = byId.get(row.paymentId) ?? toPaymentTarget(row)
      byId.set(row.paymentId, target)
      return [accountNumber, { bankCode, feeRuleId, splitId, target }]
    }),
  )
}

// Sets `isReused` of each number: whether another payment had the number before. The caller passes only
// numbers that got a credit made before the current lease.
export async function setIsReused(
  tx: Transaction,
  numbers: ReadonlyMap<string, NumberOfPayment>,
): Promise<void> {
  if (numbers.size === 0) return
  const { rows } = await tx.query<{ accountNumber: string }>({
    name: 'find-reused-numbers',
    text: `select held.number as account_number
             from unnest($1::text[], $2::uuid[]) as held (number, payment_id)
            where exists (select from payment_numbers pn
                           where pn.account_number = held.number
                             and pn.payment_id <> held.payment_id)`,
    values: [[...numbers.keys()], [...numbers.values()].map(({ target }) => target.paymentId)],
  })
  for (const { accountNumber } of rows) {
    const number = numbers.get(accountNumber)
    if (number) number.isReused = true
  }
}

// Locks payments in id order. The targets do not have their holdings and terms yet: setPending(),
// setMayReopen() and setPaymentTerms() fill them in if the caller needs them.
export async function lockPayments(
  tx: Transaction,
  ids: readonly PaymentId[],
): Promise<Map<PaymentId, PaymentTarget>> {
  const { rows } = await tx.query<PaymentRow>({
    name: 'lock-payments',
    text: `${SELECT_TARGET}
             from payments p join advices a on a.id = p.advice_id
            where p.id = any($1::uuid[])
            order by p.id
              for no key update of p`,
    values: [ids],
  })
  return new Map(rows.map((row) => [row.paymentId, toPaymentTarget(row)]))
}

// Makes a target of a row. `storedStatus` keeps the status of the database, while a decision may change
// `status`. The last four fields are placeholders: setPending(), setMayReopen() and the readers of fee rules
// and splits fill them in if the caller needs them.
function toPaymentTarget(row: PaymentRow): PaymentTarget {
  return {
    kind: 'payment',
    ...row,
    storedStatus: row.status,
    pending: [],
    mayReopen: false,
    feeRule: null,
    split: null,
  }
}

// Sets `pending` of each part-paid payment: the credits and assigned suspense items that it holds. The caller
// has locked the payments.
export async function setPending(
  tx: Transaction,
  payments: Iterable<PaymentTarget>,
): Promise<void> {
  const byId = new Map<PaymentId, PaymentTarget>()
  for (const payment of payments) {
    if (payment.status === 'PartPayment') byId.set(payment.paymentId, payment)
  }
  if (byId.size === 0) return
  const { rows } = await tx.query<Holding & { paymentId: PaymentId }>({
    name: 'find-holdings',
    text: `select payment_id, id as credit_id,
                  amount_kobo - suspended_kobo - reversed_kobo as amount_kobo,
                  null::bigint as item_id
             from credits
            where payment_id = any($1::uuid[])
              and amount_kobo - suspended_kobo - reversed_kobo > 0
           union all
           select assigned_payment_id, credit_id, amount_kobo, id
             from suspense_items
            where assigned_payment_id = any($1::uuid[]) and state = 'assigned'
            order by 1, 2`,
    values: [[...byId.keys()]],
  })
  for (const { paymentId, ...holding } of rows) byId.get(paymentId)?.pending.push(holding)
}

// Sets `mayReopen` of payments that are over: true if all numbers of the payment still belong to it. Locks
// the numbers, because another payment may be taking one of them over.
export async function setMayReopen(
  tx: Transaction,
  now: Date,
  payments: Iterable<PaymentTarget>,
): Promise<void> {
  const closedPayments = [...payments].filter(({ status, closesAt }) => {
    const mayBePaid = status === 'Expired' || status === 'Processing' || status === 'PartPayment'
    return mayBePaid && now >= closesAt
  })
  if (closedPayments.length === 0) return
  const { rows } = await tx.query<{ paymentId: PaymentId; isOurs: boolean }>({
    name: 'lock-numbers-to-reopen',
    text: `select pn.payment_id, n.payment_id = pn.payment_id as is_ours
             from payment_numbers pn join numbers n on n.account_number = pn.account_number
            where pn.payment_id = any($1::uuid[])
            order by n.account_number
              for no key update of n`,
    values: [closedPayments.map(({ paymentId }) => paymentId)],
  })
  const paymentsThatLostNumbers = new Set(
    rows.flatMap(({ paymentId, isOurs }) => (isOurs ? [] : [paymentId])),
  )
  for (const payment of closedPayments)
    payment.mayReopen = !paymentsThatLostNumbers.has(payment.paymentId)
}

// Reopens an expired payment that got money but needs more: an operator assigned money to it by hand, or
// money was paid in time and reported late. The payment is open for its usual time from now on. Its numbers
// stay reserved for as much longer as the payment does, so that they still go through their whole quarantine
// (I7).
export async function reopenPayment(tx: Transaction, now: Date, id: PaymentId): Promise<void> {
  await tx.query({
    name: 'reopen-payment',
    text: `with before as (select id, closes_at from payments where id = $1),
           reopened as (
             update payments p
                set expires_at = $2::timestamptz
                      + make_interval(secs => a.expires_in_seconds + a.extended_seconds),
                    closes_at = $2::timestamptz
                      + make_interval(secs => a.expires_in_seconds + a.extended_seconds
                                              + a.grace_seconds)
               from advices a
              where p.id = $1 and a.id = p.advice_id
             returning p.id, p.closes_at
           )
           update numbers n set reusable_at = n.reusable_at + (r.closes_at - b.closes_at)
             from reopened r
             join before b on b.id = r.id
             join payment_numbers pn on pn.payment_id = r.id
            where n.account_number = pn.account_number and n.payment_id = r.id`,
    values: [id, now],
  })
}
