// Requests from pages of other sites: any shop's page may request an account number for its payer, and
// nothing else.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createAdvice, dataOf, INITIATE } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const ORIGIN = { origin: 'https://shop.example.com' }
const OPEN = /^\/(?:Payment\/process\/banktransfer\/\{adviceReference\}$|pay\/)/i

const bench = closeAfterTests(await startTestService())
const { adviceReference } = await createAdvice(bench)

// Sends the request with which a browser asks whether a page may make the call.
function preflight(url: string, method: string, headers = 'content-type') {
  return bench.service.app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      ...ORIGIN,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  })
}

test('a browser is told that any page may ask for a number, without cookies or tokens', async () => {
  const answer = await preflight(`${INITIATE}/${adviceReference}`, 'POST')

  assert.equal(answer.statusCode, 204)
  assert.equal(answer.body, '')
  assert.equal(answer.headers['access-control-allow-origin'], '*')
  assert.equal(answer.headers['access-control-allow-methods'], 'POST')
  assert.equal(answer.headers['access-control-allow-headers'], 'content-type')
  assert.equal(answer.headers['access-control-max-age'], '600')
  assert.equal(answer.headers['access-control-allow-credentials'], undefined)
  const preflightAnswer = await preflight(`${INITIATE}/${adviceReference}`, 'POST', 'authorization')
  assert.doesNotMatch(
    String(preflightAnswer.headers['access-control-allow-headers']),
    /authorization|\*/,
  )
})

test('the page can read the answer, and the refusal', async () => {
  const call = { url: `${INITIATE}/${adviceReference}`, headers: ORIGIN, token: null }
  const good = await bench.call({ ...call, body: { bankCode: '035' } })
  const bad = await bench.call({ ...call, body: { bankCode: 'x' } })
  const broken = await bench.call({ ...call, body: '{' })
  const large = await bench.call({ ...call, body: 'x'.repeat(100_000) })

  dataOf(good, 'payment')
  for (const { headers } of [good, bad, broken, large]) {
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.match(String(headers['access-control-expose-headers']), /\bretry-after\b/)
    assert.equal(headers['access-control-allow-credentials'], undefined)
  }
  assert.deepEqual([bad.statusCode, broken.statusCode, large.statusCode], [400, 400, 413])
})

test('every other call of the API is closed to pages of other sites', async () => {
  const { paths } = (await bench.call({ url: '/openapi.json' })).json()
  const closed = Object.entries<object>(paths).filter(([path]) => !OPEN.test(path))
  assert(closed.length > 20)

  for (const [path, methods] of closed) {
    const url = path.replaceAll(/\{\w+\}/g, '1')
    const answer = await preflight(url, Object.keys(methods)[0]?.toUpperCase() ?? 'GET')
    const isHeaderMissing = (name: string) => answer.headers[name] === undefined
    assert(
      ['access-control-allow-origin', 'access-control-allow-methods'].every(isHeaderMissing),
      path,
    )
    assert.equal(answer.statusCode, 404, path)
    const got = await bench.service.app.inject({ url, headers: ORIGIN, method: 'GET' })
    assert.equal(got.headers['access-control-allow-origin'], undefined, path)
  }
})
