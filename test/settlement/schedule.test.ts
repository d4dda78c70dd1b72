// Settlement schedules: when each closes (in Lagos), and that the worker closes once however many processes
// run.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watTime } from '#clock.ts'
import { nextSlot } from '#settlement/schedule.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { START, startTestService } from '../support/running-service.ts'
import {
  closeSettlement,
  HOLIDAYS,
  listOf,
  runSchedule,
  scheduleRound,
  setBankAccount,
  setSettings,
} from '../support/settlements.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const CHRISTMAS = new Set(['2026-12-25', '2026-12-28'])

// 2026-12-24 is a Thursday.
const VECTORS: [schedule: string, after: string, at: string, cutOff: string][] = [
  ['daily@16:00', '2026-12-23T15:59:59', '2026-12-23T16:00', '2026-12-23T16:00'],
  ['daily@16:00', '2026-12-23T16:00:00', '2026-12-24T16:00', '2026-12-24T16:00'],
  ['daily@16:00', '2026-12-24T16:00:00', '2026-12-29T16:00', '2026-12-29T16:00'],
  ['daily@00:00', '2026-12-23T23:59:59', '2026-12-24T00:00', '2026-12-24T00:00'],
  ['daily@23:59', '2027-01-01T23:59:00', '2027-01-04T23:59', '2027-01-04T23:59'],
  ['T+1@09:00', '2026-12-23T09:00:00', '2026-12-24T09:00', '2026-12-24T00:00'],
  ['T+1@09:00', '2026-12-24T10:00:00', '2026-12-29T09:00', '2026-12-29T00:00'],
  ['T+1@00:00', '2026-12-23T12:00:00', '2026-12-24T00:00', '2026-12-24T00:00'],
  ['weekly@Thu@10:30', '2026-12-18T00:00:00', '2026-12-24T10:30', '2026-12-24T10:30'],
  ['weekly@Thu@10:30', '2026-12-24T10:30:00', '2026-12-31T10:30', '2026-12-31T10:30'],
  ['weekly@Fri@10:30', '2026-12-24T10:30:00', '2026-12-29T10:30', '2026-12-29T10:30'],
  ['weekly@Fri@10:30', '2026-12-29T10:30:00', '2027-01-01T10:30', '2027-01-01T10:30'],
  ['weekly@Mon@10:30', '2026-12-24T10:30:00', '2026-12-29T10:30', '2026-12-29T10:30'],
  ['weekly@Mon@10:30', '2026-12-29T10:30:00', '2027-01-04T10:30', '2027-01-04T10:30'],
]

for (const [schedule, after, at, cutOff] of VECTORS) {
  test(`${schedule} after ${after} closes at ${at}`, () => {
    const slot = nextSlot(schedule, new Date(`${after}+01:00`), CHRISTMAS)

    assert.deepEqual(slot && [watTime(slot.at).slice(0, 16), watTime(slot.cutOff).slice(0, 16)], [
      at,
      cutOff,
    ])
  })
}

test('manual closes nothing by itself', () => {
  assert.equal(nextSlot('manual', START, new Set()), undefined)
})

// Starts a service whose client has this schedule.
async function startScheduled(schedule: string, more: object = {}) {
  const bench = await startTestService()
  await setBankAccount(bench)
  dataOf(await setSettings(bench, { schedule, ...more }))
  const { accountNumber } = await createAccount(bench)
  return { bench, accountNumber }
}

test('each time of a schedule is closed once, however many processes look', async () => {
  const { bench, accountNumber } = await startScheduled('daily@23:00')
  await using _ = bench
  await credit(bench, accountNumber, '10')
  await runSchedule(bench)
  assert.deepEqual(await listOf(bench), [])
  bench.advance(4 * DAY_MS)

  await Promise.all([1, 2, 3, 4].map(() => scheduleRound(bench)()))
  await runSchedule(bench)

  const [settlement, ...others] = await listOf(bench)
  assert.deepEqual([settlement.net, settlement.closedBy, others], [10, 'schedule', []])
  await assertCleanBooks(bench)
})

test('times that were missed are made up for in order, each with its own cut-off', async () => {
  const { bench, accountNumber } = await startScheduled('T+1@09:00')
  await using _ = bench
  for (const amount of ['1', '2', '4']) {
    await credit(bench, accountNumber, amount)
    bench.advance(7 * DAY_MS)
  }

  await runSchedule(bench)

  const settlements = await listOf(bench)
  assert.deepEqual(
    settlements.map(({ net }: { net: number }) => net),
    [4, 2, 1],
  )
  for (const { cutOff } of settlements) assert.match(cutOff, /T00:00:00.000000\+01:00$/)
  await assertCleanBooks(bench)
})

test('a schedule skips less than the minimum, and nothing; by hand it is closed', async () => {
  const { bench, accountNumber } = await startScheduled('daily@12:00', { minimumAmount: 100 })
  await using _ = bench
  bench.advance(4 * DAY_MS)
  await runSchedule(bench)
  await credit(bench, accountNumber, '99.99')
  bench.advance(4 * DAY_MS)
  await runSchedule(bench)
  assert.deepEqual(await listOf(bench), [])
  await credit(bench, accountNumber, '0.01')
  bench.advance(4 * DAY_MS)
  await runSchedule(bench)

  assert.deepEqual(
    (await listOf(bench)).map(({ net }: { net: number }) => net),
    [100],
  )
  await credit(bench, accountNumber, '5')
  assert.equal((await closeSettlement(bench)).net, 5)
})

test('a holiday that the operator adds is kept, also by a schedule that was set before', async () => {
  const { bench, accountNumber } = await startScheduled('daily@12:00')
  await using _ = bench
  await credit(bench, accountNumber, '10')
  const days = Array.from({ length: 14 }, (_each, at) =>
    new Date(START.getTime() + at * DAY_MS).toISOString().slice(0, 10),
  )
  const body = { name: 'Closed', status: 'confirmed', source: 'announced' }
  for (const day of days) {
    dataOf(await bench.call({ method: 'PUT', url: `${HOLIDAYS}/${day}`, body }))
  }
  bench.advance(12 * DAY_MS)
  await runSchedule(bench)
  assert.deepEqual(await listOf(bench), [])

  for (const day of days) {
    dataOf(await bench.call({ method: 'DELETE', url: `${HOLIDAYS}/${day}` }))
  }
  await runSchedule(bench)

  assert.equal((await listOf(bench)).length, 1)
})

test('a schedule begins when it is set', async () => {
  const { bench, accountNumber } = await startScheduled('manual')
  await using _ = bench
  await credit(bench, accountNumber, '10')
  bench.advance(30 * DAY_MS)
  dataOf(await setSettings(bench, { schedule: 'weekly' }))

  await runSchedule(bench)

  assert.deepEqual(await listOf(bench), [])
  bench.advance(7 * DAY_MS)
  await runSchedule(bench)
  assert.equal((await listOf(bench)).length, 1)
})
