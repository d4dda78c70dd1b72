// Tests the trial balance, the VAT report, balances across clients and the ageing of suspense with exact
// figures, now and at moments in the past.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  closeDay,
  csvOf,
  DAY_MS,
  FIRST_DAY,
  pass,
  reportOf,
  sum,
  textOf,
} from '../support/accounting.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { assertRefused, createAccount } from '../support/fixtures.ts'
import { CONFIRMED, payOut, settleAll } from '../support/money-out.ts'
import { startTestService } from '../support/running-service.ts'
import { assign, NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'
import { credit, type Row, reverse } from '../support/tracing.ts'

// biome-ignore lint/suspicious/noExplicitAny: the lines of a JSON answer.
type Line = any

const bench = closeAfterTests(await startTestService())

// Creates the money that all reports of this file show, and returns two moments. On the first day: a credit
// of 1,000.00 with a fee of 10.00 and 0.75 VAT, of which the bank keeps 10.00 and 0.75; and 200.00 without
// an owner. A week later 200.00 are assigned, 40.00 suspended, 100.00 paid out, and 500.00 reversed.
const moments = await (async () => {
  const { accountNumber } = await createAccount(bench, { merchantCode: 'SHOP1' })
  await createFeeRule(bench)
  const charges = { fee: '10.00', vat: '0.75', settled: '989.25' }
  const session = await credit(bench, accountNumber, '1000.00', { charges })
  const unknown = await suspend(bench, NOBODYS_NUMBER, '200.00')
  bench.advance(60_000)
  const first = bench.clock().toISOString()
  bench.advance(7 * DAY_MS)
  const week = bench.clock().toISOString()
  const assigned = await assign(bench, unknown.id, { accountNumber })
  assert.equal(assigned.statusCode, 200, assigned.body)
  const { accountNumber: other } = await createAccount(bench, { merchantCode: 'SHOP2' })
  await credit(bench, other, '300.00')
  await suspend(bench, other, '40.00', { currency: 'USD' })
  await payOut(bench, 100)
  await settleAll(bench, CONFIRMED)
  await reverse(bench, session, '500.00')
  bench.advance(60_000)
  return { first, week }
})()

// Writes each line of a report as "code debit credit", with the currency unless it is naira.
const summarise = ({ lines }: { lines: Line[] }) =>
  lines.map(({ accountCode, debit, credit: to, currency }) =>
    [accountCode, debit, to, ...(currency === 'NGN' ? [] : [currency])].join(' '),
  )

const AT_FIRST = [
  '1000 1189.25 0',
  '1200 0.75 0',
  '2000 0 989.25',
  '2100 0 200',
  '2200 0 0.75',
  '4000 0 10',
  '5000 10 0',
]

test('the trial balance has every account code, at any moment, and adds up', async () => {
  const now = await reportOf(bench, 'trial-balance')
  const first = await reportOf(bench, `trial-balance?at=${moments.first}`)
  const empty = await reportOf(bench, 'trial-balance?at=2026-11-01')

  assert.deepEqual(summarise(first), AT_FIRST)
  assert.deepEqual(first.totals, [{ currency: 'NGN', debit: 1200, credit: 1200 }])
  assert.deepEqual(summarise(now), [
    '1000 878.5 0',
    '1200 1.5 0',
    '2000 0 889.25',
    '2060 0 0',
    '2100 0 0',
    '2200 0 0.75',
    '4000 0 10',
    '5000 20 0',
    '1000 40 0 USD',
    '2100 0 40 USD',
  ])
  assert.deepEqual(now.totals, [
    { currency: 'NGN', debit: 900, credit: 900 },
    { currency: 'USD', debit: 40, credit: 40 },
  ])
  assert.deepEqual(empty.lines, [])
  const answer = await bench.call({ url: '/api/v1/operator/trial-balance?at=2027-01-01' })
  assertRefused(answer, { status: 400, code: 'invalid_request' })
})

test('the trial balance is a file and a page, too', async () => {
  const rows = await csvOf(bench, `trial-balance.csv?at=${moments.first}`)
  const page = await textOf(bench, `trial-balance.html?at=${moments.first}`)

  assert.deepEqual(rows[0], {
    accountCode: '1000',
    accountName: 'Banks',
    debit: '1189.25',
    credit: '0.00',
    currency: 'NGN',
    at: '2026-11-15T09:01:00.000000+01:00',
  })
  assert.equal(sum(rows, 'debit'), sum(rows, 'credit'))
  assert.match(page, /<tr class="total"><td>Total<\/td><td><\/td>.*1,200\.00.*1,200\.00/)
})

test('VAT of a month is what was charged and given back, and what banks charged', async () => {
  const vat = await reportOf(bench, 'vat?month=2026-11')
  const rows = await csvOf(bench, 'vat.csv?month=2026-11')
  const page = await textOf(bench, 'vat.html?month=2026-11')
  const before = await reportOf(bench, 'vat?month=2026-10')

  assert.deepEqual(vat, {
    month: '2026-11',
    output: [
      {
        clientId: 'MAN0000001',
        currency: 'NGN',
        fees: 10,
        charged: 1.13,
        givenBack: 0.38,
        vat: 0.75,
      },
    ],
    input: [{ bankCode: '035', currency: 'NGN', costs: 20, vat: 1.5 }],
    totals: [{ currency: 'NGN', output: 0.75, input: 1.5, payable: -0.75 }],
  })
  assert.deepEqual(
    rows.map(({ side, clientId, bankCode, base, vat: amount }) =>
      [side, clientId, bankCode, base, amount].join(' '),
    ),
    ['output MAN0000001  10.00 0.75', 'input  035 20.00 1.50', 'payable    -0.75'],
  )
  assert.match(page, /VAT of 2026-11/)
  assert.deepEqual([before.output, before.input, before.totals], [[], [], []])
  for (const month of ['2026-12', '2026-13', '26-11', '']) {
    const answer = await bench.call({ url: `/api/v1/operator/vat?month=${month}` })
    assertRefused(answer, { status: 400, code: 'invalid_request' })
  }
})

test('balances across clients are shown by client, merchant and bank, and add up', async () => {
  // Reads the balances report with only the amounts that are not zero.
  const readBalances = async (query: string) => {
    const { rows, totals } = await reportOf(bench, `balances${query}`)
    // Returns the columns that identify the row, and its nonzero amounts by name as one text.
    const nonzeroAmounts = (row: Row) => {
      const { clientId, merchantCode, bankCode, currency, ...rest } = row
      const nonzero = Object.entries(rest).filter(([, amount]) => amount !== 0)
      return [clientId, merchantCode, bankCode, nonzero.map((each) => each.join('=')).join(' ')]
    }
    return { rows: rows.map(nonzeroAmounts), totals }
  }
  const first = await readBalances(`?at=${moments.first}`)
  const now = await readBalances('')

  assert.deepEqual(first.rows, [
    ['MAN0000001', 'SHOP1', '035', 'collected=1000 available=989.25'],
    ['MAN0000001', null, null, 'feeIncome=10 vatPayable=0.75'],
    [
      null,
      null,
      '035',
      'collected=200 suspended=200 bankBalance=1189.25 bankCosts=10 inputVat=0.75',
    ],
  ])
  assert.equal(now.rows.length, 6)
  assert.deepEqual(now.rows[4], ['MAN0000001', 'SHOP2', '035', 'collected=40 suspended=40'])
  const [naira] = now.totals
  assert.deepEqual(
    [naira.available, naira.bankBalance, naira.feeIncome, naira.collected],
    [889.25, 878.5, 10, 1000],
  )
  const file = await csvOf(bench, 'balances.csv')
  assert.equal(sum(file, 'available'), 88_925n)
  assert.deepEqual(Object.keys(file[0] ?? {}).slice(0, 6), [
    'clientId',
    'merchantCode',
    'bankCode',
    'currency',
    'collected',
    'available',
  ])
})

test('suspense is shown by age, at any moment', async () => {
  const first = await reportOf(bench, `suspense-ageing?at=${moments.first}`)
  const week = await reportOf(bench, `suspense-ageing?at=${moments.week}`)
  const now = await reportOf(bench, 'suspense-ageing')
  const rows = await csvOf(bench, `suspense-ageing.csv?at=${moments.week}`)
  const page = await textOf(bench, 'suspense-ageing.html')

  const unknown = { bankCode: '035', clientId: null, currency: 'NGN', reason: 'unknown_number' }
  assert.deepEqual(first.rows, [{ ...unknown, bucket: '0-1', count: 1, amount: 200 }])
  assert.deepEqual(week.rows, [{ ...unknown, bucket: '2-7', count: 1, amount: 200 }])
  assert.deepEqual(now.totals, [{ currency: 'USD', bucket: '0-1', count: 1, amount: 40 }])
  assert.deepEqual(
    rows.map(({ ageDays, count, amount }) => [ageDays, count, amount]),
    [['2-7 days', '1', '200.00']],
  )
  assert.match(page, /Suspense by age/)
})

test('buckets end after 1, 7, 30, 60, 90, 180 and 365 days', async () => {
  await using own = await startTestService()
  await suspend(own, NOBODYS_NUMBER, '1.00')
  const buckets: string[] = []
  for (const days of [0, 1, 2, 7, 8, 30, 31, 60, 61, 90, 91, 180, 181, 365, 366]) {
    own.advance(Date.parse(`${FIRST_DAY}T08:00:00Z`) + days * DAY_MS - own.clock().getTime() + 1)
    const { rows } = await reportOf(own, 'suspense-ageing')
    buckets.push(`${days}: ${rows[0].bucket}`)
  }

  assert.deepEqual(buckets, [
    '0: 0-1',
    '1: 0-1',
    '2: 2-7',
    '7: 2-7',
    '8: 8-30',
    '30: 8-30',
    '31: 31-60',
    '60: 31-60',
    '61: 61-90',
    '90: 61-90',
    '91: 91-180',
    '180: 91-180',
    '181: 181-365',
    '365: 181-365',
    '366: 365+',
  ])
})

test('closed days make reports on the past fast, and change no figure', async () => {
  await using own = await startTestService()
  const { accountNumber } = await createAccount(own)
  await createFeeRule(own)
  await credit(own, accountNumber, '1000.00')
  own.advance(DAY_MS)
  await credit(own, accountNumber, '10.00')
  own.advance(DAY_MS)
  await credit(own, accountNumber, '1.00')
  const moments = ['15T10:00:00', '16T00:00:00', '16T12:00:00', '17T00:00:00', '17T08:30:00']
  // Reads the trial balance at each of the moments, and the VAT report of November.
  const read = async () => {
    const all = moments.map((at) => reportOf(own, `trial-balance?at=2026-11-${at}`))
    return { balances: await Promise.all(all), vat: await reportOf(own, 'vat?month=2026-11') }
  }
  const before = await read()
  pass(own, '2026-11-17')

  await closeDay(own, '2026-11-15')
  await closeDay(own, '2026-11-16')
  const between = await read()
  await closeDay(own, '2026-11-17')
  const after = await read()

  assert.deepEqual(between, before)
  assert.deepEqual(after, before)
  assert.deepEqual(before.vat.totals, [{ currency: 'NGN', output: 0.76, input: 0, payable: 0.76 }])
})
