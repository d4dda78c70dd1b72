// A slow or dead receiver never delays another. No failure of the service loses a delivery, or lets a late
// response overwrite a newer one.

import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { Notifier } from '#notifier.ts'
import { FAILURES_TO_PAUSE, PAUSE_MAX_MS, PAUSE_MIN_MS } from '#records/call-rates.ts'
import { claimDeliveries, LEASE_MS } from '#webhooks/claims.ts'
import { runWorker } from '#workers/loop.ts'
import { spawnChild } from '../support/child-service.ts'
import { until } from '../support/embedded-bench.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { patience } from '../support/patience.ts'
import { SECRETS } from '../support/settings.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { listener, startWebhookBench, type WebhookBench } from '../support/webhook-bench.ts'
import { rawReceiver } from './receivers.ts'

const DAY_MS = 86_400_000
const NEVER = new AbortController().signal
const ANY_ROOM = { rooms: new Map(), otherRoom: 100, takesFailing: true }

test('fifty receivers that hang, each with a queue, delay no other receiver', async () => {
  await using healthy = await listener()
  const hanging: Socket[] = []
  await using dead = await rawReceiver((socket) => hanging.push(socket))
  await using bench = await startWebhookBench()
  for (let i = 0; i < 50; i++) await fill(bench, `${dead.url}/${i}`, 3)
  await fill(bench, healthy.url, 20)
  await bench.dispatch()

  await using loop = startLoop(bench)
  await until('all have been called', () => {
    return healthy.received.length === 21 && dead.connections === 50
  })

  assert.equal((await bench.attempts()).filter(({ status }) => status === null).length, 0)
  for (const socket of hanging) socket.destroy()
  await loop.stop()
})

test('a destination that fails is paused, probed by one, and goes on where it was', async () => {
  let isUp = false
  await using receiver = await listener((response) => response.writeHead(isUp ? 200 : 500).end())
  await using healthy = await listener()
  await using bench = await startWebhookBench()
  await fill(bench, receiver.url, 30)

  await bench.run()
  assert.equal(receiver.received.length, FAILURES_TO_PAUSE)
  await fill(bench, healthy.url, 1)
  await bench.run()
  assert.deepEqual([receiver.received.length, healthy.received.length], [FAILURES_TO_PAUSE, 2])

  // The first pause ends with one probe, which fails. The second pause is twice as long, so it is not over
  // yet.
  bench.advance(PAUSE_MIN_MS)
  await bench.run()
  bench.advance(PAUSE_MIN_MS)
  await bench.run()
  assert.equal(receiver.received.length, FAILURES_TO_PAUSE + 1)

  isUp = true
  bench.advance(PAUSE_MAX_MS)
  await bench.run()
  const states = (await bench.deliveries()).map(({ state }) => state)
  assert.deepEqual(new Set(states), new Set(['delivered']))
})

test('an endpoint that has failed for five days is disabled, with an event and an alert', async () => {
  await using receiver = await listener((response) => response.writeHead(500).end())
  await using other = await listener()
  await using bench = await startWebhookBench()
  await using account = await listener()
  const notificationUrl = account.url
  const endpoint = await bench.addEndpoint(receiver.url)
  await bench.addEndpoint(other.url, ['endpoint.disabled'])
  for (let day = 0; day < 6; day++) {
    assert.deepEqual(other.types(), [])
    await createAccount(bench, { notificationUrl })
    await bench.run()
    bench.advance(DAY_MS)
  }
  await bench.run()
  const before = receiver.received.length
  await createAccount(bench, { notificationUrl })
  await bench.run()

  assert.equal(receiver.received.length, before)
  assert.deepEqual(other.types(), ['endpoint.disabled'])
  assert.equal(other.received[0]?.json.data.id, endpoint.id)
  assert.equal(other.received[0]?.json.data.reason, 'every delivery failed for 5 days')
  const { rows } = await bench.db.query('select kind, detail from alerts')
  assert.deepEqual(rows, [
    { kind: 'endpoint_disabled', detail: { clientId: '1', url: receiver.url } },
  ])
})

test('two workers never send the same delivery', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  for (let i = 0; i < 5; i++) await fill(bench, `${receiver.url}/${i}`, 40)
  await bench.dispatch()

  await Promise.all([bench.newDeliverer(), bench.newDeliverer()].map((each) => bench.deliver(each)))

  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.deepEqual([ids.length, new Set(ids).size], [205, 205])
})

test('deliveries of a worker that died are sent when its lease has run out', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  await fill(bench, receiver.url, 9)
  await bench.dispatch()
  const { claims } = await withTransaction(bench.webhookPool, (tx) =>
    claimDeliveries(tx, bench.clock(), ANY_ROOM),
  )
  assert.equal(claims.length, 10)

  bench.advance(LEASE_MS - 1)
  await bench.deliver()
  assert.equal(receiver.received.length, 0)
  bench.advance(1)
  await bench.deliver()

  assert.equal(receiver.received.length, 10)
})

for (const [newer, state] of [
  [200, 'delivered'],
  [500, 'pending'],
] as const) {
  test(`an answer after the lease has run out does not overwrite a newer ${newer}`, async () => {
    const held = Promise.withResolvers<() => void>()
    let requests = 0
    await using receiver = await listener((response) => {
      if (++requests > 1) response.writeHead(newer).end('newer')
      else held.resolve(() => response.writeHead(503, { 'retry-after': '60' }).end('older'))
    })
    await using bench = await startWebhookBench()
    await createAccount(bench, { notificationUrl: receiver.url })
    await bench.dispatch()
    const slow = bench.newDeliverer()
    await slow.round(NEVER)
    const answer = await held.promise
    bench.advance(LEASE_MS)
    await bench.deliver()
    const before = await bench.deliveries()

    answer()
    await slow.idle()

    assert.equal(receiver.received[0]?.body, receiver.received[1]?.body)
    assert.deepEqual(
      (await bench.attempts()).map(({ status, responseStart }) => [status, responseStart]),
      [[newer, 'newer']],
    )
    assert.deepEqual(await bench.deliveries(), before)
    assert.equal(before[0].state, state)
  })
}

