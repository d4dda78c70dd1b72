// Phrases in the search box: the service recognizes days and kinds of objects in what people type. Days are
// those of Lagos.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestamp } from '#clock.ts'
import { readPhrase } from '#reports/search-phrase.ts'

const NOW = new Date('2026-11-18T09:30:00+01:00') // A Wednesday.

// The meaning of a text: the remaining words, the first and the last day, and the kinds of objects.
function read(text: string, now = NOW) {
  const phrase = readPhrase(text, now)
  if (!phrase) return undefined
  const { rest, period, types } = phrase
  const { from, to } = period ?? {}
  const last = to && new Date(to.getTime() - 1)
  return [rest, from && timestamp(from).slice(0, 10), last && timestamp(last).slice(0, 10), types]
}

const DAYS: [text: string, rest: string, first: string, last: string][] = [
  ['12500 yesterday', '12500', '2026-11-17', '2026-11-17'],
  ['12,500 Yesterday', '12,500', '2026-11-17', '2026-11-17'],
  ['yesterday ₦12,500', '₦12,500', '2026-11-17', '2026-11-17'],
  ['ada obi today', 'ada obi', '2026-11-18', '2026-11-18'],
  ['ada from last week', 'ada', '2026-11-09', '2026-11-15'],
  ['this week', '', '2026-11-16', '2026-11-22'],
  ['last month', '', '2026-10-01', '2026-10-31'],
  ['this month', '', '2026-11-01', '2026-11-30'],
  ['last 7 days', '', '2026-11-12', '2026-11-18'],
  ['500 on monday', '500', '2026-11-16', '2026-11-16'],
  ['wednesday', '', '2026-11-18', '2026-11-18'],
  ['last wednesday', '', '2026-11-11', '2026-11-11'],
  ['Thursday', '', '2026-11-12', '2026-11-12'],
  ['2026-11-03 5000', '5000', '2026-11-03', '2026-11-03'],
  ['5000 on 3 Nov', '5000', '2026-11-03', '2026-11-03'],
  ['5000 3rd november 2025', '5000', '2025-11-03', '2025-11-03'],
  ['nov 3', '', '2026-11-03', '2026-11-03'],
  ['24 December', '', '2025-12-24', '2025-12-24'],
  ['3/11', '', '2026-11-03', '2026-11-03'],
  ['29/2/2024', '', '2024-02-29', '2024-02-29'],
]

for (const [text, rest, first, last] of DAYS) {
  test(`“${text}” is ${rest || 'everything'} from ${first} to ${last}`, () => {
    assert.deepEqual(read(text), [rest, first, last, undefined])
  })
}

test('a day begins and ends at midnight in West Africa', () => {
  const late = new Date('2026-11-17T23:30:00Z') // The 18th in Lagos.
  const { period } = readPhrase('yesterday', late) ?? {}
  assert.equal(period?.from?.toISOString(), '2026-11-16T23:00:00.000Z')
  assert.equal(period?.to?.toISOString(), '2026-11-17T23:00:00.000Z')
})

test('kinds stand alone or with a day and an amount', () => {
  assert.deepEqual(read('settlement'), ['', undefined, undefined, ['settlement']])
  assert.deepEqual(read('Payouts yesterday'), ['', '2026-11-17', '2026-11-17', ['payout']])
  const refundable = ['refund', 'payment', 'credit']
  assert.deepEqual(read('refund 12,500 today'), ['12,500', '2026-11-18', '2026-11-18', refundable])
})

for (const text of [
  '',
  '12500',
  'Ada Obi',
  'Sundayo',
  'monday.com',
  'INV-2026-11-03',
  'yesterdays',
  'May',
  '31/2/2026',
  '0/11',
  '2026-13-01',
  'last 0 days',
  'last 999 days',
  'settlement-77',
  '\u0000',
  '9'.repeat(100),
]) {
  test(`“${text.slice(0, 20)}” is no phrase`, () => assert.equal(read(text), undefined))
}
