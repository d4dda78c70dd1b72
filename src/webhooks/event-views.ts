// Presents events in lists and streams as they are delivered, and describes webhooks in the OpenAPI document.

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import { PublicAccountView } from '#accounts/views.ts'
import { bankNames } from '#banks/directory.ts'
import type { Queryable } from '#db/pool.ts'
import type { Deps } from '#http/deps.ts'
import { named, nullable } from '#http/schemas.ts'
import { PaymentEventView } from '#payments/views.ts'
import { EVENT_TYPES, type EventType } from '#records/event-types.ts'
import { AlertView } from '#records/routes.ts'
import { RefundPayoutView, RefundView } from '#refunds/routes.ts'
import type { StoredEvent } from './events.ts'
import { type EventBody, renderEvents } from './render.ts'
import {
  EndpointView,
  EventCreditView,
  PayoutEventView,
  ReturnedPayoutEventView,
  SettlementEventView,
  SuspenseEventView,
} from './views.ts'

export const EventFields = {
  id: Type.String({ description: 'Stable across deliveries; use it to deduplicate.' }),
  type: Type.Unsafe<EventType>({ type: 'string', enum: [...EVENT_TYPES] }),
  sequence: Type.Integer({ description: 'Per client, without gaps.' }),
  createdAt: Type.String(),
  env: Type.Unsafe<'Test' | 'Live'>({ type: 'string', enum: ['Test', 'Live'] }),
  data: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: 'Snapshot of the object: see Webhooks.',
  }),
}

type PresentEvents = (db: Queryable, events: readonly StoredEvent[]) => Promise<EventBody[]>

// Returns the function that renders events for lists and streams.
export function eventPresenter({ sealer, mode, banks, policy }: Deps): PresentEvents {
  const rendering = { mode, nameBank: bankNames(banks), nameStyle: policy.accountName }
  return (db, events) => renderEvents(db, { sealer, events, rendering })
}

// Event schemas by type, for `webhooks` in the OpenAPI document. A test validates real events against them.
// Fields of resources are taken from the API's views; fields that only events have are described here.

// Returns the named fields of a view's schema.
function pick<F extends object>(
  { schema }: { schema: { properties: Record<string, TSchema> }; fields: F },
  ...names: (keyof F & string)[]
): Record<string, TSchema> {
  return Object.fromEntries(names.map((name) => [name, schema.properties[name] as TSchema]))
}

const CreditFields = EventCreditView.schema.properties
const Credit = Type.Optional(named('EventCredit', CreditFields, { description: 'The credit.' }))

const Account = {
  ...PublicAccountView.schema.properties,
  accountBalance: Type.Number({ description: 'After the event.' }),
}

const Payment = {
  ...PaymentEventView.schema.properties,
  amountPaid: Type.Number({ description: 'After the event.' }),
}

const Suspense = SuspenseEventView.schema.properties

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
    ...pick(RefundView, 'reference'),
    amount: amount('Amount of this payout of the refund.'),
    ...pick(RefundPayoutView, 'bankReference', 'failureReason'),
  }),
}
const changes = Type.Array(Type.String(), { description: 'Names of the changed fields.' })
const amountSuspended = amount('Amount suspended.')
const returnReference = Type.String({ description: 'Permanent return reference: RTN and digits.' })

// Returns the schema of the data of one event type. It has no name, because no other type shares it.
const dataSchema = (fields: Record<string, TSchema>) => Type.Object(fields)
const account = named('AccountEventData', Account)
const payment = named('PaymentEventData', { ...Payment, credit: Credit })
const accountRefund = named('CollectionRefundEventData', {
  ...Account,
  ...refunded,
  credit: Credit,
})
const paymentRefund = named('PaymentRefundEventData', { ...Payment, ...refunded, credit: Credit })
const closing = named('PaymentClosedEventData', { ...Payment, amountSuspended })

const hold = named('HoldEventData', {
  reference: Type.String({ description: 'HLD and digits.' }),
  target: Type.String({ description: 'credit, account, merchant or client.' }),
  sessionId: nullable('string', { description: 'Of the credit.' }),
  accountNumber: nullable('string', { description: 'Of the account.' }),
  merchantCode: nullable('string'),
  currency: Type.String(),
  amount: Type.Optional(amount('What is to be held. Absent: all, also what arrives later.')),
  held: amount('Held after the event.'),
  forfeited: amount('Taken for good so far.'),
  state: Type.String({ description: 'active, released or forfeited.' }),
  placedAt: Type.String(),
  endedAt: nullable('string'),
})

type Description = { summary: string; data: TSchema }

