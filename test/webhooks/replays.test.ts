// Replays: all events of a period again to one endpoint, in steps that delay nobody.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { ClientId, EndpointId } from '#ids.ts'
import { appendEvents } from '#records/events.ts'
import { deleteEndpoint, updateEndpoint } from '#webhooks/endpoints.ts'
import { getReplay, REPLAYS_PER_HOUR, type Replay, STEP, startReplay } from '#webhooks/replays.ts'
import { stepReplaysRound } from '#webhooks/workers.ts'
import { accountUpdated } from '../support/events.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { listener, startWebhookBench } from '../support/webhook-bench.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const NEVER = new AbortController().signal

test('a period is replayed to one endpoint, of the types it wants', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench, {
    notificationUrl: `${bench.receiver.url}/a`,
  })
  const from = new Date(bench.clock().getTime() + HOUR_MS)
  for (let hour = 0; hour < 4; hour++) {
    await simulate(bench, accountNumber, '1')
    bench.advance(HOUR_MS)
  }
  const to = new Date(bench.clock().getTime() - HOUR_MS)
  await bench.run()
  const endpoint = await bench.addEndpoint(`${bench.receiver.url}/b`, ['collection.received'])

  const request = { endpointId: endpoint.id, from, to }
  const first = await bench.replay(request)
  await bench.run()
  const second = await bench.replay(request)
  await bench.run()

  assert.notEqual(second.id, first.id)
  assert.deepEqual([first.queued, second.queued], [2, 2])
  assert(first.endedAt && second.endedAt)
  const replayed = bench.receiver.received.filter(({ path }) => path === '/hook/b')
  assert.deepEqual(replayed.map(({ json }) => json.sequence).sort(), [3, 3, 4, 4])
})

test('a replay in steps sends every event once, whatever order their times are in', async () => {
  await using bench = await setup()
  const from = bench.clock()
  for (const minute of [4, 1, 3, 3, 3, 0, 2]) {
    await bench.append(new Date(from.getTime() + minute * MINUTE_MS))
  }
  const to = new Date(from.getTime() + 5 * MINUTE_MS)
  const { id } = await bench.addEndpoint(`${bench.receiver.url}/b`, ['account.updated'])

  const step = { queuedMax: 2, scannedMax: 3 }
  let replay = await bench.replay({ endpointId: id, from, to, step })
  const queued = [replay.queued]
  while (!replay.endedAt) {
    await bench.step(step)
    replay = await bench.latest(id)
    queued.push(replay.queued)
  }
  await bench.step(step)
  await bench.deliver()

  assert.deepEqual(queued, [2, 4, 6, 7])
  assert.equal(replay.nextSequence, replay.pastSequence)
  const sequences = bench.receiver.received.map(({ json }) => json.sequence)
  assert.deepEqual(sequences.sort(), [1, 2, 3, 4, 5, 6, 7])
})

test('a step reads a limited number of events, also where none is of the types', async () => {
  await using bench = await setup()
  const { id } = await bench.addEndpoint(`${bench.receiver.url}/b`, ['collection.received'])
  for (let count = 0; count < 7; count++) await bench.append(bench.clock())
  const step = { queuedMax: 2, scannedMax: 3 }
  const positions: bigint[] = []
  let replay = await bench.replay({ endpointId: id, ...bench.today(), step })
  for (; !replay.endedAt; replay = await bench.latest(id)) {
    positions.push(replay.nextSequence)
    await bench.step(step)
  }
  assert.deepEqual(positions, [4n, 7n])
  assert.equal(replay.queued, 0)
})

test('a clock that was wrong for a while hides no event from a replay', async () => {
  await using bench = await setup()
  const from = bench.clock()
  const at = (hours: number) => new Date(from.getTime() + hours * HOUR_MS)
  const NINE_DAYS = 9 * 24
  const hours = [-2, -1, -NINE_DAYS, 1, 2, NINE_DAYS, NINE_DAYS, 3, 4, 25, 26, 27]
  for (const hour of hours) await bench.append(at(hour))
  const endpoint = await bench.addEndpoint(`${bench.receiver.url}/b`, ['account.updated'])

  const { queued } = await bench.replay({ endpointId: endpoint.id, from, to: at(24) })

  assert.equal(queued, 4)
})

test('a client has one running replay, and a repeated request finds it', async () => {
  await using bench = await setup()
  const { id } = await bench.addEndpoint(`${bench.receiver.url}/b`)
  const other = await bench.addEndpoint(`${bench.receiver.url}/c`)
  for (let count = 0; count < 5; count++) await bench.append(bench.clock())
  const request = { endpointId: id, ...bench.today(), step: { queuedMax: 2, scannedMax: 9 } }

  const answers = await Promise.all([1, 2, 3].map(() => bench.replay(request)))
  assert.equal(new Set(answers.map((replay) => replay.id)).size, 1)
  assert.deepEqual(
    answers.map(({ queued }) => queued),
    [2, 2, 2],
  )
  const elsewhere = { ...request, endpointId: other.id }
  const later = { ...request, from: new Date(request.from.getTime() + 1) }
  for (const another of [elsewhere, later, { ...request, withoutAlerts: true }]) {
    await assert.rejects(bench.replay(another), { code: 'replay_running' })
  }
  const insert = `insert into webhook_replays
    select (gen_random_uuid(), client_id, endpoint_id, from_at, to_at, has_alerts, 1, 1, 2, 0, now(),
            now(), null)::webhook_replays).* from webhook_replays`
  await assert.rejects(
    bench.db.query(insert.replace('select (', 'select ((')),
    /webhook_replays_one_of_client/,
  )
  await bench.step()
  assert((await bench.latest(id)).endedAt)
  assert.equal((await bench.replay(elsewhere)).queued, 2)
})

