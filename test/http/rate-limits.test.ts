// Rate limits: each caller has its own count, sees the limit before it is reached, and learns how long to
// wait, in the envelope of the family.

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  assertRefused,
  BANKS,
  createAdvice,
  dataOf,
  INITIATE,
  SIMULATE,
} from '../support/fixtures.ts'
import { patience } from '../support/patience.ts'
import { newBrowser } from '../support/people.ts'
import { reportCredit } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const LOGIN = '/api/Account/login'
const NOBODY = '0000000000'

function startLimited(limits: string, env: Record<string, string> = {}): Promise<Bench> {
  return startTestService({ env: { MANILLA_RATE_LIMITS: limits, ...env } })
}

// Returns the status of an answer, and its headers about the rate limit.
function limitsOf({ statusCode, headers }: LightMyRequestResponse) {
  return [statusCode, headers['ratelimit-policy'], headers.ratelimit, headers['retry-after']]
}

// Tries to log in as the sandbox's client with this secret.
function logIn(bench: Bench, clientSecret: string, headers: Record<string, string> = {}) {
  const body = { clientId: 'MAN0000001', clientSecret }
  return bench.call({ url: LOGIN, body, token: null, headers })
}

test('every answer tells the policy and what remains, and none is refused by default', async () => {
  await using bench = await startTestService()

  const mine = await bench.call({ url: `${ACCOUNTS}/${NOBODY}` })
  assert.deepEqual(limitsOf(mine), [
    400,
    '"client";q=6000000;w=60',
    '"client";r=5999999;t=1',
    undefined,
  ])
  const anybodys = await bench.call({ url: BANKS, token: null })
  assert.deepEqual(limitsOf(anybodys), [
    200,
    '"address";q=60000;w=60',
    '"address";r=59999;t=1',
    undefined,
  ])
  const watched = await bench.call({ url: '/health', token: null })
  assert.deepEqual(limitsOf(watched), [200, undefined, undefined, undefined])
})

test('a client over its limit is refused, others are not, and it is served again later', async () => {
  await using bench = await startLimited('client=3')
  const other = await bench.newClient('OTHER')
  const readUnknownAccount = (token?: string) =>
    bench.call({ url: `${ACCOUNTS}/${NOBODY}`, ...(token && { token }) })

  for (const remaining of [2, 1, 0]) {
    assert.match(
      String((await readUnknownAccount()).headers.ratelimit),
      new RegExp(`^"client";r=${remaining};`),
    )
  }
  const refused = await readUnknownAccount()
  assertRefused(refused, { status: 429, code: 'rate_limited' })
  assert.deepEqual(limitsOf(refused), [429, '"client";q=3;w=60', '"client";r=0;t=60', '20'])
  assert.equal((await readUnknownAccount(other)).statusCode, 400)
  bench.advance(20_000)
  assert.equal((await readUnknownAccount()).statusCode, 400)
  assert.equal((await readUnknownAccount()).statusCode, 429)
})

test('a limited request has no effect, and its body is not even read', async () => {
  await using bench = await startLimited('client=1')
  await bench.call({ url: ACCOUNTS, body: accountBody() })

  for (const body of [accountBody(), '{', 'x'.repeat(100_000)]) {
    assert.equal((await bench.call({ url: ACCOUNTS, body })).statusCode, 429)
  }
  const { rows } = await bench.db.query('select count(*)::int as count from collection_accounts')
  assert.deepEqual(rows, [{ count: 1 }])
})

test('each family refuses in its own words', async () => {
  await using bench = await startLimited('client=1,login=2,rail=1')
  const advice = await createAdvice(bench)
  const payment = await bench.call({ url: `${ADVICE}/${advice.adviceReference}` })
  assertRefused(payment, { status: 429, code: 'rate_limited' }, 'payment')
  assert.equal(payment.json().responseCode, '65')

  await logIn(bench, 'wrong')
  const oauth = await bench.call({
    method: 'POST',
    url: '/oauth/token',
    body: 'grant_type=client_credentials',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    token: null,
  })
  assert.equal(oauth.statusCode, 429)
  assert.deepEqual(Object.keys(oauth.json()), ['error', 'error_description'])
  assert.equal(oauth.json().error, 'rate_limited')

  // A bank over its limit must retry, not give up.
  const credit = { accountNumber: NOBODY, amount: '1.00' }
  assert.equal((await reportCredit(bench, credit)).responseCode, '00')
  const { responseCode, code } = await reportCredit(bench, credit)
  assert.deepEqual([responseCode, code], ['03', 'rate_limited'])
  assert.equal((await reportCredit(bench, credit, '058')).responseCode, '00')
})

