// Reading settlements: the list, the lines page by page, the CSV and the printable statement.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, startPayment } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { startTestService } from '../support/running-service.ts'
import {
  closeSettlement,
  linesOf,
  owe,
  SETTLEMENTS,
  setBankAccount,
} from '../support/settlements.ts'

const bench = closeAfterTests(await startTestService())
await setBankAccount(bench)
await createFeeRule(bench)
const { accountNumber } = await createAccount(bench, { merchantCode: '=BR' })
const payment = await startPayment(bench, { amount: 700, merchantRef: '=1+1' })
await owe(bench, '12.34')
for (let at = 1; at <= 4; at++) await credit(bench, accountNumber, `${at}000.01`)
await credit(bench, payment.bankAccount, '700')
const settlement = await closeSettlement(bench)

test('lines are listed in the order in which the money moved, page by page', async () => {
  const all = await linesOf(bench, settlement.reference)
  const paged: object[] = []
  let cursor = ''
  do {
    const url = `${SETTLEMENTS}/${settlement.reference}/lines?limit=2${cursor}`
    const { data, nextCursor } = (await bench.call({ url })).json()
    paged.push(...data)
    cursor = nextCursor && `&cursor=${nextCursor}`
  } while (cursor)

  assert.equal(all.length, settlement.lines)
  assert.deepEqual(paged, all)
  assert.deepEqual(
    all.map(({ kind, gross }: { kind: string; gross: number }) => [kind, gross]),
    [
      ['credit', 1000.01],
      ['credit', 2000.01],
      ['credit', 3000.01],
      ['credit', 4000.01],
      ['credit', 700],
      ['recovery', 0],
    ],
  )
})

test('the CSV has every line, adds up to the net, and is safe in a spreadsheet', async () => {
  const answer = await bench.call({ url: `${SETTLEMENTS}/${settlement.reference}.csv` })
  const again = await bench.call({ url: `${SETTLEMENTS}/${settlement.reference}.csv` })

  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8')
  assert.equal(again.body, answer.body)
  const rows = parseCsv(answer.body)
  assert.equal(rows.length, settlement.lines)
  const kobo = (text = '') => BigInt(text.replace('.', ''))
  const net = rows.reduce((sum, row) => sum + kobo(row.net), 0n)
  assert.equal(net, BigInt(Math.round(settlement.net * 100)))
  for (const row of rows) {
    const { gross, fee, vat, split, reversed, other } = row
    const parts = kobo(gross) - kobo(fee) - kobo(vat) - kobo(split) - kobo(reversed) + kobo(other)
    assert.equal(kobo(row.net), parts)
  }
  assert.equal(rows[0]?.merchantCode, "'=BR")
  assert.equal(rows[4]?.merchantRef, "'=1+1")
  assert.equal(rows[4]?.paymentReference, payment.paymentReference)
  assert.deepEqual([rows[5]?.kind, rows[5]?.other], ['recovery', '-12.34'])
})

test('the page to print shows totals, payouts and lines, escapes, and runs no script', async () => {
  await bench.db.query(`update collection_accounts set account_name = '<b>'`)
  await bench.db.query(`update advices set merchant_ref = '<script>' where merchant_ref = '=1+1'`)

  const answer = await bench.call({ url: `${SETTLEMENTS}/${settlement.reference}.html` })

  assert.equal(answer.statusCode, 200)
  assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(String(answer.headers['content-security-policy']), /^default-src 'none'; style-src/)
  assert(answer.body.includes(settlement.reference))
  assert(answer.body.includes(settlement.payouts[0].reference))
  assert(answer.body.includes(settlement.net.toLocaleString('en', { minimumFractionDigits: 2 })))
  assert(answer.body.includes('&lt;script&gt;') && !answer.body.includes('<script>'))
})

test('settlements are listed newest first, page by page and by status', async () => {
  bench.advance(1_000)
  await credit(bench, accountNumber, '5')
  const newer = await closeSettlement(bench)

  const first = (await bench.call({ url: `${SETTLEMENTS}?limit=1` })).json()
  const second = (
    await bench.call({ url: `${SETTLEMENTS}?limit=1&cursor=${first.nextCursor}` })
  ).json()
  const paid = (await bench.call({ url: `${SETTLEMENTS}?status=paid` })).json()

  assert.deepEqual(
    [first.data[0].reference, second.data[0].reference, second.nextCursor],
    [newer.reference, settlement.reference, null],
  )
  assert.deepEqual(paid.data, [])
  assert.deepEqual(first.data[0], newer)
})

test('a cursor of the lines of one settlement is refused for those of another', async () => {
  bench.advance(1_000)
  await credit(bench, accountNumber, '6')
  const other = await closeSettlement(bench)
  const lines = (reference: string, more = '') =>
    bench.call({ url: `${SETTLEMENTS}/${reference}/lines?limit=1${more}` })
  const { nextCursor } = (await lines(settlement.reference)).json()

  const own = await lines(settlement.reference, `&cursor=${nextCursor}`)
  const foreign = await lines(other.reference, `&cursor=${nextCursor}`)

  assert.equal(own.statusCode, 200)
  assert.deepEqual([foreign.statusCode, foreign.json().code], [400, 'invalid_cursor'])
})
