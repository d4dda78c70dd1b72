// Money is read and printed without losing or inventing a kobo.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { AMOUNT_MAX_KOBO, formatKobo, kobo, koboOf, parseKobo, toNaira } from '#money.ts'

const amount = fc.bigInt({ min: 0n, max: AMOUNT_MAX_KOBO })

const READ: readonly [unknown, bigint][] = [
  ['6000', 600_000n],
  ['6000.00', 600_000n],
  ['6000.5', 600_050n],
  ['0', 0n],
  ['0.01', 1n],
  ['10000000000000.00', AMOUNT_MAX_KOBO],
  [6000, 600_000n],
  [6000.5, 600_050n],
  [0.1, 10n],
  [0.29, 29n], // 0.29 * 100 is 28.999999999999996
  [1.15, 115n],
  [999_999_999.99, 99_999_999_999n],
  [-0, 0n],
]

for (const [value, kobo] of READ) {
  test(`${JSON.stringify(value)} is ${kobo} kobo`, () => {
    assert.equal(koboOf(value), kobo)
  })
}

const REFUSED: readonly unknown[] = [
  ...['1e3', '1E3', '0.001', '-1', '-0', '1,000', '1 000', '١٢', '１２', ' 5', '5 ', '5\n', '+5'],
  ...['', '.', '.5', '5.', '5.5.5', '00', '007', '0x10', '0b1', 'NaN', 'Infinity', '1_000', '₦5'],
  ...['5\u0000', '12345678901234567', `1${'0'.repeat(10_000)}`],
  ...[-1, -0.01, 0.001, 1.005, 0.1 + 0.2, JSON.parse('1e400'), JSON.parse('-1e400')],
  ...[1e21, 1e-7, Number.NaN, Number.NEGATIVE_INFINITY],
  ...[null, undefined, true, 5n, {}, [], ['5'], { valueOf: () => 5 }],
]

for (const value of REFUSED) {
  const label = typeof value === 'string' ? JSON.stringify(value.slice(0, 20)) : String(value)
  test(`${label} (${typeof value}) is not an amount`, () => {
    assert.equal(koboOf(value), undefined)
  })
}

test('every amount survives the way out and back as text', () => {
  fc.assert(fc.property(amount, (value) => parseKobo(formatKobo(kobo(value))) === value))
})

test('every amount survives the way out and back as a JSON number', () => {
  const throughJson = (value: bigint) => koboOf(JSON.parse(JSON.stringify(toNaira(kobo(value)))))
  fc.assert(fc.property(amount, (kobo) => throughJson(kobo) === kobo))
})

test('balances up to 2^46 naira print as JSON numbers to the kobo', () => {
  const balance = fc.bigInt({ min: 0n, max: 100n * 2n ** 46n - 1n })
  fc.assert(fc.property(balance, (value) => koboOf(toNaira(kobo(value))) === value))
  assert.equal(koboOf(toNaira(kobo(100n * 2n ** 46n - 1n))), 100n * 2n ** 46n - 1n)
})

test('the amount read is the decimal written, whatever the double behind it', () => {
  const decimal = fc.tuple(fc.nat(999_999_999), fc.integer({ min: 0, max: 99 }))
  fc.assert(
    fc.property(decimal, ([naira, kobo]) => {
      const text = `${naira}.${String(kobo).padStart(2, '0')}`
      assert.equal(koboOf(JSON.parse(text)), BigInt(naira) * 100n + BigInt(kobo))
    }),
  )
})

test('a third decimal is refused, as text and as a number', () => {
  const decimal = fc.tuple(fc.nat(999_999_999), fc.nat(99), fc.integer({ min: 1, max: 9 }))
  fc.assert(
    fc.property(decimal, ([naira, kobo, third]) => {
      const text = `${naira}.${String(kobo).padStart(2, '0')}${third}`
      assert.equal(parseKobo(text), undefined)
      assert.equal(koboOf(JSON.parse(text)), undefined)
    }),
  )
})

test('amounts print with two decimals and their sign', () => {
  assert.deepEqual([0n, 1n, 10n, 100n, -1n, -100n, 600_050n].map(kobo).map(formatKobo), [
    '0.00',
    '0.01',
    '0.10',
    '1.00',
    '-0.01',
    '-1.00',
    '6000.50',
  ])
  assert.equal(toNaira(kobo(-600_050n)), -6000.5)
})

test('no text makes the parser throw', () => {
  fc.assert(fc.property(fc.anything(), (value) => typeof koboOf(value) !== 'string'))
})
