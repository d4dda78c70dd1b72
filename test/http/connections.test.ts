// Connections that no honest client would make, over real sockets: slow, endless, malformed, or cut in
// half. Each costs the service little and ends soon, and all others are served meanwhile.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { limitConnections } from '#http/connections.ts'
import { closeAfterTests } from '../support/closing.ts'
import { ACCOUNTS, accountBody, BANKS } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { answersIn, openSocket } from './raw-sockets.ts'

const HOST = 'host: x\r\n'
const POST = `POST ${ACCOUNTS} HTTP/1.1\r\n${HOST}`
const GET = `GET ${BANKS} HTTP/1.1\r\n${HOST}\r\n`
const DRIP_MS = 20

const bench = closeAfterTests(await startTestService())
const { server } = bench.service.app
const limits = {
  headers: server.headersTimeout,
  request: server.requestTimeout,
  silence: server.timeout,
  keepAlive: server.keepAliveTimeout,
}
Object.assign(server, { connectionsCheckingInterval: 50 })
const url = await bench.service.app.listen({ host: '127.0.0.1', port: 0 })
const token = await bench.login()

// Shortens the server's time limits until the end of a test. They are not always short, because on a busy
// machine an honest request would exceed them too.
function shortenLimits(
  sooner: Partial<Pick<typeof server, 'headersTimeout' | 'requestTimeout' | 'timeout'>>,
) {
  Object.assign(server, sooner)
  return {
    [Symbol.dispose]() {
      const { headers: headersTimeout, request: requestTimeout, silence: timeout } = limits
      Object.assign(server, { headersTimeout, requestTimeout, timeout })
    },
  }
}

test('a request has 10 s for its headers and 30 s in all, and a silent connection a minute', () => {
  assert.deepEqual(limits, {
    headers: 10_000,
    request: 30_000,
    silence: 60_000,
    keepAlive: 72_000,
  })
  assert.equal(server.maxConnections, 12_000)
})

test('a connection that drips headers is cut off, and all others are served meanwhile', async () => {
  using _ = shortenLimits({ headersTimeout: 150 })
  const slow = await Promise.all(Array.from({ length: 50 }, () => openSocket(url)))
  const drips = setInterval(() => {
    for (const each of slow) each.send('x: y\r\n')
  }, DRIP_MS)
  for (const each of slow) each.send(`GET ${BANKS} HTTP/1.1\r\n${HOST}`)

  const honest = await bench.call({ url: BANKS, token: null })
  const texts = await Promise.all(slow.map((each) => each.rest()))
  clearInterval(drips)

  assert.equal(honest.statusCode, 200)
  for (const text of texts) assertRefusal(text, 408, 'request_timeout')
})

test('a connection that drips its body is cut off, and the request has no effect', async () => {
  using _ = shortenLimits({ headersTimeout: 400, requestTimeout: 400 })
  using slow = await openSocket(url)
  const body = JSON.stringify(accountBody())
  slow.send(
    `${POST}authorization: Bearer ${token}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`,
  )
  let sent = 0
  const drips = setInterval(() => slow.send(body.charAt(sent++)), DRIP_MS)

  const text = await slow.rest()
  clearInterval(drips)

  assertRefusal(text, 408, 'request_timeout')
  const { rows } = await bench.db.query('select count(*)::int as count from collection_accounts')
  assert.deepEqual(rows, [{ count: 0 }])
})

test('a silent connection is closed', async () => {
  using _ = shortenLimits({ headersTimeout: 150 })
  using silent = await openSocket(url)
  assertRefusal(await silent.rest(), 408, 'request_timeout')
})

test('a caller who requests much and reads nothing is disconnected', async () => {
  using _ = shortenLimits({ timeout: 500 })
  const accepted = once(server, 'connection')
  using greedy = await openSocket(url)
  const [ours] = await accepted
  const closed = once(ours, 'close')
  greedy.socket.pause()
  greedy.send(GET.replace(BANKS, '/openapi.json').repeat(20))

  await closed
  assert(ours.destroyed)
})

