// How advices and payments look on our own endpoints, and what they can be listed by.

import { type Static, Type } from '@fastify/type-provider-typebox'
import type { Advice } from '#domain/payments/advices.ts'
import type { PaymentFilters } from '#domain/payments/payment-list.ts'
import { type Payment, remainingKobo, statusAt } from '#domain/payments/payments.ts'
import { callBackUrlOf } from '#domain/payments/resource-presenters.ts'
import { type FieldError, Refusal } from '#errors.ts'
import { OrderQuery, PageQuery, query, WindowQuery, windowOf } from '#http/lists.ts'
import { presentAdvice } from '#http/presenters.ts'
import type { NameBank } from '#http/routes/credits/credit-presenters.ts'
import { AdviceFields, Amount, digits, nullable, text } from '#http/schemas.ts'
import { type Kobo, kobo, koboOf, toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'

export const AdviceRecord = Type.Object({
  ...AdviceFields,
  amountPaid: Type.Number(),
  customerEmail: nullable('string'),
  customerPhoneNumber: nullable('string'),
  graceSeconds: Type.Integer(),
  expiresAt: nullable('string', { description: 'Null: no number was issued yet.' }),
  closesAt: nullable('string', { description: 'The end of grace: until here money still counts.' }),
  cancelledAt: nullable('string'),
})

export function presentAdviceRecord(
  { advice, payment }: { advice: Advice; payment: Payment | undefined },
  how: { now: Date; address: string },
) {
  return {
    ...presentAdvice(advice, payment, how),
    amountPaid: toNaira(payment?.amountPaidKobo ?? kobo(0n)),
    customerEmail: advice.customer.email,
    customerPhoneNumber: advice.customer.phoneNumber,
    graceSeconds: advice.graceSeconds,
    expiresAt: payment ? timestamp(payment.expiresAt) : null,
    closesAt: payment ? timestamp(payment.closesAt) : null,
    cancelledAt: advice.cancelledAt && timestamp(advice.cancelledAt),
  }
}

export const PaymentFields = {
  paymentReference: Type.String(),
  adviceReference: Type.String(),
  merchantRef: nullable('string'),
  status: Type.String(),
  amount: Type.Number(),
  amountPaid: Type.Number(),
  amountRemaining: Type.Number({ description: 'What is still due.' }),
  currency: Type.String(),
  amountPolicy: Type.String(),
  expiresAt: Type.String(),
  closesAt: Type.String({ description: 'The end of grace: until here money still counts.' }),
  numbers: Type.Array(
    Type.Object({
      bankCode: Type.String(),
      bankName: Type.String(),
      accountNumber: Type.String(),
    }),
  ),
  customerName: Type.String(),
  narration: nullable('string'),
  callBackUrl: Type.String(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
}

export function presentPaymentRecord(payment: Payment, now: Date, nameBank: NameBank) {
  const { amountKobo, amountPaidKobo } = payment
  return {
    paymentReference: payment.id,
    adviceReference: payment.adviceId,
    merchantRef: payment.merchantRef,
    status: statusAt(payment, now),
    amount: toNaira(amountKobo),
    amountPaid: toNaira(amountPaidKobo),
    amountRemaining: toNaira(remainingKobo(payment.status, amountKobo, amountPaidKobo)),
    currency: payment.currency,
    amountPolicy: payment.amountPolicy,
    expiresAt: timestamp(payment.expiresAt),
    closesAt: timestamp(payment.closesAt),
    numbers: payment.numbers.map(({ bankCode, accountNumber }) => ({
      bankCode,
      bankName: nameBank(bankCode),
      accountNumber,
    })),
    customerName: payment.customerName,
    narration: payment.narration,
    callBackUrl: callBackUrlOf(payment),
    createdAt: timestamp(payment.createdAt),
    updatedAt: timestamp(payment.updatedAt),
  }
}

const ANY_REFERENCE =
  'Payment or advice reference, merchantRef, session id of a transfer, or account number.'

// What the lists and their export can be narrowed by.
export function filterFields<Status extends string>(statuses: readonly Status[]) {
  return {
    status: Type.Optional(
      Type.Unsafe<Status>({
        type: 'string',
        enum: [...statuses],
        description: 'As it is now: it reads Expired from its expiry on.',
        'x-says': `Must be one of ${statuses.join(', ')}.`,
      }),
    ),
    minAmount: Type.Optional(Amount),
    maxAmount: Type.Optional(Amount),
    search: Type.Optional(text(100, 'Part of the customer’s name or e-mail address, in any case.')),
    merchantRef: Type.Optional(text(100, 'Your own reference.')),
    accountNumber: Type.Optional(
      digits('^[0-9]{10}$', 'A number that was issued for it.', 'Must be 10 digits.'),
    ),
    reference: Type.Optional(text(100, `Any reference at all. ${ANY_REFERENCE}`)),
    ...WindowQuery,
  }
}

export function listQuery<Status extends string>(statuses: readonly Status[]) {
  return query({ ...filterFields(statuses), ...OrderQuery, ...PageQuery })
}

export const LISTED =
  '`from` and `to` are of its making. Filters may be combined. A page of a list that is filtered ' +
  'by amount, customer or a common status may hold fewer than asked for, or none, while hasMore ' +
  'is true: go on with nextCursor.'

export const BY_ANY_REFERENCE =
  `${ANY_REFERENCE} Tried in this order; references with or without dashes and in any case; of a ` +
  'number its latest payment.'

type FilterQuery<Status extends string> = Omit<
  Static<ReturnType<typeof listQuery<Status>>>,
  'limit' | 'cursor' | 'order'
>

export function filtersOf<Status extends string>(
  asked: FilterQuery<Status>,
): PaymentFilters<Status> {
  const { status, minAmount, maxAmount, search, merchantRef, accountNumber, reference } = asked
  const [minKobo, maxKobo] = [minAmount, maxAmount].map((amount) =>
    amount === undefined ? undefined : (koboOf(amount) as Kobo),
  )
  if (minKobo !== undefined && maxKobo !== undefined && minKobo > maxKobo) {
    const message = 'Must not be less than minAmount.'
    throw new Refusal('invalid_request', [{ field: 'maxAmount', message }] satisfies FieldError[])
  }
  const compared = { status, minKobo, maxKobo, search }
  return { ...compared, merchantRef, accountNumber, reference, ...windowOf(asked) }
}
