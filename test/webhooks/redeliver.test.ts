// Redelivery on request: of one event, or of a payment's latest state.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { ClientId, EndpointId, EventId } from '#ids.ts'
import { updateEndpoint } from '#webhooks/endpoints.ts'
import { pushPayment, redeliver } from '#webhooks/redeliver.ts'
import { RETRY_STEPS_MS } from '#webhooks/retry-schedule.ts'
import { asId } from '../support/as-id.ts'
import { createAccount, simulate, startPayment, UNKNOWN_REFERENCE } from '../support/fixtures.ts'
import { listener, startWebhookBench } from '../support/webhook-bench.ts'

const HOUR_MS = 3_600_000

test('a delivered event is sent again with the same id', async () => {
  await using bench = await setup()
  await createAccount(bench, { notificationUrl: bench.receiver.url })
  await bench.run()

  const queued = await bench.redeliver({ eventId: bench.lastId() })
  await bench.run()

  const ids = bench.receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.deepEqual([queued, ids.length, new Set(ids).size], [1, 2, 1])
  assert.deepEqual(
    (await bench.attempts()).map(({ attempt }) => attempt),
    [1, 2],
  )
})

test('a delivery that was given up begins its retry schedule anew', async () => {
  await using bench = await setup()
  bench.answers(500)
  await createAccount(bench, { notificationUrl: bench.receiver.url })
  for (const waitMs of RETRY_STEPS_MS) {
    bench.advance(waitMs)
    await bench.run()
  }
  assert.equal((await bench.deliveries())[0]?.state, 'failed')

  await bench.redeliver({ eventId: bench.lastId() })
  await bench.run()
  const [delivery] = await bench.deliveries()
  assert.deepEqual([delivery.state, delivery.attempts], ['pending', 11])
  bench.answers(200)
  bench.advance(HOUR_MS)
  await bench.run()

  assert.equal((await bench.deliveries())[0]?.state, 'delivered')
})

test('asking for a redelivery tries an address again that answered 410', async () => {
  await using bench = await setup()
  bench.answers(410)
  const { accountNumber } = await createAccount(bench, { notificationUrl: bench.receiver.url })
  await bench.run()
  bench.answers(200)
  await simulate(bench, accountNumber, '1')
  await bench.run()
  assert.equal(bench.receiver.received.length, 1)

  await bench.redeliver({ eventId: bench.lastId() })
  await simulate(bench, accountNumber, '1')
  await bench.run()

  assert.deepEqual(bench.receiver.types().sort(), [
    'account.created',
    'account.created',
    'collection.received',
  ])
})

test('an event can be sent to one endpoint, whatever types that wants; not while it is off', async () => {
  await using bench = await setup()
  await createAccount(bench, { notificationUrl: bench.receiver.url })
  await bench.run()
  const endpoint = await bench.addEndpoint(`${bench.receiver.url}/late`, ['payment.expired'])
  const eventId = bench.lastId()

  assert.equal(await bench.redeliver({ eventId, endpointId: endpoint.id }), 1)
  await bench.run()
  await bench.switchOff(endpoint.id)

  assert.equal(bench.receiver.received[1]?.path, '/hook/late')
  await assert.rejects(bench.redeliver({ eventId, endpointId: endpoint.id }), {
    code: 'endpoint_inactive',
  })
})

test("a client cannot redeliver another client's events", async () => {
  await using bench = await setup()
  await bench.newClient('MAN0000002')
  await createAccount(bench, { notificationUrl: bench.receiver.url })
  await bench.run()
  const clientId = await bench.clientId('MAN0000002')

  const request = { eventId: bench.lastId(), clientId }
  await assert.rejects(bench.redeliver(request), { code: 'event_not_found' })
  await assert.rejects(bench.redeliver({ eventId: asId(UNKNOWN_REFERENCE) }), {
    code: 'event_not_found',
  })
})

test('the latest state of a payment is pushed, to the callback too when it is final', async () => {
  await using bench = await setup()
  const { url } = bench.receiver
  const urls = { notificationUrl: `${url}/n`, callBackUrl: `${url}/c` }
  const payment = await startPayment(bench, urls)
  bench.advance(1_000)
  await simulate(bench, payment.bankAccount, '1000')
  await bench.run()
  const before = bench.receiver.received.length

  assert.equal((await bench.push(payment.paymentReference)).queued, 1)
  bench.advance(1_000)
  await simulate(bench, payment.bankAccount, '5000')
  // Pushes before the new event is dispatched. The push creates its deliveries, and the dispatcher then finds
  // them and adds none.
  assert.equal((await bench.push(payment.paymentReference)).queued, 2)
  await bench.run()

  const bodies = bench.receiver.received.slice(before).map(({ json, path }) => {
    return `${json.type} ${path.slice(0, 7)}`
  })
  assert.deepEqual(bodies.sort(), [
    'payment.part_paid /hook/n',
    'payment.successful /hook/c',
    'payment.successful /hook/n',
  ])
})

// A bench with a receiver, and the functions under test bound to its client.
async function setup() {
  let status = 200
  const receiver = await listener((response) => response.writeHead(status).end())
  const bench = await startWebhookBench()
  const clientId = await bench.clientId()
  const { db, clock } = bench
  return {
    ...bench,
    receiver,
    answers: (newStatus: number) => {
      status = newStatus
    },
    lastId: () => asId<EventId>(String(receiver.received.at(-1)?.headers['webhook-id'])),
    redeliver: (request: { eventId: EventId; endpointId?: EndpointId; clientId?: ClientId }) =>
      withTransaction(db, (tx) => redeliver(tx, clock(), { clientId, ...request })),
    push: (paymentId: string) =>
      withTransaction(db, (tx) =>
        pushPayment(tx, clock(), { clientId, paymentId: asId(paymentId) }),
      ),
    switchOff: (id: EndpointId) =>
      withTransaction(db, (tx) =>
        updateEndpoint(tx, clock(), { clientId, id, changes: { isActive: false } }),
      ),
    async [Symbol.asyncDispose]() {
      await bench[Symbol.asyncDispose]()
      await receiver[Symbol.asyncDispose]()
    },
  }
}
