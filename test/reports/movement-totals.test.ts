// Gross, reversed, returned, suspended and net are the same in the overview, the balances and the CSV of
// credits, after any history. Replay a failure with:
//   SEED=<seed> npm test -- test/reports/movement-totals.test.ts

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { computeNet, PARTS, type Part, type Sums } from '#records/money-totals.ts'
import { readBalances } from '#reports/balances.ts'
import { countEvents, readBreakdown, readTotals } from '#reports/hourly-totals.ts'
import { closeExpired } from '../support/bank-calls.ts'
import { parseCsv } from '../support/csv.ts'
import {
  assertBooksBalance,
  createAccount,
  dataOf,
  MINUTE_MS,
  startPayment,
} from '../support/fixtures.ts'
import { readSeed } from '../support/random.ts'
import { randomMoney } from '../support/random-money.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { BALANCES, CREDITS, credit, openDesk, type Row, reverse } from '../support/tracing.ts'

const SEED = readSeed()
const STEPS = 150
const COMPARE_EVERY = 25
const OVERVIEW = '/api/v1/overview'
const DAY_MS = 24 * 60 * MINUTE_MS

test('money that is cancelled and assigned elsewhere is counted once', async () => {
  await using bench = await startTestService()
  const desk = await openDesk(bench)
  const { accountNumber } = await createAccount(bench)
  const { bankAccount, adviceReference } = await startPayment(bench)
  const session = await credit(bench, bankAccount, '40.00')
  await cancel(bench, adviceReference)
  await desk.assign(session, { accountNumber })

  const { today } = dataOf(await bench.call({ url: OVERVIEW }))

  assert.deepEqual([today.gross, today.suspended, today.net, today.credits], [40, 0, 40, 1])
  await assertReportsAgree(bench)
})

test('unidentified money is the client’s from its assignment on', async () => {
  await using bench = await startTestService()
  const desk = await openDesk(bench)
  const { accountNumber } = await createAccount(bench)
  const session = await credit(bench, '0123456789', '55.00')
  assert.deepEqual(await csvOf(bench), [])
  bench.advance(DAY_MS)
  await desk.assign(session, { accountNumber })

  const { today, yesterday } = dataOf(await bench.call({ url: OVERVIEW }))
  const listed = rowsOf(await bench.call({ url: CREDITS }))
  const [row, ...rest] = await csvOf(bench)

  assert.deepEqual([today.gross, today.net, yesterday.gross], [55, 55, 0])
  assert.deepEqual(
    listed.map(({ sessionId, outcome }: Row) => [sessionId, outcome]),
    [[session, 'assigned']],
  )
  assert.deepEqual(
    [row?.movement, row?.gross, row?.assignedTo, row?.sessionId, rest],
    ['assign', '55.00', accountNumber, session, []],
  )
  await reverse(bench, session, '55.00')
  assert.equal(rowsOf(await bench.call({ url: CREDITS })).length, 1, 'also when it is gone')
  await assertReportsAgree(bench)
})

test('the file of a day that is over is the same to the byte, whatever happens later', async () => {
  await using bench = await startTestService()
  const desk = await openDesk(bench)
  const { accountNumber } = await createAccount(bench)
  const { bankAccount } = await startPayment(bench)
  const booked = await credit(bench, accountNumber, '70.00')
  const part = await credit(bench, bankAccount, '30.00')
  const wrong = await credit(bench, '0123456789', '20.00')
  const held = await credit(bench, accountNumber, '9.00', { currency: 'USD' })
  const file = `${CREDITS}.csv?from=2026-11-15&to=2026-11-16`
  const before = (await bench.call({ url: file })).body
  bench.advance(DAY_MS)

  await closeExpired(bench)
  await desk.assign(part, { accountNumber })
  await desk.assign(wrong, { accountNumber })
  await desk.giveBack(held)
  await desk.confirm(held, 'BANK-1')
  await reverse(bench, booked, '50.00')
  await reverse(bench, part, '30.00')

  assert.equal((await bench.call({ url: file })).body, before)
  assert.equal(parseCsv(before).length, 3)
  const later = await csvOf(bench, '?from=2026-11-16&to=2026-11-17&order=oldest')
  assert.deepEqual(
    later.map(({ movement, gross, reversed, returned, suspended, net }) =>
      [movement, gross, reversed, returned, suspended, net].join(' '),
    ),
    [
      'reversal 0.00 50.00 0.00 0.00 -50.00',
      'suspend 0.00 0.00 0.00 30.00 -30.00',
      'assign 0.00 0.00 0.00 -30.00 30.00',
      'reversal 0.00 30.00 0.00 0.00 -30.00',
      'assign 20.00 0.00 0.00 0.00 20.00',
      'returned 0.00 0.00 9.00 -9.00 0.00',
    ],
  )
  const whole = await csvOf(bench)
  assert.equal(whole.length, 3 + later.length, 'each movement is of one day')
})