test('headers that are too large are refused, in one piece or in many', async () => {
  const large = `x: ${'y'.repeat(20_000)}\r\n`
  const many = Array.from({ length: 2_000 }, (_, at) => `x-${at}: yyyyyyyy\r\n`).join('')
  for (const headers of [large, many]) {
    using client = await openSocket(url)
    client.send(`GET ${BANKS} HTTP/1.1\r\n${HOST}${headers}\r\n`)
    assertRefusal(await client.rest(), 431, 'headers_too_large')
  }
  using client = await openSocket(url)
  client.send(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`)
  assertRefusal(await client.rest(), 431, 'headers_too_large')
})

const NO_HTTP: Record<string, string> = {
  noise: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'another protocol': 'EHLO example.com\r\n\r\n',
  'a method that is none': `FETCH ${BANKS} HTTP/1.1\r\n${HOST}\r\n`,
  'a length and chunks at once': `${POST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  'two lengths': `${POST}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`,
  'a negative length': `${POST}content-length: -1\r\n\r\n`,
  'chunks of no size': `${POST}transfer-encoding: chunked\r\n\r\nzz\r\n`,
  'a header with a NUL': `GET ${BANKS} HTTP/1.1\r\n${HOST}x: a\0b\r\n\r\n`,
  'a folded header': `GET ${BANKS} HTTP/1.1\r\n${HOST}x: a\r\n b\r\n\r\n`,
  'a header without a colon': `GET ${BANKS} HTTP/1.1\r\n${HOST}x\r\n\r\n`,
}

for (const [what, bytes] of Object.entries(NO_HTTP)) {
  test(`${what} is refused, and the connection ends`, async () => {
    using client = await openSocket(url)
    client.send(Buffer.from(bytes, 'latin1'))
    const text = await client.rest()

    const [answer] = answersIn(text)
    assert(answer && [400, 401].includes(answer.status), text)
    assert.doesNotMatch(text, /HPE_|llhttp|parse error|node/i)
  })
}

test('bytes that are no HTTP are refused in our own words', async () => {
  using client = await openSocket(url)
  client.send('EHLO example.com\r\n\r\n')
  assertRefusal(await client.rest(), 400, 'invalid_http')
})

test('requests sent without waiting are answered in their order', async () => {
  using client = await openSocket(url)
  client.send(GET + GET.replace(BANKS, '/nowhere') + GET.replace(BANKS, '/health') + GET)
  const answers = answersIn(await client.until('HTTP/1.1 ', 4))

  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 200, 200],
  )
})

test('noise after a request does not spoil its answer', async () => {
  using client = await openSocket(url)
  client.send(`${GET}\x00\x01\x02 nonsense\r\n\r\n`)
  const statuses = answersIn(await client.rest()).map(({ status }) => status)

  assert(statuses.length > 0)
  assert(
    statuses.every((status) => status === 200 || status === 400),
    String(statuses),
  )
})

test('a caller who has sent all and closed half the connection is still answered', async () => {
  using client = await openSocket(url)
  client.send(GET)
  client.half()

  assert.equal(answersIn(await client.rest())[0]?.status, 200)
})

test('a caller who hangs up in the middle of a body leaves nothing behind', async () => {
  using client = await openSocket(url)
  client.send(
    `${POST}authorization: Bearer ${token}\r\n` +
      'content-type: application/json\r\ncontent-length: 100\r\n\r\n{"accountName"',
  )
  client.half()
  const [answer] = answersIn(await client.rest())

  assert(answer === undefined || answer.status === 400, String(answer?.status))
  assert.doesNotMatch(bench.logText(), /"level":"error"/)
})

test('a body larger than allowed is refused before it has come', async () => {
  using client = await openSocket(url)
  client.send(
    `${POST}authorization: Bearer ${token}\r\n` +
      'content-type: application/json\r\ncontent-length: 9999999\r\n\r\n{',
  )
  assert.equal(answersIn(await client.until('body_too_large'))[0]?.status, 413)
})

test('chunks without end are cut off at the same size', async () => {
  using client = await openSocket(url)
  client.send(
    `${POST}authorization: Bearer ${token}\r\n` +
      'content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
  )
  const chunk = `4000\r\n${'x'.repeat(0x4000)}\r\n`
  for (let count = 0; count < 8; count++) client.send(chunk)

  assert.equal(answersIn(await client.until('body_too_large'))[0]?.status, 413)
})

test('a request for another protocol or a tunnel is not granted', async () => {
  using upgrade = await openSocket(url)
  upgrade.send(`GET ${BANKS} HTTP/1.1\r\n${HOST}connection: upgrade\r\nupgrade: websocket\r\n\r\n`)
  assert.equal(answersIn(await upgrade.until('responseData'))[0]?.status, 200)

  using tunnel = await openSocket(url)
  tunnel.send(`CONNECT example.com:443 HTTP/1.1\r\n${HOST}\r\n`)
  assert.doesNotMatch(await tunnel.rest(), /^HTTP\/1\.1 2/)

  using trace = await openSocket(url)
  trace.send(`TRACE ${BANKS} HTTP/1.1\r\n${HOST}x-secret: s3cret\r\n\r\n`)
  const answer = await trace.until('requestId')
  assert.equal(answersIn(answer)[0]?.status, 405)
  assert.doesNotMatch(answer, /s3cret/)
})

test('one address has a limited number of connections; closed ones count no longer', async () => {
  const small = createServer((_request, response) => response.end('ok'))
  limitConnections(small, { all: 100, perAddress: 3, trusted: [] })
  await new Promise<void>((resolve) => small.listen(0, '127.0.0.1', resolve))
  const at = `http://127.0.0.1:${(small.address() as AddressInfo).port}`
  const open = await Promise.all([1, 2, 3].map(() => openSocket(at)))
  for (const each of open) each.send(GET)
  await Promise.all(open.map((each) => each.until('ok')))

  using refused = await openSocket(at)
  refused.send(GET)
  assert.equal(await refused.rest(), '')
  open[0]?.half()
  await open[0]?.rest()
  using welcome = await openSocket(at)
  welcome.send(GET)
  assert.match(await welcome.until('ok'), /^HTTP\/1\.1 200/)

  for (const each of open) each[Symbol.dispose]()
  welcome[Symbol.dispose]()
  await new Promise((resolve) => small.close(resolve))
})

test('after all these connections the service is healthy', async () => {
  const { statusCode } = await fetch(`${url}/ready`).then(({ status }) => ({ statusCode: status }))
  assert.equal(statusCode, 200)
})

// Asserts that the connection got exactly one answer, a refusal that closes it.
function assertRefusal(text: string, status: number, code: string): void {
  const [answer, ...more] = answersIn(text)
  assert(answer, text)
  assert.equal(more.length, 0)
  assert.equal(answer.status, status)
  assert.match(answer.head, /content-type: application\/json/)
  assert.match(answer.head, /connection: close/)
  const body = JSON.parse(answer.body)
  assert.deepEqual([body.isSuccessful, body.code, body.data], [false, code, null])
}
