// Payments: one advice being settled by bank transfer, through one or more leased numbers.
//
//   Processing ─▶ PartPayment ─▶ Successful ─▶ Reversed
//       │              │
//       └──────────────┴─▶ Expired | Cancelled     (what was paid moves to suspense)
//
// A payment reads Expired from `expiresAt` on, whether or not a worker has closed it yet; until
// `closesAt`, the end of grace, money that arrives still counts.

import type { Queryable } from '#db/pool.ts'
import { MERCHANT_NAME } from '#domain/accounts/account-names.ts'
import { type FeeQuote, QUOTE_COLUMNS } from '#domain/fees/fee-quotes.ts'
import { PAYMENT_SHARES, type ShareRows } from '#domain/splits/read-shares.ts'
import { Refusal } from '#errors.ts'
import type { AdviceId, ClientId, PaymentId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { AdviceStatus, AmountPolicy } from './advices.ts'

export type PaymentStatus =
  | 'Processing'
  | 'PartPayment'
  | 'Successful'
  | 'Expired'
  | 'Cancelled'
  | 'Reversed'

export type PaymentNumber = { bankCode: string; accountNumber: string }

export type Payment = FeeQuote & {
  id: PaymentId
  adviceId: AdviceId
  clientId: ClientId
  clientName: string // The client's login name, which its merchants know as their code.
  merchantName: string // As in account names.
  merchantRef: string | null
  amountPaidKobo: Kobo
  amountPolicy: AmountPolicy
  refundedKobo: Kobo // As confirmed by the banks.
  chargedFeeKobo: Kobo // Once it is settled, …
  chargedVatKobo: Kobo // … less what was given back.
  splits: ShareRows // What subaccounts got of it.
  currency: string
  status: PaymentStatus // As stored: show `statusAt`.
  narration: string | null
  callBackUrl: string
  customerName: string
  numbers: PaymentNumber[] // In the order they were issued.
  expiresAt: Date
  closesAt: Date
  createdAt: Date
  updatedAt: Date
}

export function statusAt(
  payment: { status: PaymentStatus; expiresAt: Date },
  now: Date,
): PaymentStatus {
  return isOpen(payment.status) && now >= payment.expiresAt ? 'Expired' : payment.status
}

export function isOpen(status: PaymentStatus): boolean {
  return status === 'Processing' || status === 'PartPayment'
}

// Why nothing more can be done with an advice whose payment is no longer open.
export function closedRefusal(status: PaymentStatus): Refusal {
  if (status === 'Successful') return new Refusal('advice_paid')
  if (status === 'Reversed') return new Refusal('advice_reversed')
  return new Refusal(status === 'Cancelled' ? 'advice_cancelled' : 'advice_expired')
}

// What is still due of it, wherever it is shown; of a payment that is paid, nothing.
export function remainingKobo(status: PaymentStatus, amountKobo: Kobo, amountPaidKobo: Kobo): Kobo {
  const isPaid = status === 'Successful' || amountPaidKobo >= amountKobo
  return isPaid ? kobo(0n) : kobo(amountKobo - amountPaidKobo)
}

export function adviceStatus(
  advice: { cancelledAt: Date | null },
  payment: { status: PaymentStatus; expiresAt: Date } | undefined,
  now: Date,
): AdviceStatus {
  if (advice.cancelledAt) return 'Cancelled'
  if (!payment) return 'Pending'
  const status = statusAt(payment, now)
  if (isOpen(status)) return 'Pending'
  return status === 'Successful' ? 'Paid' : (status as AdviceStatus)
}

// Of the payment `p`, as confirmed by the banks.
export const REFUNDED = `
  (select coalesce(sum(o.amount_kobo), 0)::bigint
     from refunds r join payouts o on o.refund_id = r.id
    where r.payment_id = p.id and o.status = 'confirmed')`

export const SELECT_PAYMENT = `
  select p.id, p.advice_id as "adviceId", p.client_id as "clientId", c.client_id as "clientName",
         ${MERCHANT_NAME.c}, a.merchant_ref as "merchantRef",
         p.amount_kobo as "amountKobo", p.amount_paid_kobo as "amountPaidKobo",
         p.amount_policy as "amountPolicy", a.currency, p.status, a.narration,
         ${QUOTE_COLUMNS}, ${REFUNDED} as "refundedKobo",
         p.charged_fee_kobo as "chargedFeeKobo", p.charged_vat_kobo as "chargedVatKobo",
         ${PAYMENT_SHARES},
         a.call_back_url as "callBackUrl", a.customer_name as "customerName",
         p.expires_at as "expiresAt", p.closes_at as "closesAt", p.created_at as "createdAt",
         p.updated_at as "updatedAt",
         (select json_agg(json_build_object('bankCode', n.bank_code,
                                            'accountNumber', n.account_number)
                          order by n.issued_at, n.bank_code)
            from payment_numbers n where n.payment_id = p.id) as numbers
    from payments p
    join advices a on a.id = p.advice_id
    join clients c on c.id = p.client_id`

export async function getPayment(
  db: Queryable,
  clientId: ClientId,
  { by, reference }: { by: 'payment' | 'advice'; reference: string },
): Promise<Payment> {
  const column = by === 'payment' ? 'p.id' : 'p.advice_id'
  const { rows } = await db.query<Payment>({
    name: `get-payment-by-${by}`,
    text: `${SELECT_PAYMENT} where ${column} = $1 and p.client_id = $2`,
    values: [reference, clientId],
  })
  if (!rows[0]) throw new Refusal('payment_not_found')
  return rows[0]
}

export async function findPaymentOfAdvice(
  db: Queryable,
  adviceId: AdviceId,
): Promise<Payment | undefined> {
  const { rows } = await db.query<Payment>({
    name: 'find-payment-of-advice',
    text: `${SELECT_PAYMENT} where p.advice_id = $1`,
    values: [adviceId],
  })
  return rows[0]
}

export type PaidWhere = { number: PaymentNumber | undefined; paidAt: Date | undefined }

// The number that money came to last; of a payment that nothing came for, the last one issued. And
// when the last of what counts came, or was assigned from suspense.
export async function findPaidWhere(db: Queryable, payment: Payment): Promise<PaidWhere> {
  const { rows } = await db.query<{ accountNumber: string | null; paidAt: Date | null }>({
    name: 'find-paid-where',
    text: `select (select account_number from credits
                    where payment_id = $1 order by id desc limit 1) as "accountNumber",
                  greatest((select max(received_at) from credits
                             where payment_id = $1
                               and amount_kobo - suspended_kobo - reversed_kobo > 0),
                           (select max(closed_at) from suspense_items
                             where assigned_payment_id = $1 and state = 'assigned')) as "paidAt"`,
    values: [payment.id],
  })
  const { accountNumber, paidAt } = rows[0] ?? {}
  const paid = payment.numbers.find((each) => each.accountNumber === accountNumber)
  return { number: paid ?? payment.numbers.at(-1), paidAt: paidAt ?? undefined }
}

export type PaidBy = { paidAt: Date | null; bankCode: string | null; sessionIds: string | null }

// Of each payment that money came for: when the last of what counts came or was assigned, the bank that
// reported it, and the session ids of all of it, in order.
export async function readPaidBy(
  db: Queryable,
  payments: readonly Payment[],
): Promise<ReadonlyMap<PaymentId, PaidBy>> {
  const { rows } = await db.query<PaidBy & { id: PaymentId }>({
    name: 'read-paid-by',
    text: `select id, max(paid_at) filter (where counts) as "paidAt",
                  (array_agg(bank_code order by paid_at desc, credit_id desc))[1] as "bankCode",
                  string_agg(session_id, ' ' order by paid_at, credit_id) as "sessionIds"
             from (select payment_id as id, id as credit_id, bank_code, session_id,
                          received_at as paid_at,
                          amount_kobo - suspended_kobo - reversed_kobo > 0 as counts
                     from credits
                    where payment_id = any($1::uuid[]) and amount_kobo > suspended_kobo
                   union all
                   select i.assigned_payment_id, c.id, c.bank_code, c.session_id, i.closed_at, true
                     from suspense_items i join credits c on c.id = i.credit_id
                    where i.assigned_payment_id = any($1::uuid[]) and i.state = 'assigned') as paid
            group by id`,
    values: [payments.map(({ id }) => id)],
  })
  return new Map(rows.map(({ id, ...paidBy }) => [id, paidBy]))
}
