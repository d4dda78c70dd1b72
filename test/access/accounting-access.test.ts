// Finance users of an operator's client may reconcile, close days and adjust, but have no other operator
// rights. Users of a merchant's client may do none of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Role } from '#access/permissions.ts'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { type Browser, newBrowser, USERS_URL } from '../support/people.ts'
import { type Call, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const { make } = registerOf(bench)
const CLOSE = '/api/v1/operator/days/x/close'
const DAYS = '/api/v1/operator/days'

type Operation = { operationId: string; description: string }
type ListedOperation = { operationId: string; call: Omit<Call, 'token'> }

// Lists the operations whose description in the API requires the scope, including operations that accept only
// a session. In each path, `x` takes the place of every parameter.
async function operationsOf(scope: string): Promise<ListedOperation[]> {
  const { paths } = (await bench.call({ url: '/openapi.json' })).json()
  return Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { description }]) => description.includes(`**Scope:** \`${scope}\``))
      .map(([verb, { operationId }]) => {
        const method = verb.toUpperCase() as 'GET'
        const url = path.replace(/\{\w+\}/g, 'x')
        return { operationId, call: { method, url, ...(method === 'GET' ? {} : { body: {} }) } }
      }),
  )
}

const reads = await operationsOf('accounting:read')
const writes = await operationsOf('accounting:write')
const operators = await operationsOf('operator')

// Calls each operation as this caller. Returns the operations that the caller may use, which succeed or
// refuse only the input. A refusal for lack of the scope must have its documented code.
async function operationsOpenTo(by: Pick<Browser, 'call'>, operations: readonly ListedOperation[]) {
  const open: string[] = []
  for (const { operationId, call } of operations) {
    const { statusCode, body } = await by.call(call)
    const isRefused = /"code":"(scope_missing|role_not_allowed)"/.test(body)
    assert.equal(statusCode === 403, isRefused, `${operationId}: ${statusCode} ${body}`)
    assert.notEqual(statusCode, 401, operationId)
    assert(statusCode < 500, `${operationId}: ${body}`)
    if (!isRefused) open.push(operationId)
  }
  return open
}

const namesOf = (operations: readonly ListedOperation[]) =>
  operations.map(({ operationId }) => operationId)

await bench.newClient('SHOP')
const { clientId: AUDITED } = await make({ isOperator: true, scopes: ['accounting:read'] })

const WHO: [role: Role, clientId: string, may: 'write' | 'read' | 'nothing'][] = [
  ['operator', 'MAN0000001', 'write'],
  ['finance', 'MAN0000001', 'write'],
  ['owner', 'MAN0000001', 'nothing'],
  ['developer', 'MAN0000001', 'nothing'],
  ['support', 'MAN0000001', 'nothing'],
  ['operator', AUDITED, 'read'],
  ['finance', AUDITED, 'read'],
  ['support', AUDITED, 'nothing'],
  ['owner', 'SHOP', 'nothing'],
  ['developer', 'SHOP', 'nothing'],
  ['finance', 'SHOP', 'nothing'],
  ['support', 'SHOP', 'nothing'],
]

const CLIENTS: Record<string, string> = { MAN0000001: 'an operator', SHOP: 'a merchant' }
const MAY = { write: 'does accounting', read: 'reads accounting only', nothing: 'does none' }

for (const [role, clientId, may] of WHO) {
  const client = CLIENTS[clientId] ?? 'an operator that may only read'
  test(`${role} of ${client}: ${MAY[may]}`, async () => {
    const browser = await newBrowser(bench, role, clientId)

    assert.deepEqual(
      await operationsOpenTo(browser, reads),
      may === 'nothing' ? [] : namesOf(reads),
    )
    assert.deepEqual(
      await operationsOpenTo(browser, writes),
      may === 'write' ? namesOf(writes) : [],
    )
    if (role !== 'operator') assert.deepEqual(await operationsOpenTo(browser, operators), [])
  })
}

// Returns the parts of the operator API that the operations belong to, such as `adjustments`.
function apiPartsOf(operations: readonly ListedOperation[]): (string | undefined)[] {
  const parts = operations.map(({ call }) => /^\/api\/v1\/operator\/([\w-]+)/.exec(call.url)?.[1])
  return [...new Set(parts)].sort()
}

test('accounting is all of reconciliation, reports, adjustments, payouts of all and their files', () => {
  assert.deepEqual(apiPartsOf([...reads, ...writes]), [
    ...['adjustments', 'balances', 'banks', 'days', 'journal', 'months'],
    ...['payout-failures', 'payout-files', 'payouts'],
    ...['reconciliation', 'stamp-duty', 'statement-imports', 'statement-profiles', 'statements'],
    ...[
      'suspense-ageing',
      'suspense-escalation',
      'tax-rates',
      'trial-balance',
      'vat',
      'vat-invoices',
      'withholding-tax',
    ],
  ])
  assert.deepEqual(apiPartsOf(operators), [
    ...['alerts', 'case-deadlines', 'cases', 'chat', 'clients', 'fee-rules'],
    ...['holds', 'holidays', 'payout-tariffs', 'rail-items', 'screening'],
  ])
  const changing = reads.filter(({ call }) => call.method !== 'GET')
  assert.deepEqual(namesOf(changing), [])
  assert.deepEqual(
    namesOf(writes.filter(({ call }) => call.method === 'GET')),
    ['downloadPayoutFile'], // Counts as a write: it shows full account numbers, and the audit log records it.
  )
})

