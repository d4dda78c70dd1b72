// Views of webhook endpoints, deliveries and attempts, and of the credit in events.

import { Type } from '@fastify/type-provider-typebox'
import { Refusal } from '#errors.ts'
import { Shares } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import {
  type AccountId,
  type CreditId,
  type EndpointId,
  type EventId,
  type PaymentId,
  parseReference,
} from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { ShareView } from '#splits/shares.ts'
import { presentShares } from '#splits/views.ts'
import { signatureHeaders } from '#standard-webhooks.ts'
import type { Attempt, Delivery, EndpointHealth } from './delivery-log.ts'
import type { Condition, WebhookEndpoint } from './endpoints.ts'
import { OUR_HEADERS } from './send.ts'

const AttemptView = view('DeliveryAttempt', (f: Fields<Attempt>) => ({
  attempt: f.integer('attempt'),
  attemptedAt: f.time('attemptedAt'),
  status: f.as<number | null>(
    { type: ['integer', 'null'], description: 'HTTP status. Null: no response.' },
    'status',
  ),
  latencyMs: f.integer('latencyMs'),
  error: f.textOrNull('error', 'Error description.'),
  responseStart: f.textOrNull('responseStart', 'First 4 kB of the response body.'),
  requestHeaders: f.as(
    {
      type: ['object', 'null'],
      additionalProperties: { type: 'string' },
      description: 'Null if nothing was sent, or not recorded.',
    },
    ({ eventId, attemptedAt, signature }) =>
      signature ? { ...OUR_HEADERS, ...signatureHeaders(eventId, attemptedAt, signature) } : null,
  ),
  chaos: f.as<Attempt['chaos']>(
    {
      type: ['string', 'null'],
      enum: ['delayed', 'reordered', 'dropped', 'repeated', null],
      description: 'What the endpoint’s chaos settings did (sandbox only). Null: nothing.',
    },
    'chaos',
  ),
}))

const AttemptOfEvent = view(undefined, (f: Fields<Attempt>) => ({
  eventId: f.text('eventId'),
  ...AttemptView.fields,
}))

export const DeliveryView = view('Delivery', (f: Fields<Delivery>) => ({
  kind: f.oneOf('kind', ['endpoint', 'notification', 'callback'], 'Kind of destination.'),
  endpointId: f.textOrNull('endpointId', 'Null for a notificationUrl or callBackUrl.'),
  url: f.text('url'),
  state: f.oneOf('state', ['pending', 'delivered', 'failed'], 'failed: no further attempts.'),
  nextAttemptAt: f.timeOrNull('nextAttemptAt', 'Null if no attempt is scheduled.'),
  heldBy: f.as<Delivery['heldBy']>(
    {
      type: ['string', 'null'],
      enum: ['paused', 'off', null],
      description:
        'paused: circuit breaker open after repeated failures; off: destination disabled.',
    },
    'heldBy',
  ),
  createdAt: f.time('createdAt'),
  deliveredAt: f.timeOrNull('deliveredAt'),
}))

type DeliveryWithLog = Delivery & { log: readonly Attempt[] }

export const DeliveryDetailView = view('DeliveryDetail', (f: Fields<DeliveryWithLog>) => ({
  ...DeliveryView.fields,
  attempts: f.list(AttemptView, 'log'),
}))

export function withLog(
  deliveries: readonly Delivery[],
  attempts: readonly Attempt[],
): DeliveryWithLog[] {
  const byDestination = Map.groupBy(attempts, ({ destinationId }) => destinationId)
  return deliveries.map((delivery) => ({
    ...delivery,
    log: byDestination.get(delivery.destinationId) ?? [],
  }))
}

const HealthView = view('EndpointHealth', (f: Fields<Condition>) => ({
  failures: f.integer('failures', 'Consecutive failures.'),
  failingSince: f.timeOrNull('failingSince'),
  pausedUntil: f.timeOrNull('pausedUntil', 'Deliveries are paused until this time.'),
  disabledWhy: f.textOrNull('disabledWhy'),
}))

