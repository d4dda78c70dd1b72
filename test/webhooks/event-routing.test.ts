// The targets of each type of event, without a database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AdviceId, ClientId, EndpointId, EventId, PaymentId } from '#ids.ts'
import type { EventType } from '#records/event-types.ts'
import { type Addresses, routeEvent } from '#webhooks/destinations.ts'
import type { StoredEvent } from '#webhooks/events.ts'
import { asId } from '../support/as-id.ts'

const [E_1, E_2] = [asId<EndpointId>('e-1'), asId<EndpointId>('e-2')]
const ACCOUNT = { notificationUrl: 'https://a.example.ng/account' }
const PAYMENT = {
  id: asId<PaymentId>('p-1'),
  adviceId: asId<AdviceId>('a-1'),
  notificationUrl: 'https://a.example.ng/advice',
  callBackUrl: 'https://a.example.ng/done?x=1',
}
const CALLBACK =
  `${PAYMENT.callBackUrl}&adviceReference=a-1&paymentReference=p-1` +
  '&advicereference=a-1&paymentreference=p-1'

test('an event about an account goes to its notificationUrl', () => {
  for (const type of ['account.created', 'collection.received', 'credit.suspended'] as const) {
    assert.deepEqual(sentTo(type, { account: ACCOUNT }), ['https://a.example.ng/account'])
  }
})

test('a final state of a payment goes to its callBackUrl too, with both references', () => {
  const cases: [EventType, string, string[]][] = [
    ['payment.processing', 'Processing', []],
    ['payment.part_paid', 'PartPayment', []],
    ['payment.successful', 'Successful', [CALLBACK]],
    ['payment.expired', 'Expired', [CALLBACK]],
    ['payment.cancelled', 'Cancelled', [CALLBACK]],
    ['payment.reversed', 'Reversed', [CALLBACK]],
    ['payment.reversed', 'PartPayment', []],
    ['credit.suspended', 'Successful', []],
  ]
  for (const [type, status, callbacks] of cases) {
    const urls = sentTo(type, { payment: PAYMENT }, { status })
    assert.deepEqual(urls, ['https://a.example.ng/advice', ...callbacks], `${type} ${status}`)
  }
})

test('an advice without a notificationUrl has its callBackUrl only', () => {
  const payment = { ...PAYMENT, notificationUrl: null }
  assert.deepEqual(sentTo('payment.processing', { payment }), [])
  assert.deepEqual(sentTo('payment.expired', { payment }, { status: 'Expired' }), [CALLBACK])
})

test('an endpoint gets the types that it wants, or all', () => {
  const endpoints = [
    { id: E_1, url: 'https://one.example.ng/', eventTypes: null },
    { id: E_2, url: 'https://two.example.ng/', eventTypes: ['payment.expired' as const] },
  ]
  assert.deepEqual(sentTo('payment.expired', { endpoints }), [
    'https://one.example.ng/',
    'https://two.example.ng/',
  ])
  assert.deepEqual(sentTo('account.created', { endpoints }), ['https://one.example.ng/'])
})

test('a test goes to the endpoint that it was asked for, whatever types that wants', () => {
  const endpoints = [
    { id: E_1, url: 'https://one.example.ng/', eventTypes: null },
    { id: E_2, url: 'https://two.example.ng/', eventTypes: ['payment.expired' as const] },
  ]
  const urls = sentTo('endpoint.test', { endpoints }, { endpointId: 'e-2' })
  assert.deepEqual(urls, ['https://two.example.ng/'])
})

test('an endpoint with the address of a notificationUrl gets it once, as both', () => {
  const endpoints = [{ id: E_1, url: ACCOUNT.notificationUrl, eventTypes: null }]
  const targets = routeEvent(event('account.created'), fill({ account: ACCOUNT, endpoints }))
  assert.deepEqual(targets, [
    { kind: 'notification', endpointId: 'e-1', url: ACCOUNT.notificationUrl, sentTo: null },
  ])
})

// The addresses to which an event of this type is sent.
function sentTo(type: EventType, addresses: Partial<Addresses>, facts = {}): string[] {
  return routeEvent(event(type, facts), fill(addresses)).map(({ url, sentTo }) => sentTo ?? url)
}

// The addresses, with none for the fields left out.
function fill(addresses: Partial<Addresses>): Addresses {
  return { account: undefined, payment: undefined, endpoints: [], ...addresses }
}

// An event of this type that names no account, payment or credit.
function event(type: EventType, facts = {}): StoredEvent {
  const about = { collectionAccountId: null, paymentId: null, creditId: null }
  const ids = { id: asId<EventId>(''), clientId: asId<ClientId>(1n) }
  return { ...ids, sequence: 1n, type, ...about, facts, createdAt: new Date(0) }
}
