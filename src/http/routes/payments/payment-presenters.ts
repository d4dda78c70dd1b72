// Schemas, presenters and filters of advices and payments on our own endpoints.

import { type Static, Type } from '@fastify/type-provider-typebox'
import type { Advice } from '#domain/payments/advices.ts'
import type { PaymentFilters } from '#domain/payments/payment-list.ts'
import { type Payment, remainingKobo, statusAt } from '#domain/payments/payments.ts'
import type { NameBank } from '#domain/payments/resource-presenters.ts'
import { buildCallBackUrl } from '#domain/payments/resource-presenters.ts'
import { openShares } from '#domain/splits/read-shares.ts'
import { OrderQuery, PageQuery, parseWindow, query, WindowQuery } from '#http/lists.ts'
import { type AdviceShowing, presentAdvice } from '#http/presenters.ts'
import { presentShares } from '#http/routes/splits/split-presenters.ts'
import {
  AdviceFields,
  AMOUNT_POLICY,
  accountNumber,
  BankNumber,
  named,
  nullable,
  PAYMENT_STATES,
  Shares,
  text,
} from '#http/schemas.ts'
import { AmountQuery, parseAmounts } from '#http/summaries.ts'
import { kobo, toNaira } from '#money.ts'
import { timestamp } from '#wat-time.ts'

export const AdviceRecord = named('AdviceRecord', {
  ...AdviceFields,
  amountPaid: Type.Number(),
  refundedAmount: Type.Number({ description: 'Refunded to the payer, confirmed by the banks.' }),
  customerEmail: nullable('string'),
  customerPhoneNumber: nullable('string'),
  graceSeconds: Type.Integer(),
  expiresAt: nullable('string', { description: 'Null until a number is issued.' }),
  closesAt: nullable('string', { description: 'End of the grace period.' }),
  cancelledAt: nullable('string'),
})

export function presentAdviceRecord(
  { advice, payment }: { advice: Advice; payment: Payment | undefined },
  how: AdviceShowing,
) {
  return {
    ...presentAdvice(advice, payment, how),
    amountPaid: toNaira(payment?.amountPaidKobo ?? kobo(0n)),
    refundedAmount: toNaira(payment?.refundedKobo ?? kobo(0n)),
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
  status: Type.String({ description: PAYMENT_STATES }),
  amount: Type.Number(),
  amountPaid: Type.Number(),
  amountRemaining: Type.Number({ description: 'Amount still due.' }),
  refundedAmount: Type.Number({ description: 'Refunded to the payer, confirmed by the banks.' }),
  currency: Type.String(),
  amountPolicy: Type.String({ description: AMOUNT_POLICY }),
  expiresAt: Type.String(),
  closesAt: Type.String({ description: 'End of the grace period.' }),
  numbers: Type.Array(BankNumber),
  customerName: Type.String(),
  narration: nullable('string'),
  splits: Shares,
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
    refundedAmount: toNaira(payment.refundedKobo),
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
    splits: presentShares(openShares(payment.splits)),
    callBackUrl: buildCallBackUrl(payment),
    createdAt: timestamp(payment.createdAt),
    updatedAt: timestamp(payment.updatedAt),
  }
}

const ANY_REFERENCE = 'Payment or advice reference, merchantRef, session ID or account number.'

// What the lists and their export can be narrowed by.
export function filterFields<Status extends string>(statuses: readonly Status[]) {
  return {
    status: Type.Optional(
      Type.Unsafe<Status>({
        type: 'string',
        enum: [...statuses],
        description: 'Current status; Expired from the expiry on.',
        'x-says': `Must be one of ${statuses.join(', ')}.`,
      }),
    ),
    ...AmountQuery,
    search: Type.Optional(
      text(100, 'Part of the customer’s name or email address, case-insensitive.'),
    ),
    merchantRef: Type.Optional(text(100, 'Your reference.')),
    accountNumber: Type.Optional(accountNumber('An account number issued for it.')),
    reference: Type.Optional(text(100, `Any reference. ${ANY_REFERENCE}`)),
    ...WindowQuery,
  }
}

export function listQuery<Status extends string>(statuses: readonly Status[]) {
  return query({ ...filterFields(statuses), ...OrderQuery, ...PageQuery })
}

export const LISTED =
  '`from` and `to` apply to createdAt. Filters can be combined. A page filtered by amount, ' +
  'customer or a common status may hold fewer items than `limit`, or none, while hasMore is ' +
  'true: continue with nextCursor.'

export const BY_ANY_REFERENCE =
  `${ANY_REFERENCE} Tried in this order. References match with or without dashes, in any case; ` +
  'an account number matches its latest payment.'

type FilterQuery<Status extends string> = Omit<
  Static<ReturnType<typeof listQuery<Status>>>,
  'limit' | 'cursor' | 'order'
>

export function parsePaymentFilters<Status extends string>(
  asked: FilterQuery<Status>,
): PaymentFilters<Status> {
  const { status, search, merchantRef, accountNumber, reference } = asked
  const compared = { status, ...parseAmounts(asked), search }
  return { ...compared, merchantRef, accountNumber, reference, ...parseWindow(asked) }
}
