// Clients that are restricted to some merchantCodes or IP addresses. Objects that a client created before,
// and that are outside the restriction, look as if they did not exist.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { dispatchEvents } from '#webhooks/dispatch.ts'
import { CLIENTS, registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  accountBody,
  assertAlike,
  assertRefused,
  createAccount,
  databaseText,
} from '../support/fixtures.ts'
import { type Call, startTestService } from '../support/running-service.ts'

const PROXY = '10.9.9.9'
const SIMULATE = '/Payment/process/banktransfer/simulate/payment'
const UNKNOWN_NUMBER = '9999999999'

const bench = closeAfterTests(await startTestService({ env: { MANILLA_TRUSTED_PROXIES: PROXY } }))
const { make } = registerOf(bench)

// Changes a client's restrictions, such as its `merchantCodes`, as the operator. The change must succeed.
async function restrict(clientId: string, body: object) {
  const answer = await bench.call({ method: 'PATCH', url: `${CLIENTS}/${clientId}`, body })
  assert.equal(answer.statusCode, 200, answer.body)
}

// Creates a client with money on an account of each of two merchants, and in suspense for each, and then
// restricts the client to the first merchant. Money that arrives at a deactivated account goes to suspense.
async function restrictedClient() {
  const { clientId, secret } = await make()
  const token = await bench.login(clientId, secret)
  const [visible, hidden] = await Promise.all(
    ['OURS', 'THEIRS'].map((merchantCode) =>
      createAccount(bench, { merchantCode, merchantId: merchantCode }, { token }),
    ),
  )
  for (const { accountNumber } of [visible, hidden]) {
    await pay(accountNumber, token)
    await bench.call({ method: 'POST', url: `${ACCOUNTS}/${accountNumber}/deactivate`, token })
    await pay(accountNumber, token)
  }
  const credits = await list('/api/v1/credits', token)
  const items = await list('/api/v1/suspense', token)
  const events = await list('/api/v1/events', token)
  await restrict(clientId, { merchantCodes: ['OURS', 'ALSO'] })
  // Returns a credit, a suspense item and the events of the account with this number.
  const objectsOf = (number: string) => ({
    credit: credits.find((each) => each.accountNumber === number) as Row,
    item: items.find((each) => each.accountNumber === number) as Row,
    events: events.filter((each) => JSON.stringify(each).includes(number)),
  })
  return { clientId, token, visible, hidden, before: { credits, items, events }, objectsOf }
}

type Row = Record<string, unknown> & { id: string | number }

// Simulates a transfer of 100 naira.
async function pay(virtualAccountNumber: string, token: string): Promise<void> {
  const body = { virtualAccountNumber, amount: '100' }
  assert.equal((await bench.call({ url: SIMULATE, body, token })).statusCode, 200)
}

