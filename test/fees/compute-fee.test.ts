// Computes fees for the published examples, and checks properties for any rule and amount.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { computeFee, type FeeTerms, feeLeft, grossUp, shareFee } from '#fees/fee.ts'
import { formatKobo, type Kobo, kobo, parseKobo } from '#money.ts'

const FREE: FeeTerms = {
  code: 'test',
  basis: 'credit',
  flatKobo: kobo(0n),
  bps: 0,
  minKobo: kobo(0n),
  capKobo: null,
  waiveFlatBelowKobo: kobo(0n),
  vatBps: 750,
  vatIncluded: false,
  bearer: 'merchant',
}
const ONE_PERCENT = { ...FREE, bps: 100 }
const CAPPED = { ...ONE_PERCENT, capKobo: naira('300') }

function naira(text: string): Kobo {
  return parseKobo(text) as Kobo
}

// Returns the fee, its VAT and the net amount as one text.
function describe(terms: FeeTerms, amount: string): string {
  const { feeKobo, vatKobo, netKobo } = computeFee(terms, naira(amount))
  return [feeKobo, vatKobo, netKobo].map(formatKobo).join(' ')
}

test('fees, VAT and net are those of the published table', () => {
  assert.equal(describe(CAPPED, '20000.00'), '200.00 15.00 19785.00')
  assert.equal(describe(CAPPED, '100000.00'), '300.00 22.50 99677.50')
  assert.equal(describe({ ...ONE_PERCENT, minKobo: naira('10') }, '50.00'), '10.00 0.75 39.25')
  assert.equal(describe(ONE_PERCENT, '0.01'), '0.00 0.00 0.01')
  const gross = grossUp({ ...CAPPED, bearer: 'customer' }, naira('20000.00'))
  assert.equal(formatKobo(gross), '20217.34')
  assert.equal(describe(CAPPED, formatKobo(gross)), '202.17 15.16 20000.01')
})

test('half a kobo is rounded up, of the fee and of the VAT', () => {
  assert.equal(describe(ONE_PERCENT, '0.49'), '0.00 0.00 0.49')
  assert.equal(describe(ONE_PERCENT, '0.50'), '0.01 0.00 0.49')
  // The VAT of 1.5 kobo is rounded to 2.
  assert.equal(describe({ ...FREE, flatKobo: naira('0.20') }, '1.00'), '0.20 0.02 0.78')
})

test('a flat fee is waived below its threshold, and not at it', () => {
  const terms = { ...FREE, flatKobo: naira('100'), waiveFlatBelowKobo: naira('2500') }
  assert.equal(describe(terms, '2499.99'), '0.00 0.00 2499.99')
  assert.equal(describe(terms, '2500.00'), '100.00 7.50 2392.50')
})

test('included VAT is a part of the price and not on top of it', () => {
  assert.equal(
    describe({ ...FREE, flatKobo: naira('107.5'), vatIncluded: true }, '1000'),
    ['100.00 7.50 892.50'].join(),
  )
})

test('a fee never exceeds the amount', () => {
  assert.equal(describe({ ...FREE, flatKobo: naira('100') }, '43.00'), '40.00 3.00 0.00')
})

const amounts = fc.bigInt({ min: 1n, max: 10_000_000_000n }).map(kobo)
const small = fc.bigInt({ min: 0n, max: 100_000n }).map(kobo)
const terms: fc.Arbitrary<FeeTerms> = fc
  .record({
    flatKobo: small,
    bps: fc.integer({ min: 0, max: 5_000 }),
    minKobo: small,
    overMin: fc.option(small),
    waiveFlatBelowKobo: small,
    vatBps: fc.constantFrom(0, 1, 750, 5_000),
    vatIncluded: fc.boolean(),
  })
  .map(({ overMin, ...rest }) => ({
    ...FREE,
    ...rest,
    capKobo: overMin === null ? null : kobo(rest.minKobo + overMin),
  }))

