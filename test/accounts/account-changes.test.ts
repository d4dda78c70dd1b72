// Only its own client can change a collection account. Nobody overwrites a version that they have not seen.
// Each change has an event and an audit log entry; an update without a difference has neither.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  actionsOf,
  eventsOf,
  fieldsOf,
  patchAccount,
  switchAccount,
} from '../support/account-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  accountBody,
  assertAlike,
  assertRefused,
  createAccount,
  dataOf,
  MINUTE_MS,
  readAccount,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const otherClient = await bench.newClient('OTHER00001')

const readEtag = async (accountNumber: string) =>
  (await bench.call({ url: `${ACCOUNTS}/${accountNumber}` })).headers.etag as string

test('a change applies to each field in the request, and to no others', async () => {
  const made = await createAccount(bench)
  bench.advance(MINUTE_MS)
  const changes = {
    accountName: 'Adébáyọ̀ 🏦',
    email: 'new@example.com',
    phoneNumber: '08099999999',
    notificationUrl: 'https://other.example.com/hook',
  }
  for (const [field, value] of Object.entries(changes)) {
    const data = dataOf(await patchAccount(bench, made.accountNumber, { [field]: value }))
    assert.equal(data[field], value)
  }

  const { updatedAt, ...read } = await readAccount(bench, made.accountNumber)
  const { updatedAt: _, ...before } = made
  assert.deepEqual(read, { ...before, ...changes })
  assert.equal(new Date(updatedAt).getTime(), bench.clock().getTime())
})

test('an answer has more fields than the published one, and only the ends of the BVN', async () => {
  const { accountNumber, bvn, ...made } = await createAccount(bench)
  const payerRules = {
    minAmount: 1,
    maxAmount: '50.50',
    accounts: [{ accountNumber: '0123456789', bankCode: '057' }],
    names: ['Ada Obi'],
  }
  const limits = { perCredit: '100.5', perDay: 1000 }

  const answer = await patchAccount(bench, accountNumber, { payerRules, limits })

  const { updatedAt: _, ...data } = dataOf(answer)
  const { updatedAt: __, ...before } = made
  assert.deepEqual(data, {
    ...before,
    accountNumber,
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
    payerRules: {
      minAmount: 1,
      maxAmount: 50.5,
      accounts: [{ accountNumber: '******6789', bankCode: '057' }],
      names: ['Ada Obi'],
    },
    limits: { perCredit: 100.5, perDay: 1000, balanceMax: null },
    ownLimits: { perCredit: 100.5, perDay: 1000, balanceMax: null },
    limitProfile: null,
    splitCode: null,
    version: 2,
  })
  assert.equal(bvn, '22212345654')
})

test('rules and limits are removed by null, and limits one by one', async () => {
  const { accountNumber } = await createAccount(bench, { payerRules: { maxAmount: 5 } })
  const patch = async (body: object) => dataOf(await patchAccount(bench, accountNumber, body))

  // Changes the account's limits, and returns those in force.
  const limits = async (changes: object | null) => {
    const { perCredit, perDay, balanceMax } = (await patch({ limits: changes })).limits
    return [perCredit, perDay, balanceMax]
  }
  assert.deepEqual(await limits({ perCredit: 5 }), [5, null, null])
  assert.deepEqual(await limits({ perDay: 9 }), [5, 9, null])
  assert.deepEqual(await limits({ balanceMax: '99.50' }), [5, 9, 99.5])
  assert.deepEqual(await limits({ perCredit: null }), [null, 9, 99.5])
  assert.deepEqual(await limits(null), [null, null, null])
  assert.deepEqual((await patch({ payerRules: {} })).payerRules, null)
  assert.equal((await patch({ payerRules: { names: ['Ada Obi'] } })).payerRules.names.length, 1)
  assert.equal((await patch({ payerRules: null })).payerRules, null)
})

