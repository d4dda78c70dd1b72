// Webhook chaos: in the sandbox a client can have the deliveries to its own endpoint dropped, reordered,
// repeated or delayed. The delivery log shows each disturbance, and no other endpoint is affected.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, databaseText, createAccount as newAccount } from '../support/fixtures.ts'
import { listener, startWebhookBench, verifies } from '../support/webhook-bench.ts'

const bench = closeAfterTests(await startWebhookBench())
const CREATED = ['account.created']

// Creates an endpoint with these chaos settings and a receiver. `received` returns the numbers of the events
// that the receiver got, and `left` the settings with the disturbances that are still to come.
async function disturbed(chaos: object, respond?: Parameters<typeof listener>[0]) {
  const receiver = closeAfterTests(await listener(respond))
  const { id } = await bench.addEndpoint(receiver.url, CREATED)
  const url = `/sandbox/webhook-endpoints/${id}/chaos`
  const answer = await bench.call({ method: 'PUT', url, body: chaos })
  assert.equal(answer.statusCode, 200, answer.body)
  // Requests before this one are left out of `received`.
  const first = receiver.received.length
  return {
    id,
    url,
    receiver,
    received: () => receiver.received.slice(first).map(({ json }) => json.sequence),
    left: async () => (await bench.call({ url })).json().data,
    stop: () => bench.call({ method: 'DELETE', url: `/api/v1/webhook-endpoints/${id}` }),
  }
}

// Makes this many events; returns their numbers.
async function makeEvents(times: number): Promise<number[]> {
  const sequences: number[] = []
  for (let index = 0; index < times; index++) {
    await newAccount(bench)
    const { rows } = await bench.db.query(
      `select sequence::int from events where type = 'account.created' order by sequence desc limit 1`,
    )
    sequences.push(rows[0].sequence)
  }
  return sequences
}

// The attempts to deliver one event to the endpoint.
async function logOf(endpointId: string, sequence: number) {
  const { rows } = await bench.db.query('select id from events where sequence = $1', [sequence])
  const answer = await bench.call({ url: `/api/v1/events/${rows[0].id}/deliveries` })
  const ownDelivery = answer
    .json()
    .data.find((delivery: { endpointId: string }) => delivery.endpointId === endpointId)
  const attempts = ownDelivery.attempts.map(
    ({ attempt, status, error, chaos }: Record<string, unknown>) => [attempt, status, error, chaos],
  )
  return { state: ownDelivery.state, attempts }
}

test('a dropped delivery says so and comes with the next attempt; the endpoint is not blamed', async () => {
  const to = await disturbed({ dropNext: 6 })
  const sequences = await makeEvents(7)

  await bench.run()
  assert.deepEqual(
    [to.received().length, await to.left()],
    [1, { delayMs: 0, duplicate: 0, reorder: false, dropNext: 0 }],
  )
  bench.advance(5_000)
  await bench.run()

  assert.deepEqual(
    to.received().toSorted((a, b) => a - b),
    sequences,
  )
  assert.deepEqual(await logOf(to.id, sequences[0] as number), {
    state: 'delivered',
    attempts: [
      [1, null, 'dropped by your chaos settings', 'dropped'],
      [2, 200, null, null],
    ],
  })
  const { failures, pausedUntil } = (
    await bench.call({ url: `/api/v1/webhook-endpoints/${to.id}` })
  ).json().data.health
  assert.deepEqual([failures, pausedUntil], [0, null])
  await to.stop()
})

test('reordered: a later event overtakes; one that nothing follows comes after five seconds', async () => {
  // Another worker's round finds nothing due while this delivery is under way.
  const other = bench.newDeliverer()
  const to = await disturbed({ reorder: true }, (response) => {
    void other.round(new AbortController().signal).finally(() => response.end())
  })
  const [one, two] = await makeEvents(2)
  await bench.run()
  const [three] = await makeEvents(1)
  await bench.run()
  assert.deepEqual(to.received(), [two, one])
  bench.advance(4_999)
  await bench.run()
  assert.deepEqual(to.received(), [two, one])
  bench.advance(1)
  await bench.run()

  assert.deepEqual(to.received(), [two, one, three])
  const held = 'held back by your chaos settings, for a later event to overtake it'
  assert.deepEqual((await logOf(to.id, one as number)).attempts, [
    [1, null, held, 'reordered'],
    [2, 200, null, null],
  ])
  assert.deepEqual((await logOf(to.id, two as number)).attempts, [[1, 200, null, null]])
  await to.stop()
})

test('repeated: the same id again and again, each signed; one delivery', async () => {
  const to = await disturbed({ duplicate: 2 })
  const [one] = await makeEvents(1)
  await bench.run()

  assert.deepEqual(to.received(), [one, one, one])
  const ids = new Set(to.receiver.received.map(({ headers }) => headers['webhook-id']))
  assert.equal(ids.size, 1)
  const secret = await bench.secret(to.id)
  assert(to.receiver.received.every((webhook) => verifies(secret, webhook)))
  assert.deepEqual(await logOf(to.id, one as number), {
    state: 'delivered',
    attempts: [
      [1, 200, null, null],
      [2, 200, null, 'repeated'],
      [3, 200, null, 'repeated'],
    ],
  })
  await to.stop()
})

test('delayed: sent when the event is that old, whatever corrects schedules meanwhile', async () => {
  const to = await disturbed({ delayMs: 400_000, duplicate: 1, reorder: true, dropNext: 1 })
  const [one, two] = await makeEvents(2)
  await bench.run()
  bench.advance(399_999) // More than five minutes: schedules have been corrected meanwhile.
  await bench.run()
  assert.deepEqual(to.received(), [])
  assert.deepEqual((await logOf(to.id, one as number)).attempts, [
    [1, null, 'delayed by your chaos settings', 'delayed'],
  ])
  bench.advance(1)
  await bench.run()
  bench.advance(5_000)
  await bench.run()

  assert.deepEqual(to.received().toSorted(), [one, one, two, two].toSorted())
  await to.stop()
})

test('an endpoint without chaos is untouched, while its neighbour’s deliveries are dropped', async () => {
  const token = await bench.newClient('CALM000001')
  const calm = closeAfterTests(await listener())
  const { id } = await bench.addEndpoint(calm.url, CREATED)
  const to = await disturbed({ dropNext: 100 })
  const sequences = await makeEvents(3)
  await bench.run()

  assert.deepEqual([calm.received.map(({ json }) => json.sequence), to.received()], [sequences, []])
  assert.deepEqual((await logOf(id, sequences[0] as number)).attempts, [[1, 200, null, null]])

  const before = await databaseText(bench)
  for (const [method, body] of [['PUT', { dropNext: 1 }], ['GET'], ['DELETE']] as const) {
    const missing = await bench.call({ method, url: to.url, token, ...(body ? { body } : {}) })
    assertRefused(missing, { status: 404, code: 'endpoint_not_found' })
  }
  const bad = [{ delayMs: -1 }, { delayMs: 600_001 }, { duplicate: 11 }, { dropNext: 1.5 }]
  for (const body of [...bad, { reorder: 'yes' }, { dropNext: '1' }, { drop: 1 }, []]) {
    const answer = await bench.call({ method: 'PUT', url: to.url, body })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
  }
  assert.equal(await databaseText(bench), before)
  const deleted = await bench.call({ method: 'DELETE', url: to.url })
  assert.deepEqual([deleted.statusCode, (await to.left()).dropNext], [200, 0])
  bench.advance(5_000)
  await bench.run()
  assert.deepEqual(to.received().length, 3)
})
