// The summary of a list (count and sum) equals what its pages add up to, for each filter. Above 10,000 rows
// the count is a lower bound, and there is no sum.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount, dataOf, startPayment } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { credit, type Row, readList } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const ACCOUNTS = '/api/v1/accounts/static'
const DAY_MS = 86_400_000
const SUMMED_MAX = 10_000

async function summaryOf(url: string, query: string, token?: string) {
  const call = { url: `${url}/summary?${query}`, ...(token ? { token } : {}) }
  return dataOf(await bench.call(call))
}

const account = await createAccount(bench, { accountName: 'Summed' })
for (const [at, amount] of [100, 250.5, 250.5, 9000].entries()) {
  const { bankAccount } = await startPayment(bench, { amount, merchantRef: `SUM-${at}` })
  if (at > 0) await credit(bench, bankAccount, `${amount}`, { sourceAccountName: 'ADA OBI' })
  await credit(bench, account.accountNumber, `${amount}`, { sourceAccountName: 'BOLA ADE' })
  bench.advance(DAY_MS)
}
const day = (ago: number) => new Date(bench.clock().getTime() - ago * DAY_MS).toISOString()

const CASES: [string, string, (row: Row) => number][] = [
  ...['', 'minAmount=250.5', 'maxAmount=250.50&minAmount=200', 'status=Successful', 'search=ada']
    .concat([`from=${day(2)}`, `to=${day(2)}`, 'reference=SUM-1', 'minAmount=999999'])
    .map((query): (typeof CASES)[number] => ['/api/v1/payments', query, ({ amount }) => amount]),
  ...['', 'minAmount=250.5', 'payer=bola', 'payer=ada&maxAmount=300', 'outcome=booked', 'payer=x']
    .concat([`from=${day(2)}`, `to=${day(2)}`, `accountNumber=${account.accountNumber}`])
    .map((query): (typeof CASES)[number] => ['/api/v1/credits', query, ({ amount }) => amount]),
  ...['', 'name=summed', 'minAmount=9601', 'minAmount=9601.01', 'active=false', `to=${day(9)}`].map(
    (query): (typeof CASES)[number] => [ACCOUNTS, query, ({ accountBalance }) => accountBalance],
  ),
]

for (const [url, query, amountOf] of CASES) {
  test(`${url}?${query} adds up to its list`, async () => {
    const { data, hasMore } = await readList(bench, `${url}?limit=100&${query}`)
    const { count, isExact, totals } = await summaryOf(url, query)

    const kobo = data.reduce((sum, row) => sum + Math.round(amountOf(row) * 100), 0)
    assert.equal(hasMore, false)
    assert.deepEqual([count, isExact], [data.length, true])
    const [total] = totals
    if (data.length === 0) return assert.deepEqual(totals, [])
    assert.deepEqual([total.currency, total.count], ['NGN', data.length])
    assert.equal(Math.round(total.amount * 100), kobo)
    if (url.endsWith('payments')) {
      const paid = data.reduce((sum, row) => sum + Math.round(row.amountPaid * 100), 0)
      assert.equal(Math.round(total.amountPaid * 100), paid)
    }
  })
}

test('every filtered case exists: the cases distinguish the lists', async () => {
  const counts = await Promise.all(CASES.map(([url, query]) => summaryOf(url, query)))
  assert.deepEqual(
    counts.map(({ count }) => count),
    [4, 3, 2, 3, 4, 2, 2, 1, 0, 7, 6, 4, 2, 7, 0, 4, 3, 4, 1, 1, 1, 0, 0, 0],
  )
})

test('another client has nothing to add up; what is no filter is refused', async () => {
  const token = await bench.newClient('SUMMED0001')
  const urls = ['/api/v1/payments', '/api/v1/credits', ACCOUNTS, '/api/v1/payouts']
  for (const url of urls) {
    assert.deepEqual(await summaryOf(url, '', token), { count: 0, isExact: true, totals: [] })
    for (const query of ['minAmount=0', 'minAmount=x', 'minAmount=2&maxAmount=1', 'limit=1']) {
      assertRefused(await bench.call({ url: `${url}/summary?${query}` }))
      const listed = query === 'limit=1' ? 'limit=0' : query
      assertRefused(await bench.call({ url: `${url}?${listed}` }))
    }
    assertRefused(await bench.call({ url: `${url}/summary?from=soon` }))
    const status = { status: 401 }
    assertRefused(await bench.call({ url: `${url}/summary`, token: null }), status)
  }
})

test('a summary of more than ten thousand is a bound, without a sum', async () => {
  const token = await bench.newClient('SUMMED0002')
  const fill = (from: number, to: number) =>
    bench.db.query(
      `with advised as (
         insert into advices (id, client_id, amount_kobo, currency, call_back_url, customer,
                              customer_name, amount_policy, expires_in_seconds, grace_seconds,
                              created_at)
         select (lpad(to_hex((extract(epoch from $3::timestamptz) * 1000)::bigint + n), 12, '0')
                 || substr(md5(n::text), 1, 20))::uuid, c.id, 100, 'NGN', 'https://shop.example',
                '{}', 'Ada Obi', 'any', 60, 0, $3
           from generate_series($1::int, $2::int) as n
           join clients c on c.client_id = 'SUMMED0002'
         returning id, client_id, created_at)
       insert into payments (id, advice_id, client_id, amount_kobo, amount_paid_kobo, amount_policy,
                             status, expires_at, closes_at, created_at, updated_at)
       select id, id, client_id, 100, 100, 'any', 'Successful', created_at, created_at, created_at,
              created_at from advised`,
      [from, to, bench.clock()],
    )
  await fill(1, SUMMED_MAX)
  const whole = await summaryOf('/api/v1/payments', '', token)
  await fill(SUMMED_MAX + 1, SUMMED_MAX + 1)
  const more = await summaryOf('/api/v1/payments', '', token)
  await fill(SUMMED_MAX + 2, 2 * SUMMED_MAX + 2)
  const unread = await summaryOf('/api/v1/payments', 'search=nobody', token)

  const all = { currency: 'NGN', count: SUMMED_MAX, amount: 10_000, amountPaid: 10_000 }
  assert.deepEqual(whole, { count: SUMMED_MAX, isExact: true, totals: [all] })
  assert.deepEqual(more, { count: SUMMED_MAX, isExact: false, totals: null })
  assert.deepEqual(unread, { count: 0, isExact: false, totals: null })
})