// Returns up to 100 rows of a list that the holder of this token may see.
async function list(url: string, token: string): Promise<Row[]> {
  const answer = await bench.call({ url: `${url}?limit=100`, token })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

test('no list shows anything of an account outside the merchantCodes', async () => {
  const { token, visible, hidden, before } = await restrictedClient()
  assert.equal(before.credits.length, 4)
  assert.equal(before.items.length, 2)

  for (const [url, count] of [
    [ACCOUNTS, 1],
    ['/api/v1/credits', 2],
    ['/api/v1/suspense', 1],
    ['/api/v1/events', before.events.length / 2],
    ['/api/v1/balances/merchants', 1],
  ] as const) {
    const rows = await list(url, token)
    assert.equal(rows.length, count, url)
    assert(!JSON.stringify(rows).includes(hidden.accountNumber), url)
    assert.doesNotMatch(JSON.stringify(rows), /THEIRS/, url)
  }
  const filtered = await list('/api/v1/credits', token)
  assert(filtered.every((credit) => credit.accountNumber === visible.accountNumber))
  for (const url of ['/api/v1/credits', '/api/v1/events']) {
    const hiddenUrl = `${url}?accountNumber=${hidden.accountNumber}`
    assert.deepEqual((await bench.call({ url: hiddenUrl, token })).json().data, [])
  }
})

test('by number, id and reference, such an account seems not to exist', async () => {
  const { token, visible, hidden, objectsOf } = await restrictedClient()
  const theirs = objectsOf(hidden.accountNumber)
  const ours = objectsOf(visible.accountNumber)
  // These functions return every call that names an account, a credit, a suspense item or an event.
  const accountCalls = (each: string): Call[] => [
    { url: `${ACCOUNTS}/${each}` },
    { url: `${ACCOUNTS}/${each}/transactions` },
    { url: `${ACCOUNTS}/${each}/timeline` },
    { method: 'PATCH', url: `${ACCOUNTS}/${each}`, body: { email: 'x@example.com' } },
    { method: 'POST', url: `${ACCOUNTS}/${each}/activate`, body: {} },
    { method: 'POST', url: `${ACCOUNTS}/${each}/deactivate`, body: {} },
    { method: 'POST', url: `${ACCOUNTS}/${each}/default`, body: {} },
    { url: `${ACCOUNTS}/${each}/erase`, body: { reason: 'Asked for.' } },
    { url: SIMULATE, body: { virtualAccountNumber: each, amount: '1' } },
    { url: `/api/v1/suspense/${ours.item.id}/assign`, body: { accountNumber: each } },
  ]
  const creditCalls = (each: unknown): Call[] => [
    { url: `/api/v1/credits/${each}` },
    { url: `/api/v1/credits/${each}/timeline` },
  ]
  const itemCalls = (each: unknown): Call[] => [
    { url: `/api/v1/suspense/${each}` },
    { url: `/api/v1/suspense/${each}/return`, body: {} },
    {
      url: `/api/v1/suspense/${each}/assign`,
      body: { accountNumber: visible.accountNumber },
    },
  ]
  const eventCalls = (each: unknown): Call[] => [
    { url: `/api/v1/events/${each}` },
    { url: `/api/v1/events/${each}/deliveries` },
    { url: `/api/v1/events/${each}/redeliver`, body: {} },
  ]
  const pairs = [
    [accountCalls(hidden.accountNumber), accountCalls(UNKNOWN_NUMBER)],
    [creditCalls(theirs.credit.id), creditCalls(999_999)],
    [creditCalls(theirs.credit.sessionId), creditCalls('9'.repeat(30))],
    [itemCalls(theirs.item.id), itemCalls(999_999)],
    ...theirs.events.map((each) => [
      eventCalls(each.id),
      eventCalls('6f1c2f0e-3f53-4d0e-9c43-9a4a3c1b2d10'),
    ]),
  ]
  const written = await databaseText(bench)

  for (const [hiddenCalls = [], unknown = []] of pairs) {
    for (const [at, call] of hiddenCalls.entries()) {
      const answer = await bench.call({ ...call, token })
      const same = await bench.call({ ...(unknown[at] as Call), token })
      assert(answer.statusCode === 404 || answer.statusCode === 400, answer.body)
      assertAlike(answer, same)
    }
  }
  assert.equal(await databaseText(bench), written)
})

test('accounts within the client’s merchantCodes behave as before', async () => {
  const { token, visible, objectsOf } = await restrictedClient()
  const { credit, item } = objectsOf(visible.accountNumber)

  for (const url of [
    `${ACCOUNTS}/${visible.accountNumber}`,
    `${ACCOUNTS}/${visible.accountNumber}/transactions`,
    `/api/v1/credits/${credit.id}`,
    `/api/v1/suspense/${item.id}`,
  ]) {
    assert.equal((await bench.call({ url, token })).statusCode, 200, url)
  }
  await createAccount(bench, { merchantCode: 'ALSO' }, { token })
})

test('an account outside the merchantCodes cannot be made, alone or among others', async () => {
  const { token } = await restrictedClient()
  const refused = { status: 403, code: 'merchant_not_allowed' }
  const body = accountBody({ merchantCode: 'THEIRS' })

  assertRefused(await bench.call({ url: ACCOUNTS, body, token }), refused)
  const accounts = [body, accountBody({ merchantCode: 'OURS' }), accountBody()]
  const bulk = await bench.call({ url: `${ACCOUNTS}/bulk`, body: { accounts }, token })
  const { results } = bulk.json().data
  assert.deepEqual(
    results.map(({ code }: { code: string | null }) => code),
    ['merchant_not_allowed', null, 'merchant_not_allowed'],
  )
})

test('endpoints get events of visible accounts only; an account’s own address gets its own', async () => {
  const { clientId, secret } = await make({ merchantCodes: ['OURS', 'THEIRS'] })
  const token = await bench.login(clientId, secret)
  const endpoint = { url: 'https://shop.example.com/all' }
  await bench.call({ url: '/api/v1/webhook-endpoints', body: endpoint, token })
  await createAccount(bench, { merchantCode: 'OURS' }, { token })
  await createAccount(bench, { merchantCode: 'THEIRS' }, { token })
  await restrict(clientId, { merchantCodes: ['OURS'] })

  await withTransaction(bench.db, (tx) => dispatchEvents(tx, bench.clock()))

  const { rows } = await bench.db.query(
    `select a.merchant_code as code, d.kind
       from deliveries d join events e on e.id = d.event_id
       join collection_accounts a on a.id = e.collection_account_id
       join clients c on c.id = d.client_id
      where c.client_id = $1 order by 1, 2`,
    [clientId],
  )
  assert.deepEqual(rows, [
    { code: 'OURS', kind: 'endpoint' },
    { code: 'OURS', kind: 'notification' },
    { code: 'THEIRS', kind: 'notification' },
  ])
})

test('sums over all merchants are refused to a client that has only some', async () => {
  const { token } = await restrictedClient()
  const { data } = (await bench.call({ url: '/api/v1/ledger/accounts' })).json()
  const ledger = ['', '/98765432', `/${data[0].id}/transfers`]
  for (const url of [
    ...['/api/v1/balances', '/api/v1/overview'],
    ...ledger.map((path) => `/api/v1/ledger/accounts${path}`),
  ]) {
    const answer = await bench.call({ url, token })
    assertRefused(answer, { status: 403, code: 'merchants_restricted' })
  }
})

test('accounts outside the merchantCodes collect as before, and are back when it is lifted', async () => {
  const { clientId, token, hidden, before } = await restrictedClient()

  await restrict(clientId, { merchantCodes: null })

  assert.equal((await list('/api/v1/credits', token)).length, before.credits.length)
  const account = await bench.call({ url: `${ACCOUNTS}/${hidden.accountNumber}`, token })
  assert.equal(account.json().data.accountBalance, 100)
})

// Reads the balances as if the request came from this IP address, through a proxy.
async function readBalancesFrom(address: string, token: string) {
  return bench.service.app.inject({
    url: '/api/v1/balances',
    remoteAddress: PROXY,
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address },
  })
}

