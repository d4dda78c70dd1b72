// Suspense lists: filtered, in several orders, summed by reason and age, and as CSV. All four show the
// same items.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { assertRefused, createAccount, startPayment } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import {
  assign,
  type Item,
  listItems,
  NOBODYS_NUMBER,
  SUSPENSE,
  suspend,
} from '../support/suspense-desk.ts'
import { credit } from '../support/tracing.ts'

const DAY_MS = 86_400_000
const bench = closeAfterTests(await startTestService())

// Forty days of items: unidentified, for a paid payment, and assigned ones.
const { accountNumber } = await createAccount(bench)
const { bankAccount } = await startPayment(bench)
await credit(bench, bankAccount, '6000.00')
const ancient = (await suspend(bench, NOBODYS_NUMBER, '500.00', { bank: '058' })).id
bench.advance(30 * DAY_MS)
const old = (await suspend(bench, bankAccount, '70.25')).id
bench.advance(5 * DAY_MS)
const week = (await suspend(bench, bankAccount, '300.00')).id
const gone = (await suspend(bench, NOBODYS_NUMBER, '41.00', { bank: '058' })).id
bench.advance(4 * DAY_MS)
const fresh = (await suspend(bench, NOBODYS_NUMBER, '300.00', { bank: '035' })).id
assert.equal((await assign(bench, gone, { accountNumber })).statusCode, 200)

const ids: Record<string, number> = { ancient, old, week, fresh }
const namesOf = (items: readonly Item[]) =>
  items.map(({ id }) => Object.keys(ids).find((name) => ids[name] === id))

// The summary of open items that match the query.
async function summary(query = '', token?: string) {
  const url = `${SUSPENSE}/summary?state=open${query}`
  const answer = await bench.call({ url, ...(token ? { token } : {}) })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

// The CSV export of open items that match the query, parsed.
async function csv(query: string, token?: string) {
  const url = `${SUSPENSE}.csv?state=open${query}`
  const answer = await bench.call({ url, ...(token ? { token } : {}) })
  assert.equal(answer.statusCode, 200, answer.body)
  return parseCsv(answer.body)
}

const FILTERS: readonly [query: string, expected: readonly string[]][] = [
  ['', ['fresh', 'week', 'old', 'ancient']],
  ['&reason=unknown_number', ['fresh', 'ancient']],
  ['&reason=nothing_of_ours', []],
  ['&bankCode=058', ['ancient']],
  ['&age=0-1', ['fresh']],
  ['&age=2-7', ['week']],
  ['&age=8-30', ['old']],
  ['&age=30%2B', ['ancient']],
  ['&minAmount=300', ['fresh', 'week', 'ancient']],
  ['&maxAmount=300.00', ['fresh', 'week', 'old']],
  ['&minAmount=70.26&maxAmount=499.99', ['fresh', 'week']],
  ['&reason=unknown_number&age=0-1&minAmount=300', ['fresh']],
]

test('list, sums and CSV show the same items, whatever the filters', async () => {
  for (const [query, expected] of FILTERS) {
    const items = await listItems(bench, `&state=open${query}`)
    assert.deepEqual(namesOf(items), expected, query)

    const rows = await csv(query)
    assert.deepEqual(
      rows.map(({ id }) => Number(id)),
      items.map(({ id }) => id),
      query,
    )

    const { totals, byReason, byAge, isComplete } = await summary(query)
    const kobo = items.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0)
    const count = items.length
    const whole = count === 0 ? [] : [{ currency: 'NGN', count, amount: kobo / 100 }]
    assert.deepEqual([totals, isComplete], [whole, true], query)
    for (const parts of [byReason, byAge]) {
      assert.equal(
        parts.reduce((sum: number, part: Item) => sum + part.count, 0),
        count,
        query,
      )
      const added = parts.reduce(
        (sum: number, { amount }: Item) => sum + Math.round(amount * 100),
        0,
      )
      assert.equal(added, kobo, query)
    }
  }
})

test('sums are by reason, largest first, and by age, youngest first', async () => {
  const { byReason, byAge } = await summary()

  const currency = 'NGN'
  assert.deepEqual(byReason, [
    { reason: 'unknown_number', currency, count: 2, amount: 800 },
    { reason: 'already_paid', currency, count: 2, amount: 370.25 },
  ])
  assert.deepEqual(
    byAge.map(({ age, count, amount }: Item) => [age, count, amount]),
    [
      ['0-1', 1, 300],
      ['2-7', 1, 300],
      ['8-30', 1, 70.25],
      ['30+', 1, 500],
    ],
  )
})

