// One delivery attempt to real HTTP receivers, both correct and faulty ones.

import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Address } from '#ssrf-guard.ts'
import { createGuardedAgent } from '#ssrf-guard.ts'
import { type AttemptRequest, attemptDelivery } from '#webhooks/send.ts'
import { patience } from '../support/patience.ts'
import { closedPort, httpReceiver, httpsReceiver, rawReceiver } from './receivers.ts'

const SHORT_MS = 150
const DRIP_MS = 2_000 // The head and a part of the body come before.
const NO_ANSWER = 'no answer within 0.15 s'
const CLOSED = 'the connection was closed before an answer came'

test('a delivery arrives as it was given, with our headers, and 200 is success', async () => {
  const requests: { headers: unknown; method: unknown; url: unknown; body: unknown }[] = []
  await using receiver = await httpReceiver(async (request, response) => {
    const { headers, method, url } = request
    requests.push({ headers, method, url, body: (await buffer(request)).toString() })
    response.end('taken')
  })
  const webhook = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,x' }
  const result = await send({ url: `${receiver.url}?a=b`, headers: webhook, body: '{"é":1}' })

  assert.deepEqual(requests, [
    {
      method: 'POST',
      url: '/hook?a=b',
      body: '{"é":1}',
      headers: {
        host: `127.0.0.1:${receiver.port}`,
        connection: 'keep-alive',
        'content-type': 'application/json',
        'content-length': '8',
        'user-agent': 'Manilla-Webhooks/1',
        ...webhook,
      },
    },
  ])
  const { latencyMs, ...rest } = result
  assert(Number.isInteger(latencyMs) && latencyMs >= 0)
  const expected = { ok: true, status: 200, error: null, responseStart: 'taken', retryAfter: null }
  assert.deepEqual(rest, expected)
})

test('204 without a body is success', async () => {
  await using receiver = await httpReceiver((_, response) => response.writeHead(204).end())
  const result = await send({ url: receiver.url })
  assert.deepEqual([result.ok, result.status, result.responseStart], [true, 204, ''])
})

test('a redirect is a failure and is not followed', async () => {
  await using elsewhere = await httpReceiver((_, response) => response.end())
  for (const status of [301, 302, 303, 307, 308]) {
    await using receiver = await httpReceiver((_, response) =>
      response.writeHead(status, { location: elsewhere.url }).end(),
    )
    const result = await send({ url: receiver.url })
    const error = `redirected to ${elsewhere.url} (redirects are not followed)`
    assert.deepEqual([result.ok, result.status, result.error], [false, status, error])
  }
  assert.equal(elsewhere.connections, 0)
})

test('any other status is a failure that keeps what the receiver said', async () => {
  for (const status of [304, 400, 404, 410, 429, 500, 503]) {
    await using receiver = await httpReceiver((_, response) =>
      response.writeHead(status, { 'retry-after': '120' }).end(status === 304 ? '' : 'no, sorry'),
    )
    const result = await send({ url: receiver.url })
    assert.deepEqual([result.ok, result.status], [false, status])
    assert.equal(result.error, `the receiver answered ${status}`)
    assert.equal(result.responseStart, status === 304 ? '' : 'no, sorry')
    assert.equal(result.retryAfter, '120')
  }
})

test('the deadline ends an attempt at a receiver that hangs, silent or amid its headers', async () => {
  const silent = () => {}
  const amidHeaders = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\nx-slow: '
  for (const start of ['', amidHeaders]) {
    await using receiver = await rawReceiver((socket) => (start ? socket.write(start) : silent()))
    const result = await send({ url: receiver.url, timeoutMs: SHORT_MS })
    assert.deepEqual([result.ok, result.status, result.error], [false, null, NO_ANSWER])
    assert(result.latencyMs >= SHORT_MS - 5 && result.latencyMs < patience(2_000))
  }
})

test('the deadline covers the dial, and what missed it is not sent later', async () => {
  await using receiver = await httpReceiver((_, response) => response.end())
  const resolving = Promise.withResolvers<Address[]>()
  const agent = createGuardedAgent({ mode: 'sandbox', lookup: () => resolving.promise })
  const url = `http://slow.example.ng:${receiver.port}/`
  const result = await attemptDelivery(agent, { url, headers: {}, body: '{}', timeoutMs: SHORT_MS })
  assert.deepEqual([result.ok, result.status, result.error], [false, null, NO_ANSWER])
  assert(result.latencyMs < patience(2_000))

  resolving.resolve([{ address: '127.0.0.1', family: 4 }])
  await agent.close()
  assert.deepEqual([receiver.connections, receiver.requests], [1, 0])
})

