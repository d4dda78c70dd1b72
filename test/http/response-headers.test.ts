// The headers of every response: no caching, no sniffing, and no names of the software behind it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { ACCOUNTS, ADVICE, BANKS, createAccount, startPayment } from '../support/fixtures.ts'
import { type Call, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const { accountNumber } = await createAccount(bench)
const { adviceReference } = await startPayment(bench)

const CALLS: Record<string, Call> = {
  'a success': { url: `${ACCOUNTS}/${accountNumber}` },
  'a success of the payment family': { url: `${ADVICE}/${adviceReference}` },
  'a log-in': {
    url: '/api/Account/login',
    body: { clientId: 'MAN0000001', clientSecret: 'sandbox-secret' },
    token: null,
  },
  'a list': { url: '/api/v1/credits' },
  'what anybody may see': { url: BANKS, token: null },
  'a refused token': { url: `${ACCOUNTS}/${accountNumber}`, token: 'x' },
  'a refused body': { url: ACCOUNTS, body: '{' },
  'a body too large': { url: ACCOUNTS, body: 'x'.repeat(100_000) },
  'an address that leads nowhere': { url: '/nowhere', token: null },
  'an address that is none': { url: '/%', token: null },
  'the description': { url: '/openapi.json', token: null },
  'a rail': { url: '/rails/035/credits', body: '{}', token: null },
  health: { url: '/health', token: null },
}

for (const [what, call] of Object.entries(CALLS)) {
  test(`${what} is kept by nobody, is what it says, and says nothing of us`, async () => {
    const { headers } = await bench.call(call)

    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(String(headers['x-request-id']), /^[0-9a-f-]{36}$/)
    assert.match(String(headers['content-type']), /^application\/json\b/)
    assert.equal(headers['strict-transport-security'], undefined)
    for (const name of ['server', 'x-powered-by', 'via', 'access-control-allow-origin']) {
      assert.equal(headers[name], undefined, name)
    }
  })
}

test('in live every answer says https only, refusals too', async () => {
  await using live = await startLiveService()

  for (const url of ['/health', BANKS, '/nowhere', '/docs/', `${ACCOUNTS}/0000000000`]) {
    const { headers } = await live.call({ url, token: null })
    assert.equal(headers['strict-transport-security'], 'max-age=31536000; includeSubDomains', url)
  }
})

test('the reference page lets in nothing but itself, and its assets may be kept', async () => {
  const page = await bench.call({ url: '/docs', token: null })
  const policy = String(page.headers['content-security-policy']).split('; ')

  assert.equal(page.headers['cache-control'], 'no-store')
  assert.equal(page.headers['x-frame-options'], 'DENY')
  assert.equal(page.headers['referrer-policy'], 'no-referrer')
  for (const rule of ["default-src 'none'", "frame-ancestors 'none'", "script-src 'self'"]) {
    assert(policy.includes(rule), rule)
  }
  const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(page.body) ?? []
  const { headers } = await bench.call({ url: script, token: null })
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(headers['x-content-type-options'], 'nosniff')
})

test('the reference page is there however its address is written', async () => {
  for (const url of ['/docs', '/docs/', '/DOCS', '/Docs/?x=%', '/docs/PAYMENTS?v=1']) {
    const { statusCode, headers } = await bench.call({ url, token: null })
    assert.equal(statusCode, 200, url)
    assert.match(String(headers['content-type']), /^text\/html\b/, url)
  }
})

test('the reference page takes any host, and never fails for it', async () => {
  for (const host of ['[', 'a b', 'a:b:c', '%', '@', '\\', '']) {
    for (const url of ['/docs', '/docs/', '/docs/payments']) {
      const { statusCode } = await bench.call({ url, token: null, headers: { host } })
      assert(statusCode < 500, `${host} ${url} ${statusCode}`)
    }
  }
})