const HealthDetailView = view('EndpointHealthDetail', (f: Fields<EndpointHealth>) => ({
  ...HealthView.fields,
  lastAttempts: f.list(AttemptOfEvent, 'lastAttempts'),
}))

export const Secret = Type.String({
  description: 'Standard Webhooks secret (whsec_…). During a rotation, both secrets sign.',
})

export const EndpointView = view('WebhookEndpoint', (f: Fields<WebhookEndpoint>) => ({
  id: f.text('id'),
  url: f.text('url'),
  eventTypes: f.as<string[] | null>(
    { type: ['array', 'null'], items: { type: 'string' }, description: 'Null: all types.' },
    'eventTypes',
  ),
  isActive: f.flag('isActive'),
  createdAt: f.time('createdAt'),
  updatedAt: f.time('updatedAt'),
}))

export const ListedEndpointView = view(
  'WebhookEndpointWithHealth',
  (f: Fields<WebhookEndpoint>) => ({
    ...EndpointView.fields,
    health: f.one(HealthView, 'condition'),
  }),
)

export const NewEndpointView = view(
  'WebhookEndpointWithSecret',
  (f: Fields<WebhookEndpoint & { secret: string }>) => ({
    ...EndpointView.fields,
    secret: f.as<string>(Secret, 'secret'),
  }),
)

type EndpointDetail = WebhookEndpoint & { secret: string | null; health: EndpointHealth }

export const EndpointDetailView = view('WebhookEndpointDetail', (f: Fields<EndpointDetail>) => ({
  ...EndpointView.fields,
  secret: f.textOrNull(
    'secret',
    'Null without the scope webhooks:write, or if only operators may see it.',
  ),
  health: f.one(HealthDetailView, 'health'),
}))

export function requireEndpointId(text: string): EndpointId {
  const id = parseReference<EndpointId>(text)
  if (!id) throw new Refusal('endpoint_not_found')
  return id
}

export function requireEventId(text: string): EventId {
  const id = parseReference<EventId>(text)
  if (!id) throw new Refusal('event_not_found')
  return id
}

// The credit of an event. It never contains the payer's full account number.
export type EventCredit = {
  id: CreditId
  sessionId: string
  bankCode: string
  accountNumber: string
  amountKobo: Kobo
  currency: string
  sourceAccountName: string | null
  sourceAccountNumberMasked: string | null
  sourceBankCode: string | null
  narration: string | null
  paymentId: PaymentId | null
  collectionAccountId: AccountId | null
  transactionTime: Date | null
  transactionDate: string | null
  receivedAt: Date
} & CreditAmounts

// The amounts of the credit that the event's client has after the event.
export type CreditAmounts = {
  merchantFeeKobo: Kobo
  merchantVatKobo: Kobo
  netKobo: Kobo
  shares: ShareView[]
}

export const EventCreditView = view(undefined, (f: Fields<EventCredit>) => ({
  sessionId: f.text('sessionId', 'Interbank session ID (30 digits on NIP).'),
  bankCode: f.text('bankCode', 'Bank that reported the credit.'),
  accountNumber: f.text('accountNumber', 'Credited account number.'),
  amount: f.naira('amountKobo'),
  currency: f.text('currency'),
  sourceAccountName: f.textOrNull('sourceAccountName'),
  sourceAccountNumberMasked: f.textOrNull('sourceAccountNumberMasked'),
  sourceBankCode: f.textOrNull('sourceBankCode'),
  narration: f.textOrNull('narration'),
  receivedAt: f.time('receivedAt'),
  merchantFee: f.naira(
    'merchantFeeKobo',
    'Fee charged on what is booked, without VAT, less what was given back.',
  ),
  merchantFeeVat: f.naira('merchantVatKobo', 'VAT on merchantFee.'),
  netToMerchant: f.naira('netKobo', 'What is booked, less fee and VAT. Includes splits.'),
  splits: f.as(Shares, ({ shares }) => presentShares(shares)),
}))
