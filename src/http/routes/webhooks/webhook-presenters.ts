// Schemas and presenters of webhook endpoints, deliveries and attempts.

import { Type } from '@fastify/type-provider-typebox'
import { OUR_HEADERS } from '#domain/webhooks/attempt-delivery.ts'
import type { Attempt, Delivery, EndpointHealth } from '#domain/webhooks/delivery-log.ts'
import type { Condition, WebhookEndpoint } from '#domain/webhooks/webhook-endpoints.ts'
import { Refusal } from '#errors.ts'
import { named, nullable, oneOf } from '#http/schemas.ts'
import { type EndpointId, type EventId, parseReference } from '#ids.ts'
import { signatureHeaders } from '#standard-webhooks.ts'
import { timestamp } from '#wat-time.ts'

const AttemptFields = {
  attempt: Type.Integer(),
  attemptedAt: Type.String(),
  status: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'HTTP status. Null: no response.',
  }),
  latencyMs: Type.Integer(),
  error: nullable('string', { description: 'Error description.' }),
  responseStart: nullable('string', { description: 'First 4 kB of the response body.' }),
  requestHeaders: Type.Unsafe<Record<string, string> | null>({
    type: ['object', 'null'],
    additionalProperties: { type: 'string' },
    description: 'Null if nothing was sent, or not recorded.',
  }),
  chaos: Type.Unsafe<Attempt['chaos']>({
    type: ['string', 'null'],
    enum: ['delayed', 'reordered', 'dropped', 'repeated', null],
    description: 'What the endpoint’s chaos settings did (sandbox only). Null: nothing.',
  }),
}

const DeliveryFields = {
  kind: oneOf(['endpoint', 'notification', 'callback'], 'Kind of destination.'),
  endpointId: nullable('string', { description: 'Null for a notificationUrl or callBackUrl.' }),
  url: Type.String(),
  state: oneOf(['pending', 'delivered', 'failed'], 'failed: no further attempts.'),
  nextAttemptAt: nullable('string', { description: 'Null if no attempt is scheduled.' }),
  heldBy: Type.Unsafe<'paused' | 'off' | null>({
    type: ['string', 'null'],
    enum: ['paused', 'off', null],
    description: 'paused: circuit breaker open after repeated failures; off: destination disabled.',
  }),
  createdAt: Type.String(),
  deliveredAt: nullable('string'),
}
export const ListedDelivery = named('Delivery', DeliveryFields)

export const DeliveryBody = named('DeliveryDetail', {
  ...DeliveryFields,
  attempts: Type.Array(named('DeliveryAttempt', AttemptFields)),
})

export const EndpointFields = {
  id: Type.String(),
  url: Type.String(),
  eventTypes: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Null: all types.',
  }),
  isActive: Type.Boolean(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
}

// No body; an empty object is accepted.
export const NoBody = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  additionalProperties: false,
  'x-says': 'Must be an empty object, or omitted.',
})

export const Secret = Type.String({
  description: 'Standard Webhooks secret (whsec_…). During a rotation, both secrets sign.',
})

const HealthFields = {
  failures: Type.Integer({ description: 'Consecutive failures.' }),
  failingSince: nullable('string'),
  pausedUntil: nullable('string', { description: 'Deliveries are paused until this time.' }),
  disabledWhy: nullable('string'),
}
export const ListedHealth = named('EndpointHealth', HealthFields)

export const HealthBody = named('EndpointHealthDetail', {
  ...HealthFields,
  lastAttempts: Type.Array(Type.Object({ eventId: Type.String(), ...AttemptFields })),
})

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

export function presentEndpoint({ id, url, eventTypes, isActive, ...times }: WebhookEndpoint) {
  const { createdAt, updatedAt } = times
  const kept = { id, url, eventTypes, isActive }
  return { ...kept, createdAt: timestamp(createdAt), updatedAt: timestamp(updatedAt) }
}

export function presentListedEndpoint(endpoint: WebhookEndpoint) {
  return { ...presentEndpoint(endpoint), health: presentCondition(endpoint.condition) }
}

export function presentHealth(health: EndpointHealth) {
  return {
    ...presentCondition(health),
    lastAttempts: health.lastAttempts.map((attempt) => ({
      eventId: attempt.eventId,
      ...presentAttempt(attempt),
    })),
  }
}

export function presentListedDelivery(delivery: Delivery) {
  const { kind, endpointId, url, state, nextAttemptAt, heldBy, createdAt, deliveredAt } = delivery
  return {
    kind,
    endpointId,
    url,
    state,
    nextAttemptAt: optionalTime(nextAttemptAt),
    heldBy,
    createdAt: timestamp(createdAt),
    deliveredAt: optionalTime(deliveredAt),
  }
}

export function presentDelivery(delivery: Delivery, attempts: readonly Attempt[]) {
  const own = attempts.filter(({ destinationId }) => destinationId === delivery.destinationId)
  return { ...presentListedDelivery(delivery), attempts: own.map(presentAttempt) }
}

function presentAttempt({ eventId, attemptedAt, signature, ...rest }: Attempt) {
  const { attempt, status, latencyMs, error, responseStart, chaos } = rest
  const requestHeaders = signature && {
    ...OUR_HEADERS,
    ...signatureHeaders(eventId, attemptedAt, signature),
  }
  return {
    attempt,
    attemptedAt: timestamp(attemptedAt),
    status,
    latencyMs,
    error,
    responseStart,
    requestHeaders: requestHeaders || null,
    chaos,
  }
}

function presentCondition({ failures, failingSince, pausedUntil, disabledWhy }: Condition) {
  return {
    failures,
    failingSince: optionalTime(failingSince),
    pausedUntil: optionalTime(pausedUntil),
    disabledWhy,
  }
}

function optionalTime(date: Date | null): string | null {
  return date ? timestamp(date) : null
}
