// Operators manage clients over HTTP: they create, change, suspend and resume them. Nobody else can.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENTS, type ClientShown, clientOf, registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount, createAdvice, databaseText } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const { make, act, canLogIn, balances } = registerOf(bench)

test('a client that was made logs in with its secret, and has what it was given', async () => {
  const made = await make({
    clientId: 'SHOP-1',
    scopes: ['accounts:read', 'credits:read'],
    allowedAddresses: ['127.0.0.1', '10.0.0.0/8', '::ffff:127.0.0.1', '2001:DB8::/32'],
  })

  assert.equal(await balances(await bench.login('SHOP-1', made.secret)), 200)
  const { secret: _, ...view } = made
  const read = clientOf(await bench.call({ url: `${CLIENTS}/SHOP-1` }))
  assert.deepEqual(read.allowedAddresses, ['127.0.0.1/32', '10.0.0.0/8', '2001:db8::/32'])
  assert.deepEqual(read.scopes, ['accounts:read', 'credits:read'])
  assert.deepEqual({ ...read, secrets: 0 }, { ...view, secrets: 0 })
  assert.equal(read.secrets[0].keyId, made.secret.slice(0, 8))
  assert.notEqual(read.secrets[0].usedAt, null)
  assert(!JSON.stringify(read).includes(made.secret))
})

test('clients are listed page by page, each once, without secrets', async () => {
  for (let made = 0; made < 5; made++) await make()
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const url: string = `${CLIENTS}?limit=2${cursor && `&cursor=${cursor}`}`
    const body = (await bench.call({ url })).json()
    ids.push(...body.data.map((client: ClientShown) => client.clientId))
    assert.doesNotMatch(JSON.stringify(body), /secret/)
    cursor = body.nextCursor
  }

  const { rows } = await bench.db.query('select client_id from clients order by id')
  assert.deepEqual(
    ids,
    rows.map((row) => row.clientId),
  )
})

test('clients are found by part of their id or name, and by state, a page at a time', async () => {
  await make({ clientId: 'KIOSK-1', name: 'Bola’s 100% Kiosk' })
  await make({ clientId: 'KIOSK-2', name: 'Other' })
  await make({ clientId: 'STALL-1', name: 'Kiosk of Adùnní' })
  await act('KIOSK-2', 'suspend')
  // Returns the ids of the clients on a page of the list.
  const findClientIds = async (query: string) => {
    const { data, nextCursor } = (await bench.call({ url: `${CLIENTS}?${query}` })).json()
    return { ids: data.map((client: ClientShown) => client.clientId), nextCursor }
  }

  for (const [query, ids] of [
    ['search=kiosk', ['KIOSK-1', 'KIOSK-2', 'STALL-1']],
    ['search=KIOSK&active=true', ['KIOSK-1', 'STALL-1']],
    ['search=kiosk&active=false', ['KIOSK-2']],
    ['search=%C3%B9nn', ['STALL-1']],
    ['search=100%25', ['KIOSK-1']],
    ['search=_IOSK', []],
    ['search=stall-1', ['STALL-1']],
  ] as const) {
    assert.deepEqual((await findClientIds(query)).ids, ids, query)
  }
  const first = await findClientIds('search=kiosk&limit=2')
  assert.deepEqual(first.ids, ['KIOSK-1', 'KIOSK-2'])
  const next = await findClientIds(`search=kiosk&limit=2&cursor=${first.nextCursor}`)
  assert.deepEqual(next, { ids: ['STALL-1'], nextCursor: null })
  const otherwise = await bench.call({ url: `${CLIENTS}?search=o&cursor=${first.nextCursor}` })
  assertRefused(otherwise, { status: 400, code: 'invalid_cursor' })
})

for (const query of [
  'search=',
  'search=%20',
  'search=%00',
  `search=${'x'.repeat(101)}`,
  'search=a&search=b',
  'active=',
  'active=yes',
  'state=active',
]) {
  test(`clients are not listed for ?${query.slice(0, 20)}`, async () => {
    const answer = await bench.call({ url: `${CLIENTS}?${query}` })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
  })
}

