// What a payer is told of an advice: these fields, and none that are not named here.

import { Type } from '@fastify/type-provider-typebox'
import { nullable } from '#http/schemas.ts'

const STATUSES =
  'Pending (no number was asked for yet), Processing, PartPayment, Successful, Expired, Cancelled ' +
  'or Reversed.'

export const CheckoutBody = Type.Object({
  now: Type.String({ description: 'The service’s clock: count down by it, not by the phone’s.' }),
  isTest: Type.Boolean({ description: 'A sandbox: no real money moves.' }),
  adviceReference: Type.String(),
  paymentReference: nullable('string'),
  merchantRef: nullable('string'),
  merchantName: Type.String(),
  narration: nullable('string'),
  status: Type.String({ description: STATUSES }),
  amountPolicy: Type.String(),
  amount: Type.Number(),
  amountPaid: Type.Number(),
  amountRemaining: Type.Number(),
  amountHeld: Type.Number({ description: 'Sent for this payment, and in suspense.' }),
  accountName: Type.String(),
  numbers: Type.Array(
    Type.Object({
      bankCode: Type.String(),
      bankName: Type.String(),
      accountNumber: Type.String(),
    }),
    { description: 'In the order they were issued; money to any of them counts.' },
  ),
  banks: Type.Array(Type.Object({ code: Type.String(), name: Type.String() }), {
    description: 'Where a number may be had; none when it is too late.',
  }),
  expiresAt: nullable('string'),
  closesAt: nullable('string', { description: 'End of money grace counts.' }),
  paidAt: nullable('string'),
  returnUrl: Type.String({ description: 'The callBackUrl with the two references.' }),
})
