// Event schemas by type, for the OpenAPI `webhooks`. A test validates real events against them.

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import { EVENT_TYPES, type EventType } from '#domain/records/event-types.ts'
import { AccountFields } from '#http/routes/accounts/account-presenters.ts'
import { named, nullable, PAYMENT_STATES } from '#http/schemas.ts'
import { EventFields } from './event-presenters.ts'

const CreditFields = {
  sessionId: Type.String({ description: 'Interbank session ID (30 digits on NIP).' }),
  bankCode: Type.String({ description: 'Bank that reported the credit.' }),
  accountNumber: Type.String({ description: 'Credited account number.' }),
  amount: Type.Number(),
  currency: Type.String(),
  sourceAccountName: nullable('string'),
  sourceAccountNumberMasked: nullable('string'),
  sourceBankCode: nullable('string'),
  narration: nullable('string'),
  receivedAt: Type.String(),
}

const Credit = Type.Optional(named('EventCredit', CreditFields, { description: 'The credit.' }))

const Account = {
  ...AccountFields,
  accountBalance: Type.Number({ description: 'After the event.' }),
}

const Payment = {
  paymentReference: Type.String(),
  adviceReference: Type.String(),
  merchantRef: nullable('string'),
  status: Type.String({ description: PAYMENT_STATES }),
  message: Type.String(),
  amount: Type.Number(),
  amountPaid: Type.Number({ description: 'After the event.' }),
  amountRemaining: Type.Number({ description: 'Amount still due.' }),
  currency: Type.String(),
  bankName: Type.String(),
  bankCode: Type.String(),
  bankAccount: Type.String(),
  accountName: Type.String(),
  customerName: Type.String(),
  callBackUrl: Type.String(),
  expiresAt: Type.String(),
}

const Suspense = {
  id: Type.Integer({ description: 'Credit ID.' }),
  ...CreditFields,
  bankName: Type.String(),
  transactionTime: nullable('string', { description: 'Time or date reported by the bank.' }),
  paymentReference: nullable('string'),
  adviceReference: nullable('string'),
  merchantRef: nullable('string'),
  collectionAccountNumber: nullable('string'),
  outcome: Type.String(),
  reason: nullable('string', { description: 'Suspense reason.' }),
}

const amount = (description: string) => Type.Number({ description })
const amountReversed = amount('Amount reversed.')
const reversal = Type.Optional(
  named(
    'EventReversal',
    {
      sessionId: Type.String(),
      amount: amount('Amount of the whole reversal.'),
      shortfall: amount('Of it, what had left us already: returned, or on its way back.'),
      receivable: Type.Optional(amount('Of it, what had been paid out or refunded: owed to us.')),
    },
    { description: 'The reversal this is part of.' },
  ),
)
const refunded = {
  refundedAmount: amount('Refunded in all, as confirmed by the banks.'),
  refund: named('EventRefund', {
    reference: Type.String({ description: 'Permanent refund reference: RFD and digits.' }),
    amount: amount('Amount of this payout of the refund.'),
    bankReference: nullable('string', { description: 'Set if confirmed.' }),
    failureReason: nullable('string', { description: 'Set if failed.' }),
  }),
}
const changes = Type.Array(Type.String(), { description: 'Names of the changed fields.' })
const amountSuspended = amount('Amount suspended.')
const returnReference = Type.String({ description: 'Permanent return reference: RTN and digits.' })

const about = (fields: Record<string, TSchema>) => Type.Object(fields)
const account = named('AccountEventData', Account)
const payment = named('PaymentEventData', { ...Payment, credit: Credit })
const accountRefund = named('CollectionRefundEventData', {
  ...Account,
  ...refunded,
  credit: Credit,
})
const paymentRefund = named('PaymentRefundEventData', { ...Payment, ...refunded, credit: Credit })
const closing = named('PaymentClosedEventData', { ...Payment, amountSuspended })

