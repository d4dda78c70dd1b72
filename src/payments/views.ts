// Views of advices and payments for the API, and the filters of their lists.

import { type Static, type TObject, Type } from '@fastify/type-provider-typebox'
import { accountName } from '#accounts/account.ts'
import type { NameBank } from '#banks/directory.ts'
import { describeCharges } from '#fees/charges.ts'
import type { FeeRule } from '#fees/rules.ts'
import { AmountQuery, parseAmounts, parseWindow, WindowQuery } from '#http/lists.ts'
import {
  AMOUNT_POLICY,
  accountNumber,
  BankNumber,
  PAYMENT_STATES,
  Shares,
  text,
} from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { kobo } from '#money.ts'
import { openShares } from '#splits/shares.ts'
import { presentShares } from '#splits/views.ts'
import type { Advice } from './advice.ts'
import {
  adviceStatus,
  buildCallBackUrl,
  type Payment,
  type PaymentNumber,
  remainingKobo,
  statusAt,
} from './payment.ts'
import {
  type ListedAdvice,
  type PaymentFilters,
  REFUND_STATES,
  type RefundState,
} from './queries.ts'
import type { PaymentStatus } from './states.ts'

export type AdviceRow = ListedAdvice & {
  charges: ReturnType<typeof describeCharges>
  address: string // The public address of the service.
}

// Combines what AdviceView needs. `feeRule` is the rule in force now, by which an unpaid advice states its
// charges.
export function toAdviceRow(
  { advice, payment }: { advice: Advice; payment: Payment | undefined },
  { feeRule, address }: { feeRule: FeeRule | undefined; address: string },
): AdviceRow {
  const isSettled = payment?.status === 'Successful' || payment?.status === 'Reversed'
  const fees = payment && { ...payment, isSettled }
  const charges = describeCharges(advice.amountKobo, feeRule, fees)
  return { advice, payment, charges, address }
}

// An advice in the published contract (/Payment/advice).
export const AdviceView = view('Advice', (f: Fields<AdviceRow, { now: Date }>) => ({
  adviceReference: f.text(({ advice }) => advice.id),
  merchantRef: f.textOrNull(({ advice }) => advice.merchantRef),
  amount: f.naira(({ advice }) => advice.amountKobo),
  currency: f.text(({ advice }) => advice.currency),
  narration: f.textOrNull(({ advice }) => advice.narration),
  status: f.text(
    ({ advice, payment }, { now }) => adviceStatus(advice, payment, now),
    'Pending, Paid, Expired, Cancelled or Reversed.',
  ),
  customerId: f.textOrNull(({ advice }) => advice.customer.customerId),
  customerFullName: f.text(({ advice }) => advice.customerName),
  merchantName: f.text(({ advice }) => advice.merchantName),
  paymentUrl: f.text(({ advice, address }) => `${address}/pay?adviceReference=${advice.id}`),
  channels: f.as(Type.Array(Type.String()), () => ['BankTransfer']),
  charge: f.naira(
    ({ charges }) => charges.chargeKobo,
    'Fee, without VAT: as charged once paid, and as expected before.',
  ),
  customerCharge: f.naira(
    ({ charges }) => charges.customerChargeKobo,
    'What the payer pays on top of amount, where the customer bears the fee.',
  ),
  merchantCharge: f.naira(
    ({ charges }) => charges.merchantChargeKobo,
    'Fee and VAT deducted from what the payer pays, where the customer does not.',
  ),
  vatCharge: f.naira(({ charges }) => charges.vatChargeKobo, 'VAT on the fee.'),
  callBackUrl: f.text(({ advice }) => advice.callBackUrl),
  notificationUrl: f.textOrNull(({ advice }) => advice.notificationUrl),
  amountPolicy: f.text(({ advice }) => advice.amountPolicy, AMOUNT_POLICY),
  expiresInSeconds: f.integer(({ advice }) => advice.expiresInSeconds + advice.extendedSeconds),
  splitCode: f.textOrNull(({ advice }) => advice.splitCode, 'Split that shares what is paid.'),
  splits: f.as(Shares, ({ payment }) => presentShares(openShares(payment?.splits ?? null))),
  paymentReference: f.textOrNull(({ payment }) => payment?.id ?? null),
  createdAt: f.time(({ advice }) => advice.createdAt),
}))

const REFUNDED = 'Refunded to the payer, confirmed by the banks.'
const CLOSES = 'End of the grace period.'

// An advice in /api/v1.
export const AdviceRecordView = view('AdviceRecord', (f: Fields<AdviceRow, { now: Date }>) => ({
  ...AdviceView.fields,
  amountPaid: f.naira(({ payment }) => payment?.amountPaidKobo ?? kobo(0n)),
  refundedAmount: f.naira(({ payment }) => payment?.refundedKobo ?? kobo(0n), REFUNDED),
  customerEmail: f.textOrNull(({ advice }) => advice.customer.email),
  customerPhoneNumber: f.textOrNull(({ advice }) => advice.customer.phoneNumber),
  graceSeconds: f.integer(({ advice }) => advice.graceSeconds),
  expiresAt: f.timeOrNull(
    ({ payment }) => payment?.expiresAt ?? null,
    'Null until a number is issued.',
  ),
  closesAt: f.timeOrNull(({ payment }) => payment?.closesAt ?? null, CLOSES),
  cancelledAt: f.timeOrNull(({ advice }) => advice.cancelledAt),
}))

type PaymentContext = { now: Date; nameBank: NameBank }

