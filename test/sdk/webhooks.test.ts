// Verifying webhooks with the SDK: signed webhooks pass, whatever the types of headers and body; altered ones
// do not. Webhooks that the service really sent are in package.test.ts.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type RawBody, verifyWebhook, type WebhookHeaders } from '../../sdk/src/sdk.ts'

type Vector = { id: string; timestamp: number; body: string; secrets: string[]; signature: string }
const { vectors } = JSON.parse(
  readFileSync(new URL('../webhooks/vector.json', import.meta.url), 'utf8'),
) as { vectors: Vector[] }
const [one, rotated, foreign] = vectors as [Vector, Vector, Vector]
const [SECRET = '', OTHER = ''] = [rotated.secrets[1], rotated.secrets[0]]

const headersOf = ({ id, timestamp, signature }: Vector) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
})
const at = ({ timestamp }: Vector, offsetSeconds = 0) => ({
  now: new Date((timestamp + offsetSeconds) * 1000),
})
const HEADERS = headersOf(one)
const rejects = (reason: string, body: RawBody, headers: WebhookHeaders, options = at(one)) =>
  assert.rejects(verifyWebhook(body, headers, SECRET, options), {
    name: 'WebhookVerificationError',
    reason,
  })

test('the published vectors verify, as text or bytes, with the headers of any framework', async () => {
  const event = JSON.parse(one.body)
  const upper = Object.entries(HEADERS).map(([name, value]) => [name.toUpperCase(), value])
  const bodies = [one.body, Buffer.from(one.body), new Uint8Array(Buffer.from(one.body)).buffer]
  const headers = [
    HEADERS,
    new Headers(HEADERS),
    Object.fromEntries(upper),
    new Map(Object.entries(HEADERS)),
  ]

  for (const body of bodies) {
    for (const each of headers) {
      assert.deepEqual(await verifyWebhook(body, each, SECRET, at(one)), event)
    }
  }
  const listed = { ...HEADERS, 'webhook-signature': [HEADERS['webhook-signature']] }
  assert.deepEqual(await verifyWebhook(one.body, listed, SECRET, at(one)), event)
})

test('during a rotation either secret verifies, whichever side rotated first', async () => {
  for (const secret of [SECRET, OTHER, [SECRET, OTHER]]) {
    await verifyWebhook(rotated.body, headersOf(rotated), secret, at(rotated))
  }
  await verifyWebhook(one.body, HEADERS, [OTHER, SECRET], at(one))
  await assert.rejects(verifyWebhook(one.body, HEADERS, OTHER, at(one)), {
    reason: 'wrong_signature',
  })
  const mixed = { ...HEADERS, 'webhook-signature': `v1a,AAAA v2,x ${one.signature}` }
  await verifyWebhook(one.body, mixed, SECRET, at(one))
})

test('a body, id, time or signature that was touched does not verify', async () => {
  const touched = one.body.replace('6000.5', '6000.6')
  await rejects('wrong_signature', touched, HEADERS)
  await rejects('wrong_signature', one.body.normalize('NFD'), HEADERS)
  await rejects('wrong_signature', `${one.body}\n`, HEADERS)
  await rejects('wrong_signature', '', HEADERS)
  await rejects('wrong_signature', one.body, { ...HEADERS, 'webhook-id': 'evt_2' })
  const later = { ...HEADERS, 'webhook-timestamp': String(one.timestamp + 1) }
  await rejects('wrong_signature', one.body, later)
  const signatures = [
    one.signature.replace('v1,', 'v2,'),
    one.signature.replace('3cU', '3cV'),
    one.signature.slice(0, -1),
    one.signature.replace('v1,', 'v1,='),
    'v1,',
    ',',
    `v1,${'A'.repeat(43)}=`,
  ]
  for (const signature of signatures) {
    await rejects('wrong_signature', one.body, { ...HEADERS, 'webhook-signature': signature })
  }
})

test('an old or early one is refused, to the second; so are missing and malformed headers', async () => {
  await verifyWebhook(one.body, HEADERS, SECRET, at(one, 300))
  await verifyWebhook(one.body, HEADERS, SECRET, at(one, -300))
  await rejects('too_old', one.body, HEADERS, at(one, 301))
  await rejects('too_new', one.body, HEADERS, at(one, -301))
  await rejects('too_old', one.body, HEADERS, { ...at(one, 11), toleranceSeconds: 10 } as never)
  await assert.rejects(verifyWebhook(one.body, HEADERS, SECRET), { reason: 'too_old' })

  for (const name of Object.keys(HEADERS)) {
    const { [name as 'webhook-id']: _, ...rest } = HEADERS
    await rejects('missing_headers', one.body, rest)
  }
  const malformed = [
    { 'webhook-timestamp': '1e9' },
    { 'webhook-timestamp': '-1' },
    { 'webhook-timestamp': '9'.repeat(13) },
    { 'webhook-id': 'evt.1' },
    { 'webhook-id': ['evt_1', 'evt_1'] },
    { 'webhook-signature': `${one.signature} `.repeat(50) },
  ]
  for (const change of malformed) {
    await rejects('malformed_headers', one.body, { ...HEADERS, ...change })
  }
})

test('a parsed body, a wrong secret and a signed body that is no event are told apart', async () => {
  const parsed = JSON.parse(one.body)
  await assert.rejects(verifyWebhook(parsed, HEADERS, SECRET, at(one)), /before any parser/)
  for (const secret of ['', 'secret', 'whsec_', 'whsec_c2hvcnQ=', undefined as never]) {
    await assert.rejects(verifyWebhook(one.body, HEADERS, secret, at(one)), TypeError)
  }
  const [secret = ''] = foreign.secrets
  await assert.rejects(verifyWebhook(foreign.body, headersOf(foreign), secret, at(foreign)), {
    reason: 'malformed_body',
  })
})
