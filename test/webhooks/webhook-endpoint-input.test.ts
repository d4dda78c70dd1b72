// Invalid requests about webhook endpoints: never a forbidden address, never another client's endpoint,
// and a clear error for every mistake.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { EVENT_TYPES } from '#records/event-types.ts'
import { startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertAlike,
  assertRefused,
  dataOf,
  refusalFaults,
  UNKNOWN_REFERENCE,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { ENDPOINTS, webhookJourneys } from '../support/webhook-journeys.ts'

const URL = 'https://shop.example.com/hooks?a=1'

const bench = closeAfterTests(await startTestService())
const { newClient, register } = webhookJourneys(bench, 'HOSTILE')

const ANYWHERE = [
  'shop.ng/hook',
  '/hook',
  '//shop.ng/hook',
  'ftp://shop.ng',
  'javascript:alert(1)',
  'https://',
  'http:// /',
  'https://shop.ng/\u0000',
  'https://shop.ng/\r\nx',
  'https://user:pass@shop.ng/',
  'https://shop.ng/#part',
  'https://shop.ng/\ud800',
  `https://shop.ng/${'x'.repeat(2_048)}`,
  'http://169.254.169.254/latest/meta-data',
  'http://[fe80::1]/',
  'http://metadata.google.internal/',
]
const IN_LIVE = [
  'http://shop.example.com/',
  'https://127.0.0.1/',
  'https://localhost/',
  'https://0x7f000001/',
  'https://2130706433/',
  'https://[::1]/',
  'https://[::ffff:10.0.0.1]/',
  'https://192.168.1.1/',
  'https://10.0.0.1/',
  'https:///x',
  'https://172.16.0.1/',
  'https://100.64.0.1/',
  'https://printer.local/',
  'https://intranet/',
  'https://shop.example.com:22/',
]
const WRONG_TYPES = [null, 5, true, [], {}, '', ' ']

test('an address that is not allowed is refused by its name, new or changed', async () => {
  const token = await newClient()
  const { id } = await register(token, URL)

  const faults: string[] = []
  for (const url of [...ANYWHERE, ...WRONG_TYPES]) {
    const made = await bench.call({ url: ENDPOINTS, body: { url }, token })
    const at = `${ENDPOINTS}/${id}`
    const changed = await bench.call({ method: 'PATCH', url: at, body: { url }, token })
    faults.push(...fieldFaults(made, 'url', url), ...fieldFaults(changed, 'url', url))
  }

  assert.deepEqual(faults, [])
  assert.equal((await bench.call({ url: ENDPOINTS, token })).json().data[0].url, URL)
})

test('a sandbox may call its own machine', async () => {
  const token = await newClient()

  for (const url of ['http://localhost:3000/hook', 'http://127.0.0.1:3000', 'http://[::1]/']) {
    assert.equal((await register(token, url)).url, url)
  }
})

test('live takes https to public addresses and nothing else', async () => {
  await using live = await startLiveService()
  const token = await live.newClient('LIVE000001')

  const faults: string[] = []
  for (const url of [...ANYWHERE, ...IN_LIVE]) {
    const answer = await live.call({ url: ENDPOINTS, body: { url }, token })
    faults.push(...fieldFaults(answer, 'url', url))
  }
  const created = await live.call({ url: ENDPOINTS, body: { url: URL }, token })

  assert.deepEqual(faults, [])
  assert.equal(dataOf(created).url, URL)
})

test('unknown event types are refused, with those that are known', async () => {
  const token = await newClient()
  const wrong = [
    ['payment.paid'],
    ['payment.successful', '*'],
    ['Payment.Successful'],
    ['endpoint.test'],
    ['payment.expired', 'payment.expired'],
    [null],
    [5],
    [['payment.expired']],
    [],
    {},
    'payment.expired',
    5,
    true,
  ]

  const faults: string[] = []
  for (const eventTypes of wrong) {
    const answer = await bench.call({ url: ENDPOINTS, body: { url: URL, eventTypes }, token })
    faults.push(...fieldFaults(answer, 'eventTypes', eventTypes))
  }
  const unknown = await bench.call({ url: ENDPOINTS, body: { url: URL, eventTypes: ['x'] }, token })

  assert.deepEqual(faults, [])
  const [{ field, message }] = unknown.json().errors
  assert.equal(field, 'eventTypes.0')
  for (const type of EVENT_TYPES) {
    assert.equal(message.includes(type), type !== 'endpoint.test', type)
  }
})

test('unknown fields and parameters, wrong types and empty changes are refused', async () => {
  const token = await newClient()
  const { id } = await register(token, URL)
  const one = `${ENDPOINTS}/${id}`
  const calls = [
    { url: ENDPOINTS, body: { url: URL, secret: 'whsec_x' } },
    { url: ENDPOINTS, body: { url: URL, isActive: true } },
    { url: ENDPOINTS, body: {} },
    { url: ENDPOINTS, body: [] },
    { url: ENDPOINTS, body: 'null' },
    { url: `${ENDPOINTS}?x=1`, body: { url: URL } },
    { url: `${ENDPOINTS}?x=1` },
    { url: `${one}?x=1` },
    { method: 'PATCH', url: one, body: {} },
    { method: 'PATCH', url: one, body: { id } },
    { method: 'PATCH', url: one, body: { isActive: 'false' } },
    { method: 'PATCH', url: one, body: { isActive: null } },
    { method: 'DELETE', url: `${one}?x=1` },
    { method: 'POST', url: `${one}/rotate-secret`, body: { secret: 'x' } },
    { method: 'POST', url: `${one}/test`, body: { x: 1 } },
    { method: 'POST', url: '/api/v1/webhook-secret/rotate', body: [] },
    { url: '/api/v1/webhook-secret?x=1' },
  ] as const

  const faults: string[] = []
  for (const call of calls) {
    const answer = await bench.call({ ...call, token })
    const found = refusalFaults(answer, 'account', [400])
    faults.push(...found.map((fault) => `${JSON.stringify(call)}: ${fault}`))
  }
  const cursor = await bench.call({ url: `${ENDPOINTS}?cursor=x`, token })

  assert.deepEqual(faults, [])
  assertRefused(cursor, { code: 'invalid_cursor' })
})

test("another client's endpoint answers like one that does not exist", async () => {
  const [owner, token] = [await newClient(), await newClient()]
  const { id } = await register(owner, URL)
  const requests = [
    { method: 'GET', path: '' },
    { method: 'PATCH', path: '', body: { isActive: false } },
    { method: 'DELETE', path: '' },
    { method: 'POST', path: '/rotate-secret' },
    { method: 'POST', path: '/test' },
    { method: 'POST', path: '/replay', body: { from: '2026-11-01', to: '2026-11-30' } },
  ] as const

  for (const { path, ...call } of requests) {
    const at = (each: string) => ({ ...call, url: `${ENDPOINTS}/${each}${path}`, token })
    const foreign = await bench.call(at(id))
    const missing = await bench.call(at(UNKNOWN_REFERENCE))
    const malformed = await bench.call(at('..%2f'))
    assertRefused(foreign, { status: 404, code: 'endpoint_not_found' })
    assertAlike(foreign, missing)
    assertAlike(foreign, malformed)
  }
  assert.equal((await bench.call({ url: ENDPOINTS, token: owner })).json().data[0].isActive, true)
})

// The faults of a refusal, which must name the field. Each fault is prefixed with the value that was sent.
function fieldFaults(answer: LightMyRequestResponse, field: string, value: unknown): string[] {
  const faults = refusalFaults(answer, 'account', [400])
  const named = answer
    .json()
    .errors?.some((error: { field: string }) => error.field.startsWith(field))
  if (faults.length === 0 && !named) faults.push(`not told by its name: ${answer.body}`)
  return faults.map((fault) => `${JSON.stringify(value)}: ${fault}`)
}