export const PaymentView = view('Payment', (f: Fields<Payment, PaymentContext>) => ({
  paymentReference: f.text('id'),
  adviceReference: f.text('adviceId'),
  merchantRef: f.textOrNull('merchantRef'),
  status: f.text((payment, { now }) => statusAt(payment, now), PAYMENT_STATES),
  amount: f.naira('amountKobo'),
  amountPaid: f.naira('amountPaidKobo'),
  amountRemaining: f.naira(
    ({ status, amountKobo, amountPaidKobo }) => remainingKobo(status, amountKobo, amountPaidKobo),
    'Amount still due.',
  ),
  refundedAmount: f.naira('refundedKobo', REFUNDED),
  merchantFee: f.naira(
    'chargedFeeKobo',
    'Fee charged once it is paid, without VAT, less what was given back.',
  ),
  merchantFeeVat: f.naira('chargedVatKobo', 'VAT on merchantFee.'),
  netToMerchant: f.naira(
    ({ amountPaidKobo, chargedFeeKobo, chargedVatKobo }) =>
      kobo(amountPaidKobo - chargedFeeKobo - chargedVatKobo),
    'amountPaid − merchantFee − merchantFeeVat. Includes splits.',
  ),
  currency: f.text('currency'),
  amountPolicy: f.text('amountPolicy', AMOUNT_POLICY),
  expiresAt: f.time('expiresAt'),
  closesAt: f.time('closesAt', CLOSES),
  numbers: f.as(Type.Array(BankNumber), ({ numbers }, { nameBank }) =>
    numbers.map(({ bankCode, accountNumber }) => {
      return { bankCode, bankName: nameBank(bankCode), accountNumber }
    }),
  ),
  customerName: f.text('customerName'),
  narration: f.textOrNull('narration'),
  splits: f.as(Shares, ({ splits }) => presentShares(openShares(splits))),
  callBackUrl: f.text(buildCallBackUrl),
  createdAt: f.time('createdAt'),
  updatedAt: f.time('updatedAt'),
}))

type NumberedPayment = { payment: Payment; number: PaymentNumber; status: PaymentStatus }
type Naming = { nameBank: NameBank; nameStyle: string }

// An initiated payment in the published contract, with the number that the payer pays into.
export const InitiatedPaymentView = view(
  'InitiatedPayment',
  (f: Fields<NumberedPayment, Naming>) => ({
    bankName: f.text(
      ({ number }, { nameBank }) => nameBank(number.bankCode),
      'Bank of the account number.',
    ),
    bankCode: f.text(({ number }) => number.bankCode, 'Its code.'),
    bankAccount: f.text(
      ({ number }) => number.accountNumber,
      'Virtual account number to pay into.',
    ),
    paymentReference: f.text(({ payment }) => payment.id, 'Reference of the payment.'),
    status: f.text('status', PAYMENT_STATES),
    message: f.text('status', 'The status.'),
    amount: f.naira(({ payment }) => payment.amountKobo, 'Amount to pay.'),
    amountPaid: f.naira(({ payment }) => payment.amountPaidKobo, 'Amount paid so far.'),
    callBackUrl: f.text(
      ({ payment }) => buildCallBackUrl(payment),
      'Where the payer returns to, with adviceReference and paymentReference.',
    ),
    customerName: f.text(({ payment }) => payment.customerName, 'Name of the customer.'),
    expiresAt: f.time(({ payment }) => payment.expiresAt, 'Until when it can be paid.'),
    accountName: f.text(
      ({ payment }, { nameStyle }) => accountName(nameStyle, payment),
      'Name that the payer’s bank shows.',
    ),
  }),
)

// The data of a payment's events.
export const PaymentEventView = view(undefined, (f: Fields<NumberedPayment, Naming>) => ({
  ...InitiatedPaymentView.fields,
  adviceReference: f.text(({ payment }) => payment.adviceId),
  merchantRef: f.textOrNull(({ payment }) => payment.merchantRef),
  currency: f.text(({ payment }) => payment.currency),
  amountRemaining: f.naira(
    ({ status, payment }) => remainingKobo(status, payment.amountKobo, payment.amountPaidKobo),
    'Amount still due.',
  ),
}))

const ANY_REFERENCE = 'Payment or advice reference, merchantRef, session ID or account number.'

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
    refund: Type.Optional(
      Type.Unsafe<RefundState>({
        type: 'string',
        enum: [...REFUND_STATES],
        description: 'Refunded: all that was paid, as confirmed by the banks; part_refunded: less.',
        'x-says': `Must be one of ${REFUND_STATES.join(', ')}.`,
      }),
    ),
    ...WindowQuery,
  }
}

type FilterQuery<Status extends string> = Static<TObject<ReturnType<typeof filterFields<Status>>>>

export const LISTED =
  '`from` and `to` apply to createdAt. Filters can be combined. A page filtered by amount, ' +
  'customer or a common status may hold fewer items than `limit`, or none, while hasMore is ' +
  'true: continue with nextCursor.'

export const BY_ANY_REFERENCE =
  `${ANY_REFERENCE} Tried in this order. References match with or without dashes, in any case; ` +
  'an account number matches its latest payment.'

export function parsePaymentFilters<Status extends string>(
  filters: FilterQuery<Status>,
): PaymentFilters<Status> {
  const { status, search, merchantRef, accountNumber, reference, refund } = filters
  const otherFilters = { status, ...parseAmounts(filters), search, refund }
  return { ...otherFilters, merchantRef, accountNumber, reference, ...parseWindow(filters) }
}
