// Computing the shares of a split: the published examples, and properties that hold for any split and amount.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chargeFee, sumOfFees } from '#fees/charges.ts'
import { computeFee } from '#fees/fee.ts'
import type { FeeRule } from '#fees/rules.ts'
import type { AccountId, CreditId, SplitId, SubaccountId } from '#ids.ts'
import { formatKobo, type Kobo, kobo, parseKobo } from '#money.ts'
import { returnShares, type StandingShare, shareCredits, sumOfShares } from '#splits/shares.ts'
import type { Split } from '#splits/split.ts'
import { type SplitTerms, shareAmount } from '#splits/split.ts'
import { asId } from '../support/as-id.ts'

const naira = (text: string) => parseKobo(text) as Kobo
const NO_FEE = { feesKobo: kobo(0n), bearer: undefined }

type PartTerms = [share: string, bearsFee?: boolean]

// The terms of a split. Each entry is a subaccount's share, and whether the subaccount bears the fee.
function terms(type: SplitTerms['type'], ...entries: PartTerms[]): SplitTerms {
  const parts = entries.map(([share, bearsFee = false]) => ({ share: naira(share), bearsFee }))
  return { type, parts }
}

const formatShares = (shares: readonly Kobo[]) => shares.map(formatKobo).join(' ')

test('80/20 of 19,785.00 is 15,828.00 and 3,957.00', () => {
  const gross = { ...NO_FEE, grossKobo: naira('19785') }
  assert.equal(
    formatShares(shareAmount(terms('percentage', ['80'], ['20']), gross)),
    '15828.00 3957.00',
  )
  const afterFee = {
    grossKobo: naira('20000'),
    feesKobo: naira('215'),
    bearer: 'merchant',
  } as const
  assert.equal(
    formatShares(shareAmount(terms('percentage', ['80'], ['20']), afterFee)),
    '15828.00 3957.00',
  )
})

test('the remainder of rounding goes to the largest remainders, the first of equals', () => {
  const of = (text: string) => ({ ...NO_FEE, grossKobo: naira(text) })
  const thirds = terms('percentage', ['33.33'], ['33.33'], ['33.34'])
  assert.equal(formatShares(shareAmount(thirds, of('0.01'))), '0.00 0.00 0.01')
  assert.equal(formatShares(shareAmount(thirds, of('0.02'))), '0.01 0.00 0.01')
  assert.equal(
    formatShares(shareAmount(terms('percentage', ['50'], ['50']), of('0.01'))),
    '0.01 0.00',
  )
  // One kobo is split in two halves. The subaccount gets the kobo, because among equal fractions the main
  // account comes last.
  assert.equal(formatShares(shareAmount(terms('percentage', ['50']), of('0.01'))), '0.01')
  assert.equal(formatShares(shareAmount(terms('percentage', ['40']), of('0.01'))), '0.00')
})

test('flat shares are paid in order, as long as there is some', () => {
  const flat = terms('flat', ['60'], ['50'], ['10'])
  const of = (text: string) => ({ ...NO_FEE, grossKobo: naira(text) })
  assert.equal(formatShares(shareAmount(flat, of('200'))), '60.00 50.00 10.00')
  assert.equal(formatShares(shareAmount(flat, of('100'))), '60.00 40.00 0.00')
  assert.equal(formatShares(shareAmount(flat, of('10'))), '10.00 0.00 0.00')
})

test('the fee comes out of the parts that bear it, then the main account, then the others', () => {
  const of = (fees: string) =>
    ({ grossKobo: naira('1000'), feesKobo: naira(fees), bearer: 'subaccount' }) as const
  const one = terms('percentage', ['50'], ['10', true])
  assert.equal(formatShares(shareAmount(one, of('20'))), '500.00 80.00')
  assert.equal(formatShares(shareAmount(one, of('150'))), '500.00 0.00')
  assert.equal(formatShares(shareAmount(one, of('600'))), '400.00 0.00')
  const two = terms('percentage', ['60', true], ['20', true])
  assert.equal(formatShares(shareAmount(two, of('80'))), '540.00 180.00')
  // No part bears the fee, so it is deducted before the split.
  assert.equal(formatShares(shareAmount(terms('percentage', ['50']), of('100'))), '450.00')
  const merchant = { ...of('100'), bearer: 'merchant' } as const
  assert.equal(formatShares(shareAmount(one, merchant)), '450.00 90.00')
})

