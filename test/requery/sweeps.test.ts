// Sweeps: the service lists all transfers of a period, page by page, for overlapping periods. Several waiting
// sweeps become one that covers all their time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { purgeRequeries } from '#requery/plan.ts'
import { assertCleanBooks, startTwin } from '../support/bank-calls.ts'
import { createAccount, MINUTE_MS, startPayment } from '../support/fixtures.ts'
import { postRail, reportCredit } from '../support/rail.ts'
import { BANK, requeriesOf, requeryRounds, startRequeryBench } from '../support/requery-bench.ts'

const SECOND_MS = 1_000
const HOUR_MS = 60 * MINUTE_MS

test('a lost notification is found within 5 minutes, and only once', async () => {
  await using bench = await startRequeryBench()
  const { accountNumber } = await createAccount(bench)
  await bench.plan()
  await bench.ask()
  bench.advance(SECOND_MS)
  const lost = bench.transfer(accountNumber, '50.00')
  const reported = bench.transfer(accountNumber, '70.00')
  await reportCredit(bench, reported)

  bench.advance(5 * MINUTE_MS - SECOND_MS)
  await bench.plan()
  await bench.ask()
  bench.advance(5 * MINUTE_MS)
  await bench.plan()
  await bench.ask()
  await reportCredit(bench, lost)

  const { rows } = await bench.db.query('select session_id as id from credits order by id')
  assert.deepEqual(rows.map(({ id }) => id).sort(), [lost.sessionId, reported.sessionId].sort())
  await assertCleanBooks(bench)
})

test('windows overlap: 30 minutes every 5, a day every hour, a week every day, each once', async () => {
  await using bench = await startRequeryBench()
  await using twin = await startTwin(bench)
  const rounds = requeryRounds({ ...twin, config: bench.config })
  const spans: Record<string, number[]> = {}

  for (let minute = 0; minute < 60; minute += 5) {
    await Promise.all([bench.plan(), rounds.plan(), bench.plan()])
    await bench.ask()
    bench.advance(5 * MINUTE_MS)
  }
  await rounds.close()
  for (const url of bench.bank.asked) {
    const time = (name: string) => Date.parse(url.searchParams.get(name) as string)
    const hours = Math.floor((time('to') - time('from')) / HOUR_MS)
    spans[hours] = [...(spans[hours] ?? []), time('to')]
  }

  const counts = Object.fromEntries(
    Object.entries(spans).map(([hours, all]) => [hours, all.length]),
  )
  assert.deepEqual(counts, { 0: 12, 24: 1, 176: 1 })
})

test('a list is read page by page, within the rate, from where it stopped', async () => {
  await using bench = await startRequeryBench({ pageSize: 10, settings: { ratePerSecond: 2 } })
  const { accountNumber } = await createAccount(bench)
  for (let at = 0; at < 35; at++) bench.transfer(accountNumber, '1.00')
  await bench.plan()
  await bench.db.query(`delete from requeries where subject not like 'sweep/5min%'`)

  await bench.ask()
  bench.advance(SECOND_MS)
  bench.bank.state.mood = 'failing'
  await bench.askOnce()
  bench.bank.state.mood = 'well'
  for (let at = 0; at < 40; at++) {
    bench.advance(SECOND_MS)
    await bench.ask()
  }

  const cursors = bench.bank.asked.map((url) => url.searchParams.get('cursor'))
  assert.deepEqual(cursors, [null, '10', '20', '20', '30'])
  const { rows } = await bench.db.query('select count(*)::int as n from credits')
  assert.equal(rows[0].n, 35)
  const [sweep] = await requeriesOf(bench)
  assert.deepEqual([sweep?.state, sweep?.newCredits], ['found', 35])
})

