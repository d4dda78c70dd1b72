// Reads and creates NIP session ids, which contain a time in West Africa Time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isNipSessionId, isSessionId, makeSessionId } from '#banks/nuban.ts'
import { parseBankTime } from '#clock.ts'

const EXAMPLE = '000004210301180534806663649508'

test('the example is UBA, 1 March 2021, 18:05:34 in Lagos', () => {
  const now = new Date('2021-03-01T18:05:34+01:00')
  const id = makeSessionId({ institution: '000004', now, unique: '806663649508' })
  assert.equal(id, EXAMPLE)
})

test('an id is made in the hour of Lagos, also across midnight', () => {
  const now = new Date('2026-12-31T23:30:00.999Z')
  const id = makeSessionId({ institution: '000013', now, unique: 42n })
  assert.equal(id, '000013270101003000000000000042')
})

test('a session id that we make shows the bank, the second and a unique part', () => {
  const moment = fc.date({
    min: new Date('2000-01-01T00:00:00Z'),
    max: new Date('2099-12-31T22:59:59Z'),
    noInvalidDate: true,
  })
  const unique = fc.bigInt({ min: 0n, max: 10n ** 12n - 1n })
  fc.assert(
    fc.property(fc.nat(999_999), moment, unique, (bank, now, number) => {
      const institution = String(bank).padStart(6, '0')
      const id = makeSessionId({ institution, now, unique: number })
      assert(isNipSessionId(id))
      const [year, month, day, ...time] = id.slice(6, 18).match(/../g) ?? []
      const sentAt = parseBankTime(`20${year}-${month}-${day} ${time.join(':')}`)
      assert.equal(sentAt?.getTime(), Math.floor(now.getTime() / 1_000) * 1_000)
      assert(id.startsWith(institution) && id.endsWith(String(number).padStart(12, '0')))
    }),
  )
})

test('an impossible date is still a session id', () => {
  for (const date of ['999999999999', '260230120000', '261115246060']) {
    const id = `000004${date}806663649508`
    assert(isNipSessionId(id))
  }
})

const OTHER = [
  '',
  'x'.repeat(65),
  `${EXAMPLE}\n`,
  ` ${EXAMPLE}`,
  `${EXAMPLE} `,
  '\u202e1',
  '\ud800',
]

for (const text of OTHER) {
  test(`${JSON.stringify(text)} is no session id`, () => {
    assert.equal(isSessionId(text), false)
  })
}

test('parts of the wrong shape make no id', () => {
  const now = new Date('2026-11-15T00:00:00Z')
  const makingSessionId = (institution: string, unique: string | bigint) => () =>
    makeSessionId({ institution, now, unique })
  assert.throws(makingSessionId('00004', 1n), RangeError)
  assert.throws(makingSessionId('000004', -1n), RangeError)
  assert.throws(makingSessionId('000004', 10n ** 12n), RangeError)
  assert.throws(makingSessionId('000004', ''), RangeError)
  assert.throws(makingSessionId('000004', '1a'), RangeError)
})

const TIMES = [
  ['2026-11-15T01:42:26.123+01:00', '2026-11-15T00:42:26.123Z'],
  ['2026-11-15T01:42:26.123456789Z', '2026-11-15T01:42:26.123Z'],
  ['2026-11-15 01:42:26.1', '2026-11-15T00:42:26.100Z'],
  ['2026-11-15T01:42', '2026-11-15T00:42:00.000Z'],
  ['2026-11-15T01:42:26-0530', '2026-11-15T07:12:26.000Z'],
  ['2026-11-15', '2026-11-14T23:00:00.000Z'],
  ['2026-11-15T24:00:00', '2026-11-15T23:00:00.000Z'],
  ['2028-02-29', '2028-02-28T23:00:00.000Z'],
] as const

for (const [text, expected] of TIMES) {
  test(`a bank's "${text}" is ${expected}`, () => {
    assert.equal(parseBankTime(text)?.toISOString(), expected)
  })
}

const NO_TIMES = ['', 'yesterday', '2026-02-29', '2026-13-01', '2026-11-15T24:00:01', '15/11/2026']
const NO_TIMES_EITHER = ['2026-11-15T01:60', '0000-01-01', '+002026-11-15', '2026-11-15T1:42:26']

for (const text of [...NO_TIMES, ...NO_TIMES_EITHER, '2026-11-15T01:42:26+99:00', '1794703346']) {
  test(`"${text}" is no time of a bank`, () => {
    assert.equal(parseBankTime(text), undefined)
  })
}

test('a session id may be of any shape; only 30 digits are NIP’s', () => {
  for (const text of ['1', '09FG240119090404935XTTGA9', EXAMPLE.slice(1), `${EXAMPLE}0`, 'a b']) {
    assert.deepEqual([isSessionId(text), isNipSessionId(text)], [true, false], text)
  }
  assert(isNipSessionId(EXAMPLE))
})
