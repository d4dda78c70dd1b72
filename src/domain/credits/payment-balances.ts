// Locks payments for the money path, and writes them back.
//
// A payment holds the booked amounts of its own credits and the amounts assigned to it from suspense
// (I10). Holdings are read only for part-paid payments.

import { numberArray } from '#db/arrays.ts'
import { texts } from '#db/binary-arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { FeeRuleId, PaymentId, SplitId } from '#ids.ts'
import type { Holding, PaymentTarget } from './judge-credit.ts'
import { PAYMENT_RULE } from './owner-rules.ts'

type PaymentRow = Omit<PaymentTarget, 'kind' | 'pending' | 'mayReopen' | 'feeRule' | 'split'>

const SELECT_TARGET = `
  select p.client_id as "clientId", p.id as "paymentId", p.status, p.amount_kobo as "amountKobo",
         p.amount_paid_kobo as "amountPaidKobo", p.amount_policy as "amountPolicy", a.currency,
         p.created_at as "createdAt", p.closes_at as "closesAt",
         a.expires_in_seconds + a.extended_seconds + a.grace_seconds as "openSeconds",
         a.payer_rules as "payerRules", p.fee_rule_id as "quotedRuleId",
         p.charged_fee_kobo as "chargedFeeKobo", p.charged_vat_kobo as "chargedVatKobo"`

export type NumberOfPayment = {
  bankCode: string
  feeRuleId: FeeRuleId | null
  splitId: SplitId | null
  target: PaymentTarget
  isReused?: boolean
}
type NumberRow = PaymentRow &
  Omit<NumberOfPayment, 'target' | 'isReused'> & { accountNumber: string }

// By account number. Two numbers of one payment share one target, so that each sees the other's credits.
export async function lockPaymentsByNumber(
  tx: Transaction,
  now: Date,
  numbers: readonly string[],
): Promise<Map<string, NumberOfPayment>> {
  const { rows } = await tx.query<NumberRow>({
    name: 'lock-payments-by-number',
    text: `${SELECT_TARGET}, n.account_number as "accountNumber", n.bank_code as "bankCode",
                  ${PAYMENT_RULE} as "feeRuleId", a.split_id as "splitId"
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

// Sets `isReused`: whether another payment had the number before.
export async function findReused(
  tx: Transaction,
  numbers: ReadonlyMap<string, NumberOfPayment>,
): Promise<void> {
  if (numbers.size === 0) return
  const { rows } = await tx.query<{ accountNumber: string }>({
    name: 'find-reused-numbers',
    text: `select held.number as "accountNumber"
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

function toPaymentTarget(row: PaymentRow): PaymentTarget {
  return { kind: 'payment', ...row, pending: [], mayReopen: false, feeRule: null, split: null }
}

// Sets `pending`. The payments must be locked.
export async function findHoldings(
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
    text: `select payment_id as "paymentId", id as "creditId",
                  amount_kobo - suspended_kobo - reversed_kobo as "amountKobo",
                  null::bigint as "itemId"
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

export async function updatePayments(
  tx: Transaction,
  now: Date,
  payments: readonly PaymentTarget[],
): Promise<void> {
  if (payments.length === 0) return
  await tx.query({
    name: 'update-payments',
    text: `update payments p
              set status = u.status, amount_paid_kobo = u.paid, charged_fee_kobo = u.fee,
                  charged_vat_kobo = u.vat, updated_at = $6
             from unnest($1::uuid[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[])
                  as u (id, status, paid, fee, vat)
            where p.id = u.id`,
    values: [
      payments.map((payment) => payment.paymentId),
      payments.map((payment) => payment.status),
      numberArray(payments.map((payment) => payment.amountPaidKobo)),
      numberArray(payments.map((payment) => payment.chargedFeeKobo)),
      numberArray(payments.map((payment) => payment.chargedVatKobo)),
      now,
    ],
  })
}

// Sets `mayReopen` of payments that are over: whether all their numbers are still theirs. Locks the
// numbers, because one may be moving to another payment.
export async function findReopenable(
  tx: Transaction,
  now: Date,
  payments: Iterable<PaymentTarget>,
): Promise<void> {
  const over = [...payments].filter(({ status, closesAt }) => {
    const mayBePaid = status === 'Expired' || status === 'Processing' || status === 'PartPayment'
    return mayBePaid && now >= closesAt
  })
  if (over.length === 0) return
  const { rows } = await tx.query<{ paymentId: PaymentId; isOurs: boolean }>({
    name: 'lock-numbers-to-reopen',
    text: `select pn.payment_id as "paymentId", n.payment_id = pn.payment_id as "isOurs"
             from payment_numbers pn join numbers n on n.account_number = pn.account_number
            where pn.payment_id = any($1::uuid[])
            order by n.account_number
              for no key update of n`,
    values: [over.map(({ paymentId }) => paymentId)],
  })
  const lost = new Set(rows.flatMap(({ paymentId, isOurs }) => (isOurs ? [] : [paymentId])))
  for (const payment of over) payment.mayReopen = !lost.has(payment.paymentId)
}

// Reopens a payment that got money after it had expired (assigned by hand, or paid in time and reported
// late) and needs more. It is open for its usual time, and keeps its numbers for as much longer (I7).
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