test(`overview, balances and CSV add up after any history (seed ${SEED})`, async () => {
  await using bench = await startTestService()
  const step = await randomMoney(bench, SEED)
  const { rows } = await bench.db.query(`select id from clients where client_id = 'MAN0000001'`)

  for (let steps = 1; steps <= STEPS; steps++) {
    await step()
    if (steps % 40 === 0) await withTransaction(bench.db, (tx) => countEvents(tx, rows[0].id, 7))
    if (steps % COMPARE_EVERY === 0) await assertReportsAgree(bench)
  }
  await assertBooksBalance(bench)
})

async function cancel(bench: Bench, adviceReference: string): Promise<void> {
  const url = `/Payment/advice/${adviceReference}/cancel`
  assert.equal((await bench.call({ method: 'POST', url })).statusCode, 200)
}

function rowsOf(answer: Awaited<ReturnType<Bench['call']>>): Row[] {
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

async function csvOf(bench: Bench, query = ''): Promise<Record<string, string>[]> {
  const answer = await bench.call({ url: `${CREDITS}.csv${query}` })
  assert.equal(answer.statusCode, 200, answer.body)
  return parseCsv(answer.body)
}

// Asserts that the hourly totals, the daily breakdowns by bank and by merchant, the CSV and the overview all
// add up to the client's balance. Compares only naira, because the overview has no other currency.
async function assertReportsAgree(bench: Bench): Promise<void> {
  const { rows } = await bench.db.query(`select id from clients where client_id = 'MAN0000001'`)
  const id = rows[0].id
  const balance = (await readBalances(bench.db, id)).find(({ currency }) => currency === 'NGN')
  const { hours, isComplete } = await readTotals(bench.db, id, { since: new Date(0) })
  const movements = (await csvOf(bench)).filter(({ currency }) => currency === 'NGN')
  const kobo = (text: string | undefined) => BigInt(String(text).replace('.', ''))
  const partsOf = (sum: (part: Part) => bigint) =>
    Object.fromEntries(PARTS.map((part) => [part, sum(part)]))
  const expected = partsOf((part) => (balance as Sums)[`${part}Kobo`])

  assert(isComplete)
  assert.deepEqual(
    partsOf((part) => hours.reduce((sum, hour) => sum + hour[`${part}Kobo`], 0n)),
    expected,
    'totals by the hour',
  )
  const { rows: eventDays } = await bench.db.query<Record<string, bigint>>(
    `with days as (select distinct (created_at at time zone interval '1 hour')::date as day
                     from events where client_id = $1)
     select day::text from days`,
    [id],
  )
  const days = eventDays.map(({ day }) => new Date(`${day}T00:00:00+01:00`))
  const parts = await Promise.all(days.map((day) => readBreakdown(bench.db, id, { day })))
  // The breakdown of a day has rows by bank and rows by merchant, which have no bank code.
  for (const isOfBank of [true, false]) {
    const rowsOfKind = parts.flat().filter(({ bankCode }) => (bankCode !== null) === isOfBank)
    const added = partsOf((part) => rowsOfKind.reduce((sum, row) => sum + row[`${part}Kobo`], 0n))
    assert.deepEqual(added, expected, isOfBank ? 'by bank' : 'by merchant')
  }
  assert.deepEqual(
    partsOf((part) => movements.reduce((sum, row) => sum + kobo(row[part]), 0n)),
    expected,
    'the CSV',
  )
  assert.equal(
    movements.reduce((sum, { net }) => sum + kobo(net), 0n),
    computeNet(balance as Sums),
  )
  const { days: shownDays } = dataOf(await bench.call({ url: OVERVIEW }))
  const [total] = dataOf(await bench.call({ url: BALANCES })).totals
  for (const name of ['gross', 'net']) {
    const dayTotal = shownDays.reduce(
      (sum: number, day: Row) => sum + Math.round(day[name] * 100),
      0,
    )
    assert.equal(dayTotal, Math.round(total[name] * 100), name)
  }
  const { gross, net, reversed, returned, suspended } = total
  const added = [net, reversed, returned, suspended].reduce((sum, part) => sum + part * 100, 0)
  assert.equal(Math.round(gross * 100), Math.round(added))
}