test('a client id is taken once, also when two ask for it at once', async () => {
  const answers = await Promise.all(
    [1, 2, 3].map(() => bench.call({ url: CLIENTS, body: { name: 'Twin', clientId: 'TWIN' } })),
  )

  const codes = answers.map((answer) => answer.statusCode).sort()
  assert.deepEqual(codes, [200, 409, 409])
  const { rows } = await bench.db.query(
    `select from clients c join client_secrets s on s.client_id = c.id where c.client_id = 'TWIN'`,
  )
  assert.equal(rows.length, 1)
})

test('a suspended client is out at once, and its tokens stay dead when it is let in', async () => {
  const { clientId, secret } = await make()
  const token = await bench.login(clientId, secret)
  assert.equal(await balances(token), 200)

  const suspended = await act(clientId, 'suspend', { note: 'Complaints' })
  assert.equal(suspended.isActive, false)
  assert.equal(await balances(token), 401)
  assert.equal(await canLogIn(clientId, secret), false)

  assert.equal((await act(clientId, 'resume')).isActive, true)
  assert.equal(await balances(token), 401)
  assert.equal(await balances(await bench.login(clientId, secret)), 200)
})

test('a client suspended in another process is out within five seconds', async () => {
  const { clientId, secret } = await make()
  const token = await bench.login(clientId, secret)
  assert.equal(await balances(token), 200)

  await bench.db.query('update clients set is_active = false where client_id = $1', [clientId])

  bench.advance(5_000)
  assert.equal(await balances(token), 401)
})

test('suspending changes nothing for payers', async () => {
  const { clientId, secret } = await make()
  const token = await bench.login(clientId, secret)
  const { adviceReference } = await createAdvice(bench, {}, { token })

  await act(clientId, 'suspend')

  const url = `/Payment/process/banktransfer/${adviceReference}`
  const answer = await bench.call({ url, body: { bankCode: '035' }, token: null })
  assert.equal(answer.statusCode, 200, answer.body)
})

test('a change of scopes holds for tokens in use', async () => {
  const { clientId, secret } = await make()
  const token = await bench.login(clientId, secret)
  assert.equal(await balances(token), 200)

  await bench.call({
    method: 'PATCH',
    url: `${CLIENTS}/${clientId}`,
    body: { scopes: ['credits:read'], name: 'Renamed' },
  })

  const refused = await bench.call({ url: '/api/v1/balances', token })
  assertRefused(refused, { status: 403, code: 'scope_missing' })
  const { name, merchantCodes } = clientOf(await bench.call({ url: `${CLIENTS}/${clientId}` }))
  assert.deepEqual([name, merchantCodes], ['Renamed', null])
})

test('a client that is no operator any more loses the operator scope; an operator keeps it', async () => {
  const { clientId, scopes } = await make({ isOperator: true })
  assert(scopes.includes('operator'))
  const change = { method: 'PATCH', url: `${CLIENTS}/${clientId}` } as const
  const changed = clientOf(await bench.call({ ...change, body: { isOperator: false } }))
  assert(!changed.scopes.includes('operator'))

  for (const [verb, body] of [
    ['', { isOperator: false }],
    ['', { scopes: ['accounts:read'] }],
    ['/suspend', {}],
  ] as const) {
    const method = verb ? 'POST' : 'PATCH'
    const answer = await bench.call({ method, url: `${CLIENTS}/MAN0000001${verb}`, body })
    assertRefused(answer, { status: 409, code: 'own_client' })
  }
})

test('use is counted by the day, and nobody else’s with it', async () => {
  const { clientId, secret } = await make()
  const token = await bench.login(clientId, secret)
  const { accountNumber } = await createAccount(bench, {}, { token })
  await createAccount(bench)
  await createAdvice(bench, {}, { token })
  const url = '/Payment/process/banktransfer/simulate/payment'
  const body = { virtualAccountNumber: accountNumber, amount: '250.50' }
  assert.equal((await bench.call({ url, body, token })).statusCode, 200)

  const use = await bench.call({ url: `${CLIENTS}/${clientId}/use?days=2` })

  const { days } = clientOf(use)
  assert.equal(days.length, 2)
  const { from: _, ...today } = days[1]
  const none = { accounts: 0, advices: 0, payments: 0, credits: 0, gross: 0, webhooks: 0 }
  assert.deepEqual(today, { ...none, accounts: 1, advices: 1, credits: 1, gross: 250.5 })
  const { from: __, ...yesterday } = days[0]
  assert.deepEqual(yesterday, none)
})