test('every order goes page by page without loss or repetition, also where amounts are equal', async () => {
  const orders = {
    newest: ['fresh', 'week', 'old', 'ancient'],
    oldest: ['ancient', 'old', 'week', 'fresh'],
    largest: ['ancient', 'fresh', 'week', 'old'],
    smallest: ['old', 'week', 'fresh', 'ancient'],
  }
  for (const [order, expected] of Object.entries(orders)) {
    const seen: Item[] = []
    let cursor = ''
    do {
      const url = `${SUSPENSE}?state=open&limit=1&order=${order}${cursor && `&cursor=${cursor}`}`
      const page = (await bench.call({ url })).json()
      seen.push(...page.data)
      cursor = page.nextCursor ?? ''
    } while (cursor !== '' && seen.length < 10)
    assert.deepEqual(namesOf(seen), expected, order)
    assert.deepEqual(
      (await csv(`&order=${order}`)).map(({ id }) => Number(id)),
      seen.map(({ id }) => id),
    )
  }
  const { nextCursor } = (await bench.call({ url: `${SUSPENSE}?limit=1&order=largest` })).json()
  const other = await bench.call({ url: `${SUSPENSE}?limit=1&order=smallest&cursor=${nextCursor}` })
  assertRefused(other, { code: 'invalid_cursor' })
})

test('a filter that says nothing sensible is refused, and named', async () => {
  const bad = [
    'age=31',
    'age=',
    'minAmount=-1',
    'minAmount=1.234',
    'maxAmount=1e9',
    'bankCode=x',
    'state=shut',
    'order=best',
    'minAmount=2&maxAmount=1',
    'reasons=late',
    'minAmount=99999999999',
  ]
  for (const path of ['', '/summary', '.csv']) {
    for (const query of bad) {
      if (path === '/summary' && query.startsWith('order')) continue
      const answer = await bench.call({ url: `${SUSPENSE}${path}?${query}` })
      assertRefused(answer, { code: 'invalid_request' })
    }
  }
})

test('another client sees no items; a client restricted to merchants sees only theirs', async () => {
  const token = await bench.newClient('SUSPELSE01')
  assert.deepEqual(await listItems(bench, '', token), [])
  assert.deepEqual((await summary('', token)).totals, [])
  assert.deepEqual(await csv('', token), [])
  for (const [merchantCode, amount] of [
    ['OURS', '10.00'],
    ['THEIRS', '20.00'],
  ] as const) {
    const { accountNumber: number } = await createAccount(bench, { merchantCode }, { token })
    const url = `/api/v1/accounts/static/${number}`
    await bench.db.query(
      'update collection_accounts set is_active = false where account_number = $1',
      [number],
    )
    assert.equal((await bench.call({ url, token })).statusCode, 200)
    await suspend(bench, number, amount)
  }
  assert.equal((await summary('', token)).totals[0].amount, 30)

  await bench.db.query(
    `update clients set merchant_codes = '{OURS}' where client_id = 'SUSPELSE01'`,
  )

  assert.deepEqual(
    (await listItems(bench, '', token)).map(({ amount }) => amount),
    [10],
  )
  assert.deepEqual((await summary('', token)).totals, [{ currency: 'NGN', count: 1, amount: 10 }])
  assert.deepEqual(
    (await csv('', token)).map(({ amount }) => amount),
    ['10.00'],
  )
})

test('the file has the columns that are documented, and no formula', async () => {
  const { id } = await suspend(bench, NOBODYS_NUMBER, '9.00', { sourceAccountName: '=1+1' })

  const [row] = await csv('&maxAmount=9.00')

  assert.deepEqual(Object.keys(row as object), [
    'id',
    'amount',
    'currency',
    'reason',
    'state',
    'openedAt',
    'closedAt',
    'ageDays',
    'creditId',
    'sessionId',
    'bankCode',
    'bankName',
    'accountNumber',
    'sourceAccountName',
    'sourceAccountNumberMasked',
    'sourceBankCode',
    'narration',
    'paymentReference',
    'assignedTo',
    'returnReference',
    'bankReference',
    'failureReason',
  ])
  assert.deepEqual([row?.id, row?.amount, row?.sourceAccountName], [`${id}`, '9.00', "'=1+1"])
})

test('newest first is by time, also where an item was written later than one that is younger', async () => {
  await using own = await startTestService()
  for (const [amount, days] of [
    ['1.00', 0],
    ['2.00', 20],
    ['3.00', 10], // Like sample data, or a client with a test clock.
    ['4.00', 10],
  ] as const) {
    own.advance(days * DAY_MS)
    await suspend(own, NOBODYS_NUMBER, amount, { bank: '058' })
    own.advance(-days * DAY_MS)
  }
  own.advance(30 * DAY_MS)
  for (const [order, expected] of [
    ['newest', [2, 4, 3, 1]],
    ['oldest', [1, 3, 4, 2]],
  ] as const) {
    const amounts: number[] = []
    let cursor = ''
    do {
      const url = `${SUSPENSE}?limit=1&order=${order}${cursor && `&cursor=${cursor}`}`
      const page = (await own.call({ url })).json()
      amounts.push(...page.data.map(({ amount }: Item) => amount))
      cursor = page.nextCursor ?? ''
    } while (cursor !== '' && amounts.length < 10)
    assert.deepEqual(amounts, expected, order)
  }
})
