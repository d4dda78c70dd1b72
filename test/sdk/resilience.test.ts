// The SDK's client over a failing network: it repeats requests that are safe to repeat and no others, so
// money moves once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BEAT } from '#http/connections.ts'
import { Manilla, ManillaConnectionError, type ManillaOptions } from '../../sdk/src/sdk.ts'
import { closeAfterTests } from '../support/closing.ts'
import { listenLocally } from '../support/event-source.ts'
import {
  accountBody,
  balanceOf,
  createAccount,
  createAdvice,
  initiate,
} from '../support/fixtures.ts'
import { type Fault, startFlakyProxy } from '../support/flaky-proxy.ts'
import { startTestService } from '../support/running-service.ts'

const LOGIN = '/api/Account/login'
const ACCOUNTS = '/api/v1/accounts/static'
const SIMULATE = '/Payment/process/banktransfer/simulate/payment'
const HOUR_MS = 3_600_000

const bench = closeAfterTests(await startTestService())
const service = await listenLocally(bench.service.app)

// A client whose requests go through a proxy that fails on demand.
async function overFlakyNetwork(more: Partial<ManillaOptions> = {}) {
  const proxy = await startFlakyProxy(service)
  const credentials = { clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }
  const manilla = new Manilla({ baseUrl: `${proxy.url}/`, ...credentials, ...more })
  return Object.assign(proxy, { manilla })
}

test('a transfer whose answer is lost is repeated with the same key, and booked once', async () => {
  await using proxy = await overFlakyNetwork()
  const { accountNumber } = await createAccount(bench)
  proxy.fail(SIMULATE, 'lose', refusal(503, 'try_again'), refusal(502))

  const paid = await proxy.manilla.sandbox.pay(accountNumber, '250.25')

  assert.equal(paid.outcome, 'booked')
  assert.equal(await balanceOf(bench, accountNumber), 250.25)
  const keys = proxy.to(SIMULATE).map(({ key }) => key)
  assert.equal(keys.length, 4)
  assert.equal(new Set(keys).size, 1)
  await proxy.manilla.sandbox.pay(accountNumber, '250.25')
  assert.equal(await balanceOf(bench, accountNumber), 500.5)
  const own = { idempotencyKey: 'ORDER-7' }
  await proxy.manilla.sandbox.pay(accountNumber, 1, own)
  await proxy.manilla.sandbox.pay(accountNumber, 1, own)
  assert.equal(await balanceOf(bench, accountNumber), 501.5)
})

test('a request that cannot be repeated safely is not, after the network failed', async () => {
  await using proxy = await overFlakyNetwork()
  const { accountNumber } = await createAccount(bench)
  const isLost = (error: unknown) =>
    error instanceof ManillaConnectionError && error.code === 'connection_failed'

  proxy.fail(ACCOUNTS, 'lose')
  const update = { email: 'new@example.com' }
  await assert.rejects(proxy.manilla.accounts.update(accountNumber, update), isLost)
  assert.equal(proxy.to(ACCOUNTS).length, 1)
  assert.equal((await proxy.manilla.accounts.get(accountNumber)).email, 'new@example.com')

  proxy.fail(SIMULATE, 'lose')
  const unkeyed = { idempotencyKey: null }
  await assert.rejects(proxy.manilla.sandbox.pay(accountNumber, 5, unkeyed), isLost)
  assert.deepEqual(
    proxy.to(SIMULATE).map(({ key }) => key),
    [undefined],
  )
  assert.equal(await balanceOf(bench, accountNumber), 5)
  proxy.fail(ACCOUNTS, refusal(429, 'rate_limited', '0'), refusal(503, 'busy', '0'))
  assert.equal((await proxy.manilla.accounts.update(accountNumber, update)).email, update.email)
})

