// A client finds its own collection accounts by any of their attributes, newest first and page by page, and
// never another client's.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCAN_MAX } from '#accounts/queries.ts'
import { fieldsOf, listAccounts, patchAccount, switchAccount } from '../support/account-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount, MINUTE_MS, TIMESTAMP } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
let clients = 0

type Listed = { accountNumber: string; accountName: string }

// Creates a client, so that each test sees only its own objects, and functions that call the API as this
// client.
async function newClient() {
  clients += 1
  const token = await bench.newClient(`LIST${String(clients).padStart(6, '0')}`)
  const make = (changes: object = {}) => createAccount(bench, { ...changes }, { token })
  // Reads one page of the client's list of accounts.
  const list = async (query = '') => {
    const answer = await listAccounts(bench, query, { token })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json()
  }
  const names = async (query = '') =>
    (await list(query)).data.map((account: Listed) => account.accountName)
  return { token, make, list, names }
}

test('accounts are listed newest first, as our own endpoints show them', async () => {
  const { make, list } = await newClient()
  const one = await make()
  const two = await make()
  await credit(bench, two.accountNumber, '12.50')

  const { isSuccessful, data, hasMore, nextCursor } = await list()

  assert.deepEqual([isSuccessful, hasMore, nextCursor], [true, false, null])
  const { bvn: _, ...fields } = two
  assert.deepEqual(data[0], {
    ...fields,
    accountBalance: 12.5,
    bvnMasked: '222*****654',
    ninMasked: null,
    kycTier: 1,
    kycTierSet: 3,
    limitTier: 1,
    identity: {
      bvn: { status: 'queued', nameScore: null, checkedAt: null },
      nin: { status: 'not_checked', nameScore: null, checkedAt: null },
    },
    verifiedName: null,
    payerRules: null,
    limits: { perCredit: null, perDay: null, balanceMax: null },
    ownLimits: { perCredit: null, perDay: null, balanceMax: null },
    limitProfile: null,
    splitCode: null,
    version: 1,
  })
  assert.match(data[0].createdAt, TIMESTAMP)
  assert.equal(data[1].accountNumber, one.accountNumber)
  assert.equal(data.length, 2)
})

test('a client without accounts has an empty list', async () => {
  const { list } = await newClient()
  const { data, hasMore, nextCursor } = await list()
  assert.deepEqual([data, hasMore, nextCursor], [[], false, null])
})

test('every filter finds the matching accounts, and all together narrow them down', async () => {
  const { token, make, names } = await newClient()
  await make({ accountName: 'Ada Obi', merchantId: 'M1', merchantCode: 'C1' })
  await make({ accountName: 'Bola Ade', merchantId: 'M1', merchantCode: 'C2', bvn: '11111111111' })
  await make({ accountName: 'Chidi ADAMU', merchantId: 'M2', merchantCode: 'C2' })
  const off = await make({ accountName: '100% Élan_', email: 'Shop+1@Example.com' })
  await make({ accountName: 'Dayo', phoneNumber: '08011112222' })
  const main = await make({ accountName: 'Main', phoneNumber: '+2348011112222' })
  await switchAccount(bench, off.accountNumber, 'deactivate', { token })
  await switchAccount(bench, main.accountNumber, 'default', { token })

  assert.deepEqual(await names('?merchantId=M1'), ['Bola Ade', 'Ada Obi'])
  assert.deepEqual(await names('?merchantCode=C2'), ['Chidi ADAMU', 'Bola Ade'])
  assert.deepEqual(await names('?merchantId=M1&merchantCode=C2'), ['Bola Ade'])
  assert.deepEqual(await names('?bvn=11111111111'), ['Bola Ade'])
  assert.deepEqual(await names('?bvn=22222222222'), [])
  assert.deepEqual(await names('?email=shop%2B1@example.COM'), ['100% Élan_'])
  assert.deepEqual(await names('?email=shop+1@example.com'), ['100% Élan_'])
  for (const phone of ['08011112222', '+2348011112222', '%2B2348011112222', '2348011112222']) {
    assert.deepEqual(await names(`?phone=${phone}`), ['Main', 'Dayo'], phone)
  }
  assert.deepEqual(await names('?name=ad'), ['Chidi ADAMU', 'Bola Ade', 'Ada Obi'])
  assert.deepEqual(await names('?name=OBI'), ['Ada Obi'])
  for (const name of ['%25', '_', '%C3%89LAN']) {
    assert.deepEqual(await names(`?name=${name}`), ['100% Élan_'], name)
  }
  assert.deepEqual(await names('?active=false'), ['100% Élan_'])
  assert.deepEqual(await names('?active=true&name=a'), [
    'Main',
    'Dayo',
    'Chidi ADAMU',
    'Bola Ade',
    'Ada Obi',
  ])
  assert.deepEqual(await names('?default=true'), ['Main'])
  assert.equal((await names('?default=false')).length, 5)
  assert.deepEqual(await names('?default=true&active=false'), [])
  assert.deepEqual(await names('?bvn=11111111111&name=ada'), [])
})

