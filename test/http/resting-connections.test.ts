// A connection that was refused is not read again before its turn; others are.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import type { Writers } from '#domain/batch-writers.ts'
import { LoadShedder } from '#http/load-shedding.ts'
import { RestingConnections } from '#http/resting-connections.ts'
import { Metrics } from '#metrics.ts'
import { closeAtEnd } from '../support/closing.ts'
import { listenLocally } from '../support/event-source.ts'
import { START } from '../support/running-service.ts'

const LOOK_MS = 10
const immediate = () => new Promise((resolve) => setImmediate(resolve))

// So many connections that were just refused.
async function setup(t: TestContext, count: number) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const state = { isOverloaded: true, isDraining: false }
  const paused = new Set<number>()
  const resting = new RestingConnections({
    isOverloaded: () => state.isOverloaded,
    isDraining: () => state.isDraining,
    onCount: (count) => assert.equal(count, paused.size),
  })
  for (let at = 0; at < count; at++) {
    const socket = {
      pause: () => paused.add(at) && socket,
      resume: () => paused.delete(at) && socket,
    }
    resting.add(socket as unknown as Socket)
  }
  assert.equal(paused.size, 0)
  await immediate()
  assert.equal(paused.size, count)
  const look = () => t.mock.timers.tick(LOOK_MS)
  return { state, paused, look }
}

test('while there is no room few are read again, the first first; many as soon as there is', async (t) => {
  const { state, paused, look } = await setup(t, 100)
  look()
  assert.deepEqual([paused.size, Math.min(...paused)], [95, 5])
  state.isOverloaded = false
  look()
  assert.deepEqual([paused.size, Math.min(...paused)], [45, 55])
  look()
  assert.equal(paused.size, 0)
})

test('however many they are, none rests for longer than five seconds', async (t) => {
  const { paused, look } = await setup(t, 10_000)
  look()
  assert.equal(paused.size, 10_000 - 20)
})

test('when the service stops, all are read', async (t) => {
  const { state, paused, look } = await setup(t, 100)
  state.isDraining = true
  look()
  assert.equal(paused.size, 0)
})

test('what a refused connection sends next waits in its socket, and others are answered', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const metrics = new Metrics()
  const writer = { isOverloaded: true }
  const writers = { credits: writer } as unknown as Writers
  const shedder = new LoadShedder({ mode: 'live', clock: () => START, writers, metrics })
  await using app = Fastify({ serverFactory: shedder.createServer as never })
  shedder.register(app)
  app.post('/credits', { config: { queue: 'credits' } }, async () => 'booked')
  app.post('/other', async () => 'done')
  const { port } = new URL(await listenLocally(app))
  const [refused, other] = [open(Number(port)), open(Number(port))]
  const resting = async () => (await metrics.resting.get()).values[0]?.value
  const shed = async () => (await metrics.shed.get()).values[0]?.value

  refused.post('/credits')
  assert.match(await refused.answer(), /^HTTP\/1\.1 503 .*"busy"/s)
  await immediate()
  assert.equal(await resting(), 1)
  writer.isOverloaded = false
  refused.post('/credits')
  for (let at = 0; at < 3; at++) {
    other.post('/other')
    assert.match(await other.answer(), /done$/)
  }
  assert.equal(refused.pending(), '')
  t.mock.timers.tick(LOOK_MS)

  assert.match(await refused.answer(), /^HTTP\/1\.1 200 .*booked$/s)
  assert.deepEqual([await shed(), await resting()], [1, 0])
})

function open(port: number) {
  const socket = closeAtEnd(
    Object.assign(connect(port, '127.0.0.1'), {
      [Symbol.asyncDispose]: async () => void socket.destroy(),
    }),
  )
  let text = ''
  socket.setEncoding('utf8').on('data', (part: string) => {
    text += part
  })
  return {
    post: (path: string) =>
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
      ),
    pending: () => text,
    // Short enough to come in one piece.
    async answer() {
      if (text === '') await once(socket, 'data')
      const answer = text
      text = ''
      return answer
    },
  }
}
