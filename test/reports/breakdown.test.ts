// Today's totals by bank and by merchant, and compared with last week. The parts add up to the totals,
// whether or not the worker has counted the latest events.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { countEvents, readBreakdown } from '#reports/hourly-totals.ts'
import { countTotalsRound } from '#reports/workers.ts'
import {
  assertRefused,
  createAccount,
  dataOf,
  MINUTE_MS,
  startPayment,
} from '../support/fixtures.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { NOBODYS_NUMBER } from '../support/suspense-desk.ts'
import { credit, openDesk, type Row, reverse } from '../support/tracing.ts'

const OVERVIEW = '/api/v1/overview'
const BREAKDOWN = `${OVERVIEW}/breakdown`
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const NEVER = new AbortController().signal
const NAMES = ['gross', 'reversed', 'returned', 'suspended', 'fees', 'net', 'credits']

async function read(bench: Bench, url: string, token?: string): Promise<Row> {
  return dataOf(await bench.call({ url, ...(token ? { token } : {}) }))
}

// Trades with two merchants, a payment and two banks; some money is suspended, assigned or reversed.
async function trade(bench: Bench) {
  const desk = await openDesk(bench)
  const lagos = await createAccount(bench, { merchantCode: 'LAGOS' })
  const abuja = await createAccount(bench, { merchantCode: 'ABUJA' })
  const { bankAccount } = await startPayment(bench, { amount: 500 })
  await credit(bench, lagos.accountNumber, '1000.50')
  const booked = await credit(bench, abuja.accountNumber, '40.00')
  await credit(bench, bankAccount, '650.00') // 150 too much.
  await reverse(bench, booked, '15.00')
  const stray = await credit(bench, NOBODYS_NUMBER, '70.00')
  await desk.assign(stray, { accountNumber: lagos.accountNumber })
}

test('banks and merchants each add up to today, before, during and after counting', async () => {
  await using bench = await startTestService()
  await trade(bench)
  bench.advance(DAY_MS)
  await trade(bench)
  const { rows } = await bench.db.query(`select id from clients where client_id = 'MAN0000001'`)
  const before = await read(bench, BREAKDOWN)
  // Asserts that the parts add up to today's totals, and that the breakdown has not changed.
  const check = async () => {
    const { today } = await read(bench, OVERVIEW)
    const view = await read(bench, BREAKDOWN)
    for (const name of NAMES) {
      for (const parts of [view.banks, view.merchants]) {
        const sum = parts.reduce((added: number, part: Row) => added + part[name] * 100, 0)
        assert.equal(Math.round(sum), Math.round(today[name] * 100), name)
      }
    }
    assert.deepEqual(view, before)
  }

  await check()
  await withTransaction(bench.db, (tx) => countEvents(tx, rows[0].id, 9))
  await check()
  await countTotalsRound(bench)(NEVER)
  await check()

  const merchants = before.merchants.map((row: Row) => [row.merchantCode, row.gross, row.net])
  assert.deepEqual(merchants, [
    ['LAGOS', 1070.5, 1070.5],
    [null, 650, 500],
    ['ABUJA', 40, 25],
  ])
  assert.equal(before.from, '2026-11-16T00:00:00.000000+01:00')
  assert(before.banks.every(({ bankName }: Row) => bankName.length > 3))
})

test('merchants beyond the first hundred are one row, and nothing is lost', async () => {
  await using bench = await startTestService()
  const { rows } = await bench.db.query(`select id from clients where client_id = 'MAN0000001'`)
  await bench.db.query(
    `insert into daily_breakdowns
     select $1, '2026-11-15', '035', 'M' || n, 1, n * 100, 0, 0, 0, 0 from generate_series(1, 103) n`,
    [rows[0].id],
  )

  const { banks, merchants } = await read(bench, BREAKDOWN)

  assert.deepEqual([banks.length, banks[0].gross, merchants.length], [1, (103 * 104) / 2, 101])
  const { merchantCode, isRest, gross, credits } = merchants.at(-1)
  assert.deepEqual([merchantCode, isRest, gross, credits], [null, true, 1 + 2 + 3, 3])
  assert.equal((await readBreakdown(bench.db, rows[0].id, { day: new Date(0) })).length, 0)
})

test('today is compared with the same hours of last week, not with its whole day', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '100.00') // At 09:00.
  bench.advance(3 * HOUR_MS)
  await credit(bench, accountNumber, '900.00') // At 12:00.
  bench.advance(7 * DAY_MS - 3 * HOUR_MS)
  await credit(bench, accountNumber, '250.00') // At 09:00, a week later.
  bench.advance(2 * HOUR_MS + 30 * MINUTE_MS)
  await credit(bench, accountNumber, '7.00') // At 11:30: in the hour that is not over.

  const { comparison, today } = await read(bench, OVERVIEW)

  assert.equal(comparison.until, '2026-11-22T11:00:00.000000+01:00')
  const figures = [comparison.today, comparison.lastWeek].map(({ gross, credits }) => [
    gross,
    credits,
  ])
  assert.deepEqual(figures, [
    [250, 1],
    [100, 1],
  ])
  assert.equal(today.gross, 257)
})

test('a client sees its own day only; one restricted to merchants none', async () => {
  await using bench = await startTestService()
  await trade(bench)
  const token = await bench.newClient('BREAKDOWN1')

  const { banks, merchants } = await read(bench, BREAKDOWN, token)
  assert.deepEqual([banks, merchants], [[], []])
  assertRefused(await bench.call({ url: `${BREAKDOWN}?day=1`, token }))
  const limited = await bench.newClient('BREAKDOWN2')
  await bench.db.query(`update clients set merchant_codes = '{A}' where client_id = 'BREAKDOWN2'`)
  const refused = await bench.call({ url: BREAKDOWN, token: limited })
  assertRefused(refused, { status: 403, code: 'merchants_restricted' })
})
