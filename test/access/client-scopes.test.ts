// A missing scope is refused in the words of each family. test/http/every-route.test.ts checks the scope of
// every operation.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { ADVICE, adviceBody, assertRefused, createAdvice, INITIATE } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const { make } = registerOf(bench)

test('a missing scope is a 403 in the envelope of each family, and nothing is done', async () => {
  const { clientId, secret } = await make({ scopes: ['credits:read'] })
  const token = await bench.login(clientId, secret)
  const refused = { status: 403, code: 'scope_missing' }

  assertRefused(await bench.call({ url: '/api/v1/balances', token }), refused)
  const advice = await bench.call({ url: ADVICE, body: adviceBody(), token })
  assertRefused(advice, refused, 'payment')
  const { rows } = await bench.db.query(
    'select from advices a join clients c on c.id = a.client_id where c.client_id = $1',
    [clientId],
  )
  assert.equal(rows.length, 0)
})

test('a token that may not pay is refused, although the same call is open without any token', async () => {
  const { clientId, secret } = await make({ scopes: ['payments:read'] })
  const token = await bench.login(clientId, secret)
  const { adviceReference } = await createAdvice(bench)
  const call = { url: `${INITIATE}/${adviceReference}`, body: { bankCode: '035' } }

  const answer = await bench.call({ ...call, token })

  assertRefused(answer, { status: 403, code: 'scope_missing' }, 'payment')
  assert.equal((await bench.call({ ...call, token: null })).statusCode, 200)
})

test('a client that may only read webhooks does not see signing secrets', async () => {
  const { clientId, secret } = await make()
  const token = await bench.login(clientId, secret)
  const url = '/api/v1/webhook-endpoints'
  const hook = { url: 'https://shop.example.com/hook' }
  const made = (await bench.call({ url, body: hook, token })).json().data
  assert.match(made.secret, /^whsec_/)
  await bench.db.query(`update clients set scopes = '{webhooks:read}' where client_id = $1`, [
    clientId,
  ])
  bench.advance(5_000)

  const { data } = (await bench.call({ url: `${url}/${made.id}`, token })).json()
  assert.equal(data.secret, null)
})
