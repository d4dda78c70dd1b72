// Property tests of the KYC tier in force: it follows from the tier that the client set, the verified
// identifiers, and the rule of the day.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  formerTier,
  IDENTIFIERS,
  KYC_TIERS,
  TIER_RULES,
  type TierRule,
  tierInForce,
} from '#identity/tiers.ts'

const tier = fc.constantFrom(...KYC_TIERS)
const verified = fc.subarray([...IDENTIFIERS])
const day = fc
  .date({ min: new Date('2010-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

test('without a verified BVN and a verified NIN there is no tier above 1, on any day', () => {
  fc.assert(
    fc.property(tier, verified, day, (kycTier, verified, day) => {
      const inForce = tierInForce({ kycTier, verified }, day)
      return verified.length === IDENTIFIERS.length ? inForce === kycTier : inForce === 1
    }),
  )
})

test('a tier is never above what the client set, and never falls by a further verified identifier', () => {
  fc.assert(
    fc.property(tier, verified, day, (kycTier, verified, day) => {
      const inForce = tierInForce({ kycTier, verified }, day)
      const all = tierInForce({ kycTier, verified: IDENTIFIERS }, day)
      return inForce <= kycTier && all >= inForce && KYC_TIERS.includes(inForce)
    }),
  )
})

test('a rule applies from its day on, and the first one before it too', () => {
  const rules: TierRule[] = [
    { from: '2023-12-01', source: 'a', needs: { 2: ['bvn'], 3: ['bvn', 'nin'] } },
    { from: '2027-01-01', source: 'b', needs: { 2: ['bvn', 'nin'], 3: ['bvn', 'nin'] } },
  ]
  const onDay = (day: string) => tierInForce({ kycTier: 3, verified: ['bvn'] }, day, rules)

  assert.deepEqual(
    ['2020-01-01', '2023-12-01', '2026-12-31', '2027-01-01', '2030-01-01'].map(onDay),
    [2, 2, 2, 1, 1],
  )
})

test('rules are in the order of their days and name their source', () => {
  const days = TIER_RULES.map(({ from }) => from)
  assert.deepEqual(days, days.toSorted())
  assert.equal(new Set(days).size, days.length)
  assert(TIER_RULES.every(({ source }) => source.length > 20))
})

test('the former tier of an older account is what a NIN alone allowed', () => {
  assert.deepEqual(
    [
      formerTier({ hasNin: true, kycTier: 3 }),
      formerTier({ hasNin: true, kycTier: 2 }),
      formerTier({ hasNin: false, kycTier: 3 }),
    ],
    [3, 2, 1],
  )
})