// Logs a client in as if the request came from this IP address, through the trusted proxy.
async function logInFrom(address: string, clientId: string, clientSecret: string) {
  return bench.service.app.inject({
    method: 'POST',
    url: '/api/Account/login',
    remoteAddress: PROXY,
    headers: { 'x-forwarded-for': address },
    payload: { clientId, clientSecret },
  })
}

test('tokens and logins are good from the listed addresses only', async () => {
  const { clientId, secret } = await make({
    allowedAddresses: ['192.0.2.7', '198.51.100.0/24', '2001:db8::/32'],
  })
  const token = (await logInFrom('192.0.2.7', clientId, secret)).json().access_token

  for (const [address, isAllowed] of [
    ['192.0.2.7', true],
    ['::ffff:192.0.2.7', true],
    ['192.0.2.8', false],
    ['198.51.100.255', true],
    ['198.51.101.0', false],
    ['2001:db8:1::1', true],
    ['2001:db9::1', false],
    ['192.0.2.8, 192.0.2.7', true],
    ['192.0.2.7, 192.0.2.8', false],
    ['nonsense', false],
  ] as const) {
    const answer = await readBalancesFrom(address, token)
    assert.equal(answer.statusCode, isAllowed ? 200 : 403, address)
    const login = await logInFrom(address, clientId, secret)
    assert.equal(login.statusCode, isAllowed ? 200 : 403, address)
    if (!isAllowed) assertRefused(answer, { status: 403, code: 'address_not_allowed' })
  }
})

test('from a foreign address, nobody learns whether there is such a client', async () => {
  const { clientId } = await make({ allowedAddresses: ['192.0.2.7'] })

  const wrong = await logInFrom('192.0.2.8', clientId, 'wrong')

  assertAlike(wrong, await logInFrom('192.0.2.8', 'NOBODY', 'wrong'))
})

test('an address that a caller behind no trusted proxy claims is ignored', async () => {
  const { clientId, secret } = await make({ allowedAddresses: ['192.0.2.7'] })
  const token = (await logInFrom('192.0.2.7', clientId, secret)).json().access_token

  const answer = await bench.call({
    url: '/api/v1/balances',
    token,
    headers: { 'x-forwarded-for': '192.0.2.7' },
  })

  assertRefused(answer, { status: 403, code: 'address_not_allowed' })
})