const amounts = fc.bigInt(1n, 10_000_000_000n).map(kobo)

const splits: fc.Arbitrary<SplitTerms> = fc
  .record({
    type: fc.constantFrom('percentage' as const, 'flat' as const),
    weights: fc.array(fc.record({ of: fc.bigInt(1n, 10_000n), bearsFee: fc.boolean() }), {
      minLength: 1,
      maxLength: 10,
    }),
    room: fc.bigInt(0n, 10_000n),
    isWhole: fc.boolean(),
  })
  .map(({ type, weights, room, isWhole }) => {
    const whole = weights.reduce((sum, { of }) => sum + of, room)
    const share = (of: bigint) => (type === 'flat' ? of * 1000n : (of * 10_000n) / whole || 1n)
    const parts = weights.map(({ of, bearsFee }) => ({ share: share(of), bearsFee }))
    const last = parts.at(-1)
    if (last && isWhole && type === 'percentage') {
      last.share += 10_000n - parts.reduce((sum, each) => sum + each.share, 0n)
    }
    return { type, parts }
  })
  .filter(({ type, parts }) => {
    if (parts.some(({ share }) => share < 1n)) return false
    return type === 'flat' || parts.reduce((sum, { share }) => sum + share, 0n) <= 10_000n
  })

const bearers = fc.constantFrom('merchant', 'customer', 'subaccount', undefined)

test('shares are never negative, never more than there is, and a whole split is shared whole', () => {
  fc.assert(
    fc.property(splits, amounts, fc.bigInt(0n, 10_000n), bearers, (split, gross, rate, bearer) => {
      const feesKobo = kobo((gross * rate) / 10_000n)
      const shares = shareAmount(split, { grossKobo: gross, feesKobo, bearer })
      const sum = shares.reduce((total, share) => total + share, 0n)
      assert(shares.every((share) => share >= 0n))
      assert(sum <= gross - feesKobo)
      const sharesTotal = split.parts.reduce((total, { share }) => total + share, 0n)
      const isWhole = split.type === 'percentage' ? sharesTotal === 10_000n : sharesTotal >= gross
      if (isWhole) assert.equal(sum, gross - feesKobo)
    }),
    { numRuns: 2_000 },
  )
})

test('without a fee, a share is within a kobo of its percentage', () => {
  fc.assert(
    fc.property(splits, amounts, (split, grossKobo) => {
      if (split.type === 'flat') return
      const shares = shareAmount(split, { ...NO_FEE, grossKobo })
      for (const [at, { share }] of split.parts.entries()) {
        const off = (shares[at] as bigint) * 10_000n - grossKobo * share
        assert(off > -10_000n && off < 10_000n)
      }
    }),
  )
})

// A stored split with these terms. Its other fields do not matter to the shares.
function splitOf({ type, parts }: SplitTerms): Split {
  return {
    id: asId<SplitId>(1n),
    clientId: asId(1n),
    code: 's',
    name: 's',
    type,
    isActive: true,
    areSubaccountsActive: true,
    parts: parts.map((part, at) => ({
      ...part,
      subaccountId: asId<SubaccountId>(BigInt(at)),
      subaccountCode: `${at}`,
    })),
    createdAt: new Date(0),
  }
}

const RULE = {
  id: 1n,
  clientId: 1n,
  basis: 'credit',
  flatKobo: kobo(500n),
  bps: 150,
  minKobo: kobo(0n),
  capKobo: null,
  waiveFlatBelowKobo: kobo(0n),
  vatBps: 750,
  vatIncluded: false,
} as unknown as FeeRule