test('the deadline counts in all: headers that drip do not stretch it', async () => {
  await using receiver = await rawReceiver((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n')
    const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 5)
    socket.on('close', () => clearInterval(drip))
  })
  const result = await send({ url: receiver.url, timeoutMs: SHORT_MS })
  assert.deepEqual([result.ok, result.error], [false, NO_ANSWER])
  assert(result.latencyMs < patience(2_000))
})

test('a body that drips is cut at the deadline, and the status decides', async () => {
  for (const status of [200, 500]) {
    await using receiver = await httpReceiver((_, response) => {
      response.writeHead(status)
      const drip = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(drip))
    })
    const result = await send({ url: receiver.url, timeoutMs: DRIP_MS })
    assert.deepEqual([result.ok, result.status], [status === 200, status])
    assert.match(result.responseStart, /^x+$/)
    assert(result.latencyMs >= DRIP_MS - 5 && result.latencyMs < patience(4_000))
  }
})

test('an answer of 100 MB costs its first 4 kB', async () => {
  const chunk = Buffer.alloc(64 * 1024, 'a')
  let sentBytes = 0
  const closed = Promise.withResolvers<void>()
  await using receiver = await httpReceiver((_, response) => {
    response.on('close', closed.resolve)
    // Writes the 100 MB as fast as the connection takes them.
    const pour = () => {
      while (sentBytes < 100 * 1024 * 1024) {
        sentBytes += chunk.length
        if (!response.write(chunk)) return response.once('drain', pour)
      }
      return response.end()
    }
    pour()
  })
  const result = await send({ url: receiver.url })
  await closed.promise
  assert.deepEqual([result.ok, result.status], [true, 200])
  assert.equal(result.responseStart, 'a'.repeat(4_096))
  assert(sentBytes < 20 * 1024 * 1024, 'what fits the buffers of the two sockets, no more')
})

test('an answer cut off half way keeps its status, and none at all is a closed connection', async () => {
  const partial = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'
  await using half = await rawReceiver((socket) => socket.end(partial))
  const result = await send({ url: half.url })
  assert.deepEqual([result.ok, result.status, result.responseStart], [true, 200, 'half'])

  for (const start of ['', 'HTTP/1.1 200 OK\r\nx-half: ']) {
    await using receiver = await rawReceiver((socket) => socket.end(start))
    assert.equal((await send({ url: receiver.url })).error, CLOSED)
  }
  await using reset = await rawReceiver((socket) => socket.resetAndDestroy())
  assert.equal((await send({ url: reset.url })).error, CLOSED)
})

test('garbage, huge headers and an unwanted upgrade are failures in plain words', async () => {
  const huge = `HTTP/1.1 200 OK\r\nx-huge: ${'a'.repeat(64 * 1024)}\r\n\r\n`
  const upgrade = 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'
  const badStatus = 'HTTP/1.1 2x0 OK\r\n\r\n'
  for (const line of ['SSH-2.0-OpenSSH_9.2\r\n', 'hello', badStatus, upgrade, huge]) {
    await using receiver = await rawReceiver((socket) => socket.end(line))
    const result = await send({ url: receiver.url })
    assert.deepEqual([result.ok, result.status], [false, null])
    const words = line === huge ? "the answer's headers are too large" : 'the answer is not HTTP'
    assert.equal(result.error, words)
  }
})

test('a closed port, an unknown name and a bad address each give their own error', async () => {
  const error = async (url: string) => (await send({ url })).error
  const lookup = async () => {
    throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })
  }
  const lost = createGuardedAgent({ mode: 'sandbox', lookup })
  const nameless = await attemptDelivery(lost, {
    url: 'http://gone.example.ng/',
    headers: {},
    body: '',
  })
  await lost.close()
  assert.equal(nameless.error, 'the name could not be resolved')
  assert.equal(await error(`http://127.0.0.1:${await closedPort()}/`), 'the connection was refused')
  assert.equal(await error('http://169.254.169.254/'), 'the target address is not allowed')
  assert.equal(await error('nonsense'), 'the address or a header is not valid')
  assert.equal(await error('ftp://127.0.0.1/'), 'the address or a header is not valid')
})

