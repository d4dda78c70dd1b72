// Creating many accounts with one request: each is accepted or refused on its own, with all its faults, and
// created once even if the request is repeated.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldsOf, listAccounts } from '../support/account-calls.ts'
import { startTwin } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { ACCOUNTS, accountBody, assertRefused, dataOf, readAccount } from '../support/fixtures.ts'
import { type Call, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const BULK = `${ACCOUNTS}/bulk`

type Result = {
  index: number
  isSuccessful: boolean
  code: string | null
  message: string
  data: Record<string, unknown> | null
  errors: { field: string; message: string }[]
}

const sendBulk = (accounts: unknown, more: Pick<Call, 'headers' | 'token'> = {}, service = bench) =>
  service.call({ url: BULK, body: { accounts }, ...more })

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })

const accountBodies = (count: number, changes: (at: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, at) => accountBody({ ...changes(at) }))

async function countAccounts(): Promise<number> {
  const { rows } = await bench.db.query('select count(*)::int as count from collection_accounts')
  return rows[0].count
}

const numbersOf = (answer: Awaited<ReturnType<typeof sendBulk>>): unknown[] =>
  dataOf(answer).results.map(({ data }: Result) => data?.accountNumber)

test('each item is accepted or refused on its own, in its place', async () => {
  const before = await countAccounts()
  const items = [
    accountBody({ accountName: 'First' }),
    accountBody({ bvn: '1', email: 'x', channel: undefined }),
    null,
    'text',
    accountBody({ mcc: '5999' }),
    accountBody({ payerRules: { minAmount: 9, maxAmount: 5 } }),
    accountBody({
      accountName: 'Last',
      payerRules: { names: ['Ada Obi'] },
      nin: '33312345654',
      kycTier: 1,
      verifiedName: 'ADA N. OBI',
    }),
  ]

  const { accepted, refused, results } = dataOf(await sendBulk(items))

  assert.deepEqual([accepted, refused], [2, 5])
  assert.deepEqual(
    results.map(({ index, isSuccessful, code, data, errors }: Result) => [
      index,
      isSuccessful,
      code,
      data?.accountName,
      errors.map(({ field }) => field).sort(),
    ]),
    [
      [0, true, null, 'First', []],
      [1, false, 'invalid_request', undefined, ['bvn', 'channel', 'email']],
      [2, false, 'invalid_request', undefined, ['body']],
      [3, false, 'invalid_request', undefined, ['body']],
      [4, false, 'invalid_request', undefined, ['mcc']],
      [5, false, 'invalid_request', undefined, ['payerRules.maxAmount']],
      [6, true, null, 'Last', []],
    ],
  )
  assert.equal(await countAccounts(), before + 2)
  const { bvnMasked, ninMasked, kycTier, kycTierSet, verifiedName, ...view } = results[6].data
  const { payerRules, limits, ownLimits, limitProfile, splitCode, version, ...others } = view
  const { identity, limitTier, ...fields } = others
  assert.deepEqual([identity.bvn.status, identity.nin.status, limitTier], ['queued', 'queued', 1])
  assert.deepEqual(
    [bvnMasked, payerRules.names, limits.perDay, version],
    ['222*****654', ['Ada Obi'], null, 1],
  )
  assert.deepEqual(
    [ninMasked, kycTier, kycTierSet, verifiedName, ownLimits, limitProfile, splitCode],
    ['333*****654', 1, 1, 'ADA N. OBI', limits, null, null],
  )
  const { bvn, ...read } = await readAccount(bench, fields.accountNumber)
  assert.deepEqual(read, fields)
  assert.equal(bvn, '22212345654')
})

test('a request that only validates reports the faults of its items, and creates no account', async () => {
  const before = await countAccounts()
  const accounts = [accountBody(), accountBody({ bvn: '1' }), accountBody({ banks: ['999'] })]
  const body = { accounts, validateOnly: true }

  const checked = await bench.call({ url: BULK, body, ...keyed('validated') })

  const { accepted, refused, results } = dataOf(checked)
  assert.deepEqual([accepted, refused], [1, 2])
  assert.deepEqual(
    results.map(({ index, code, data, errors }: Result) => [index, code, data, errors.length]),
    [
      [0, null, null, 0],
      [1, 'invalid_request', null, 1],
      [2, 'bank_not_supported', null, 0],
    ],
  )
  assert.equal(await countAccounts(), before)
  const wrong = await bench.call({ url: BULK, body: { accounts, validateOnly: 'yes' } })
  assert.deepEqual(fieldsOf(wrong), ['validateOnly'])
  const made = await sendBulk(accounts, keyed('validated')) // The key is still unused.
  assert.equal(dataOf(made).accepted, 1)
  assert.equal(await countAccounts(), before + 1)
})

