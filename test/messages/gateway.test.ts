// SMS and WhatsApp messages go to one gateway in signed requests, each at most once, and not during quiet
// hours.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { en } from '#messages/copy/en.ts'
import { isWithin } from '#messages/workers.ts'
import { SAMPLES } from '#notices/routes.ts'
import { loadSecret, verify } from '#standard-webhooks.ts'
import { closeAfterTests } from '../support/closing.ts'
import { freePort } from '../support/free-port.ts'
import { logged, mailingOf, queue, work } from '../support/mailing.ts'
import { patience } from '../support/patience.ts'
import { startTestService } from '../support/running-service.ts'
import { certificate, privateKey } from '../webhooks/self-signed.ts'

const SECRET = loadSecret(`whsec_${Buffer.alloc(32, 'g').toString('base64')}`)
const seen: { id: string; to: string; text: string; language: string; isSigned: boolean }[] = []
const answers: (number | 'drop' | 'hang')[] = []
// A gateway that records each request and answers by the test's script: with a status, 'drop' or 'hang'.
const gateway = createServer(async (request, response) => {
  const body = await text(request)
  const header = (name: string) => request.headers[`webhook-${name}`] as string
  const headers = {
    id: header('id'),
    timestamp: header('timestamp'),
    signature: header('signature'),
  }
  const verdict = verify({
    secrets: [SECRET],
    headers,
    body,
    nowMs: Number(headers.timestamp) * 1_000,
  })
  seen.push({ ...JSON.parse(body), isSigned: verdict === 'ok' })
  const answer = answers.shift() ?? 202
  if (answer === 'drop') return void request.socket.destroy()
  if (answer !== 'hang') response.writeHead(answer).end()
})
gateway.listen(0, '127.0.0.1')
await once(gateway, 'listening')
closeAfterTests({
  [Symbol.asyncDispose]: async () => {
    gateway.closeAllConnections()
    gateway.close()
  },
})
const { port } = gateway.address() as AddressInfo
const bench = closeAfterTests(await startTestService())
const deps = mailingOf(bench, { gateway: { url: `http://127.0.0.1:${port}`, secret: SECRET } })
// Long enough to connect on a busy machine, and short enough to wait for.
const HANG_MAX_MS = patience(100)

// Moves the clock to the next time that it is this time of day in Lagos.
const atLagos = (time: string) => {
  const ms = Date.parse(`${bench.clock().toISOString().slice(0, 10)}T${time}:00+01:00`)
  bench.advance(ms + (ms < bench.clock().getTime() ? 86_400_000 : 0) - bench.clock().getTime())
}

const queueText = () =>
  queue(bench, {
    ...{
      to: '08012345678',
      channel: 'sms',
      kind: 'payer.receipt',
      facts: SAMPLES['payer.receipt'],
    },
  } as never)

test('a text is signed, goes to the international number, and is sent once', async () => {
  atLagos('12:00')
  const reference = await queueText()
  await work(deps)
  await work(deps)

  const own = seen.filter(({ id }) => id === reference)
  assert.equal(own.length, 1)
  assert.deepEqual([own[0]?.to, own[0]?.isSigned], ['+2348012345678', true])
  assert.match(own[0]?.text ?? '', /NGN 25,000\.00/)
  assert.equal((await logged(bench, reference)).state, 'sent')
})

test('a text is written in the language of the service, and names it', async () => {
  const receipt = { ...en.kinds['payer.receipt'](SAMPLES['payer.receipt']), short: 'Bien reçu' }
  const kinds = { ...en.kinds, 'payer.receipt': () => receipt }
  const reference = await queueText()
  await work({ ...deps, messageCopy: { ...en, language: 'fr', kinds } })

  const own = seen.find(({ id }) => id === reference)
  assert.deepEqual([own?.language, own?.text], ['fr', 'Bien reçu'])
})

for (const answer of ['drop', 'hang'] as const) {
  test(`a gateway that does ${answer} instead of answering leaves the text unknown`, async () => {
    answers.push(answer)
    const reference = await queueText()
    await work({ ...deps, attemptMaxMs: HANG_MAX_MS })
    bench.advance(600_000)
    await work(deps)

    assert.equal((await logged(bench, reference)).state, 'unknown')
    assert.equal(seen.filter(({ id }) => id === reference).length, 1)
  })
}

test('a gateway that answers 5xx or 429 gets the same id again; 4xx is final', async () => {
  answers.push(503)
  const later = await queueText()
  await work(deps)
  assert.equal((await logged(bench, later)).state, 'queued')
  bench.advance(600_000)
  await work(deps)
  assert.equal((await logged(bench, later)).state, 'sent')
  assert.equal(seen.filter(({ id }) => id === later).length, 2)

  answers.push(422)
  const never = await queueText()
  await work(deps)
  assert.equal((await logged(bench, never)).state, 'failed')
})

test('a gateway whose certificate is not trusted loses no text: nothing was transmitted', async () => {
  const untrusted = createTlsServer({ cert: certificate, key: privateKey }, () => {
    assert.fail('a request came')
  })
  untrusted.listen(0, '127.0.0.1')
  await once(untrusted, 'listening')
  const { port: tlsPort } = untrusted.address() as AddressInfo
  const reference = await queueText()
  const urls = [`https://127.0.0.1:${tlsPort}`, `https://127.0.0.1:${port}`]
  for (const [attempt, url] of urls.entries()) {
    await work(mailingOf(bench, { gateway: { url, secret: SECRET } }))
    const { state, attempts, problem } = await logged(bench, reference)
    assert.deepEqual([state, attempts], ['queued', attempt + 1])
    assert.match(problem ?? '', /^the gateway could not be reached: [A-Z_]+$/)
    bench.advance(600_000)
  }
  untrusted.close()
  await work(deps)
  assert.equal((await logged(bench, reference)).state, 'sent')
})

test('no text is lost while the gateway refuses connections', async () => {
  const gone = { url: `http://127.0.0.1:${await freePort()}`, secret: SECRET }
  const reference = await queueText()
  await work(mailingOf(bench, { gateway: gone }))
  assert.equal((await logged(bench, reference)).state, 'queued')
  bench.advance(600_000)
  await work(deps)
  assert.equal((await logged(bench, reference)).state, 'sent')
})

test('payers get no text in quiet hours; it is sent in the morning', async () => {
  atLagos('22:30')
  const before = seen.length
  const reference = await queueText()
  await work(deps)
  assert.equal((await logged(bench, reference)).state, 'queued')
  atLagos('08:00')
  await work(deps)
  assert.equal((await logged(bench, reference)).state, 'sent')
  assert.equal(seen.length, before + 1)
})

test('quiet hours may span midnight, or be off', () => {
  const at = (time: string) => new Date(`2026-11-18T${time}:00+01:00`)
  const night = { from: 20 * 60, to: 8 * 60 }
  assert.deepEqual(
    ['19:59', '20:00', '00:00', '07:59', '08:00'].map((time) => isWithin(night, at(time))),
    [false, true, true, true, false],
  )
  assert.equal(isWithin({ from: 0, to: 0 }, at('00:00')), false)
})
