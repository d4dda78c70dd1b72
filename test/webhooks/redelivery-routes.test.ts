// The delivery log and redelivery over HTTP: a client sees why a webhook did not come, and can request it
// again, also for whole time ranges.

import assert from 'node:assert/strict'
import type { IncomingHttpHeaders } from 'node:http'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { closeAfterTests } from '../support/closing.ts'
import { deliverDue } from '../support/delivering.ts'
import { assertRefused, createAccount, dataOf, TIMESTAMP } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { ENDPOINTS, EVENTS, webhookJourneys } from '../support/webhook-journeys.ts'
import { closedPort, httpReceiver } from './receivers.ts'

const bench = closeAfterTests(await startTestService())
const { newClient, list, pay, register } = webhookJourneys(bench, 'AGAIN')

test('an event shows every attempt at its delivery, in plain words', async () => {
  const bodies: string[] = []
  const sent: IncomingHttpHeaders[] = []
  await using receiver = await httpReceiver((request, answer) => {
    sent.push(request.headers)
    request.on('data', (chunk) => bodies.push(String(chunk)))
    answer.writeHead(bodies.length === 0 ? 500 : 200).end('thank you')
  })
  const dead = `http://127.0.0.1:${await closedPort()}/hook`
  const token = await newClient()
  const endpoint = await register(token, receiver.url)
  await createAccount(bench, { notificationUrl: dead }, { token })
  await deliverDue(bench)
  bench.advance(6_000)
  await deliverDue(bench)

  const [{ id, deliveryState, ...listed }] = (await list(token)).data
  const event = dataOf(await bench.call({ url: `${EVENTS}/${id}`, token }))
  const log = (await bench.call({ url: `${EVENTS}/${id}/deliveries`, token })).json()

  assert.deepEqual(event, { id, ...listed, deliveryState, deliveries: log.data })
  assert.equal(deliveryState, 'pending')
  assert.deepEqual([log.hasMore, log.nextCursor], [false, null])
  const [success, refused] = log.data
  const shape = { kind: 'endpoint', endpointId: endpoint.id, url: receiver.url }
  assert.deepEqual(pick(success, ['kind', 'endpointId', 'url']), shape)
  assert.deepEqual([success.state, success.nextAttemptAt], ['delivered', null])
  assert.match(success.deliveredAt, TIMESTAMP)
  assert.deepEqual(
    success.attempts.map((each: object) => pick(each, ['attempt', 'status', 'error'])),
    [
      { attempt: 1, status: 500, error: 'the receiver answered 500' },
      { attempt: 2, status: 200, error: null },
    ],
  )
  assert.equal(success.attempts[0].responseStart, 'thank you')
  success.attempts.forEach(({ requestHeaders }: { requestHeaders: object }, at: number) => {
    const names = Object.keys(requestHeaders)
    assert.equal(names.length, 5)
    assert.deepEqual(requestHeaders, pick(sent[at] as object, names))
  })
  assert(Number.isInteger(success.attempts[0].latencyMs))
  assert.match(success.attempts[0].attemptedAt, TIMESTAMP)
  assert.deepEqual([refused.kind, refused.endpointId, refused.url], ['notification', null, dead])
  assert.equal(refused.state, 'pending')
  assert.match(refused.nextAttemptAt, TIMESTAMP)
  assert.deepEqual(pick(refused.attempts[0], ['status', 'error']), {
    status: null,
    error: 'the connection was refused',
  })
  assert.deepEqual(JSON.parse(bodies[0] as string), { id, ...listed })

  const health = dataOf(await bench.call({ url: `${ENDPOINTS}/${endpoint.id}`, token }))
  const [last, first] = health.health.lastAttempts
  assert.deepEqual([last.status, first.status, last.eventId], [200, 500, id])
})