export const EVENT_DESCRIPTIONS: Record<EventType, Description> = {
  'account.created': { summary: 'A collection account was created', data: account },
  'account.updated': {
    summary: 'A collection account was updated',
    data: dataSchema({ ...Account, changes }),
  },
  'account.deactivated': { summary: 'A collection account was deactivated', data: account },
  'account.activated': { summary: 'A collection account was activated', data: account },
  'account.erased': {
    summary: 'Personal data of a collection account was erased; erase your copies',
    data: account,
  },
  'collection.received': {
    summary: 'A collection account was credited',
    data: dataSchema({ ...Account, credit: Credit }),
  },
  'collection.reversed': {
    summary: 'A credit to a collection account was reversed',
    data: dataSchema({ ...Account, amountReversed, reversal, credit: Credit }),
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
  'payment.extended': { summary: 'A payment was extended', data: dataSchema(Payment) },
  'payment.successful': { summary: 'A payment was paid', data: payment },
  'payment.expired': { summary: 'A payment expired', data: closing },
  'payment.cancelled': { summary: 'A payment was cancelled', data: closing },
  'payment.reversed': {
    summary: 'A credit to a payment was reversed',
    data: dataSchema({ ...Payment, amountReversed, reversal, credit: Credit }),
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
    data: dataSchema({ ...Suspense, amountSuspended }),
  },
  'credit.assigned': {
    summary: 'A suspense item was assigned to a payment or account',
    data: dataSchema({ ...Suspense, amountAssigned: amount('Amount assigned.') }),
  },
  'credit.returned': {
    summary: 'A suspense item was returned to its payer',
    data: dataSchema({
      ...Suspense,
      amountReturned: amount('Amount returned.'),
      returnReference,
      bankReference: nullable('string'),
    }),
  },
  'credit.return_failed': {
    summary: 'A return failed; the money is back in suspense',
    data: dataSchema({
      ...Suspense,
      amountSuspended: amount('Amount back in suspense.'),
      returnReference,
      failureReason: nullable('string', { description: 'Reported by the bank or operator.' }),
    }),
  },
  'credit.reversed': {
    summary: 'A suspended credit was reversed',
    data: dataSchema({
      ...Suspense,
      amountReversed: amount('Total reversed so far.'),
      amountShortfall: Type.Optional(amount('Of it, what had left us already.')),
      amountReceivable: Type.Optional(amount('Of it, what is owed to us.')),
      reversal,
    }),
  },
  'payout.confirmed': {
    summary: 'A payout was confirmed by the bank',
    data: PayoutEventView.schema,
  },
  'payout.failed': {
    summary: 'A payout failed; the money is available again',
    data: PayoutEventView.schema,
  },
  'payout.returned': {
    summary: 'The bank gave back a payout that it had paid; the money is available again',
    data: ReturnedPayoutEventView.schema,
  },
  'settlement.closed': { summary: 'A settlement was closed', data: SettlementEventView.schema },
  'settlement.paid': {
    summary: 'All payouts of a settlement were confirmed',
    data: SettlementEventView.schema,
  },
  'settlement.failed': {
    summary: 'A settlement was not paid, or only in part; the rest is available again',
    data: SettlementEventView.schema,
  },
  'hold.placed': { summary: 'The operator held money', data: hold },
  'hold.released': { summary: 'Held money was released; it is available again', data: hold },
  'hold.forfeited': {
    summary: 'Held money was taken for good, in whole or in part',
    data: hold,
  },
  'alert.raised': {
    summary: 'An alert was raised (operators only)',
    data: dataSchema({
      ...pick(AlertView, 'id', 'kind', 'title', 'remedy', 'subject', 'detail', 'raisedAt'),
      reversal,
    }),
  },
  'endpoint.disabled': {
    summary: 'A webhook destination was disabled after failures',
    data: dataSchema({
      id: nullable('string', { description: 'Null for a notificationUrl or callBackUrl.' }),
      ...pick(EndpointView, 'url', 'isActive'),
      reason: Type.String(),
      failingSince: nullable('string'),
    }),
  },
  'endpoint.test': {
    summary: 'A test event',
    data: dataSchema({ endpointId: Type.String(), message: Type.String() }),
  },
}

// Returns the schema of the events of a type, as endpoints receive them.
export function eventSchema(type: EventType): TSchema {
  const { data } = EVENT_DESCRIPTIONS[type]
  const typeSchema = Type.Unsafe<string>({ type: 'string', const: type })
  return named(`${pascalCase(type)}Event`, { ...EventFields, type: typeSchema, data })
}

function pascalCase(type: EventType): string {
  return type.replace(/(?:^|[._])([a-z])/g, (_, letter) => letter.toUpperCase())
}

const HEADERS = {
  'webhook-id': 'Event ID, stable across deliveries.',
  'webhook-timestamp': 'Time of the attempt, in Unix seconds.',
  'webhook-signature': 'Standard Webhooks 1.0: v1, and the signature, for each secret that signs.',
}

// Describes webhooks for OpenAPI 3.1: one path item for each type.
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