test('a long list holds up no short one', async () => {
  await using bench = await startRequeryBench({ pageSize: 1, settings: { ratePerSecond: 2 } })
  const { accountNumber } = await createAccount(bench)
  const days = (ago: number) => new Date(bench.clock().getTime() - ago * 24 * HOUR_MS).toISOString()
  for (let at = 0; at < 20; at++) {
    bench.transfer(accountNumber, '1.00', { transactionTime: days(5) })
  }
  await bench.plan()
  await bench.ask()
  bench.advance(SECOND_MS)
  await bench.ask()
  const recent = bench.transfer(accountNumber, '2.00')

  bench.advance(5 * MINUTE_MS)
  await bench.plan()
  await bench.ask()

  const { rows } = await bench.db.query('select session_id as id, amount_kobo as k from credits')
  assert(rows.some(({ id }) => id === recent.sessionId))
  assert(rows.length < 10, `${rows.length} credits`)
})

test('old answered requeries are purged; open ones stay', async () => {
  await using bench = await startRequeryBench()
  await bench.plan()
  await bench.ask()
  bench.advance(89 * 24 * HOUR_MS)
  const purge = () => purgeRequeries(bench.db, bench.clock())
  await purge()
  const count = (await requeriesOf(bench)).length
  await bench.plan()
  bench.advance(2 * 24 * HOUR_MS)

  await purge()

  assert.equal(count, 3)
  assert.deepEqual(
    (await requeriesOf(bench)).map(({ state }) => state),
    ['open', 'open', 'open'],
  )
  const { rows } = await bench.db.query('select from requery_attempts')
  assert.equal(rows.length, 0)
})

test('sweeps that wait for a bank that is down become one, which covers all their time', async () => {
  await using bench = await startRequeryBench()
  const { accountNumber } = await createAccount(bench)
  await bench.plan()
  await bench.ask()
  bench.transfer(accountNumber, '50.00')
  bench.bank.state.mood = 'failing'
  for (let minute = 0; minute < 120; minute += 5) {
    bench.advance(5 * MINUTE_MS)
    await bench.plan()
    await bench.ask()
  }
  await bench.db.query(`delete from requeries where subject not like 'sweep/5min%'`)
  const open = (await requeriesOf(bench)).filter(({ state }) => state === 'open')

  bench.bank.state.mood = 'well'
  bench.advance(15 * MINUTE_MS)
  await bench.ask()

  assert(open.length <= 2, `${open.length} open`)
  const { rows } = await bench.db.query('select count(*)::int as n from credits')
  assert.equal(rows[0].n, 1)
  assert((await requeriesOf(bench)).every(({ state }) => state !== 'open'))
})

test('more numbers than a bank is asked for one by one become one list', async () => {
  await using bench = await startRequeryBench()
  const payments = []
  for (let at = 0; at < 25; at++) payments.push(await startPayment(bench, { amount: 10 + at }))
  for (const { bankAccount } of payments) {
    await postRail(bench, `${BANK}/name-enquiry`, { accountNumber: bankAccount })
  }
  const [unpaid, ...others] = payments
  for (const [at, { bankAccount }] of others.entries()) bench.transfer(bankAccount, `${11 + at}.00`)

  bench.advance(4 * MINUTE_MS)
  await bench.ask()

  assert.equal(bench.bank.asked.length, 1)
  assert.equal(bench.bank.asked[0]?.searchParams.get('accountNumber'), null)
  const { rows } = await bench.db.query(
    `select count(*)::int as n from payments where status = 'Successful'`,
  )
  assert.equal(rows[0].n, 24)
  const url = `/api/v1/payments/${unpaid?.paymentReference}/timeline`
  const { entries } = (await bench.call({ url })).json().data
  const queries = entries.filter(({ kind }: { kind: string }) => kind === 'requery')
  assert.deepEqual(
    queries.map(({ detail }: Record<string, object>) => detail),
    [
      {
        bank: `Bank ${BANK}`,
        reason: 'name_enquiry',
        askedFor: 'bank',
        answer: 'listed',
        newCredits: 0,
        latencyMs: queries[0].detail.latencyMs,
        error: null,
      },
    ],
  )
})