test('a change is an event and an audit log entry, without personal data', async () => {
  const { accountNumber } = await createAccount(bench)

  await patchAccount(bench, accountNumber, {
    email: 'x@example.com',
    accountName: 'New Name',
    limits: { perDay: 10, perCredit: 5 },
  })

  const [created, updated, ...more] = await eventsOf(bench, accountNumber)
  assert.deepEqual([created.type, updated.type, more], ['account.created', 'account.updated', []])
  assert.deepEqual(updated.data.changes, ['accountName', 'email', 'limits'])
  assert.equal(updated.data.accountName, 'New Name')
  assert.deepEqual(await actionsOf(bench, accountNumber), [
    {
      actor: 'client:MAN0000001',
      action: 'account.update',
      detail: { changes: ['accountName', 'email', 'limits'], note: null },
    },
  ])
  const { rows } = await bench.db.query(
    `select count(*)::int as count from events where facts::text like '%x@example%'`,
  )
  assert.equal(rows[0].count, 0)
})

test('an update without a difference is no change', async () => {
  const payerRules = { names: ['Ada Obi'], maxAmount: 7, minAmount: 2 }
  const made = await createAccount(bench, { payerRules })
  const { accountNumber, email } = made
  await switchAccount(bench, accountNumber, 'default')
  const etag = await readEtag(accountNumber)

  const same = { email, payerRules, limits: { perDay: null } }
  assert.equal((await patchAccount(bench, accountNumber, same)).headers.etag, etag)
  assert.equal((await switchAccount(bench, accountNumber, 'activate')).headers.etag, etag)
  assert.equal((await switchAccount(bench, accountNumber, 'default')).headers.etag, etag)

  assert.equal((await eventsOf(bench, accountNumber)).length, 2)
  assert.equal((await actionsOf(bench, accountNumber)).length, 1)
})

test('the ETag is the same until something is changed; a stale one is refused', async () => {
  const made = await bench.call({
    url: ACCOUNTS,
    body: accountBody(),
  })
  const { accountNumber } = made.json().data
  const first = await readEtag(accountNumber)
  assert.equal(made.headers.etag, first)
  assert.match(first, /^"[^"]+"$/)

  const patch = (body: object, ifMatch: string) =>
    patchAccount(bench, accountNumber, body, { headers: { 'if-match': ifMatch } })
  const changed = await patch({ email: 'a@example.com' }, first)
  const second = changed.headers.etag as string
  assert.equal(changed.statusCode, 200)
  assert.notEqual(second, first)
  assert.equal(await readEtag(accountNumber), second)

  for (const stale of [first, '"nothing"', `W/${second}`, '', ',', second.slice(1), '\u00e9']) {
    const refused = await patch({ email: 'b@example.com' }, stale)
    assertRefused(refused, { status: 412, code: 'account_changed' })
  }
  for (const to of ['deactivate', 'activate', 'default'] as const) {
    const refused = await switchAccount(bench, accountNumber, to, {
      headers: { 'if-match': first },
    })
    assertRefused(refused, { status: 412, code: 'account_changed' })
  }
  assert.equal((await readAccount(bench, accountNumber)).email, 'a@example.com')
  assert.equal((await patch({ email: 'c@example.com' }, `${first}, ${second}`)).statusCode, 200)
  assert.equal((await patch({ email: 'd@example.com' }, '*')).statusCode, 200)
  const tooLong = await patch({ email: 'e@example.com' }, `"${'x'.repeat(500)}"`)
  assertRefused(tooLong, { code: 'invalid_request' })
})

test('of many users with the same version, one may change the account', async () => {
  const { accountNumber } = await createAccount(bench)
  const headers = { 'if-match': await readEtag(accountNumber) }

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      patchAccount(bench, accountNumber, { accountName: `Name ${at}` }, { headers }),
    ),
  )

  const winners = answers.filter((answer) => answer.statusCode === 200)
  assert.equal(winners.length, 1)
  const { accountName } = await readAccount(bench, accountNumber)
  assert.equal(winners[0]?.json().data.accountName, accountName)
  assert.equal((await eventsOf(bench, accountNumber)).length, 2)
})

test('many unconditional changes at once are all made, one after the other', async () => {
  const { accountNumber } = await createAccount(bench)

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) =>
      patchAccount(
        bench,
        accountNumber,
        at % 2 ? { email: `n${at}@x.ng` } : { accountName: `${at}` },
      ),
    ),
  )

  const versions = answers.map((answer) => dataOf(answer).version)
  assert.deepEqual(
    versions.sort((one, other) => one - other),
    Array.from({ length: 20 }, (_, at) => at + 2),
  )
})