test('a client that had operator before there was more of it loses nothing', async () => {
  await using before = await startTestService()
  await before.db.query(
    `update clients set scopes = array_remove(array_remove(scopes, 'accounting:read'), 'accounting:write')`,
  )

  for (const by of [
    before,
    await newBrowser(before, 'operator'),
    await newBrowser(before, 'finance'),
  ]) {
    assert.equal((await by.call({ url: DAYS })).statusCode, 200)
    assertRefused(await by.call({ url: CLOSE, body: {} }), { status: 400 })
  }
})

test('a system may be given accounting alone, to read or to write', async () => {
  const reader = await make({ isOperator: true, scopes: ['accounting:read'] })
  const token = await bench.login(reader.clientId, reader.secret)
  const refused = { status: 403, code: 'scope_missing' }

  assert.equal((await bench.call({ url: DAYS, token })).statusCode, 200)
  for (const call of [
    { url: CLOSE, body: {} },
    { url: '/api/v1/operator/clients' },
    { url: '/api/v1/ledger/accounts' },
  ]) {
    assertRefused(await bench.call({ ...call, token }), refused)
  }
})

test('only operators have the accounting scopes, and lose them with the operator right', async () => {
  const { clientId, scopes } = await make({ isOperator: true })
  assert(scopes.includes('accounting:read') && scopes.includes('accounting:write'))
  const url = `/api/v1/operator/clients/${clientId}`

  const changed = await bench.call({ method: 'PATCH', url, body: { isOperator: false } })
  const patch = await bench.call({ method: 'PATCH', url, body: { scopes: ['accounting:read'] } })

  assert(!changed.json().data.scopes.some((scope: string) => /^accounting|operator/.test(scope)))
  assertRefused(patch, { status: 400, code: 'invalid_request' })
  await assert.rejects(
    bench.db.query(`update clients set scopes = '{accounting:write}' where client_id = 'SHOP'`),
    /clients_operator_scopes_are_operators/,
  )
})

test('no owner makes who does an operator’s accounting, or takes over their sign-in', async () => {
  const owner = await newBrowser(bench, 'owner')
  const support = await newBrowser(bench, 'support')
  const { user } = await newBrowser(bench, 'finance')
  const url = `${USERS_URL}/${user.id}`
  const invitation = { url: USERS_URL, body: { email: 'books@people.example', role: 'finance' } }
  const calls = [
    invitation,
    { method: 'PATCH', url: `${USERS_URL}/${support.user.id}`, body: { role: 'finance' } },
    { method: 'PATCH', url: `${USERS_URL}/${owner.user.id}`, body: { role: 'finance' } },
    { method: 'PATCH', url, body: { role: 'support' } },
    { method: 'PATCH', url, body: { isActive: true } },
    { method: 'PATCH', url, body: { isActive: false, role: 'support' } },
    { url: `${url}/reset-password`, body: { removeTotp: true } },
    { method: 'DELETE', url },
  ] as const

  for (const call of calls) {
    const answer = await owner.call(call)
    assertRefused(answer, { status: 403, code: 'role_not_allowed' })
  }
  const operator = await newBrowser(bench, 'operator')
  assert.equal((await operator.call(invitation)).statusCode, 200)
  const ofMerchant = await newBrowser(bench, 'owner', 'SHOP')
  assert.equal((await ofMerchant.call(invitation)).statusCode, 200)
})

test('an owner disables who does an operator’s accounting, not an operator, and enables none', async () => {
  const owner = await newBrowser(bench, 'owner')
  const finance = await newBrowser(bench, 'finance')
  const operator = await newBrowser(bench, 'operator')
  const setActive = (by: Browser, target: Browser, isActive: boolean) =>
    by.call({ method: 'PATCH', url: `${USERS_URL}/${target.user.id}`, body: { isActive } })
  const refused = { status: 403, code: 'role_not_allowed' }

  assertRefused(await setActive(owner, operator, false), refused)
  assertRefused(await setActive(await newBrowser(bench, 'support'), finance, false), refused)
  const stranger = await newBrowser(bench, 'owner', 'SHOP')
  const nobody = { status: 404, code: 'user_not_found' }
  assertRefused(await setActive(stranger, finance, false), nobody)
  for (const _ of ['once', 'again']) {
    assert.equal(dataOf(await setActive(owner, finance, false)).isActive, false)
  }
  const out = { status: 401, code: 'session_needed' }
  assertRefused(await finance.call({ url: '/api/v1/payouts' }), out)
  assertRefused(await setActive(owner, finance, true), refused)
  assert.equal(dataOf(await setActive(operator, finance, true)).isActive, true)
})
