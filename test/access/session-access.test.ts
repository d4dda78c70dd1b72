// A session opens the same routes as a token, within the limits of the user's role. A request that another
// site forged gets nothing.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '#access/permissions.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  accountBody,
  assertRefused,
  createAccount,
  createAdvice,
  dataOf,
  UNKNOWN_REFERENCE,
} from '../support/fixtures.ts'
import { makeUser, newBrowser, SESSION_URL, signIn, USERS_URL } from '../support/people.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const ENDPOINTS = '/api/v1/webhook-endpoints'
const bench = closeAfterTests(await startTestService())

const CALLS = {
  'accounts:read': { url: `${ACCOUNTS}/0000000000` },
  'accounts:write': { url: ACCOUNTS, body: {} },
  'payments:read': { url: `/api/v1/payments/${UNKNOWN_REFERENCE}` },
  'payments:write': { url: '/Payment/advice', body: {} },
  'credits:read': { url: '/api/v1/credits' },
  'webhooks:read': { url: ENDPOINTS },
  'webhooks:write': { url: ENDPOINTS, body: {} },
  'suspense:read': { url: '/api/v1/suspense' },
  'suspense:write': { url: '/api/v1/suspense/1/return', body: {} },
  'actions:read': { url: '/api/v1/audit-log' },
  'payouts:read': { url: '/api/v1/payouts' },
  'payouts:write': { url: '/api/v1/payouts', body: {} },
  'refunds:write': { url: `/api/v1/payments/${UNKNOWN_REFERENCE}/refunds`, body: {} },
  'returns:read': { url: '/api/v1/operator/returns' },
  'returns:write': { url: '/api/v1/operator/returns/RTN0/confirm', body: {} },
  'accounting:read': { url: '/api/v1/operator/days' },
  'accounting:write': { url: '/api/v1/operator/days/x/close', body: {} },
} as const

type Scope = keyof typeof CALLS
const ALL = Object.keys(CALLS) as Scope[]
const MAY: Record<Role, readonly Scope[]> = {
  owner: ALL.filter((scope) => !/^(returns|accounting):/.test(scope)),
  operator: ALL,
  developer: ALL.filter((scope) =>
    /^(accounts|payments|credits|webhooks|payouts:read)/.test(scope),
  ),
  finance: ALL.filter((scope) =>
    /:read$|^(suspense|returns|payouts|refunds|accounting):write$/.test(scope),
  ),
  support: ALL.filter((scope) => scope.endsWith(':read') && scope !== 'accounting:read'),
}

test('every role may do what it may, and nothing else', async () => {
  const faults: string[] = []
  for (const [role, allowed] of Object.entries(MAY) as [Role, readonly Scope[]][]) {
    const browser = await newBrowser(bench, role)
    for (const scope of ALL) {
      const { statusCode } = await browser.call(CALLS[scope])
      const isIn = statusCode !== 401 && statusCode !== 403
      if (isIn !== allowed.includes(scope)) faults.push(`${role} ${scope}: ${statusCode}`)
    }
    const { scopes } = dataOf(await browser.call({ url: SESSION_URL }))
    const listed = scopes.filter((scope: string) => scope !== 'operator')
    if (listed.sort().join() !== [...allowed].sort().join())
      faults.push(`${role} is told ${listed}`)
    if (scopes.includes('operator') !== (role === 'operator')) faults.push(`${role} and operator`)
  }
  assert.deepEqual(faults, [])
})

test('a person never may more than the client', async () => {
  await bench.newClient('NARROW')
  await bench.db.query(
    `update clients set scopes = array['credits:read'] where client_id = 'NARROW'`,
  )

  const browser = await newBrowser(bench, 'owner', 'NARROW')

  assert.equal((await browser.call({ url: '/api/v1/credits' })).statusCode, 200)
  const refused = await browser.call({ url: ENDPOINTS })
  assertRefused(refused, { status: 403, code: 'role_not_allowed' })
})

test('without the token of the page nothing is changed, whatever else is right', async () => {
  const browser = await newBrowser(bench)
  const other = await newBrowser(bench)
  const body = { url: 'https://shop.example.com/hooks' }
  const tokens = ['', 'x', other.csrfToken, `${browser.csrfToken}x`, browser.csrfToken.slice(1)]
  const calls = [
    { url: ENDPOINTS, body },
    { url: USERS_URL, body: { email: 'a@b.co', role: 'owner' } },
    { method: 'DELETE', url: SESSION_URL },
    { method: 'DELETE', url: '/dashboard/api/sessions' },
    { method: 'PATCH', url: `${USERS_URL}/${browser.user.id}`, body: { role: 'support' } },
    { method: 'PUT', url: '/dashboard/api/password', body: {} },
  ] as const

  for (const call of calls) {
    for (const token of tokens) {
      const answer = await browser.call({ ...call, headers: { 'x-csrf-token': token } })
      assertRefused(answer, { status: 403, code: 'csrf_token_wrong' })
    }
    const { cookie } = browser
    const without = await bench.call({ ...call, headers: { cookie }, token: null })
    assertRefused(without, { status: 403, code: 'csrf_token_wrong' })
  }
  assert.equal((await browser.call({ url: ENDPOINTS, body })).statusCode, 200)
})

