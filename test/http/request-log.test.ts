// The log of requests: a share of the successful ones and every failed one, with the caller and the
// duration, but never the content.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FastifyRequest } from 'fastify'
import { RequestLog } from '#http/requests.ts'
import { createLogger } from '#log.ts'
import { ACCOUNTS, accountBody } from '../support/fixtures.ts'
import { seededRandom } from '../support/random.ts'
import { startTestService } from '../support/running-service.ts'

const BILLION = 1_000_000_000

// Returns a request log with a fake clock and seeded randomness, and functions that end requests and read
// the lines.
function createRequestLog(share: number) {
  const written: string[] = []
  const log = createLogger({ level: 'info', destination: { write: (line) => written.push(line) } })
  const { integer } = seededRandom(7)
  const random = () => integer(0, BILLION - 1) / BILLION
  let nowMs = 0
  const requests = new RequestLog({ log, share, random, nowMs: () => nowMs })
  // Ends a request with this status and duration.
  const end = (status: number, ms = 5, config: object = {}) => {
    const routeOptions = { url: '/api/v1/accounts/:id', config }
    requests.ended({ id: 'r', method: 'GET', routeOptions } as FastifyRequest, status, ms)
  }
  const lines = () => written.splice(0).map((line) => JSON.parse(line))
  return { end, lines, advance: (ms: number) => (nowMs += ms) }
}

test('a share of successful requests is logged, and every other one', () => {
  const { end, lines } = createRequestLog(0.1)

  for (let count = 0; count < 2_000; count++) end(200)
  const shared = lines()
  const statuses = [200, 302, 400, 401, 403, 404, 409, 429, 500, 503]
  for (const status of statuses) end(status, 1)
  end(200, 1_500)
  end(200, 1_500, { isStream: true })
  end(200, 1_500, { isLong: true })

  assert(shared.length > 160 && shared.length < 240, String(shared.length))
  assert(shared.every(({ level }) => level === 'info'))
  const others = lines().filter(({ level }) => level === 'warn')
  assert.deepEqual(
    others.map(({ status, ms }) => [status, ms]),
    [
      [400, 1],
      [401, 1],
      [403, 1],
      [404, 1],
      [409, 1],
      [500, 1],
      [503, 1],
      [200, 1_500],
    ],
  )
})

test('a flood of refusals is cut short, and the log says by how many lines', () => {
  const { end, lines, advance } = createRequestLog(0)

  for (let count = 0; count < 250; count++) end(401)
  const first = lines()
  advance(1_000)
  end(401)
  end(401)

  assert.equal(first.length, 100)
  assert.deepEqual(
    lines().map(({ leftOut }) => leftOut),
    [150, undefined],
  )
})

test('a line names the caller and the result, and nothing of the request’s content', async () => {
  await using bench = await startTestService({ env: { MANILLA_LOG_REQUESTS: '1' } })
  const address = await bench.service.app.listen({ host: '127.0.0.1', port: 0 })
  const token = await bench.login()
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` }
  const body = JSON.stringify(accountBody({ accountName: 'Ngozi Adeyemi' }))

  const made = await fetch(address + ACCOUNTS, { method: 'POST', headers, body })
  const { data } = (await made.json()) as { data: { accountNumber: string } }
  await fetch(`${address}${ACCOUNTS}/${data.accountNumber}?secret=in-the-query`)

  const lines = bench
    .logText()
    .split('\n')
    .flatMap((line) => (line.includes('"msg":"request"') ? [JSON.parse(line)] : []))
  const [first, second] = lines.map(({ time: _, level: __, ms, ...rest }) => ({
    ...rest,
    hasMs: ms > 0,
  }))
  const both = { hasMs: true, msg: 'request' }
  assert.deepEqual(first, {
    ...{ reqId: made.headers.get('x-request-id'), method: 'POST', url: ACCOUNTS },
    ...{ status: 200, client: 'MAN0000001', ...both },
  })
  const { reqId: _, ...refused } = second as Record<string, unknown>
  const url = `${ACCOUNTS}/:accountNumber`
  assert.deepEqual(refused, { method: 'GET', url, status: 401, code: 'unauthorized', ...both })
  for (const text of ['Ngozi', data.accountNumber, token, 'in-the-query', '22212345654']) {
    assert(!bench.logText().includes(text), `${text} is in the log`)
  }
})