test('a client begins a limited number of replays in an hour', async () => {
  await using bench = await setup()
  const { id } = await bench.addEndpoint(`${bench.receiver.url}/b`)
  await bench.append(bench.clock())
  const request = { endpointId: id, ...bench.today() }
  for (let count = 0; count < REPLAYS_PER_HOUR; count++) {
    await bench.replay(request)
    bench.advance(MINUTE_MS)
  }
  await assert.rejects(bench.replay(request), {
    code: 'too_many_replays',
    retryAfterSeconds: 3_600 - REPLAYS_PER_HOUR * 60,
  })
  bench.advance(HOUR_MS - REPLAYS_PER_HOUR * MINUTE_MS - 1)
  await assert.rejects(bench.replay(request), { code: 'too_many_replays', retryAfterSeconds: 1 })
  bench.advance(1)
  assert((await bench.replay(request)).endedAt)
  // Starts that a wrong clock dated next year do not count.
  await bench.db.query(`update webhook_replays set created_at = created_at + interval '1 year'`)
  assert((await bench.replay(request)).endedAt)
})

test('a replay ends when its endpoint is deactivated or deleted, and another can begin', async () => {
  await using bench = await setup()
  for (let count = 0; count < 5; count++) await bench.append(bench.clock())
  const step = { queuedMax: 2, scannedMax: 9 }
  for (const isDeleted of [false, true]) {
    const { id } = await bench.addEndpoint(`${bench.receiver.url}/b`)
    await bench.replay({ endpointId: id, ...bench.today(), step })
    if (isDeleted) await bench.deleteEndpoint(id)
    else await bench.switchOff(id)
    await bench.step(step)
    const { rows } = await bench.db.query(
      'select queued, ended_at is not null as "isEnded" from webhook_replays where endpoint_id = $1',
      [id],
    )
    assert.deepEqual(rows, [{ queued: 2, isEnded: true }])
  }
})

test('a replay tries a paused endpoint at once, and later steps respect its pauses', async () => {
  await using bench = await setup()
  const { id } = await bench.addEndpoint(`${bench.receiver.url}/b`)
  for (let count = 0; count < 3; count++) await bench.append(bench.clock())
  const pause = `update destinations set paused_until = $1 where endpoint_id = $2`
  const pausedUntil = async () =>
    (await bench.db.query('select paused_until from destinations where endpoint_id = $1', [id]))
      .rows[0].pausedUntil
  const until = new Date(bench.clock().getTime() + MINUTE_MS)
  await bench.db.query(pause, [until, id])
  const step = { queuedMax: 1, scannedMax: 9 }
  await bench.replay({ endpointId: id, ...bench.today(), step })
  assert.equal(await pausedUntil(), null)
  await bench.db.query(pause, [until, id])
  await bench.step(step)
  assert.deepEqual(await pausedUntil(), until)
})

// A bench with a receiver, and the functions under test bound to its client.
async function setup() {
  const receiver = await listener()
  const bench = await startWebhookBench()
  const clientId: ClientId = await bench.clientId()
  const { db, clock, webhookPool } = bench
  type Request = Omit<Parameters<typeof startReplay>[2], 'clientId'>
  const within = <T>(run: (tx: Parameters<typeof startReplay>[0]) => Promise<T>) =>
    withTransaction(db, run)
  return {
    ...bench,
    receiver,
    today: () => ({
      from: new Date(clock().getTime() - HOUR_MS),
      to: new Date(clock().getTime() + HOUR_MS),
    }),
    replay: (request: Request): Promise<Replay> =>
      within((tx) => startReplay(tx, clock(), { clientId, ...request })),
    step: async (step: { queuedMax: number; scannedMax: number } = STEP) => {
      await stepReplaysRound({ webhookPool, clock, step })(NEVER)
    },
    latest: (endpointId: EndpointId) => getReplay(db, { clientId, endpointId }),
    append: (at: Date) => within((tx) => appendEvents(tx, at, [accountUpdated(clientId)])),
    switchOff: (id: EndpointId) =>
      within((tx) => updateEndpoint(tx, clock(), { clientId, id, changes: { isActive: false } })),
    deleteEndpoint: (id: EndpointId) =>
      within((tx) => deleteEndpoint(tx, clock(), { clientId, id })),
    async [Symbol.asyncDispose]() {
      await receiver[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}