test('an account is found by its current values, no longer by former ones', async () => {
  const { token, make, names } = await newClient()
  const { accountNumber } = await make({ email: 'old@example.com', accountName: 'Old' })
  await patchAccount(
    bench,
    accountNumber,
    { email: 'new@example.com', accountName: 'New' },
    { token },
  )

  assert.deepEqual(await names('?email=old@example.com'), [])
  assert.deepEqual(await names('?email=new@example.com&name=new'), ['New'])
})

test('a window of time holds what was made in it, its end excluded', async () => {
  const { make, names } = await newClient()
  const now = () => bench.clock().toISOString()
  await make({ accountName: 'first' })
  bench.advance(MINUTE_MS)
  const from = now()
  await make({ accountName: 'second' })
  bench.advance(MINUTE_MS)
  const to = now()
  await make({ accountName: 'third' })

  assert.deepEqual(await names(`?from=${from}`), ['third', 'second'])
  assert.deepEqual(await names(`?to=${to}`), ['second', 'first'])
  assert.deepEqual(await names(`?from=${from}&to=${to}&name=s`), ['second'])
  assert.deepEqual(await names(`?to=${from.slice(0, 10)}`), [])
})

test('pages follow one another without gap or repeat, also when accounts are added', async () => {
  const { make, list } = await newClient()
  for (let now = 0; now < 7; now++) await make({ accountName: `Name ${now}` })

  const seen: string[] = []
  let cursor: string | null = null
  do {
    const page: { data: Listed[]; hasMore: boolean; nextCursor: string | null } = await list(
      `?limit=3&name=name${cursor ? `&cursor=${cursor}` : ''}`,
    )
    seen.push(...page.data.map((account) => account.accountName))
    assert.equal(page.hasMore, page.nextCursor !== null)
    cursor = page.nextCursor
    await make({ accountName: 'Name new' })
  } while (cursor)

  assert.deepEqual(
    seen,
    [6, 5, 4, 3, 2, 1, 0].map((at) => `Name ${at}`),
  )
})

test('a search among very many accounts continues where the previous page ended', async () => {
  const { make, list } = await newClient()
  const { accountNumber } = await make({ accountName: 'The needle' })
  await bench.db.query(
    `with ids as (
       insert into ledger_accounts (kind) select 'collection' from generate_series(1, $2)
       returning id
     )
     insert into collection_accounts (id, client_id, account_number, bank_code, account_name,
       bvn_sealed, bvn_hash, email, merchant_id, merchant_code, notification_url, phone_number,
       channel, created_at, updated_at)
     select ids.id, a.client_id, 'x' || ids.id, bank_code, 'Hay', bvn_sealed, '\\x00', 'h@x.ng',
            'HAY', merchant_code, notification_url, '0', channel, created_at, updated_at
       from ids, collection_accounts a where a.account_number = $1`,
    [accountNumber, SCAN_MAX + 5],
  )

  const first = await list('?name=needle')
  assert.deepEqual([first.data, first.hasMore], [[], true])
  const second = await list(`?name=needle&cursor=${first.nextCursor}`)
  assert.deepEqual([second.data.length, second.hasMore], [1, false])
  const upwards = await list('?name=needle&order=oldest')
  assert.deepEqual([upwards.data.length, upwards.hasMore], [1, true])
  const rest = await list(`?name=needle&order=oldest&cursor=${upwards.nextCursor}`)
  assert.deepEqual([rest.data, rest.hasMore], [[], false])
  const { data, hasMore } = await list('?bvn=22212345654')
  assert.deepEqual([data.length, hasMore], [1, false])
  const page = await list('?limit=2')
  assert.deepEqual([page.data.length, page.hasMore], [2, true])
})

