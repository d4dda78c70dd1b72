// A payment pays one advice by bank transfer, to one or more leased numbers. This file has its type, the
// status to show, and the queries that read single payments.
//
// From `expiresAt` on, a payment is shown as Expired, even before a worker has closed it. Until `closesAt`,
// the end of the grace period, money that arrives still pays it.

import { MERCHANT_NAME } from '#accounts/account.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import { type FeeQuote, QUOTE_COLUMNS } from '#fees/charges.ts'
import type { AdviceId, ClientId, PaymentId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import { PAYMENT_SHARES, type ShareRows } from '#splits/shares.ts'
import type { AdviceStatus, AmountPolicy } from './advice.ts'
import type { PaymentStatus } from './states.ts'

export type PaymentNumber = { bankCode: string; accountNumber: string }

export type Payment = FeeQuote & {
  id: PaymentId
  adviceId: AdviceId
  clientId: ClientId
  clientName: string // The client's login name, which merchants know as its code.
  merchantName: string // The name in account names.
  merchantRef: string | null
  amountPaidKobo: Kobo
  amountPolicy: AmountPolicy
  refundedKobo: Kobo // Refunds that the banks have confirmed.
  chargedFeeKobo: Kobo // Set once the payment is settled, less returned fees.
  chargedVatKobo: Kobo // Set once the payment is settled, less returned VAT.
  splits: ShareRows // The shares of subaccounts.
  currency: string
  status: PaymentStatus // The stored status. Show `statusAt` instead.
  narration: string | null
  callBackUrl: string
  customerName: string
  numbers: PaymentNumber[] // In the order in which they were issued.
  expiresAt: Date
  closesAt: Date
  createdAt: Date
  updatedAt: Date
}

// The status to show: the stored status, or Expired once an open payment's time is over.
export function statusAt(
  payment: { status: PaymentStatus; expiresAt: Date },
  now: Date,
): PaymentStatus {
  return isOpen(payment.status) && now >= payment.expiresAt ? 'Expired' : payment.status
}

// Whether a payment with this status still expects money.
export function isOpen(status: PaymentStatus): boolean {
  return status === 'Processing' || status === 'PartPayment'
}

// The refusal of a change to an advice whose payment has this status, which is not open.
export function closedRefusal(status: PaymentStatus): Refusal {
  if (status === 'Successful') return new Refusal('advice_paid')
  if (status === 'Reversed') return new Refusal('advice_reversed')
  return new Refusal(status === 'Cancelled' ? 'advice_cancelled' : 'advice_expired')
}

// The amount still due. Zero once the payment is successful, even if a part was reversed.
export function remainingKobo(status: PaymentStatus, amountKobo: Kobo, amountPaidKobo: Kobo): Kobo {
  const isPaid = status === 'Successful' || amountPaidKobo >= amountKobo
  return isPaid ? kobo(0n) : kobo(amountKobo - amountPaidKobo)
}

// The status of an advice, which follows from its payment.
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

// SQL scalar: the amount of the refunds of the payment `p` that banks have confirmed.
export const REFUNDED = `
  (select coalesce(sum(o.amount_kobo), 0)::bigint
     from refunds r join payouts o on o.refund_id = r.id
    where r.payment_id = p.id and o.status = 'confirmed')`

export const SELECT_PAYMENT = `
  select p.id, p.advice_id, p.client_id, c.client_id as client_name,
         ${MERCHANT_NAME.c}, a.merchant_ref, p.amount_kobo, p.amount_paid_kobo, p.amount_policy,
         a.currency, p.status, a.narration,
         ${QUOTE_COLUMNS}, ${REFUNDED} as refunded_kobo, p.charged_fee_kobo, p.charged_vat_kobo,
         ${PAYMENT_SHARES},
         a.call_back_url, a.customer_name, p.expires_at, p.closes_at, p.created_at, p.updated_at,
         (select json_agg(json_build_object('bankCode', n.bank_code,
                                            'accountNumber', n.account_number)
                          order by n.issued_at, n.bank_code)
            from payment_numbers n where n.payment_id = p.id) as numbers
    from payments p
    join advices a on a.id = p.advice_id
    join clients c on c.id = p.client_id`

// Reads a payment of the client by its own reference or its advice's.
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

// Finds the number that the payment's latest credit was sent to or, without a credit, the number that was
// issued last. `paidAt` is when the latest money that is still booked to the payment arrived, or was assigned
// from suspense.
export async function findPaidWhere(db: Queryable, payment: Payment): Promise<PaidWhere> {
  const { rows } = await db.query<{ accountNumber: string | null; paidAt: Date | null }>({
    name: 'find-paid-where',
    text: `select (select account_number from credits
                    where payment_id = $1 order by id desc limit 1) as account_number,
                  greatest((select max(received_at) from credits
                             where payment_id = $1
                               and amount_kobo - suspended_kobo - reversed_kobo > 0),
                           (select max(closed_at) from suspense_items
                             where assigned_payment_id = $1 and state = 'assigned')) as paid_at`,
    values: [payment.id],
  })
  const { accountNumber, paidAt } = rows[0] ?? {}
  const paidNumber = payment.numbers.find((number) => number.accountNumber === accountNumber)
  return { number: paidNumber ?? payment.numbers.at(-1), paidAt: paidAt ?? undefined }
}

export type PaidBy = { paidAt: Date | null; bankCode: string | null; sessionIds: string | null }

// Returns, for each payment with credits, when money was last booked or assigned to it, the bank of the last
// credit, and the session ids of all credits, in order. `counts` is false for a credit of which the payment
// has nothing left.
export async function readPaidBy(
  db: Queryable,
  payments: readonly Payment[],
): Promise<ReadonlyMap<PaymentId, PaidBy>> {
  const { rows } = await db.query<PaidBy & { id: PaymentId }>({
    name: 'read-paid-by',
    text: `select id, max(paid_at) filter (where counts) as paid_at,
                  (array_agg(bank_code order by paid_at desc, credit_id desc))[1] as bank_code,
                  string_agg(session_id, ' ' order by paid_at, credit_id) as session_ids
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

// The address to which the payer returns after paying, with the references of the advice and the payment in
// its query.
export function buildCallBackUrl({
  id,
  adviceId,
  callBackUrl,
}: Pick<Payment, 'id' | 'adviceId' | 'callBackUrl'>): string {
  if (callBackUrl === '') return '' // The advice has none.
  return withReferences(callBackUrl, {
    adviceReference: adviceId,
    paymentReference: id,
    advicereference: adviceId,
    paymentreference: id,
  })
}

// Appends the references of the advice and the payment to the query of an address (?…), before any fragment
// (#…). Their names are the documented ones, and the lower-case ones that some clients read. Works on the text, because parsing and formatting the URL would change how the merchant wrote it.
function withReferences(callBackUrl: string, references: Record<string, string>): string {
  const hashAt = callBackUrl.indexOf('#')
  const address = hashAt < 0 ? callBackUrl : callBackUrl.slice(0, hashAt)
  const fragment = hashAt < 0 ? '' : callBackUrl.slice(hashAt)
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return `${address}${separator}${new URLSearchParams(references)}${fragment}`
}
