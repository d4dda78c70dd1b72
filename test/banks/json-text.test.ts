// The JSON reader refuses numbers that JSON.parse would silently round.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { withoutRounding } from '#banks/json-text.ts'
import { koboOf } from '#money.ts'

const read = (text: string) => JSON.parse(withoutRounding(text))

const ROUNDED = [
  '0.10000000000000001',
  '12345678.909999999999',
  '100.00000000000000001',
  '-0.10000000000000001',
  '9007199254740993',
  '10.000000000000000001e0',
  `1${'0'.repeat(30)}.${'0'.repeat(30)}1`,
]

for (const number of ROUNDED) {
  test(`${number.slice(0, 40)} is no amount`, () => {
    for (const text of [number, `{"amount":${number}}`, `[1, ${number} ]`, `{"a":\n${number}\n}`]) {
      const [value] = [read(text)].flatMap((each) => each.amount ?? each.a ?? each[1] ?? each)
      assert.equal(Math.abs(value), Number.POSITIVE_INFINITY, text)
      assert.equal(koboOf(value), undefined)
    }
  })
}

const KEPT = [
  ['6000.5000000000000000', 6000.5],
  ['1.0E7', 1e7],
  ['0.000000000000000000', 0],
  ['123456789012345.67', 123456789012345.67],
  ['1000000000000000000000', 1e21],
  ['0.30000000000000004', 0.1 + 0.2],
] as const

for (const [number, value] of KEPT) {
  test(`${number} is read as it is written`, () => {
    assert.equal(read(`{"amount":${number}}`).amount, value)
  })
}

test('digits in a string are nobody’s number', () => {
  const body = { sessionId: '0'.repeat(30), note: '": 0.10000000000000001, ', 'a:1': '\\"' }
  const text = JSON.stringify(body).replace('{', '{"x":0.10000000000000001,')
  assert.deepEqual(read(text), { x: Number.POSITIVE_INFINITY, ...body })
})

test('text that is not JSON does not become JSON', () => {
  for (const text of [
    '00000000000000000012345678901234567890',
    '1.2.3.4.5.6.7.8.9.0.1.2.3.4',
    '-',
  ]) {
    assert.throws(() => read(text), SyntaxError)
    assert.throws(() => read(`[${text}]`), SyntaxError)
  }
  fc.assert(fc.property(fc.string(), (text) => typeof withoutRounding(text) === 'string'))
})

test('every value survives, whatever its numbers', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      assert.deepEqual(read(text), JSON.parse(text))
    }),
  )
})

test('no decimal is read as an amount that it is not', () => {
  const digits = fc.stringMatching(/^[0-9]{0,20}$/)
  fc.assert(
    fc.property(fc.nat(1_000_000), digits, (whole, fraction) => {
      const number = fraction === '' ? `${whole}` : `${whole}.${fraction}`
      const isAmount = /^[0-9]{0,2}0*$/.test(fraction)
      const kobo = BigInt(whole) * 100n + BigInt(fraction.slice(0, 2).padEnd(2, '0'))
      assert.equal(koboOf(read(number)), isAmount ? kobo : undefined, number)
    }),
    { numRuns: 1_000 },
  )
})
