// Under overload, a connection whose request was refused is not read again for a while; other connections
// are.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import Fastify from 'fastify'
import type { Writers } from '#credits/writers.ts'
import { LoadShedder, RestingConnections } from '#http/load-shedding.ts'
import { Metrics } from '#observability/metrics.ts'
import { closeAtEnd } from '../support/closing.ts'
import { listenLocally } from '../support/event-source.ts'
import { START } from '../support/running-service.ts'

const LOOK_MS = 10
const PROXY = '127.0.0.7'
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

// Creates `count` fake connections that were just refused. `runCheck` runs the regular check of resting
// connections, after a delay that may be longer than planned.
async function setup(t: TestContext, count: number) {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let nowMs = 0
  t.mock.method(performance, 'now', () => nowMs)
  const state = { isOverloaded: true, isDraining: false }
  const paused = new Set<number>()
  const resting = new RestingConnections({
    isOverloaded: () => state.isOverloaded,
    isDraining: () => state.isDraining,
    onCount: (count) => assert.equal(count, paused.size),
  })
  // Creates fake sockets, of which `paused` has the numbers of those that are paused.
  const sockets = Array.from({ length: count }, (_, at) => {
    const socket = {
      pause: () => paused.add(at) && socket,
      resume: () => paused.delete(at) && socket,
    }
    return socket as unknown as Socket
  })
  for (const socket of sockets) resting.add(socket)
  assert.equal(paused.size, 0)
  await nextTurn()
  assert.equal(paused.size, Math.min(count, 4_000))
  // Fires the timer of the check; by the clock, `afterMs` have passed since the last check.
  const runCheck = (afterMs = LOOK_MS) => {
    nowMs += afterMs
    t.mock.timers.tick(LOOK_MS)
  }
  return { state, paused, runCheck }
}

test('under overload a few resting connections are read in order; many when there is room', async (t) => {
  const { state, paused, runCheck } = await setup(t, 100)
  runCheck()
  assert.deepEqual([paused.size, Math.min(...paused)], [95, 5])
  state.isOverloaded = false
  runCheck()
  assert.deepEqual([paused.size, Math.min(...paused)], [45, 55])
  runCheck()
  assert.equal(paused.size, 0)
})

test('no connection rests for longer than five seconds, however many there are', async (t) => {
  const { paused, runCheck } = await setup(t, 10_000)
  runCheck()
  assert.equal(paused.size, 4_000 - 8)
  runCheck(40) // A late check resumes no more connections than one in time.
  assert.equal(paused.size, 4_000 - 8 - 8)
  for (let ms = 50; ms < 4_990; ms += LOOK_MS) runCheck()
  assert(paused.size > 0)
  runCheck()
  assert.equal(paused.size, 0)
})

test('when the service stops, all resting connections are read', async (t) => {
  const { state, paused, runCheck } = await setup(t, 100)
  state.isDraining = true
  runCheck()
  assert.equal(paused.size, 0)
})

test('a later request on a refused connection waits in its socket, while others are answered', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const metrics = new Metrics()
  const writer = { isOverloaded: true }
  const writers = { credits: writer } as unknown as Writers
  const shedder = new LoadShedder({
    ...{ mode: 'live', clock: () => START, trustedProxies: [`${PROXY}/32`] },
    ...{ writers, metrics },
  })
  await using app = Fastify({ serverFactory: shedder.createServer as never })
  shedder.register(app)
  app.post('/credits', { config: { queue: 'credits' } }, async () => 'booked')
  app.post('/other', async () => 'done')
  const { port } = new URL(await listenLocally(app))
  const [refused, other] = [openConnection(Number(port)), openConnection(Number(port))]
  const proxy = openConnection(Number(port), PROXY)
  const resting = async () => (await metrics.resting.get()).values[0]?.value
  const shed = async () => (await metrics.shed.get()).values[0]?.value

  for (const caller of [refused, proxy, proxy]) {
    caller.post('/credits')
    assert.match(await caller.answer(), /^HTTP\/1\.1 503 .*"busy"/s)
  }
  await nextTurn()
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
  assert.deepEqual([await shed(), await resting()], [3, 0])
})

// Opens a connection from a local address, and returns functions that send requests and read answers.
function openConnection(port: number, localAddress = '127.0.0.1') {
  const socket = closeAtEnd(
    Object.assign(connect({ port, host: '127.0.0.1', localAddress }), {
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
    // Waits for the next answer, which is short enough to arrive in one piece.
    async answer() {
      if (text === '') await once(socket, 'data')
      const answer = text
      text = ''
      return answer
    },
  }
}
