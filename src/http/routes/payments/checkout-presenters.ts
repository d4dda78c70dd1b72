// What a payer may see of an advice: these fields only.

import { Type } from '@fastify/type-provider-typebox'
import { BankNumber, named, nullable } from '#http/schemas.ts'
import { LogoBody } from './checkout-images.ts'

const STATUSES =
  'Pending (no number issued yet), Processing, PartPayment, Successful, Expired, Cancelled or ' +
  'Reversed.'

const FeesBody = Type.Unsafe<{
  amount: number
  fee: number
  vat: number
  rounding: number
} | null>({
  anyOf: [
    Type.Object({
      amount: Type.Number({ description: 'What the merchant asks for.' }),
      fee: Type.Number(),
      vat: Type.Number({ description: 'VAT on the fee.' }),
      rounding: Type.Number(),
    }),
    Type.Null(),
  ],
  description: 'Where the payer bears the fee: what amount is made of. The parts sum to it.',
})

export const CheckoutBody = named('Checkout', {
  now: Type.String({ description: 'Server time, for countdowns.' }),
  isTest: Type.Boolean({ description: 'Sandbox: no real money moves.' }),
  adviceReference: Type.String(),
  paymentReference: nullable('string'),
  merchantRef: nullable('string'),
  merchantName: Type.String(),
  narration: nullable('string'),
  status: Type.String({ description: STATUSES }),
  amountPolicy: Type.String(),
  amount: Type.Number({ description: 'Amount due, including fees that the payer bears.' }),
  fees: FeesBody,
  amountPaid: Type.Number(),
  amountRemaining: Type.Number(),
  amountRefunded: Type.Number({ description: 'Refunded to the payer, confirmed by the banks.' }),
  amountHeld: Type.Number({ description: 'Paid towards this payment and in suspense.' }),
  accountName: Type.String(),
  numbers: Type.Array(BankNumber, {
    description: 'In order of issue; money to any of them counts.',
  }),
  banks: Type.Array(
    Type.Object({
      code: Type.String(),
      name: Type.String(),
      otherNames: Type.Array(Type.String(), { description: 'By which payers may search for it.' }),
    }),
    { description: 'Banks that can issue a number, healthy ones first; none once it is closed.' },
  ),
  expiresAt: nullable('string'),
  closesAt: nullable('string', { description: 'End of the grace period.' }),
  paidAt: nullable('string'),
  canRequery: Type.Boolean({
    description: 'A bank can be asked for the transfer: POST /pay/{adviceReference}/sent.',
  }),
  payerBanks: Type.Array(Type.String(), {
    description: 'Once it is paid: the banks that it was paid from.',
  }),
  paidInto: Type.Array(BankNumber, { description: 'Once it is paid: where the money arrived.' }),
  supportEmail: nullable('string', { description: 'Of the merchant, for payers.' }),
  supportPhone: nullable('string', { description: 'Of the merchant, for payers.' }),
  supportUrl: nullable('string', { description: 'Of the merchant, for payers.' }),
  logo: LogoBody,
  returnUrl: Type.String({ description: 'callBackUrl with both references appended.' }),
})