const parts = fc.array(amounts, { minLength: 1, maxLength: 5 })

test('a payment in parts is split as a whole, and no credit gives more than is left of it', () => {
  fc.assert(
    fc.property(splits, parts, bearers, (terms, amountsKobo, bearer = 'merchant') => {
      const split = splitOf(terms)
      const rule = { ...RULE, bearer }
      const held = amountsKobo.map((amountKobo, at) => ({
        creditId: asId<CreditId>(BigInt(at)),
        amountKobo,
      }))
      const fees = chargeFee(rule, held)
      const shares = shareCredits(split, { parts: held, fees, rule })

      const grossKobo = kobo(amountsKobo.reduce((sum, each) => sum + each, 0n))
      const { feeKobo, vatKobo } = computeFee(rule, grossKobo)
      const whole = { grossKobo, feesKobo: kobo(feeKobo + vatKobo), bearer }
      const expected = shareAmount(split, whole)
      for (const [at, { subaccountId }] of split.parts.entries()) {
        const got = shares.filter((share) => share.subaccountId === subaccountId)
        assert.equal(sumOfShares(got), expected[at])
      }
      for (const { creditId, amountKobo } of held) {
        const total = sumOfShares(shares.filter((share) => share.creditId === creditId))
        const charged = sumOfFees(fees.filter((fee) => fee.creditId === creditId))
        assert(total <= amountKobo - charged)
      }
    }),
    { numRuns: 500 },
  )
})

// Reversals: the part taken each time, and what subaccounts have spent meanwhile, in ten-thousandths.
const steps = fc.array(
  fc.record({ taken: fc.bigInt(0n, 10_000n), spent: fc.bigInt(0n, 10_000n) }),
  { maxLength: 6 },
)

test('reversals in random parts return every share that is there, and lose the rest once', () => {
  fc.assert(
    fc.property(splits, amounts, steps, (terms, baseKobo, changes) => {
      const shares = shareAmount(terms, { ...NO_FEE, grossKobo: baseKobo })
      const standing = shares.map(
        (shareKobo, at): StandingShare => ({
          id: BigInt(at),
          itemId: null,
          subaccountId: asId<SubaccountId>(BigInt(at)),
          accountId: asId<AccountId>(1n),
          baseKobo,
          shareKobo,
          returnedKobo: kobo(0n),
          lostKobo: kobo(0n),
        }),
      )
      const balances = new Map(standing.map((each) => [each.subaccountId, each.shareKobo]))
      let spentKobo = 0n
      let leftKobo: bigint = baseKobo
      for (const step of [...changes, { taken: 10_000n, spent: 0n }]) {
        leftKobo -= (leftKobo * step.taken) / 10_000n
        for (const [id, held] of balances) {
          const spent = (held * step.spent) / 10_000n
          balances.set(id, kobo(held - spent))
          spentKobo += spent
        }
        for (const back of returnShares(standing, { leftKobo: kobo(leftKobo), balances })) {
          assert(back.returnedKobo >= 0n && back.lostKobo >= 0n)
          back.share.returnedKobo = kobo(back.share.returnedKobo + back.returnedKobo)
          back.share.lostKobo = kobo(back.share.lostKobo + back.lostKobo)
        }
        const remaining = standing.reduce(
          (sum, s) => sum + s.shareKobo - s.returnedKobo - s.lostKobo,
          0n,
        )
        assert(remaining <= leftKobo)
      }
      const sumOf = (of: 'shareKobo' | 'returnedKobo' | 'lostKobo') =>
        standing.reduce((sum, each) => sum + each[of], 0n)
      assert.equal(sumOf('returnedKobo') + sumOf('lostKobo'), sumOf('shareKobo'))
      assert.equal(sumOf('lostKobo'), spentKobo)
      assert([...balances.values()].every((held) => held === 0n))
    }),
    { numRuns: 1_000 },
  )
})
