// Lists over a long history. A filter that an index supports finds the oldest row with the first page.
// Without an index, each page searches some thousand rows, and following the cursors reaches the oldest row.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { startPayment } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { readList } from '../support/tracing.ts'

const HISTORY = 21_000
const bench = closeAfterTests(await startTestService())

// Half of the rows belong to another client.
await bench.newClient('OTHER00001')
const customer = { customerFirstName: 'Methuselah' }
await startPayment(bench, { amount: 999, customer, merchantRef: 'the-oldest' })
await bench.db.query(
  `with made as materialized (
     select (lpad(to_hex((extract(epoch from $2::timestamptz) * 1000)::bigint + n), 12, '0')
             || substr(md5(n::text), 1, 20))::uuid as id,
            (n % 2) as parity, $2::timestamptz + n * interval '1 ms' as at
       from generate_series(1, $1::int) as n
   ), advised as (
     insert into advices (id, client_id, amount_kobo, currency, call_back_url, customer,
                          customer_name, amount_policy, expires_in_seconds, grace_seconds,
                          created_at)
     select m.id, c.id, 100, 'NGN', 'https://shop.example.com', '{}', 'Ada Obi', 'any', 60, 0,
            m.at
       from made m join clients c on c.client_id = case m.parity when 0 then 'OTHER00001'
                                                   else 'MAN0000001' end
     returning id, client_id, created_at
   )
   insert into payments (id, advice_id, client_id, amount_kobo, amount_paid_kobo, amount_policy,
                         status, expires_at, closes_at, created_at, updated_at)
   select id, id, client_id, 100, 100, 'any', 'Successful', created_at, created_at, created_at,
          created_at from advised`,
  [2 * HISTORY, new Date(bench.clock().getTime() + 1)],
)
await bench.db.query('analyze advices; analyze payments')
bench.advance(10 * 60_000)

for (const url of ['/api/v1/advices', '/api/v1/payments']) {
  test(`${url}: the oldest is found by what no index knows, in a few steps`, async () => {
    const queries = ['search=methuselah', 'minAmount=999', 'search=METHU&minAmount=999']
    for (const query of [...queries, 'search=methuselah&order=oldest']) {
      const pages = [await readList(bench, `${url}?${query}`)]
      while (pages.at(-1)?.nextCursor && pages.length < 10) {
        pages.push(await readList(bench, `${url}?${query}&cursor=${pages.at(-1)?.nextCursor}`))
      }
      const found = pages.flatMap(({ data }) => data.map((row) => row.merchantRef))
      assert.deepEqual(found, ['the-oldest'], query)
      assert.equal(pages.length, 2)
    }
  })

  test(`${url}: what an index knows comes with the first page, whatever the history`, async () => {
    const status = url.endsWith('advices') ? 'Reversed' : 'PartPayment'
    const direct = ['merchantRef=the-oldest', 'reference=the-oldest', `to=${at(1)}`]
    for (const query of direct) {
      const { data, hasMore } = await readList(bench, `${url}?${query}`)
      assert.deepEqual([data.map((row) => row.merchantRef), hasMore], [['the-oldest'], false])
    }
    for (const query of [`status=${status}`, 'status=Cancelled', 'reference=nothing']) {
      const { data, hasMore } = await readList(bench, `${url}?${query}`)
      assert.deepEqual([data, hasMore], [[], false])
    }
  })
}

const at = (ms: number) => new Date(bench.clock().getTime() - 10 * 60_000 + ms).toISOString()
