// The feeds of live pages: one database reader for all listeners of a client, none without listeners;
// slow and unauthorised listeners are dropped.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { ClientId } from '#ids.ts'
import { createLogger } from '#log.ts'
import { EventFeeds, type Frame } from '#webhooks/stream-routes.ts'
import { asId } from '../support/as-id.ts'
import { type Block, openStream } from '../support/event-source.ts'

const CLIENT = asId<ClientId>(7n)
const SILENT = createLogger({ level: 'silent' })

type Hold = {
  after: bigint
  entered: PromiseWithResolvers<void>
  mayReturn: PromiseWithResolvers<void>
}

// Starts feeds behind a real server. The test adds the events, or `isEndless` supplies events without
// end.
async function startFeeds({ heartbeatMs = 3_600_000, isEndless = false } = {}) {
  const frames: Frame[] = []
  const reads: { after: bigint; found: number }[] = []
  let heldRead: Hold | undefined
  let allowed = true
  let closed = 0

  // Reads the events after this number: the test's frames or, with `isEndless`, new ones without end.
  async function read(clientId: bigint, after: bigint, limit: number): Promise<Frame[]> {
    assert.equal(clientId, CLIENT)
    await turn()
    if (isEndless) {
      const nextOnes = Array.from({ length: limit }, (_, at) => after + BigInt(at) + 1n)
      return nextOnes.map((sequence) => frameOf(sequence, 'x'.repeat(1_000)))
    }
    const found = frames.filter(({ sequence }) => sequence > after).slice(0, limit)
    reads.push({ after, found: found.length })
    if (heldRead?.after === after) {
      const { entered, mayReturn } = heldRead
      heldRead = undefined
      entered.resolve()
      await mayReturn.promise
    }
    return found
  }

  const feeds = new EventFeeds({ read, log: SILENT, pollMs: 1, heartbeatMs })
  // Each request opens a stream of events, from the number in `last-event-id` or else from the newest event
  // on.
  const server = createServer((request, socket) => {
    socket.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' })
    socket.write(':\n\n')
    socket.once('close', () => void closed++)
    const after = BigInt(request.headers['last-event-id']?.toString() ?? frames.length)
    feeds.listen({
      clientId: CLIENT,
      holder: 'user:ada',
      after,
      socket,
      isAllowed: async () => allowed,
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    feeds,
    reads,
    port,
    url: `http://127.0.0.1:${port}/`,
    closed: () => closed,
    // The next read after this number takes the current events, but returns them only after `letGo`.
    holdReading(after: bigint) {
      heldRead = { after, entered: Promise.withResolvers(), mayReturn: Promise.withResolvers() }
      return { begun: heldRead.entered.promise, letGo: heldRead.mayReturn.resolve }
    },
    add: (data = 'x') => void frames.push(frameOf(BigInt(frames.length + 1), data)),
    forbid: () => {
      allowed = false
    },
    async [Symbol.asyncDispose]() {
      await feeds.stop()
      server.close()
      await once(server, 'close')
    },
  }
}

test('all listeners of a client share one reading of what is new', async () => {
  await using bench = await startFeeds()
  const streams = await Promise.all([1, 2, 3].map(() => openStream(bench.url)))
  bench.add()
  for (const stream of streams) await stream.nextEvent()
  bench.reads.length = 0

  bench.add()
  for (const stream of streams) assert.equal((await stream.nextEvent()).id, '2')

  assert.equal(bench.reads.filter(({ found }) => found > 0).length, 1)
  assert.equal(bench.feeds.size, 1)
  for (const stream of streams) await stream[Symbol.asyncDispose]()
})

test('events that the feed brings while a listener catches up are not missed', async () => {
  await using bench = await startFeeds()
  bench.add()
  await using live = await openStream(bench.url)
  while (bench.feeds.size === 0) await turn()
  const reading = bench.holdReading(0n)
  await using late = await openStream(bench.url, { 'last-event-id': '0' })
  await reading.begun

  bench.add()
  assert.equal((await live.nextEvent()).id, '2')
  reading.letGo()
  bench.add()
  bench.add()

  assert.deepEqual(idsOf(await late.take(3)), ['1', '2', '3'])
})

test('events that a listener has before the feed are not repeated', async () => {
  await using bench = await startFeeds()
  bench.add()
  await using live = await openStream(bench.url)
  while (bench.feeds.size === 0) await turn()
  const reading = bench.holdReading(1n)
  await reading.begun
  bench.add()
  await using late = await openStream(bench.url, { 'last-event-id': '0' })

  assert.deepEqual(idsOf(await late.take(2)), ['1', '2'])
  reading.letGo()
  assert.equal((await live.nextEvent()).id, '2')
  bench.add()

  assert.equal((await late.nextEvent()).id, '3')
})

test('the events of a client without listeners are not read', async () => {
  await using bench = await startFeeds()
  const stream = await openStream(bench.url)
  bench.add()
  await stream.nextEvent()
  assert.equal(bench.feeds.size, 1)

  await stream[Symbol.asyncDispose]()

  while (bench.feeds.size > 0) await turn()
  const count = bench.reads.length
  await turn()
  assert.equal(bench.reads.length, count)
})

test('a quiet stream is kept open by beats, which a page hears and which change no position', async () => {
  await using bench = await startFeeds({ heartbeatMs: 5 })
  await using stream = await openStream(bench.url)
  assert.deepEqual(await stream.next(), { comment: '' }) // From the test's own server.

  for (let beats = 0; beats < 3; beats++) {
    assert.deepEqual(await stream.next(), { event: 'beat', data: '{"type":"beat"}' })
  }
})

test('a listener who loses the right is disconnected within a second', async () => {
  await using bench = await startFeeds()
  await using stream = await openStream(bench.url)
  await stream.next()

  bench.forbid()

  while (await stream.next()) assert(true)
  while (bench.feeds.size > 0) await turn()
})

test('a listener that catches up is waited for, and delays no other listener', async () => {
  await using bench = await startFeeds({ isEndless: true })
  const behind = connect({ host: '127.0.0.1', port: bench.port }).pause()
  behind.on('error', () => {})
  behind.write('GET / HTTP/1.1\r\nhost: x\r\nlast-event-id: 0\r\n\r\n')
  await using reader = await openStream(bench.url, { 'last-event-id': '0' })

  const events = await reader.take(20_000)

  assert.deepEqual(
    events.map(({ id }) => Number(id)),
    Array.from({ length: 20_000 }, (_, at) => at + 1),
  )
  assert.equal(bench.feeds.size, 0) // Both listeners are still catching up, each at its own speed.
  assert.equal(bench.closed(), 0)
  behind.destroy()
})

test('a live reader that takes nothing is closed; the others go on', async () => {
  await using bench = await startFeeds()
  const deaf = connect({ host: '127.0.0.1', port: bench.port })
  deaf.on('error', () => {})
  deaf.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await once(deaf, 'readable')
  await using reader = await openStream(bench.url)

  // Adds events until the feed drops the deaf listener: when the buffers of the operating system and then the
  // feed's own buffer for this listener are full.
  for (let last = 50; bench.closed() === 0; last += 50) {
    for (let each = 0; each < 50; each++) bench.add('x'.repeat(10_000))
    assert.equal(Number((await reader.take(50)).at(-1)?.id), last)
  }
  bench.add()
  await reader.nextEvent()
  deaf.destroy()
})

function idsOf(blocks: readonly Block[]): (string | undefined)[] {
  return blocks.map(({ id }) => id)
}

function frameOf(sequence: bigint, data: string): Frame {
  return { sequence, text: `id: ${sequence}\nevent: test\ndata: ${data}\n\n` }
}