test('a list of events tells each delivery when asked to, and what holds it', async () => {
  await using well = await httpReceiver((_, answer) => answer.end())
  const token = await newClient()
  await register(token, well.url)
  const off = await register(token, 'http://127.0.0.1:9/off')
  await createAccount(bench, { notificationUrl: well.url }, { token })
  await deliverDue(bench)
  const url = `${ENDPOINTS}/${off.id}`
  await bench.call({ method: 'PATCH', url, body: { isActive: false }, token })

  const withDeliveries = await bench.call({ url: `${EVENTS}?include=deliveries`, token })
  const [{ deliveries, deliveryState }] = withDeliveries.json().data
  const [plain] = (await list(token)).data

  assert.equal(deliveryState, 'pending')
  assert.deepEqual(
    deliveries.map((each: object) => pick(each, ['url', 'state', 'heldBy'])),
    [
      { url: well.url, state: 'delivered', heldBy: null },
      { url: 'http://127.0.0.1:9/off', state: 'pending', heldBy: 'off' },
    ],
  )
  assert.equal(plain.deliveries, undefined)
  assertRefused(await bench.call({ url: `${EVENTS}?include=attempts`, token }), {
    status: 400,
    code: 'invalid_request',
  })
})

test('an event is sent again on request, to all or to one, with the same id', async () => {
  const received: string[] = []
  const note = (name: string) => (request: { headers: Record<string, unknown> }) =>
    void received.push(`${name} ${request.headers['webhook-id']}`)
  await using one = await httpReceiver((request, answer) => answer.end(note('one')(request)))
  await using two = await httpReceiver((request, answer) => answer.end(note('two')(request)))
  const token = await newClient()
  await createAccount(bench, { notificationUrl: one.url }, { token })
  await deliverDue(bench)
  const late = await register(token, two.url, ['payment.successful'])
  const [{ id }] = (await list(token)).data
  received.length = 0

  const url = `${EVENTS}/${id}/redeliver`
  const all = dataOf(await bench.call({ method: 'POST', url, token }))
  await deliverDue(bench)
  const only = await bench.call({ url, body: { endpointId: late.id }, token })
  await deliverDue(bench)

  assert.deepEqual(all, { queued: 1 })
  assert.deepEqual(dataOf(only), { queued: 1 })
  assert.deepEqual(received, [`one ${id}`, `two ${id}`])
})

test('a range of time is sent again to one endpoint, of the types that it wants', async () => {
  const received: string[] = []
  await using receiver = await httpReceiver((request, answer) => {
    request.on('data', (chunk) => received.push(JSON.parse(String(chunk)).sequence))
    answer.end()
  })
  const token = await newClient()
  const from = bench.clock().toISOString()
  await createAccount(bench, { notificationUrl: 'http://127.0.0.1:9/' }, { token })
  await pay(token)
  await createAccount(bench, { notificationUrl: 'http://127.0.0.1:9/' }, { token })
  bench.advance(1)
  const to = bench.clock().toISOString()
  await createAccount(bench, {}, { token })
  await deliverDue(bench)
  const { id } = await register(token, receiver.url, ['account.created'])

  const url = `${ENDPOINTS}/${id}/replay`
  const replayed = dataOf(await bench.call({ url, body: { from, to }, token }))
  await deliverDue(bench)

  assert.deepEqual(
    [replayed.status, replayed.progress, replayed.queued, replayed.nextFrom],
    ['done', 100, 2, null],
  )
  const seen = dataOf(await bench.call({ method: 'GET', url, token }))
  assert.deepEqual(seen, replayed)
  assert.deepEqual(received.sort(), [1, 4])

  const rest = { from: `${from}#1`, to } // Like nextFrom after the first page.
  assert.equal(dataOf(await bench.call({ url, body: rest, token })).queued, 1)
  for (const wrong of ['#1', `${from}#`, `${from}#x`, `${from}#-1`, `${from}#1#1`]) {
    assertRefused(await bench.call({ url, body: { from: wrong, to }, token }), {
      status: 400,
      code: 'invalid_request',
    })
  }
})

