// Where an event goes: a pure decision over what is known of its account, payment and client.
//
//   the account's notificationUrl     events about the account, and credits to it
//   the advice's notificationUrl      events about the payment, and credits to it
//   the advice's callBackUrl          a payment's final state, with the two references in the query
//   registered endpoints              those that are active and want the type
//
// A notificationUrl that is also the address of an endpoint gets the event once, signed for both.
// `endpoint.test` goes to the endpoint that it was asked for, and nowhere else.

import { callBackUrlOf } from '#domain/payments/resource-presenters.ts'
import type { EventType } from '#domain/records/event-types.ts'
import type { AdviceId, EndpointId, PaymentId } from '#ids.ts'
import type { StoredEvent } from './event-list.ts'

export type Target = {
  kind: 'endpoint' | 'notification' | 'callback'
  endpointId: EndpointId | null
  url: string // Of the destination …
  sentTo: string | null // … and of this delivery, where it differs.
}

export type TargetEndpoint = { id: EndpointId; url: string; eventTypes: EventType[] | null }

export type Addresses = {
  account: { notificationUrl: string } | undefined
  payment:
    | { id: PaymentId; adviceId: AdviceId; notificationUrl: string | null; callBackUrl: string }
    | undefined
  endpoints: readonly TargetEndpoint[] // The client's active ones.
}

const FINAL_STATUSES = ['Successful', 'Expired', 'Cancelled', 'Reversed']

export function targetsOf(event: StoredEvent, addresses: Addresses): Target[] {
  const { account, payment, endpoints } = addresses
  const targets = endpoints
    .filter((endpoint) => isWanted(event, endpoint))
    .map(({ id, url }): Target => ({ kind: 'endpoint', endpointId: id, url, sentTo: null }))

  const urls = new Set([account?.notificationUrl, payment?.notificationUrl])
  for (const url of urls) {
    if (!url) continue
    const endpoint = targets.find((target) => target.url === url)
    if (endpoint) endpoint.kind = 'notification'
    else targets.push({ kind: 'notification', endpointId: null, url, sentTo: null })
  }
  if (payment && isFinal(event)) {
    const { callBackUrl: url } = payment
    targets.push({ kind: 'callback', endpointId: null, url, sentTo: callBackUrlOf(payment) })
  }
  return targets
}

function isWanted({ type, facts }: StoredEvent, { id, eventTypes }: TargetEndpoint): boolean {
  if (type === 'endpoint.test') return facts.endpointId === id
  return eventTypes === null || eventTypes.includes(type)
}

// A reversal of a part payment leaves the payment open: its status tells, not its type.
function isFinal({ type, facts }: StoredEvent): boolean {
  return type.startsWith('payment.') && FINAL_STATUSES.includes(String(facts.status))
}