test('five hundred accounts are created at once, each with its number and event', async () => {
  const token = await bench.newClient('BULK000001')

  const answer = await sendBulk(
    accountBodies(500, (at) => ({ accountName: `${at} ${'é'.repeat(90)}` })),
    { token },
  )

  const { accepted, refused, results } = dataOf(answer)
  assert.deepEqual([accepted, refused, results.length], [500, 0, 500])
  const numbers = new Set(results.map(({ data }: Result) => data?.accountNumber))
  assert.equal(numbers.size, 500)
  assert(
    results.every(({ data }: Result, at: number) => String(data?.accountName).startsWith(`${at} `)),
  )
  const { rows } = await bench.db.query(
    `select count(*)::int as count from events e join clients c on c.id = e.client_id
      where c.client_id = 'BULK000001' and e.type = 'account.created'`,
  )
  assert.equal(rows[0].count, 500)
  const { data } = (await listAccounts(bench, '?limit=1', { token })).json()
  assert.equal(data.length, 1)
})

test('a list that is empty, too long or no list at all is refused as a whole', async () => {
  const before = await countAccounts()
  for (const accounts of [[], accountBodies(501), {}, 'x', null, undefined]) {
    const refused = await sendBulk(accounts)
    assertRefused(refused, { code: 'invalid_request' })
    assert.deepEqual(fieldsOf(refused), ['accounts'])
  }
  const extra = await bench.call({ url: BULK, body: { accounts: accountBodies(1), dryRun: true } })
  assertRefused(extra, { code: 'invalid_request' })
  const huge = await sendBulk(accountBodies(10, () => ({ accountName: 'x'.repeat(300_000) })))
  assertRefused(huge, { status: 413, code: 'body_too_large' })
  assertRefused(await sendBulk(accountBodies(1), { token: null }), { status: 401 })
  assert.equal(await countAccounts(), before)
})

test('the same request with the same key creates no account twice, and gets the same answer', async () => {
  const items = [...accountBodies(3), accountBody({ bvn: 'x' })]
  const first = await sendBulk(items, keyed('bulk-1'))
  const count = await countAccounts()

  const again = await sendBulk(items, keyed('bulk-1'))

  assert.equal(first.headers['idempotent-replayed'], undefined)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.equal(again.body, first.body)
  assert.equal(await countAccounts(), count)
  const other = await sendBulk(items.slice(0, 3), keyed('bulk-1'))
  assertRefused(other, { status: 409, code: 'idempotency_key_reused' })
  const single = await bench.call({ url: ACCOUNTS, body: accountBody(), ...keyed('bulk-1') })
  assertRefused(single, { code: 'idempotency_key_reused' })
  const unkeyed = await sendBulk(items)
  assert.equal(dataOf(unkeyed).accepted, 3)
  assert.equal(await countAccounts(), count + 3)
})

test('the same key at once, through two processes, makes each account once', async () => {
  await using twin = await startTwin(bench)
  const token = await bench.login()
  const items = accountBodies(20)
  const before = await countAccounts()

  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, at) =>
      sendBulk(items, { ...keyed('bulk-2'), token }, at % 2 ? twin : bench),
    ),
  )

  assert.equal(await countAccounts(), before + 20)
  const [first, ...others] = answers.map(numbersOf)
  for (const numbers of others) assert.deepEqual(numbers, first)
  assert.equal(
    answers.filter((answer) => answer.headers['idempotent-replayed'] === undefined).length,
    1,
  )
})

test('a request that was cut off is completed by the same request', async () => {
  const items = accountBodies(4)
  const first = await sendBulk(items, keyed('bulk-3'))
  const before = await countAccounts()
  // Simulates a process that died after creating the accounts and before storing the answer.
  await bench.db.query('delete from stored_responses')

  const again = await sendBulk(items, keyed('bulk-3'))

  assert.equal(await countAccounts(), before)
  assert.deepEqual(numbersOf(again), numbersOf(first))
  assert.equal(again.headers['idempotent-replayed'], 'true')
})

test('when numbers run out, the last ones are used, and the other items are refused', async () => {
  await bench.db.query(
    `update number_ranges set next_index = last_serial - first_serial - 1 where purpose = 'static'`,
  )

  const { accepted, refused, results } = dataOf(await sendBulk(accountBodies(5)))

  assert.deepEqual([accepted, refused], [2, 3])
  assert.equal(results[4].code, 'numbers_exhausted')
})
