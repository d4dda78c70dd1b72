// How webhook endpoints, deliveries and their attempts look from outside.

import { Type } from '@fastify/type-provider-typebox'
import { OUR_HEADERS } from '#domain/webhooks/attempt.ts'
import type { Attempt, Delivery, EndpointHealth } from '#domain/webhooks/delivery-log.ts'
import { headersOf } from '#domain/webhooks/signature.ts'
import type { Condition, WebhookEndpoint } from '#domain/webhooks/webhook-endpoints.ts'
import { Refusal } from '#errors.ts'
import { nullable } from '#http/schemas.ts'
import { type EndpointId, type EventId, parseReference } from '#ids.ts'
import { timestamp } from '#wat-time.ts'

const AttemptFields = {
  attempt: Type.Integer(),
  attemptedAt: Type.String(),
  status: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'What the receiver answered; null: no answer.',
  }),
  latencyMs: Type.Integer(),
  error: nullable('string', { description: 'What went wrong, in plain words.' }),
  responseStart: nullable('string', { description: 'The beginning of the answer, up to 4 kB.' }),
  requestHeaders: Type.Unsafe<Record<string, string> | null>({
    type: ['object', 'null'],
    additionalProperties: { type: 'string' },
    description: 'As they were sent. Null: nothing was sent, or it was before they were kept.',
  }),
}

const DeliveryFields = {
  kind: Type.String({ description: 'endpoint, notification or callback.' }),
  endpointId: nullable('string', { description: 'Null: a notificationUrl or a callBackUrl.' }),
  url: Type.String(),
  state: Type.String({ description: 'pending, delivered or failed (given up).' }),
  nextAttemptAt: nullable('string', { description: 'Null: no attempt is scheduled.' }),
  heldBy: nullable('string', {
    description:
      'paused: its destination failed too often, and is tried again later; off: it is disabled.',
  }),
  createdAt: Type.String(),
  deliveredAt: nullable('string'),
}
export const ListedDelivery = Type.Object(DeliveryFields)

export const DeliveryBody = Type.Object({
  ...DeliveryFields,
  attempts: Type.Array(Type.Object(AttemptFields)),
})

export const EndpointFields = {
  id: Type.String(),
  url: Type.String(),
  eventTypes: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: 'Null: all.',
  }),
  isActive: Type.Boolean(),
  createdAt: Type.String(),
  updatedAt: Type.String(),
}

// Nothing is to be said; an empty object is taken too.
export const NoBody = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  additionalProperties: false,
  'x-says': 'Must be left out, or an empty object.',
})

export const Secret = Type.String({
  description: 'Standard Webhooks: whsec_ and the base64 of the key. Two sign during a rotation.',
})

const HealthFields = {
  failures: Type.Integer({ description: 'In a row.' }),
  failingSince: nullable('string'),
  pausedUntil: nullable('string', { description: 'Nothing is sent there before this time.' }),
  disabledWhy: nullable('string'),
}
export const ListedHealth = Type.Object(HealthFields)

export const HealthBody = Type.Object({
  ...HealthFields,
  lastAttempts: Type.Array(Type.Object({ eventId: Type.String(), ...AttemptFields })),
})

export function endpointIdOf(text: string): EndpointId {
  const id = parseReference<EndpointId>(text)
  if (!id) throw new Refusal('endpoint_not_found')
  return id
}

export function eventIdOf(text: string): EventId {
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
  const { attempt, status, latencyMs, error, responseStart } = rest
  const requestHeaders = signature && {
    ...OUR_HEADERS,
    ...headersOf(eventId, attemptedAt, signature),
  }
  return {
    attempt,
    attemptedAt: timestamp(attemptedAt),
    status,
    latencyMs,
    error,
    responseStart,
    requestHeaders: requestHeaders || null,
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
