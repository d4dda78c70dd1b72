// The body of every event, type by type, for the `webhooks` of the API's description. A test holds
// real events against them: what is described is what is sent.

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import { EVENT_TYPES, type EventType } from '#domain/records/event-types.ts'
import { AccountFields } from '#http/routes/accounts/account-presenters.ts'
import { nullable } from '#http/schemas.ts'
import { EventFields } from './event-presenters.ts'

const CreditFields = {
  sessionId: Type.String({ description: 'The bank’s own id of the transfer: 30 digits on NIP.' }),
  amount: Type.Number(),
  currency: Type.String(),
  sourceAccountName: nullable('string'),
  sourceAccountNumberMasked: nullable('string'),
  sourceBankCode: nullable('string'),
  narration: nullable('string'),
  receivedAt: Type.String(),
}

const Credit = Type.Optional(
  Type.Object(CreditFields, { description: 'The money that it is about.' }),
)

const Account = {
  ...AccountFields,
  accountBalance: Type.Number({ description: 'After what the event tells of.' }),
}

const Payment = {
  paymentReference: Type.String(),
  adviceReference: Type.String(),
  merchantRef: nullable('string'),
  status: Type.String(),
  message: Type.String(),
  amount: Type.Number(),
  amountPaid: Type.Number({ description: 'After what the event tells of.' }),
  amountRemaining: Type.Number({ description: 'What is still due, as the API has it.' }),
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
  id: Type.Integer({ description: 'Of the credit.' }),
  ...CreditFields,
  bankCode: Type.String(),
  bankName: Type.String(),
  accountNumber: Type.String({ description: 'The number that the money was sent to.' }),
  transactionTime: nullable('string', { description: 'As the bank tells it: a time, or a date.' }),
  paymentReference: nullable('string'),
  adviceReference: nullable('string'),
  merchantRef: nullable('string'),
  collectionAccountNumber: nullable('string'),
  outcome: Type.String(),
  reason: nullable('string', { description: 'Why the money was in suspense.' }),
}

const amount = (description: string) => Type.Number({ description })
const amountReversed = amount('What the bank took back from here.')
const reversal = Type.Optional(
  Type.Object(
    {
      sessionId: Type.String(),
      amount: amount('What the bank took back of the credit by this reversal.'),
      shortfall: amount('Of it, what had left us already: returned, or on its way back.'),
    },
    { description: 'The whole reversal that it is part of.' },
  ),
)
const changes = Type.Array(Type.String(), { description: 'The names of what was changed.' })
const amountSuspended = amount('What was to suspense.')
const returnReference = Type.String({ description: 'Of the return, for ever: RTN and digits.' })

const about = (fields: Record<string, TSchema>) => Type.Object(fields)
const account = about(Account)
const payment = about({ ...Payment, credit: Credit })
const closing = about({ ...Payment, amountSuspended })

type Description = { summary: string; data: TSchema }

export const EVENT_DESCRIPTIONS: Record<EventType, Description> = {
  'account.created': { summary: 'A collection account was created', data: account },
  'account.updated': {
    summary: 'A collection account was changed',
    data: about({ ...Account, changes }),
  },
  'account.deactivated': { summary: 'A collection account takes no more money', data: account },
  'account.activated': { summary: 'A collection account takes money retried', data: account },
  'account.erased': {
    summary: 'The personal data of a collection account was erased: erase your copies too',
    data: account,
  },
  'collection.received': {
    summary: 'A arrived on a collection account',
    data: about({ ...Account, credit: Credit }),
  },
  'collection.reversed': {
    summary: 'A bank took money back from a collection account',
    data: about({ ...Account, amountReversed, reversal, credit: Credit }),
  },
  'payment.processing': { summary: 'A payment waits for its money', data: payment },
  'payment.part_paid': { summary: 'A part of a payment arrived', data: payment },
  'payment.extended': { summary: 'A payment has more time', data: about(Payment) },
  'payment.successful': { summary: 'A payment is paid', data: payment },
  'payment.expired': { summary: 'A payment was not paid in time', data: closing },
  'payment.cancelled': { summary: 'A payment was cancelled', data: closing },
  'payment.reversed': {
    summary: 'A bank took back money of a payment',
    data: about({ ...Payment, amountReversed, reversal, credit: Credit }),
  },
  'credit.suspended': {
    summary: 'A could not be given to anyone, and is in suspense',
    data: about({ ...Suspense, amountSuspended }),
  },
  'credit.assigned': {
    summary: 'A in suspense was given to a payment or an account',
    data: about({ ...Suspense, amountAssigned: amount('What was given.') }),
  },
  'credit.returned': {
    summary: 'A in suspense was back to its payer',
    data: about({
      ...Suspense,
      amountReturned: amount('What was back.'),
      returnReference,
      bankReference: nullable('string'),
    }),
  },
  'credit.return_failed': {
    summary: 'A could not be sent back to its payer, and is in suspense retried',
    data: about({
      ...Suspense,
      amountSuspended: amount('What is in suspense retried.'),
      returnReference,
      failureReason: nullable('string', { description: 'As the bank or the operator gave it.' }),
    }),
  },
  'credit.reversed': {
    summary: 'A bank took back money that was in suspense',
    data: about({
      ...Suspense,
      amountReversed: amount('What banks took back of the credit so far.'),
      amountShortfall: Type.Optional(amount('Of it, what had left us already.')),
      reversal,
    }),
  },
  'alert.raised': {
    summary: 'Something that an operator must look at; operators only',
    data: about({
      id: Type.Integer({ description: 'As at /api/v1/operator/alerts.' }),
      kind: Type.String(),
      title: Type.String(),
      remedy: Type.String({ description: 'What to do about it.' }),
      subject: Type.String({ description: 'What it is about.' }),
      detail: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
      raisedAt: Type.String(),
    }),
  },
  'endpoint.disabled': {
    summary: 'A webhook endpoint is not called any more, because of its answers',
    data: about({
      id: nullable('string', { description: 'Null: a notificationUrl or a callBackUrl.' }),
      url: Type.String(),
      isActive: Type.Boolean(),
      reason: Type.String(),
      failingSince: nullable('string'),
    }),
  },
  'endpoint.test': {
    summary: 'A test that you asked for',
    data: about({ endpointId: Type.String(), message: Type.String() }),
  },
}

export function eventSchema(type: EventType): TSchema {
  const { data } = EVENT_DESCRIPTIONS[type]
  const own = Type.Unsafe<string>({ type: 'string', const: type })
  return Type.Object({ ...EventFields, type: own, data })
}

const HEADERS = {
  'webhook-id': 'The id of the event: the same however often it is sent.',
  'webhook-timestamp': 'When this attempt was created, in seconds since 1970.',
  'webhook-signature': 'Standard Webhooks 1.0: v1, and the signature, for each secret that signs.',
}

// As OpenAPI 3.1 has them: one path item for each type.
export function describeWebhooks(): Record<string, object> {
  const parameters = Object.entries(HEADERS).map(([name, description]) => {
    return { name, in: 'header', required: true, description, schema: { type: 'string' } }
  })
  const responses = { '2XX': { description: 'Accepted. Any other is tried retried.' } }
  const describe = (type: EventType) => ({
    post: {
      operationId: `on${type.replace(/(?:^|[._])([a-z])/g, (_, letter) => letter.toUpperCase())}`,
      tags: ['Webhooks'],
      summary: EVENT_DESCRIPTIONS[type].summary,
      parameters,
      requestBody: { content: { 'application/json': { schema: eventSchema(type) } } },
      responses,
    },
  })
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, describe(type)]))
}