test('nobody but an operator reaches any of it, and no other operator’s word is needed', async () => {
  const token = await bench.newClient('PLAIN')
  const { clientId } = await make()
  const before = await databaseText(bench)

  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['POST', '', { name: 'X' }],
    ['GET', `/${clientId}`, undefined],
    ['PATCH', `/${clientId}`, { name: 'X' }],
    ['GET', `/${clientId}/use`, undefined],
    ['POST', `/${clientId}/rotate-secret`, {}],
    ['POST', `/${clientId}/suspend`, {}],
    ['POST', `/${clientId}/resume`, {}],
  ] as const) {
    const call = { method, url: `${CLIENTS}${path}`, ...(body ? { body } : {}) }
    const refused = await bench.call({ ...call, token })
    assertRefused(refused, { status: 403, code: 'scope_missing' })
    const unknown = await bench.call({ ...call, token: null })
    assertRefused(unknown, { status: 401, code: 'unauthorized' })
  }
  assert.equal(await databaseText(bench), before)
})

for (const [why, body] of [
  ['no name', { name: undefined }],
  ['an empty name', { name: '' }],
  ['a long name', { name: 'x'.repeat(101) }],
  ['half a character', { name: '\ud800' }],
  ['a short id', { clientId: 'ab' }],
  ['an id with a space', { clientId: 'a b c' }],
  ['no scope', { scopes: [] }],
  ['a scope twice', { scopes: ['accounts:read', 'accounts:read'] }],
  ['an unknown scope', { scopes: ['accounts:*'] }],
  ['scopes that are null', { scopes: null }],
  ['operator for no operator', { scopes: ['operator'] }],
  ['accounting for no operator', { scopes: ['accounting:read'] }],
  ['no merchant code', { merchantCodes: [] }],
  ['a blank merchant code', { merchantCodes: [' '] }],
  ['many merchant codes', { merchantCodes: Array.from({ length: 101 }, (_, at) => `m${at}`) }],
  ['a name for an address', { allowedAddresses: ['example.com'] }],
  ['a range in the middle', { allowedAddresses: ['10.1.2.3/8'] }],
  ['all addresses as a range', { allowedAddresses: ['0.0.0.0/0'] }],
  ['an octal address', { allowedAddresses: ['010.0.0.1'] }],
  ['a zone', { allowedAddresses: ['fe80::1%eth0'] }],
  ['text for a switch', { isOperator: 'yes' }],
  ['a secret of its own', { secret: 'mine' }],
] as const) {
  test(`a client with ${why} is refused`, async () => {
    const before = await databaseText(bench)
    const answer = await bench.call({ url: CLIENTS, body: { name: 'X', ...body } })

    assertRefused(answer, { status: 400, code: 'invalid_request' })
    assert.equal(await databaseText(bench), before)
  })
}

test('a missing client is reported as such, and bad numbers are refused', async () => {
  for (const id of ['NOBODY', '%00', 'x'.repeat(150), 'ﬀ']) {
    const answer = await bench.call({ url: `${CLIENTS}/${id}` })
    assertRefused(answer, { status: 404, code: 'client_not_found' })
  }
  for (const [path, body] of [
    ['rotate-secret', { overlapSeconds: -1 }],
    ['rotate-secret', { overlapSeconds: 2_592_001 }],
    ['rotate-secret', { overlapSeconds: '60' }],
    ['rotate-secret', { overlapSeconds: 0.5 }],
    ['suspend', { note: '' }],
    ['suspend', { why: 'x' }],
  ] as const) {
    const answer = await bench.call({ url: `${CLIENTS}/PLAIN/${path}`, body })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
  }
  for (const days of ['0', '32', '1.5', 'x']) {
    const answer = await bench.call({ url: `${CLIENTS}/PLAIN/use?days=${days}` })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
  }
})