test('an outage ends in one error, of the last attempt; other refusals at once', async () => {
  await using proxy = await overFlakyNetwork({ maxRetries: 2 })
  const read = () => proxy.manilla.accounts.get('0000000000')
  await proxy.manilla.payments.banks()

  proxy.fail(ACCOUNTS, refusal(503, 'busy'), 'drop', refusal(503, 'try_again'))
  await assert.rejects(read(), { name: 'ManillaError', code: 'try_again', status: 503 })
  assert.equal(proxy.to(ACCOUNTS).length, 3)

  const once: [Fault, object][] = [
    [refusal(500, 'internal'), { code: 'internal' }],
    [refusal(429, 'rate_limited', '3600'), { code: 'rate_limited', retryAfterSeconds: 3600 }],
    [
      { status: 500, body: '<html>' },
      { code: 'unreadable_response', status: 500 },
    ],
    [
      { status: 200, body: 'OK' },
      { code: 'unreadable_response', status: 200 },
    ],
  ]
  for (const [fault, error] of once) {
    const before = proxy.seen.length
    proxy.fail(ACCOUNTS, fault)
    await assert.rejects(read(), error)
    assert.equal(proxy.seen.length, before + 1)
  }
})

test('Retry-After is honoured', async () => {
  await using proxy = await overFlakyNetwork()
  await proxy.manilla.payments.banks()
  proxy.fail(ACCOUNTS, refusal(429, 'rate_limited', '1'))
  const startedAt = performance.now()

  await proxy.manilla.accounts.list().page()

  assert(performance.now() - startedAt >= 990)
})

test('concurrent calls share one login, and a failed one is tried anew by the next call', async () => {
  await using proxy = await overFlakyNetwork()
  proxy.fail(LOGIN, refusal(500, 'internal'))

  const failed = await Promise.allSettled([1, 2, 3].map(() => proxy.manilla.payments.banks()))
  const banks = await Promise.all([1, 2, 3, 4, 5].map(() => proxy.manilla.payments.banks()))

  assert(failed.every(({ status }) => status === 'rejected'))
  assert(banks.every((list) => list.length > 0))
  assert.equal(proxy.to(LOGIN).length, 2)
})

test('a token that expired is renewed once, for all calls; a second 401 is final', async () => {
  await using proxy = await overFlakyNetwork()
  await proxy.manilla.accounts.list().page()

  bench.advance(HOUR_MS + 1000)
  await Promise.all([1, 2, 3].map(() => proxy.manilla.accounts.list().page()))
  assert.equal(proxy.to(LOGIN).length, 2)

  const before = proxy.to(ACCOUNTS).length
  proxy.fail(ACCOUNTS, refusal(401, 'unauthorized'), refusal(401, 'unauthorized'))
  await assert.rejects(proxy.manilla.accounts.list().page(), { code: 'unauthorized', status: 401 })
  assert.equal(proxy.to(ACCOUNTS).length, before + 2)
  assert.equal(proxy.to(LOGIN).length, 3)
})

test('a token is renewed before it expires', async (t) => {
  await using proxy = await overFlakyNetwork()
  await proxy.manilla.payments.banks()
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + HOUR_MS - 60_000 })
  await proxy.manilla.payments.banks()
  assert.equal(proxy.to(LOGIN).length, 1)

  t.mock.timers.setTime(Date.now() + 31_000)
  await proxy.manilla.payments.banks()

  assert.equal(proxy.to(LOGIN).length, 2)
})

test('wrong credentials are refused once, and wrong settings at once', async () => {
  await using proxy = await overFlakyNetwork({ clientSecret: 'wrong' })

  await assert.rejects(proxy.manilla.payments.banks(), { code: 'invalid_credentials', status: 401 })

  assert.equal(proxy.seen.length, 1)
  const settings = { baseUrl: service, clientId: 'a', clientSecret: 'b' }
  assert.throws(() => new Manilla({ ...settings, baseUrl: 'localhost:8080' }), TypeError)
  assert.throws(() => new Manilla({ ...settings, clientSecret: '' }), TypeError)
})