const WRONG: [body: unknown, fields: string[]][] = [
  [{}, ['body']],
  [[], ['body']],
  [null, ['body']],
  ['"x"', ['body']],
  [{ accountName: '' }, ['accountName']],
  [{ accountName: null }, ['accountName']],
  [{ accountName: 'x'.repeat(101) }, ['accountName']],
  [{ accountName: 'a\u0000' }, ['accountName']],
  [{ email: 'ada' }, ['email']],
  [{ phoneNumber: '12' }, ['phoneNumber']],
  [{ notificationUrl: 'ftp://x.ng' }, ['notificationUrl']],
  [{ bvn: '22212345654' }, ['bvn']],
  [{ merchantId: 'M-2' }, ['merchantId']],
  [{ isActive: false, isDefault: true }, ['isActive', 'isDefault']],
  [{ payerRules: 5 }, ['payerRules']],
  [{ payerRules: { max: 5 } }, ['payerRules.max']],
  [{ payerRules: { maxAmount: 0 } }, ['payerRules.maxAmount']],
  [{ payerRules: { minAmount: 5, maxAmount: 4 } }, ['payerRules.maxAmount']],
  [{ payerRules: { names: ['Ada'] } }, ['payerRules.names.0']],
  [{ limits: [] }, ['limits']],
  [{ limits: { perCredit: 0 } }, ['limits.perCredit']],
  [{ limits: { perCredit: -1, perDay: '1e5' } }, ['limits.perCredit', 'limits.perDay']],
  [{ limits: { perDay: 1.001 } }, ['limits.perDay']],
  [{ limits: { perDay: 10_000_000_000_001 } }, ['limits.perDay']],
  [{ limits: { perDay: {} } }, ['limits.perDay']],
  [{ limits: { balanceMax: 0 } }, ['limits.balanceMax']],
  [{ limits: { perWeek: 5 } }, ['limits.perWeek']],
  [{ nin: '2221234565' }, ['nin']],
  [{ nin: '٢٢٢١٢٣٤٥٦٥٤' }, ['nin']],
  [{ nin: 22212345654 }, ['nin']],
  [{ kycTier: 0 }, ['kycTier']],
  [{ kycTier: 4 }, ['kycTier']],
  [{ kycTier: '1' }, ['kycTier']],
  [{ kycTier: null }, ['kycTier']],
  [{ kycTier: 1.5 }, ['kycTier']],
  [{ verifiedName: '' }, ['verifiedName']],
  [{ verifiedName: 'x'.repeat(101) }, ['verifiedName']],
  [{ limitProfile: 'nowhere' }, ['limitProfile']],
  [{ limitProfile: '' }, ['limitProfile']],
  [{ limitProfile: 'x'.repeat(41) }, ['limitProfile']],
  [{ limitProfile: 5 }, ['limitProfile']],
]

test('an invalid change is refused with the name of the field', async () => {
  const { accountNumber } = await createAccount(bench)
  for (const [body, fields] of WRONG) {
    const answer = await patchAccount(bench, accountNumber, body ?? 'null')
    assertRefused(answer, { code: 'invalid_request' })
    assert.deepEqual(fieldsOf(answer), fields, JSON.stringify(body))
  }
  assert.equal((await eventsOf(bench, accountNumber)).length, 1)
})

test("somebody else's account cannot be changed, and answers as one that is not there", async () => {
  const { accountNumber } = await createAccount(bench)
  const token = otherClient

  const foreign = await patchAccount(bench, accountNumber, { email: 'x@y.ng' }, { token })
  const missing = await patchAccount(bench, '0000000000', { email: 'x@y.ng' }, { token })
  assertRefused(foreign, { status: 404, code: 'account_not_found' })
  assertAlike(foreign, missing)
  for (const to of ['deactivate', 'activate', 'default'] as const) {
    assertAlike(await switchAccount(bench, accountNumber, to, { token }), missing)
    assertAlike(await switchAccount(bench, 'x', to, { token }), missing)
  }
  const anonymous = await patchAccount(bench, accountNumber, { email: 'x@y.ng' }, { token: null })
  assertRefused(anonymous, { status: 401, code: 'unauthorized' })
})