test('logins are counted by address, whether right or wrong', async () => {
  await using bench = await startLimited('login=3')

  const statuses: number[] = []
  for (const secret of ['wrong', 'sandbox-secret', 'wrong', 'sandbox-secret']) {
    statuses.push((await logIn(bench, secret)).statusCode)
  }

  assert.deepEqual(statuses, [401, 200, 401, 429])
  assert.equal((await bench.call({ url: BANKS, token: null })).statusCode, 200)
})

test('initiating without a token counts for the address, with one for the client', async () => {
  await using bench = await startLimited('initiate=2')
  const { adviceReference } = await createAdvice(bench)
  const call = { url: `${INITIATE}/${adviceReference}`, body: { bankCode: '035' } }

  dataOf(await bench.call({ ...call, token: null }), 'payment')
  dataOf(await bench.call({ ...call, token: null }), 'payment')
  const refused = await bench.call({ ...call, token: null })
  assertRefused(refused, { status: 429, code: 'rate_limited' }, 'payment')
  const mine = await bench.call(call)
  assert.equal(mine.headers['ratelimit-policy'], '"client";q=6000000;w=60')
  dataOf(mine, 'payment')
})

test('simulating has a limit of its own', async () => {
  await using bench = await startLimited('simulate=1')
  const body = { virtualAccountNumber: NOBODY, amount: '1' }

  assert.equal((await bench.call({ url: SIMULATE, body })).statusCode, 400)
  assert.equal((await bench.call({ url: SIMULATE, body })).statusCode, 429)
  assert.equal((await bench.call({ url: `${ACCOUNTS}/${NOBODY}` })).statusCode, 400)
})

test('refused tokens, wrong signatures and wrong addresses use up the address, not the client', async () => {
  await using bench = await startLimited('address=4,client=1,rail=2')
  const credit = { accountNumber: NOBODY, amount: '1.00' }
  assert.equal((await reportCredit(bench, credit)).responseCode, '00')
  const statuses = [
    await bench.call({ url: `${ACCOUNTS}/${NOBODY}`, token: 'forged' }),
    await bench.call({ url: `${ACCOUNTS}/${NOBODY}`, token: null }),
    await bench.call({ url: '/nowhere', token: null }),
    await bench.call({ url: '/rails/035/credits', body: '{}', token: null }),
    await bench.call({ url: `${ACCOUNTS}/${NOBODY}`, token: 'forged' }),
    await bench.call({ url: '/nowhere', token: null }),
    await bench.call({ url: '/rails/035/credits', body: '{}', token: null }),
  ].map(({ statusCode }) => statusCode)

  assert.deepEqual(statuses, [401, 401, 404, 401, 429, 429, 429])
  assert.equal((await bench.call({ url: `${ACCOUNTS}/${NOBODY}` })).statusCode, 400)
  assert.equal((await reportCredit(bench, credit)).responseCode, '00')
})

test('every faulty unsigned rail call counts for its address', async () => {
  await using bench = await startLimited('address=3')
  const report = { method: 'POST', url: '/rails/035/credits', token: null } as const

  const statuses = [
    await bench.call(report),
    await bench.call({ ...report, url: '/rails/999999/credits', body: '{}' }),
    await bench.call({ ...report, body: 'x'.repeat(2_097_153) }),
    await bench.call(report),
    await bench.call({ ...report, url: '/rails/999999/credits', body: '{}' }),
  ].map(({ statusCode }) => statusCode)

  assert.deepEqual(statuses, [400, 400, 413, 429, 429])
})