test('fee, VAT and net sum to the amount, and none is negative', () => {
  fc.assert(
    fc.property(terms, amounts, (rule, amount) => {
      const { feeKobo, vatKobo, netKobo } = computeFee(rule, amount)
      assert.equal(feeKobo + vatKobo + netKobo, amount)
      assert(feeKobo >= 0n && vatKobo >= 0n && netKobo >= 0n)
      if (rule.capKobo !== null) assert(feeKobo <= rule.capKobo)
    }),
  )
})

test('a larger amount never leaves a smaller net', () => {
  fc.assert(
    fc.property(terms, amounts, small, (rule, amount, more) => {
      const [less, greater] = [amount, kobo(amount + more)].map((each) => computeFee(rule, each))
      assert(less && greater)
      assert(greater.feeKobo + greater.vatKobo >= less.feeKobo + less.vatKobo)
    }),
  )
})

test('the amount a customer pays covers the fee, and is the least that does', () => {
  fc.assert(
    fc.property(terms, amounts, (rule, net) => {
      const gross = grossUp(rule, net)
      assert(computeFee(rule, gross).netKobo >= net)
      assert(exactNet(rule, gross) >= Number(net) - 0.001)
      const less = kobo(gross - 1n)
      const isShort =
        less < net ||
        computeFee(rule, less).netKobo < net ||
        exactNet(rule, less) < Number(net) + 0.001
      assert(isShort, `${less} would have been enough`)
    }),
  )
})

// Computes the net amount a second time, independently of the code under test. Floats are exact enough for
// the comparison.
function exactNet(rule: FeeTerms, amount: Kobo): number {
  const flat = amount < rule.waiveFlatBelowKobo ? 0 : Number(rule.flatKobo)
  const price = Math.max(flat + (Number(amount) * rule.bps) / 10_000, Number(rule.minKobo))
  const capped = rule.capKobo === null ? price : Math.min(price, Number(rule.capKobo))
  return Number(amount) - capped * (rule.vatIncluded ? 1 : 1 + rule.vatBps / 10_000)
}

test('the shares of several credits sum to the fee, and none exceeds its credit', () => {
  const parts = fc.array(amounts, { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(terms, parts, (rule, partsKobo) => {
      const fee = computeFee(rule, kobo(partsKobo.reduce((sum, part) => sum + part, 0n)))
      const shares = shareFee(fee, partsKobo)
      assert.equal(sum(shares, 'feeKobo'), fee.feeKobo)
      assert.equal(sum(shares, 'vatKobo'), fee.vatKobo)
      for (const [index, { feeKobo, vatKobo }] of shares.entries()) {
        assert(feeKobo >= 0n && vatKobo >= 0n && feeKobo + vatKobo <= (partsKobo[index] as Kobo))
      }
    }),
  )
})

// Sums the fees, or their VAT, of all shares.
function sum(shares: readonly { feeKobo: Kobo; vatKobo: Kobo }[], field: 'feeKobo' | 'vatKobo') {
  return shares.reduce((total, share) => total + share[field], 0n)
}

test('the charged fee shrinks with the rest, to nothing, and never exceeds it', () => {
  fc.assert(
    fc.property(terms, amounts, amounts, amounts, (rule, base, some, other) => {
      const fee = computeFee(rule, base)
      const [less, more] = [some % (base + 1n), other % (base + 1n)].sort(ascending).map(kobo)
      const [low, high] = [feeLeft(fee, base, less as Kobo), feeLeft(fee, base, more as Kobo)]
      assert(low.feeKobo <= high.feeKobo && low.vatKobo <= high.vatKobo)
      assert(low.feeKobo + low.vatKobo <= (less as Kobo))
      assert.deepEqual(feeLeft(fee, base, kobo(0n)), { feeKobo: 0n, vatKobo: 0n })
    }),
  )
})

function ascending(a: bigint, b: bigint): number {
  return a < b ? -1 : Number(a > b)
}