const Payout = {
  reference: Type.String(),
  purpose: Type.String({ description: 'payout or settlement.' }),
  status: Type.String({ description: 'confirmed or failed.' }),
  amount: Type.Number(),
  currency: Type.String(),
  fee: amount('Fee charged; given back if the payout failed.'),
  vat: amount('VAT on the fee.'),
  bankAccount: nullable('string', { description: 'Reference of the bank account.' }),
  bankCode: Type.String({ description: 'Bank that was paid.' }),
  accountName: Type.String(),
  narration: Type.String(),
  bankReference: nullable('string', { description: 'Set if confirmed.' }),
  failureReason: nullable('string', { description: 'Set if failed.' }),
  requestedAt: Type.String(),
  settledAt: Type.String(),
}
const payout = named('PayoutEventData', Payout)
const returnedPayout = named('PayoutReturnedEventData', {
  ...Payout,
  purpose: Type.String({ description: 'payout, settlement or refund.' }),
  returnedAmount: amount('What the bank gave back. It is available again.'),
  returnedAt: Type.String(),
})

const settlement = named('SettlementEventData', {
  reference: Type.String(),
  status: Type.String({ description: 'closed, paid, part_failed or failed.' }),
  currency: Type.String(),
  periodFrom: nullable('string', { description: 'Cut-off of the settlement before.' }),
  cutOff: Type.String(),
  lines: Type.Integer(),
  gross: amount('Credits.'),
  fees: amount('Fees, without VAT.'),
  vat: amount('VAT on the fees.'),
  reversed: amount('Reversed by the banks.'),
  refunds: amount('Refunded to payers.'),
  paidOut: amount('Paid out by payouts of your own.'),
  recovered: amount('Recovered of what you owed.'),
  reserved: amount('Held back.'),
  released: amount('Released of what was held back before.'),
  carried: amount('Carried from or to other settlements.'),
  net: amount('What is paid out.'),
  closedAt: Type.String(),
})

type Description = { summary: string; data: TSchema }

