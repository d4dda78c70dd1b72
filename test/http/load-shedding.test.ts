// Overload: excess requests are refused at once and before any work, in the envelope of their family, on a
// connection that stays open. Accepted requests are completed, and the next is accepted as soon as the
// queue moves.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import Fastify from 'fastify'
import type { Writers } from '#credits/writers.ts'
import { LoadShedder } from '#http/load-shedding.ts'
import { Metrics } from '#observability/metrics.ts'
import { listenLocally } from '../support/event-source.ts'
import { ACCOUNTS, accountBody, createAccount } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { START, startTestService } from '../support/running-service.ts'
import { answersIn, openSocket } from './raw-sockets.ts'

const STALLED_MS = 3_000 // The same constant as in src/hot-path/batcher.ts.

test('while the queue of credits stands, a credit is refused unread; others are served', async (t) => {
  await using bench = await startTestService()
  const url = await listenLocally(bench.service.app)
  await using caller = keepAliveCaller(url)
  const { accountNumber } = await createAccount(bench)
  const credit = () => ({ sessionId: newSessionId(), accountNumber, amount: '10.00' })
  const holder = await bench.db.connect()
  await using _ = { [Symbol.asyncDispose]: async () => holder.release(true) }
  await holder.query('begin')
  await holder.query('lock table credits')

  // Batches are in flight, and behind them is a queue that seems not to have moved for a while, because the
  // test moves the clock ahead.
  const { now } = performance
  let aheadMs = 0
  t.mock.method(performance, 'now', () => now.call(performance) + aheadMs)
  // Tells whether the service would refuse credits three seconds later. If not, moves its clock back.
  const isStalled = () => {
    aheadMs = STALLED_MS
    if (bench.service.writers.credits.isOverloaded) return true
    aheadMs = 0
    return false
  }
  const accepted: ReturnType<typeof postRail>[] = []
  while (!isStalled()) {
    accepted.push(postRail(bench, '058/credits', credit()))
    await holder.query('select pg_sleep(0.02)')
  }
  // The body is too large to arrive with the headers, so the service has to read and discard the rest of it.
  const unsigned = { ...credit(), narration: 'x'.repeat(500_000) }
  const refused = await caller.post('/Rails/058/credits/?format=providus', unsigned)
  const published = await caller.post('/Payment/process/banktransfer/simulate/payment', {})
  const escaped = await postRail(bench, '058/credit%73', credit())
  const account = await bench.call({ url: ACCOUNTS, body: accountBody() })
  aheadMs = 0
  await holder.query('commit')
  const answers = await Promise.all(accepted)
  const next = await postRail(bench, '058/credits', credit())
  const unauthorized = await caller.post('/rails/058/credits', credit())

  assert.equal(refused.status, 503)
  assert.equal(refused.body.responseCode, '03')
  assert.equal(refused.body.code, 'busy')
  assert.equal(refused.body.requestId, refused.headers['x-request-id'])
  assert.equal(refused.headers['retry-after'], '1')
  assert.equal(refused.headers['cache-control'], 'no-store')
  assert.equal(published.status, 503)
  assert.equal(published.body.requestSuccessful, false)
  assert.equal(published.headers['retry-after'], '1')
  assert.equal(escaped.statusCode, 503)
  assert.equal(escaped.json().code, 'busy')
  assert.equal(account.statusCode, 200, account.body)
  for (const answer of [...answers, next]) assert.equal(answer.json().responseCode, '00')
  assert.equal(unauthorized.status, 401)
  assert.equal(caller.connections(), 1)
})

test('a page of another site may read why it was refused', async () => {
  const writers = { initiations: { isOverloaded: true } } as unknown as Writers
  const shedder = new LoadShedder({
    ...{ mode: 'live', clock: () => START, trustedProxies: [] },
    ...{ writers, metrics: new Metrics() },
  })
  await using app = Fastify({ serverFactory: shedder.createServer as never })
  shedder.register(app)
  const config = { queue: 'initiations', allowsCrossOrigin: true } as const
  app.post('/Payment/process/banktransfer/:reference', { config }, async () => ({}))
  await using caller = keepAliveCaller(await listenLocally(app))

  const refused = await caller.post('/payment/process/banktransfer/whatever', {})
  const other = await caller.post('/payment/process/banktransfer/whatever/other', {})

  assert.equal(refused.status, 503)
  assert.equal(refused.headers['access-control-allow-origin'], '*')
  assert.match(String(refused.headers['access-control-expose-headers']), /retry-after/)
  assert.match(String(refused.headers['strict-transport-security']), /max-age/)
  assert.equal(other.status, 404)
})

test('requests that wait for their turn when the queue stalls are refused unread too', async () => {
  const credits = { isOverloaded: false, isWriting: true }
  const shedder = new LoadShedder({
    ...{ mode: 'live', clock: () => START, trustedProxies: [] },
    ...{ writers: { credits } as unknown as Writers, metrics: new Metrics() },
  })
  await using app = Fastify({ serverFactory: shedder.createServer as never })
  shedder.register(app)
  app.post('/rails/058/credits', { config: { queue: 'credits' } }, async () => {
    setImmediate(() => (credits.isOverloaded = true)) // Once the next eight requests were started.
    return {}
  })
  using connection = await openSocket(await listenLocally(app))

  connection.send(
    'POST /rails/058/credits HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n'.repeat(20),
  )
  const answers = answersIn(await connection.until('HTTP/1.1 ', 20))

  const statuses = answers.map(({ status }) => status)
  assert.deepEqual(statuses, [...Array(16).fill(200), ...Array(4).fill(503)])
})

// Returns a caller that sends one request after another on one connection.
function keepAliveCaller(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const sockets = new Set<unknown>()
  return {
    connections: () => sockets.size,
    async post(path: string, body: object) {
      const headers = { 'content-type': 'application/json' }
      const sent = request(`${url}${path}`, { method: 'POST', agent, headers })
      sent.on('socket', (socket) => sockets.add(socket))
      sent.end(JSON.stringify(body))
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return {
        status: answer.statusCode,
        headers: answer.headers,
        body: (await json(answer)) as Record<string, unknown>,
      }
    },
    [Symbol.asyncDispose]: async () => agent.destroy(),
  }
}