test('a test event goes to the endpoint it was asked for, signed with its secret', async () => {
  const received: { name: string; headers: Record<string, string>; body: string }[] = []
  const receive = (name: string) =>
    httpReceiver((request, answer) => {
      request.on('data', (chunk) =>
        received.push({ name, headers: request.headers as never, body: String(chunk) }),
      )
      answer.end()
    })
  await using requested = await receive('asked')
  await using other = await receive('other')
  const token = await newClient()
  const endpoint = await register(token, requested.url, ['payment.expired'])
  await register(token, other.url)

  const url = `${ENDPOINTS}/${endpoint.id}/test`
  const { eventId } = dataOf(await bench.call({ method: 'POST', url, token }))
  await deliverDue(bench)

  assert.equal(received.length, 1)
  const [{ name, headers, body }] = received as [(typeof received)[number]]
  assert.equal(name, 'asked')
  const at = { ...headers, 'webhook-timestamp': headers['webhook-timestamp'] as string }
  const sent = JSON.parse(body)
  assert.deepEqual([sent.id, sent.type, headers['webhook-id']], [eventId, 'endpoint.test', eventId])
  assert.equal(sent.data.endpointId, endpoint.id)
  const when = new Date(Number(at['webhook-timestamp']) * 1000)
  const signature = new Webhook(endpoint.secret).sign(eventId, when, body)
  assert.equal(headers['webhook-signature'], signature)
})

test('a waiting delivery goes to the new address once it is on, never to a deleted one', async () => {
  await using receiver = await httpReceiver((_, answer) => answer.end())
  const token = await newClient()
  const dead = `http://127.0.0.1:${await closedPort()}/hook`
  const [active, deleted] = [await register(token, dead), await register(token, dead)]
  await pay(token, {}, '0')
  await deliverDue(bench)
  bench.advance(6_000)
  const change = (id: string, body: object) =>
    bench.call({ method: 'PATCH', url: `${ENDPOINTS}/${id}`, body, token })

  for (const { id } of [active, deleted]) await change(id, { url: receiver.url, isActive: false })
  await deliverDue(bench)
  assert.equal(receiver.requests, 0)
  await bench.call({ method: 'DELETE', url: `${ENDPOINTS}/${deleted.id}`, token })
  await change(active.id, { isActive: true })
  await deliverDue(bench)

  assert.equal(receiver.requests, 1)
  const [{ id }] = (await list(token)).data
  const log = (await bench.call({ url: `${EVENTS}/${id}/deliveries`, token })).json().data
  assert.deepEqual(
    log.map((each: object) => pick(each, ['endpointId', 'url', 'state', 'nextAttemptAt'])),
    [
      { endpointId: active.id, url: receiver.url, state: 'delivered', nextAttemptAt: null },
      { endpointId: deleted.id, url: receiver.url, state: 'pending', nextAttemptAt: null },
    ],
  )
})

test('a destination that is switched off, deleted or unknown gets nothing', async () => {
  const token = await newClient()
  const { id } = await register(token, 'http://127.0.0.1:9/')
  await pay(token, { callBackUrl: 'http://127.0.0.1:9/' })
  const [, processing] = (await list(token)).data
  const patch = { method: 'PATCH', url: `${ENDPOINTS}/${id}`, token } as const
  await bench.call({ ...patch, body: { isActive: false } })

  const range = { from: '2026-11-01', to: '2026-12-01' }
  const redeliver = `${EVENTS}/${processing.id}/redeliver`
  const inactive = [
    await bench.call({ method: 'POST', url: `${ENDPOINTS}/${id}/test`, token }),
    await bench.call({ url: `${ENDPOINTS}/${id}/replay`, body: range, token }),
    await bench.call({ url: redeliver, body: { endpointId: id }, token }),
  ]
  const nowhere = await bench.call({ method: 'POST', url: redeliver, token })

  for (const answer of inactive) {
    assertRefused(answer, { status: 409, code: 'endpoint_inactive' })
  }
  assertRefused(nowhere, { status: 409, code: 'nowhere_to_send' })
  await bench.call({ method: 'DELETE', url: `${ENDPOINTS}/${id}`, token })
  const gone = await bench.call({ url: redeliver, body: { endpointId: id }, token })
  assertRefused(gone, { status: 404, code: 'endpoint_not_found' })
})

// The named fields of an object.
function pick(from: object, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => fields.includes(name)))
}