const EVENT_DESCRIPTIONS: Record<EventType, Description> = {
  'account.created': { summary: 'A collection account was created', data: account },
  'account.updated': {
    summary: 'A collection account was updated',
    data: about({ ...Account, changes }),
  },
  'account.deactivated': { summary: 'A collection account was deactivated', data: account },
  'account.activated': { summary: 'A collection account was activated', data: account },
  'account.erased': {
    summary: 'Personal data of a collection account was erased; erase your copies',
    data: account,
  },
  'collection.received': {
    summary: 'A collection account was credited',
    data: about({ ...Account, credit: Credit }),
  },
  'collection.reversed': {
    summary: 'A credit to a collection account was reversed',
    data: about({ ...Account, amountReversed, reversal, credit: Credit }),
  },
  'collection.refunded': {
    summary: 'A credit to a collection account was refunded to its payer',
    data: accountRefund,
  },
  'collection.refund_failed': {
    summary: 'A refund of a credit failed; the money is available again',
    data: accountRefund,
  },
  'payment.processing': { summary: 'A payment is waiting for money', data: payment },
  'payment.part_paid': { summary: 'A payment was paid in part', data: payment },
  'payment.extended': { summary: 'A payment was extended', data: about(Payment) },
  'payment.successful': { summary: 'A payment was paid', data: payment },
  'payment.expired': { summary: 'A payment expired', data: closing },
  'payment.cancelled': { summary: 'A payment was cancelled', data: closing },
  'payment.reversed': {
    summary: 'A credit to a payment was reversed',
    data: about({ ...Payment, amountReversed, reversal, credit: Credit }),
  },
  'payment.refunded': {
    summary: 'A payment was refunded to its payer, in whole or in part',
    data: paymentRefund,
  },
  'payment.refund_failed': {
    summary: 'A refund of a payment failed; the money is available again',
    data: paymentRefund,
  },
  'credit.suspended': {
    summary: 'A credit was suspended',
    data: about({ ...Suspense, amountSuspended }),
  },
  'credit.assigned': {
    summary: 'A suspense item was assigned to a payment or account',
    data: about({ ...Suspense, amountAssigned: amount('Amount assigned.') }),
  },
  'credit.returned': {
    summary: 'A suspense item was returned to its payer',
    data: about({
      ...Suspense,
      amountReturned: amount('Amount returned.'),
      returnReference,
      bankReference: nullable('string'),
    }),
  },
  'credit.return_failed': {
    summary: 'A return failed; the money is back in suspense',
    data: about({
      ...Suspense,
      amountSuspended: amount('Amount back in suspense.'),
      returnReference,
      failureReason: nullable('string', { description: 'Reported by the bank or operator.' }),
    }),
  },
  'credit.reversed': {
    summary: 'A suspended credit was reversed',
    data: about({
      ...Suspense,
      amountReversed: amount('Total reversed so far.'),
      amountShortfall: Type.Optional(amount('Of it, what had left us already.')),
      amountReceivable: Type.Optional(amount('Of it, what is owed to us.')),
      reversal,
    }),
  },
  'payout.confirmed': { summary: 'A payout was confirmed by the bank', data: payout },
  'payout.failed': {
    summary: 'A payout failed; the money is available again',
    data: payout,
  },
  'payout.returned': {
    summary: 'The bank gave back a payout that it had paid; the money is available again',
    data: returnedPayout,
  },
  'settlement.closed': { summary: 'A settlement was closed', data: settlement },
  'settlement.paid': { summary: 'All payouts of a settlement were confirmed', data: settlement },
  'settlement.failed': {
    summary: 'A settlement was not paid, or only in part; the rest is available again',
    data: settlement,
  },
  'alert.raised': {
    summary: 'An alert was raised (operators only)',
    data: about({
      id: Type.Integer({ description: 'Alert ID, as in /api/v1/operator/alerts.' }),
      kind: Type.String(),
      title: Type.String(),
      remedy: Type.String({ description: 'Recommended action.' }),
      subject: Type.String({ description: 'Object the alert refers to.' }),
      detail: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
      raisedAt: Type.String(),
    }),
  },
  'endpoint.disabled': {
    summary: 'A webhook destination was disabled after failures',
    data: about({
      id: nullable('string', { description: 'Null for a notificationUrl or callBackUrl.' }),
      url: Type.String(),
      isActive: Type.Boolean(),
      reason: Type.String(),
      failingSince: nullable('string'),
    }),
  },
  'endpoint.test': {
    summary: 'A test event',
    data: about({ endpointId: Type.String(), message: Type.String() }),
  },
}

export function eventSchema(type: EventType): TSchema {
  const { data } = EVENT_DESCRIPTIONS[type]
  const own = Type.Unsafe<string>({ type: 'string', const: type })
  return named(`${pascalCase(type)}Event`, { ...EventFields, type: own, data })
}

function pascalCase(type: EventType): string {
  return type.replace(/(?:^|[._])([a-z])/g, (_, letter) => letter.toUpperCase())
}

const HEADERS = {
  'webhook-id': 'Event ID, stable across deliveries.',
  'webhook-timestamp': 'Time of the attempt, in Unix seconds.',
  'webhook-signature': 'Standard Webhooks 1.0: v1, and the signature, for each secret that signs.',
}

// As OpenAPI 3.1 has them: one path item for each type.
export function describeWebhooks(): Record<string, object> {
  const parameters = Object.entries(HEADERS).map(([name, description]) => {
    return { name, in: 'header', required: true, description, schema: { type: 'string' } }
  })
  const responses = { '2XX': { description: 'Accepted. Any other status is retried.' } }
  const describe = (type: EventType) => ({
    post: {
      operationId: `on${pascalCase(type)}`,
      tags: ['Webhooks'],
      summary: EVENT_DESCRIPTIONS[type].summary,
      parameters,
      requestBody: { content: { 'application/json': { schema: eventSchema(type) } } },
      responses,
    },
  })
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, describe(type)]))
}