test('a silent service times out, and is asked again', async () => {
  await using proxy = await overFlakyNetwork({ timeoutMs: 2_000, maxRetries: 1 })
  proxy.fail(LOGIN, 'stall', 'stall')

  const timedOut = { name: 'ManillaConnectionError', code: 'timed_out', status: undefined }
  await assert.rejects(proxy.manilla.accounts.list().page(), timedOut)

  assert.equal(proxy.seen.length, 2)
})

test('a signal ends whatever a call is waiting for, with its reason', async () => {
  await using proxy = await overFlakyNetwork({ maxRetries: 1 })
  const { manilla } = proxy
  const reason = new Error('the shop closed')
  // Aborts a call once its request to this path has reached the proxy. The call must end with the signal's
  // reason, without waiting for the response or the next try.
  const abortOnce = async (path: string, call: (signal: AbortSignal) => Promise<unknown>) => {
    const [abort, requestsBefore] = [new AbortController(), proxy.to(path).length]
    const ended = assert.rejects(call(abort.signal), (error) => error === reason)
    while (proxy.to(path).length === requestsBefore) await new Promise(setImmediate)
    await new Promise(setImmediate)
    const abortedAt = performance.now()
    abort.abort(reason)
    await ended
    assert(performance.now() - abortedAt < 10_000, 'it waited all the same')
  }
  const iterate = async (signal: AbortSignal) => {
    for await (const _ of manilla.accounts.list({ limit: 1 }, { signal }));
  }

  await assert.rejects(
    manilla.payments.banks({ signal: AbortSignal.abort(reason) }),
    (error) => error === reason,
  )
  await manilla.payments.banks()
  bench.advance(HOUR_MS + 1000)
  proxy.fail(LOGIN, refusal(503, 'busy', '2'))
  await abortOnce(LOGIN, (signal) => manilla.credits.list({}, { signal }).page())
  proxy.fail(ACCOUNTS, 'stall')
  await abortOnce(ACCOUNTS, (signal) => manilla.accounts.get('0000000000', { signal }))
  proxy.fail(ACCOUNTS, refusal(429, 'rate_limited', '60'))
  await abortOnce(ACCOUNTS, iterate)
  const advice = await createAdvice(bench)
  const { paymentReference } = await initiate(bench, advice.adviceReference)
  await abortOnce('/api/v1/payments', (signal) =>
    manilla.waitForPayment(paymentReference, { signal }),
  )
})

test('accounts that are created over a flaky network are as many as were asked for', async () => {
  await using proxy = await overFlakyNetwork()
  const body = accountBody({ merchantCode: 'FLAKY' }) as never
  await proxy.manilla.payments.banks()
  proxy.fail(ACCOUNTS, 'lose', 'drop', 'lose', refusal(503, 'busy', '0'))

  const created = await Promise.all([1, 2, 3, 4].map(() => proxy.manilla.accounts.create(body)))

  const listed: string[] = []
  for await (const account of proxy.manilla.accounts.list({ merchantCode: 'FLAKY', limit: 3 })) {
    listed.push(account.accountNumber)
  }
  assert.deepEqual(listed.sort(), created.map(({ accountNumber }) => accountNumber).sort())
})

test('a heartbeat of the stream is no event, however it is written', async () => {
  const event = { id: 'evt_5', type: 'account.created', sequence: 5 }
  const frames = [
    'retry: 2000\nid: 4\n\n',
    BEAT,
    BEAT.replace('data:', 'data: '),
    `id: 5\nevent: account.created\ndata: ${JSON.stringify(event)}\n\n`,
  ]
  const pretend: typeof fetch = async (input, init) =>
    String(input).includes('/events/stream') ? new Response(frames.join('')) : fetch(input, init)
  await using proxy = await overFlakyNetwork({ fetch: pretend })

  const { value } = await proxy.manilla.events.stream().next()

  assert.deepEqual(value, event)
})

// An error response: with a code it is the service's; without one it is an HTML page, as a proxy between
// client and service sends it.
function refusal(status: number, code?: string, retryAfter?: string): Fault {
  const body = code ? JSON.stringify({ isSuccessful: false, code, message: code }) : '<html>'
  return retryAfter === undefined ? { status, body } : { status, body, retryAfter }
}
