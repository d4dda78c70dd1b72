// Scopes: every route asks for exactly one, and whoever lacks it gets nothing but a 403 in the
// family's own words.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effectiveScopes, isOperatorScope, SCOPES } from '#domain/access/scopes.ts'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { ADVICE, adviceBody, assertRefused, createAdvice, INITIATE } from '../support/fixtures.ts'
import { ASKED } from '../support/operation-scopes.ts'
import { type Call, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const { make } = registerOf(bench)

const ENDLESS = 'streamEvents'

type Operation = { operationId: string; security?: Record<string, unknown>[] }

async function operations() {
  const { paths } = (await bench.call({ url: '/openapi.json' })).json()
  return Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId, security }]) =>
      security?.some((way) => 'bearer' in way)
        ? [{ operationId, method: method.toUpperCase(), url: path.replace(/\{\w+\}/g, 'x') }]
        : [],
    ),
  )
}

test('every route that takes a token is listed with its scope', async () => {
  const known = (await operations()).map(({ operationId }) => operationId)
  assert.deepEqual(known.sort(), Object.values(ASKED).flat().sort())
})

for (const scope of SCOPES) {
  test(`with ${scope} alone, only what asks for it, or for what it includes, is let in`, async () => {
    const isOperator = isOperatorScope(scope)
    const { clientId, secret } = await make({ scopes: [scope], isOperator })
    const token = await bench.login(clientId, secret)
    const wrong: string[] = []
    const asked = effectiveScopes([scope]).flatMap((each) => ASKED[each])

    for (const { operationId, method, url } of await operations()) {
      const isAllowed = asked.includes(operationId)
      if (isAllowed && operationId === ENDLESS) continue
      const call = { method, url, token, ...(method === 'GET' ? {} : { body: {} }) } as Call
      const answer = await bench.call(call)
      const isLetIn = !answer.body.includes('"code":"scope_missing"')
      if (isLetIn !== isAllowed || isLetIn === (answer.statusCode === 403)) {
        wrong.push(`${operationId}: ${answer.statusCode} ${answer.body}`)
      }
    }

    assert.deepEqual(wrong, [])
  })
}

test('a missing scope is a 403 in the envelope of each family, and nothing is done', async () => {
  const { clientId, secret } = await make({ scopes: ['credits:read'] })
  const token = await bench.login(clientId, secret)
  const refused = { status: 403, code: 'scope_missing' }

  assertRefused(await bench.call({ url: '/api/v1/balances', token }), 'account', refused)
  const advice = await bench.call({ url: ADVICE, body: adviceBody(), token })
  assertRefused(advice, 'payment', refused)
  const { rows } = await bench.db.query(
    'select from advices a join clients c on c.id = a.client_id where c.client_id = $1',
    [clientId],
  )
  assert.equal(rows.length, 0)
})

test('a token that may not pay is refused where none at all is not', async () => {
  const { clientId, secret } = await make({ scopes: ['payments:read'] })
  const token = await bench.login(clientId, secret)
  const { adviceReference } = await createAdvice(bench)
  const call = { url: `${INITIATE}/${adviceReference}`, body: { bankCode: '035' } }

  const answer = await bench.call({ ...call, token })

  assertRefused(answer, 'payment', { status: 403, code: 'scope_missing' })
  assert.equal((await bench.call({ ...call, token: null })).statusCode, 200)
})

test('whoever may only read webhooks is not shown what signs them', async () => {
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