test('a BVN, a NIN, an email address and a phone number are looked up, never scanned for', async () => {
  // The statistics must include the accounts of the tests above.
  await bench.db.query('analyze collection_accounts')
  for (const [index, condition] of [
    ['collection_accounts_by_bvn', `a.bvn_hash = '\\x01'`],
    ['collection_accounts_by_nin', `a.nin_hash = '\\x01'`],
    ['collection_accounts_by_email', `lower(a.email) = lower('A@b.ng')`],
    ['collection_accounts_by_phone', `right(a.phone_number, 10) = right('08012345678', 10)`],
  ] as const) {
    const { rows } = await bench.db.query<{ 'QUERY PLAN': string }>(
      `explain select a.* from collection_accounts a join ledger_accounts l on l.id = a.id
        where a.client_id = (select max(client_id) from collection_accounts)
          and a.id >= 0 and a.id < 9000000 and ${condition} order by a.id desc limit 21`,
    )
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
    assert(plan.includes(index), plan)
  }
})

test("nobody finds another client's account by any filter, and cursors are their owner's", async () => {
  const mine = await newClient()
  const theirs = await newClient()
  for (let at = 0; at < 3; at++) await mine.make({ merchantId: 'MINE', nin: '33312345654' })
  const { nextCursor } = await mine.list('?limit=1&merchantId=MINE')

  for (const query of [
    '',
    '?merchantId=MINE',
    '?merchantCode=Nai0000319',
    '?email=ada@example.com',
    '?phone=%2B2348012345678',
    '?bvn=22212345654',
    '?nin=33312345654',
    '?name=ada',
    '?active=true',
    '?default=false',
    '?from=2020-01-01',
  ]) {
    assert.deepEqual((await theirs.list(query)).data, [], query)
  }
  for (const [query, token] of [
    [`?limit=1&merchantId=MINE&cursor=${nextCursor}`, theirs.token],
    [`?limit=1&merchantId=OTHER&cursor=${nextCursor}`, mine.token],
    [`?limit=1&cursor=${nextCursor}`, mine.token],
    ['?cursor=x', mine.token],
  ] as const) {
    const refused = await listAccounts(bench, query, { token })
    assertRefused(refused, { code: 'invalid_cursor' })
  }
})

test('a client restricted to some merchantCodes finds and changes no other accounts', async () => {
  const { token, make, names } = await newClient()
  const clientId = `LIST${String(clients).padStart(6, '0')}`
  const hidden = await make({ accountName: 'Hidden', merchantCode: 'X' })
  const seen = await make({ accountName: 'Seen', merchantCode: 'Y' })
  await bench.db.query(`update clients set merchant_codes = '{Y,Z}' where client_id = $1`, [
    clientId,
  ])
  bench.advance(10_000) // Clients are read again every few seconds.

  assert.deepEqual(await names(), ['Seen'])
  assert.deepEqual(await names('?bvn=22212345654'), ['Seen'])
  const change = { accountName: 'New' }
  const refused = await patchAccount(bench, hidden.accountNumber, change, { token })
  assertRefused(refused, { status: 404, code: 'account_not_found' })
  assert.equal((await patchAccount(bench, seen.accountNumber, change, { token })).statusCode, 200)
})

const WRONG: [query: string, field: string][] = [
  ['merchantId=', 'merchantId'],
  [`merchantId=${'x'.repeat(65)}`, 'merchantId'],
  ['merchantCode=%00', 'merchantCode'],
  [`email=${'x'.repeat(255)}`, 'email'],
  ['phone=123', 'phone'],
  ['phone=0801-234-5678', 'phone'],
  ['bvn=2221234565', 'bvn'],
  ['nin=2221234565', 'nin'],
  ['bvn=%D9%A2%D9%A2%D9%A2%D9%A2%D9%A2%D9%A2%D9%A2%D9%A2%D9%A2%D9%A2%D9%A2', 'bvn'],
  ['bvn=22212345654&bvn=22212345654', 'bvn'],
  ['name=%20', 'name'],
  ['active=yes', 'active'],
  ['default=1', 'default'],
  ['from=yesterday', 'from'],
  ['from=2026-01-02&to=2026-01-01', 'to'],
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['isActive=true', 'isActive'],
]

test('an invalid or unknown filter is refused by its name', async () => {
  for (const [query, field] of WRONG) {
    const answer = await listAccounts(bench, `?${query}`)
    assertRefused(answer, { code: 'invalid_request' })
    assert.deepEqual(fieldsOf(answer), [field], query)
  }
  assertRefused(await listAccounts(bench, '', { token: null }), { status: 401 })
})