test('an address that is exhausted has no rail body read, until it is let in again', async () => {
  await using bench = await startLimited('address=1')
  const report = { url: '/rails/035/credits', token: null, body: 'x'.repeat(2_097_153) }
  assert.equal((await bench.call(report)).statusCode, 413)
  assert.equal((await bench.call(report)).statusCode, 429)

  const payload = new Readable({ read() {} }) // This body never ends.
  const call = { method: 'POST', url: report.url, payload } as const
  const signal = AbortSignal.timeout(patience(10_000))
  const refused = await bench.service.app.inject({ ...call, signal })

  assert.equal(refused.json().code, 'rate_limited')
  assert.deepEqual(limitsOf(refused), [429, '"address";q=1;w=60', '"address";r=0;t=60', '60'])
  bench.advance(60_000)
  assert.equal((await bench.call(report)).statusCode, 413)
})

test('a bank’s signed calls are not limited by its address', async () => {
  await using bench = await startLimited('address=1')
  const credit = { accountNumber: NOBODY, amount: '1.00' }
  const codes = new Set<string>()

  for (let count = 0; count < 5; count++)
    codes.add((await reportCredit(bench, credit)).responseCode)
  for (let count = 0; count < 3; count++) await bench.call({ url: '/nowhere', token: null })
  codes.add((await reportCredit(bench, credit)).responseCode)

  assert.deepEqual([...codes], ['00'])
})

test('made-up sessions use up the address, and are then not even looked for; known ones are', async () => {
  await using bench = await startLimited('address=2')
  const browser = await newBrowser(bench)
  const url = '/api/v1/credits'
  const cookies = ['A', 'B', 'C', 'D'].map((letter) => `manilla_session=${letter.repeat(43)}`)
  const sendForgedCookie = (cookie = '') => bench.call({ url, token: null, headers: { cookie } })

  const statuses: number[] = []
  for (const cookie of cookies.slice(0, 3))
    statuses.push((await sendForgedCookie(cookie)).statusCode)
  const holder = await bench.db.connect()
  await holder.query('begin')
  await holder.query('lock table sessions') // Each lookup of a session now waits for the lock.
  const signal = AbortSignal.timeout(patience(10_000))
  const call = { url, headers: { cookie: cookies[3] as string }, signal }
  const last = await bench.service.app.inject(call).finally(() => holder.release(true))

  assert.deepEqual([...statuses, last.statusCode], [401, 401, 429, 429])
  assert.equal((await browser.call({ url })).statusCode, 200)
})

test('a limit of 0 means no limit', async () => {
  await using bench = await startLimited('login=0')

  for (let count = 0; count < 20; count++) {
    assert.deepEqual(limitsOf(await logIn(bench, '')), [400, undefined, undefined, undefined])
  }
})

test('behind a configured proxy, each caller has its own limit', async () => {
  await using bench = await startLimited('login=1', { MANILLA_TRUSTED_PROXIES: '127.0.0.0/8' })
  const logInStatusFrom = async (address: string) =>
    (await logIn(bench, '', { 'x-forwarded-for': address })).statusCode

  assert.equal(await logInStatusFrom('192.0.2.1'), 400)
  assert.equal(await logInStatusFrom('192.0.2.1'), 429)
  assert.equal(await logInStatusFrom('192.0.2.2'), 400)
  // A value that the caller itself sends stands before the one that the proxy adds, and does not count.
  assert.equal(await logInStatusFrom('192.0.2.3, 192.0.2.2'), 429)
  assert.equal(await logInStatusFrom('2001:db8::1'), 400)
  assert.equal(await logInStatusFrom('2001:db8::2'), 429)
  assert.equal(await logInStatusFrom('nonsense'), 400)
  assert.equal(await logInStatusFrom('other nonsense'), 429)
})

test('without a configured proxy, no caller can claim another address', async () => {
  await using bench = await startLimited('login=1')

  assert.equal((await logIn(bench, '', { 'x-forwarded-for': '192.0.2.1' })).statusCode, 400)
  assert.equal((await logIn(bench, '', { 'x-forwarded-for': '192.0.2.2' })).statusCode, 429)
  assert.equal((await logIn(bench, '', { forwarded: 'for=192.0.2.3' })).statusCode, 429)
})
