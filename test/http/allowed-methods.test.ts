// A method that a path does not support is refused with 405 and a list of the supported ones. 404 is for
// unknown paths.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

const WRONG = [
  ['GET', '/Payment/advice', 'payment', 'POST'],
  ['DELETE', '/payment/ADVICE/', 'payment', 'POST'],
  ['PUT', '/Payment/%61dvice?x=1', 'payment', 'POST'],
  ['PUT', '/api/v1/payouts', 'account', 'GET, HEAD, POST'],
  ['DELETE', '/api/v1/payouts/PYT123456789012', 'account', 'GET, HEAD'],
  ['POST', '/health', 'account', 'GET, HEAD'],
] as const

for (const [method, url, family, allow] of WRONG) {
  test(`${method} ${url} is not allowed, but ${allow}`, async () => {
    const answer = await bench.call({ method, url, token: null })

    assertRefused(answer, { status: 405, code: 'method_not_allowed' }, family)
    assert.equal(answer.headers.allow, allow)
  })
}

test('an unknown path is not found, whatever the method', async () => {
  for (const method of ['GET', 'POST', 'DELETE'] as const) {
    for (const url of ['/api/v1/nothing', '/Payment/advice/x/y/z', '/api/v1/payouts/a/b/c']) {
      const answer = await bench.call({ method, url, token: null })
      assert.equal(answer.statusCode, 404, `${method} ${url}`)
      assert.equal(answer.headers.allow, undefined)
    }
  }
})

test('HEAD and OPTIONS are answered as before', async () => {
  const head = await bench.service.app.inject({ method: 'HEAD', url: '/Payment/advice' })
  const options = await bench.service.app.inject({ method: 'OPTIONS', url: '/Payment/advice' })
  assert.notEqual(head.statusCode, 405)
  assert.notEqual(options.statusCode, 405)
})
