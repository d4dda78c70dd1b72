// Counts business days: the days on which banks work, without weekends and holidays.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { businessDayBefore, businessDayFrom, isBusinessDay } from '#clock.ts'

const CHRISTMAS = new Set(['2026-12-25', '2026-12-28'])

test('a business day is its own, and any other is followed by the next', () => {
  assert.equal(businessDayFrom('2026-11-16', new Set()), '2026-11-16')
  assert.equal(businessDayFrom('2026-11-14', new Set()), '2026-11-16')
  assert.equal(businessDayFrom('2026-11-15', new Set()), '2026-11-16')
  assert.equal(businessDayFrom('2026-12-25', CHRISTMAS), '2026-12-29')
  assert.equal(businessDayFrom('2028-02-26', new Set(['2028-02-28'])), '2028-02-29')
})

test('the business day before any day is another', () => {
  assert.equal(businessDayBefore('2026-11-17', new Set()), '2026-11-16')
  assert.equal(businessDayBefore('2026-11-16', new Set()), '2026-11-13')
  assert.equal(businessDayBefore('2026-11-15', new Set()), '2026-11-13')
  assert.equal(businessDayBefore('2026-12-29', CHRISTMAS), '2026-12-24')
})

test('Saturdays, Sundays and holidays are none', () => {
  const days = ['2026-12-24', '2026-12-25', '2026-12-26', '2026-12-27', '2026-12-28', '2026-12-29']
  const open = days.filter((day) => isBusinessDay(day, CHRISTMAS))
  assert.deepEqual(open, ['2026-12-24', '2026-12-29'])
})