test('a destination that failed last time is given one at a time, by every process', async () => {
  await using receiver = await listener((response) => response.writeHead(500).end())
  await using bench = await startWebhookBench()
  await fill(bench, receiver.url, 9)
  await bench.dispatch()
  // Claims deliveries; returns for each whether it is a probe.
  const claim = async () => {
    const { claims } = await withTransaction(bench.webhookPool, (tx) =>
      claimDeliveries(tx, bench.clock(), ANY_ROOM),
    )
    return claims.map(({ isProbe }) => isProbe)
  }
  const deliverer = bench.newDeliverer()
  await deliverer.round(NEVER)
  await deliverer.idle()
  assert.deepEqual(await claim(), [false])
  for (let i = 1; i < FAILURES_TO_PAUSE; i++) {
    await deliverer.round(NEVER)
    await deliverer.idle()
  }
  assert.deepEqual(await claim(), [])

  bench.advance(PAUSE_MIN_MS)

  assert.deepEqual([await claim(), await claim()], [[true], []])
})

test('a worker that stops gives back the deliveries that it has not begun', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  await fill(bench, receiver.url, 60)
  await bench.dispatch()
  const stopped = bench.newDeliverer({ graceMs: patience(60_000) })
  // Two rounds raise the number of concurrent deliveries; the third claims more than it can send at once.
  for (let i = 0; i < 2; i++) {
    await stopped.round(NEVER)
    await stopped.idle()
  }
  await stopped.round(NEVER)
  await stopped.stop()

  await bench.deliver()

  assert.equal(receiver.received.length, 61)
})

test('a delivery without an answer when a worker stops is sent by the next, and is no failure', async () => {
  const held = Promise.withResolvers<void>()
  await using receiver = await listener((response) => {
    if (receiver.received.length > 1) response.end()
    else held.resolve()
  })
  await using bench = await startWebhookBench()
  await createAccount(bench, { notificationUrl: receiver.url })
  await bench.dispatch()
  const stopped = bench.newDeliverer({ graceMs: 0 })
  await stopped.round(NEVER)
  await held.promise
  await stopped.stop()

  await bench.deliver()

  assert.deepEqual(
    (await bench.attempts()).map(({ attempt, status }) => [attempt, status]),
    [[1, 200]],
  )
})

test('a delivery whose worker is killed with -9 is repeated with the same id', async () => {
  const held = Promise.withResolvers<void>()
  await using receiver = await listener((response) => {
    if (receiver.received.length > 1) response.end()
    else held.resolve()
  })
  await using bench = await startWebhookBench()
  await createAccount(bench, { notificationUrl: receiver.url })
  await bench.dispatch()
  // The child process has the real clock and the test its own, so times of long ago make the delivery due for
  // both and, after the kill, its lease expired.
  const long = "timestamptz '2000-01-01'"
  await bench.db.query(`update deliveries set next_attempt_at = ${long}`)
  await bench.db.query(`update destinations set due_at = ${long}`)
  using folder = createTempFolder()
  const { connectionString } = bench.database
  await using child = spawnChild({
    folder: folder.path,
    role: 'worker',
    env: { ...SECRETS, DATABASE_URL: connectionString, PUBLIC_URL: 'http://localhost:8080' },
  })
  await held.promise
  child.child.kill('SIGKILL')
  await child.closed
  assert.deepEqual(await bench.attempts(), [])
  await bench.db.query(`update deliveries set leased_until = ${long}`)
  await bench.db.query(`update destinations set due_at = ${long}`)

  await bench.deliver()

  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.deepEqual([ids.length, new Set(ids).size], [2, 1])
  assert.equal((await bench.deliveries())[0]?.state, 'delivered')
})

test('the loop sends a thousand by itself, woken by what it delivers', async () => {
  await using receiver = await listener()
  await using bench = await startWebhookBench()
  for (let at = 0; at < 10; at++) await fill(bench, receiver.url, 99)
  await bench.dispatch()

  await using loop = startLoop(bench)
  await until('all are there', () => receiver.received.length === 1_000)
  await loop.stop()

  assert.equal(
    (await bench.deliveries()).filter(({ state }) => state === 'delivered').length,
    1_000,
  )
})

// A deliverer that looks for work once, and then only when woken.
function startLoop(bench: WebhookBench) {
  const stopping = new AbortController()
  const notifier = new Notifier()
  const { round, stop } = bench.newDeliverer({ notifier, graceMs: patience(3_000) })
  // 2 ** 31 - 1 ms is the longest timer: in effect, the worker has no second round without being woken.
  const worker = { name: 'deliver', pauseMs: 2 ** 31 - 1, notifier, round, stop }
  const running = runWorker(worker, { signal: stopping.signal, onError: assert.ifError })
  const end = async () => {
    stopping.abort()
    await running
  }
  return { stop: end, [Symbol.asyncDispose]: end }
}

// Creates an account with this notificationUrl and credits it: one event for the account, and one for
// each credit.
async function fill(bench: WebhookBench, notificationUrl: string, credits: number): Promise<void> {
  const { accountNumber } = await createAccount(bench, { notificationUrl })
  await Promise.all(Array.from({ length: credits }, () => simulate(bench, accountNumber, '1')))
}