test('a certificate that is not valid is refused, before anything is sent', async () => {
  await using receiver = await httpsReceiver((_, response) => response.end())
  const result = await send({ url: receiver.url })
  assert.equal(result.error, 'the certificate is not valid: it is self-signed')
  assert.equal(receiver.requests, 0)
})

test('https to a receiver that speaks plain http says so', async () => {
  await using receiver = await httpReceiver((_, response) => response.end())
  const result = await send({ url: receiver.url.replace('http:', 'https:') })
  assert.equal(result.error, 'the secure connection could not be made')
})

test('the stored part of an answer is bounded and clean', async () => {
  const answer = `a\x00b\x1b[31mc\x9b\u202ed\r\n\te${'é'.repeat(20)}`
  await using receiver = await httpReceiver((_, response) => {
    response.setHeader('location', `/${'l'.repeat(5_000)}`)
    response.setHeader('retry-after', '1'.repeat(500))
    response.writeHead(302).end(answer)
  })
  const result = await send({ url: receiver.url, bodyMax: 20 })
  // The body is cut after 20 bytes. The twentieth is the first half of an `é`, which is dropped.
  assert.equal(result.responseStart, 'a b [31mc  d\r\n\te')
  assert((result.error as string).length < 300)
  assert.equal(result.retryAfter?.length, 64)
})

test('small answers leave the connection open for the next delivery', async () => {
  await using receiver = await httpReceiver((_, response) => response.end('a'.repeat(4_096)))
  const agent = createGuardedAgent({ mode: 'sandbox' })
  for (let count = 0; count < 20; count++) {
    const result = await attemptDelivery(agent, { url: receiver.url, headers: {}, body: '{}' })
    assert.equal(result.ok, true)
  }
  await agent.close()
  assert.equal(receiver.requests, 20)
  // A connection can be reused only one turn of the event loop after its response, so two connections
  // alternate.
  assert(receiver.connections <= 2)
})

test('a receiver that hangs does not hold up another path of the same host', async () => {
  await using receiver = await httpReceiver((request, response) => {
    if (request.url !== '/hang') response.end('quick')
  })
  const agent = createGuardedAgent({ mode: 'sandbox' })
  const stop = new AbortController()
  const to = (path: string) => ({ url: new URL(path, receiver.url).href, headers: {}, body: '{}' })
  const hanging = Array.from({ length: 50 }, () =>
    attemptDelivery(agent, { ...to('/hang'), signal: stop.signal }),
  )
  assert.equal((await attemptDelivery(agent, to('/quick'))).responseStart, 'quick')
  stop.abort()
  for (const result of await Promise.all(hanging)) {
    assert.equal(result.error, 'stopped by us before an answer came')
  }
  await agent.close()
})

test('an attempt that was stopped beforehand is not made, and leaves no listener behind', async () => {
  await using receiver = await httpReceiver((_, response) => response.end())
  const stopped = await send({ url: receiver.url, signal: AbortSignal.abort() })
  assert.equal(stopped.error, 'stopped by us before an answer came')
  assert.equal(receiver.requests, 0)

  const { signal } = new AbortController()
  const added: string[] = []
  const removed: string[] = []
  signal.addEventListener = (type: string) => added.push(type)
  signal.removeEventListener = (type: string) => removed.push(type)
  await send({ url: receiver.url, signal })
  assert.deepEqual([added, removed], [['abort'], ['abort']])
})

test('closing the agent waits for nothing once the attempts are over', async () => {
  await using receiver = await httpReceiver((_, response) => response.end('x'.repeat(100_000)))
  const agent = createGuardedAgent({ mode: 'sandbox' })
  const results = await Promise.all(
    Array.from({ length: 20 }, () =>
      attemptDelivery(agent, { url: receiver.url, headers: {}, body: '' }),
    ),
  )
  await agent.close()
  assert(results.every(({ ok, responseStart }) => ok && responseStart.length === 4_096))
})

// Makes one attempt, with a guarded agent in sandbox mode.
async function send(request: Partial<AttemptRequest> & { url: string }) {
  const agent = createGuardedAgent({ mode: 'sandbox' })
  const result = await attemptDelivery(agent, { headers: {}, body: '{}', ...request })
  await agent.close()
  return result
}
