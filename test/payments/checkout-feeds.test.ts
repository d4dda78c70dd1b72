// The streams that show a payer the live status of a payment: all open pages share one read of the database,
// a new page gets the present state at once, and the number of streams is bounded.

import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { AdviceId } from '#ids.ts'
import { createLogger } from '#log.ts'
import { Notifier } from '#notifier.ts'
import {
  CheckoutFeeds,
  WATCHERS_PER_ADDRESS_MAX,
  WATCHERS_PER_ADVICE_MAX,
} from '#payments/checkout-routes.ts'
import { asId } from '../support/as-id.ts'
import { listenLocally, openStream } from '../support/event-source.ts'
import { assertRefused, createAdvice, initiate, simulate } from '../support/fixtures.ts'
import { patience } from '../support/patience.ts'
import { START, startTestService } from '../support/running-service.ts'

const NOW = START.toISOString()
const HOUR_MS = 3_600_000

// Starts the feeds behind a real HTTP server, with two made-up advices `a` and `b`. `set` changes the text
// that an advice has, `reads` lists the advices of each read, and `setBroken` makes reads fail.
async function startFeeds({ heartbeatMs = 3_600_000, pollMs = 1 } = {}) {
  const texts = new Map([
    ['a', '{"status":"Processing"}'],
    ['b', '{"status":"Pending"}'],
  ])
  const reads: string[][] = []
  const changes = new Notifier()
  let isBroken = false
  let now = NOW
  const feeds = new CheckoutFeeds({
    log: createLogger({ level: 'silent' }),
    changes,
    pollMs,
    heartbeatMs,
    read: async (ids) => {
      await turn()
      reads.push([...ids])
      if (isBroken) throw new Error('no database')
      const requested = [...texts].filter(([id]) => ids.includes(asId(id)))
      return new Map(requested.map(([id, text]) => [id, { now, text }]))
    },
  })
  const server = createServer((request, socket) => {
    const adviceId = asId<AdviceId>(request.url?.slice(1) as string)
    socket.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' })
    const seen = { now: NOW, text: texts.get(adviceId) as string }
    feeds.watch({ adviceId, address: 'here', socket, seen })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    feeds,
    reads,
    changes,
    port,
    url: (id: string) => `http://127.0.0.1:${port}/${id}`,
    set: (id: string, text: string) => void texts.set(id, text),
    readAt: (at: Date) => {
      now = at.toISOString()
    },
    setBroken: (value: boolean) => {
      isBroken = value
    },
    // Waits for two reads, because the first may have begun before the test's latest change.
    async nextRead() {
      const readsBefore = reads.length
      while (reads.length < readsBefore + 2) await turn()
    },
    async [Symbol.asyncDispose]() {
      await feeds.stop()
      server.close()
      await once(server, 'close')
    },
  }
}

const dataOf = (block: { data?: string }) => JSON.parse(block.data as string)

test('a new listener gets the present state at once, with its time', async () => {
  await using bench = await startFeeds()
  await using stream = await openStream(bench.url('a'))
  assert.deepEqual(dataOf(await stream.nextEvent()), { now: NOW, status: 'Processing' })
})

test('a change reaches all watchers of that advice, and no others', async () => {
  await using bench = await startFeeds()
  const streams = await Promise.all(['a', 'a', 'b'].map((id) => openStream(bench.url(id))))
  for (const stream of streams) await stream.nextEvent()

  bench.set('a', '{"status":"Successful"}')
  const [one, two] = await Promise.all(streams.slice(0, 2).map((stream) => stream.nextEvent()))
  bench.set('b', '{"status":"Cancelled"}')
  const other = await streams[2]?.nextEvent()

  assert.equal(dataOf(one ?? {}).status, 'Successful')
  assert.equal(dataOf(two ?? {}).status, 'Successful')
  assert.equal(dataOf(other ?? {}).status, 'Cancelled')
})

test('a write of this process reaches the page without waiting for the next poll', async () => {
  await using bench = await startFeeds({ pollMs: HOUR_MS })
  await using stream = await openStream(bench.url('a'))
  await stream.nextEvent()
  bench.set('a', '{"status":"Successful"}')
  bench.changes.call()
  assert.equal(dataOf(await stream.nextEvent()).status, 'Successful')
})

test('a burst of writes is read once per gap', async () => {
  await using bench = await startFeeds({ pollMs: HOUR_MS })
  await using stream = await openStream(bench.url('a'))
  await stream.nextEvent()
  const startedMs = performance.now()
  const endMs = startedMs + 500
  while (performance.now() < endMs) {
    bench.changes.call()
    await turn()
  }
  const passedMs = performance.now() - startedMs
  assert(bench.reads.length >= 1)
  assert(bench.reads.length <= passedMs / 50 + 1, `${bench.reads.length} reads`)
})

test('a reading older than the last update of a page is left to the next reading', async () => {
  await using bench = await startFeeds()
  await using stream = await openStream(bench.url('a'))
  await stream.nextEvent()
  bench.readAt(new Date(START.getTime() - 1))
  bench.set('a', '{"status":"Successful"}')
  await bench.nextRead()
  const later = new Date(START.getTime() + 1)
  bench.readAt(later)

  const event = dataOf(await stream.nextEvent())

  assert.deepEqual(event, { now: later.toISOString(), status: 'Successful' })
})

test('every advice is read once a round, however many watch it; without watchers nothing is', async () => {
  await using bench = await startFeeds()
  const streams = await Promise.all(['a', 'a', 'a', 'b'].map((id) => openStream(bench.url(id))))
  await bench.nextRead()
  assert.deepEqual(bench.reads.at(-1)?.sort(), ['a', 'b'])

  for (const stream of streams) await stream[Symbol.asyncDispose]()
  while (bench.feeds.size > 0) await turn()
  await bench.feeds.stop()
  const { length } = bench.reads
  await turn()
  assert.equal(bench.reads.length, length)
})

test('a new watcher is served after all others have left', async () => {
  await using bench = await startFeeds()
  for (let round = 0; round < 3; round++) {
    await using stream = await openStream(bench.url('a'))
    await stream.nextEvent()
    bench.set('a', `{"round":${round}}`)
    assert.equal(dataOf(await stream.nextEvent()).round, round)
    await stream[Symbol.asyncDispose]()
    while (bench.feeds.size > 0) await turn()
  }
})

test('a database that cannot be read is asked again, and nothing is lost', async () => {
  await using bench = await startFeeds()
  await using stream = await openStream(bench.url('a'))
  await stream.nextEvent()
  bench.setBroken(true)
  bench.set('a', '{"status":"Successful"}')
  await bench.nextRead()
  bench.setBroken(false)
  assert.equal(dataOf(await stream.nextEvent()).status, 'Successful')
})

test('a heart beats, so that a page can tell a dead connection', async () => {
  await using bench = await startFeeds({ heartbeatMs: 5 })
  await using stream = await openStream(bench.url('a'))
  await stream.nextEvent()
  assert.equal((await stream.nextEvent()).event, 'beat')
})

test('a watcher that reads nothing is disconnected before it costs memory', async () => {
  await using bench = await startFeeds()
  const socket = connect(bench.port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write('GET /a HTTP/1.1\r\nhost: here\r\n\r\n')
  socket.pause()
  while (bench.feeds.size === 0) await turn()
  for (let round = 0; bench.feeds.size > 0; round++) {
    bench.set('a', JSON.stringify({ round, filler: 'x'.repeat(500_000) }))
    await turn()
  }
  socket.destroy()
})

test('the number of watchers is limited per advice and per address', async () => {
  const read = async () => new Map()
  const log = createLogger({ level: 'silent' })
  const feeds = new CheckoutFeeds({ log, read, changes: new Notifier() })
  const socket = Object.assign(new EventEmitter().setMaxListeners(0), {
    writable: true,
    writableLength: 0,
    write: () => true,
    end: () => socket.emit('close'),
    destroy: () => socket.emit('close'),
  })
  const hasRoom = (advice: string, address: string) => feeds.hasRoom(asId(advice), address)
  const seen = { now: NOW, text: '{}' }
  const watch = (advice: string, address: string) =>
    feeds.watch({ adviceId: asId(advice), address, socket: socket as never, seen })

  for (let at = 0; at < WATCHERS_PER_ADVICE_MAX; at++) watch('a', `place ${at}`)
  assert.equal(hasRoom('a', 'elsewhere'), false)
  assert.equal(hasRoom('b', 'elsewhere'), true)
  for (let at = 0; at < WATCHERS_PER_ADDRESS_MAX; at++) watch(`advice ${at}`, 'one address')
  assert.equal(hasRoom('c', 'one address'), false)
  assert.equal(hasRoom('c', 'elsewhere'), true)
  await feeds.stop()
  assert.deepEqual([feeds.size, hasRoom('a', 'one address')], [0, true])
})

test('a payer sees a credit within a second, and is refused when there are too many streams', async () => {
  await using bench = await startTestService()
  const url = await listenLocally(bench.service.app)
  const { adviceReference } = await createAdvice(bench)
  const { bankAccount } = await initiate(bench, adviceReference)
  const path = `/pay/api/stream?adviceReference=${adviceReference}`
  const streams = await Promise.all(
    Array.from({ length: WATCHERS_PER_ADVICE_MAX }, () => openStream(url + path)),
  )
  for (const stream of streams) await stream.nextEvent()

  const refused = await bench.call({ url: path, token: null })
  assertRefused(refused, { status: 429, code: 'too_many_streams' })
  await simulate(bench, bankAccount, '2000')
  const heardFrom = performance.now()
  const events = await Promise.all(streams.map((stream) => stream.nextEvent()))

  assert(performance.now() - heardFrom < patience(1_000))
  for (const block of events) {
    assert.deepEqual([dataOf(block).status, dataOf(block).amountPaid], ['PartPayment', 2000])
  }
  await bench.service.app.close()
  for (const stream of streams) assert.equal(await stream.next(), undefined)
})

test('a payer of a client whose test clock is ahead sees a credit with its time on that clock', async () => {
  await using bench = await startTestService()
  const url = await listenLocally(bench.service.app)
  const ahead = new Date(START.getTime() + 86_400_000)
  const set = { method: 'PUT', url: '/sandbox/clock', body: { now: ahead.toISOString() } } as const
  assert.equal((await bench.call(set)).statusCode, 200)
  const { adviceReference } = await createAdvice(bench)
  const { bankAccount } = await initiate(bench, adviceReference)
  const stream = await openStream(`${url}/pay/api/stream?adviceReference=${adviceReference}`)
  const first = dataOf(await stream.nextEvent())
  await simulate(bench, bankAccount, '2000')

  const event = dataOf(await stream.nextEvent())

  assert.deepEqual(
    [event.status, event.now, first.now],
    ['PartPayment', first.now, ahead.toISOString()],
  )
  await bench.service.app.close()
})