test('reading needs no such token', async () => {
  const { cookie } = await newBrowser(bench)

  const answer = await bench.call({ url: ENDPOINTS, headers: { cookie }, token: null })

  assert.equal(answer.statusCode, 200)
})

test('a bearer token wins over a session, also when it is a bad one', async () => {
  const token = await bench.newClient('BEARER')
  const { cookie } = await newBrowser(bench)
  const body = { url: 'https://shop.example.com/hooks' }

  const made = await bench.call({ url: ENDPOINTS, body, headers: { cookie }, token })
  const ofClient = await bench.call({ url: ENDPOINTS, token })
  const bad = await bench.call({ url: ENDPOINTS, headers: { cookie }, token: 'x' })
  const basic = { cookie, authorization: 'Basic eDp5' }
  const malformed = await bench.call({ url: ENDPOINTS, headers: basic, token: null })

  assert.deepEqual(
    ofClient.json().data.map(({ id }: { id: string }) => id),
    [made.json().data.id],
  )
  assertRefused(bad, { status: 401, code: 'unauthorized' })
  assertRefused(malformed, { status: 401, code: 'unauthorized' })
})

test('a token opens none of the dashboard’s own routes, which require a session', async () => {
  for (const url of [SESSION_URL, USERS_URL, '/dashboard/api/sessions']) {
    assertRefused(await bench.call({ url }), { status: 401, code: 'session_needed' })
  }
})

test('users see BVNs masked; their client’s token shows them in full', async () => {
  const { accountNumber, bvn } = await createAccount(bench)
  const browser = await newBrowser(bench, 'operator')

  const seen = dataOf(await browser.call({ url: `${ACCOUNTS}/${accountNumber}` }))
  const made = dataOf(await browser.call({ url: ACCOUNTS, body: accountBody() }))

  assert.equal(bvn, '22212345654')
  assert.equal(seen.bvn, '222*****654')
  assert.equal(made.bvn, '222*****654')
})

test('people cannot complete a masked BVN or NIN by looking for it', async () => {
  const { accountNumber, bvn } = await createAccount(bench)
  const operator = await newBrowser(bench, 'operator')

  for (const path of [ACCOUNTS, `${ACCOUNTS}/summary`, `${ACCOUNTS}.csv`]) {
    for (const field of ['bvn', 'nin']) {
      const answer = await operator.call({ url: `${path}?${field}=${bvn}` })
      assertRefused(answer, { status: 400, code: 'invalid_request' })
      assert.equal(answer.json().errors[0].field, field)
    }
  }
  const found = await operator.call({ url: `/api/v1/search?q=${bvn}` })
  assert(!found.body.includes(accountNumber))
  const bySystem = await bench.call({ url: `${ACCOUNTS}?bvn=${bvn}` })
  assert(bySystem.body.includes(accountNumber))
})

test('a session shows no data of another client', async () => {
  await bench.newClient('OTHERS')
  const { accountNumber } = await createAccount(bench)

  const browser = await newBrowser(bench, 'owner', 'OTHERS')

  const answer = await browser.call({ url: `${ACCOUNTS}/${accountNumber}` })
  assertRefused(answer, { status: 400, code: 'account_not_found' })
})

test('money without an owner is visible to operators only, not to every user of their client', async () => {
  const transfer = { sessionId: newSessionId(), accountNumber: '9999999999', amount: '5' }
  await postRail(bench, '035/credits', transfer)
  const countSuspenseSeenBy = async (role: Role) =>
    (await (await newBrowser(bench, role)).call({ url: '/api/v1/suspense' })).json().data.length

  assert.equal(await countSuspenseSeenBy('operator'), 1)
  assert.equal(await countSuspenseSeenBy('owner'), 0)
})

test('an action of a person is recorded under their name', async () => {
  const { adviceReference: reference } = await createAdvice(bench)
  const email = await makeUser(bench, { role: 'developer' })
  const browser = await signIn(bench, email)

  const url = `/Payment/advice/${reference}/cancel`
  assert.equal((await browser.call({ url, body: {} })).statusCode, 200)

  const { rows } = await bench.db.query('select actor from audit_log where subject = $1', [
    `advice/${reference}`,
  ])
  assert.deepEqual(rows, [{ actor: `user:${email}` }])
})
