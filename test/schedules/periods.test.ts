// The periods of scheduled reports: days of Lagos, weeks from Monday and calendar months.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addDays, dueAt, type Frequency, nextPeriod, periodOf } from '#schedules/schedule.ts'

const utc = (text: string) => new Date(text)

test('a day, a week from Monday and a month hold their last moment', () => {
  const cases: [Frequency, string, string, string][] = [
    ['daily', '2026-11-18', '2026-11-18', '2026-11-19'],
    ['daily', '2028-02-28', '2028-02-28', '2028-02-29'],
    ['weekly', '2026-11-16', '2026-11-16', '2026-11-23'],
    ['weekly', '2026-11-22', '2026-11-16', '2026-11-23'],
    ['weekly', '2027-01-01', '2026-12-28', '2027-01-04'],
    ['monthly', '2026-01-31', '2026-01-01', '2026-02-01'],
    ['monthly', '2026-02-28', '2026-02-01', '2026-03-01'],
    ['monthly', '2028-02-29', '2028-02-01', '2028-03-01'],
    ['monthly', '2026-12-31', '2026-12-01', '2027-01-01'],
  ]
  for (const [frequency, day, from, to] of cases) {
    assert.deepEqual(periodOf(frequency, day), { from, to }, `${frequency} ${day}`)
  }
})

test('periods follow each other without a gap, for years', () => {
  for (const frequency of ['daily', 'weekly', 'monthly'] as const) {
    let period = periodOf(frequency, '2026-01-31')
    for (let steps = 0; steps < 1_500; steps++) {
      const next = periodOf(frequency, period.to)
      assert.equal(next.from, period.to)
      assert.deepEqual(periodOf(frequency, addDays(next.to, -1)), next)
      period = next
    }
  }
})

test('a report is due at its hour in Lagos, on the same hour of UTC all year', () => {
  for (const day of ['2026-03-29', '2026-07-01', '2026-10-25', '2026-12-31']) {
    const period = periodOf('daily', day)
    assert.equal(dueAt(period, 7).toISOString(), `${period.to}T06:00:00.000Z`)
    assert.equal(dueAt(period, 0).toISOString(), `${day}T23:00:00.000Z`)
  }
})

test('after an outage the latest seven periods are run, and none twice', () => {
  const timing = { frequency: 'daily', hour: 7 } as const
  const at = utc('2026-11-18T05:59:59Z') // A second before the report of the 17th is due.
  assert.equal(nextPeriod(timing, '2026-11-16', at).from, '2026-11-16')
  assert.equal(nextPeriod(timing, '2026-10-01', at).from, '2026-11-10')
  assert.equal(nextPeriod(timing, '2026-10-01', utc('2026-11-18T06:00:00Z')).from, '2026-11-11')
  const monthly = { frequency: 'monthly', hour: 0 } as const
  assert.equal(nextPeriod(monthly, '2025-01-01', at).from, '2026-04-01')
})
