// KYC tiers: computes the tier that an account's verified identifiers allow, by the rule in force on a day.
// SQL reads only the stored result of tierInForce().
//
// The client states how far it has identified its customer (`kycTier`). The verification service confirms
// which identifiers belong to the customer, which allows a tier. The lower of these two tiers is in force.

export const KYC_TIERS = [1, 2, 3] as const
export type KycTier = (typeof KYC_TIERS)[number]

export const LOWEST_TIER: KycTier = 1 // Every account has at least this tier.
export const TIER_BY_DEFAULT: KycTier = 3 // Used if the client sets no tier.

export const IDENTIFIERS = ['bvn', 'nin'] as const
export type Identifier = (typeof IDENTIFIERS)[number]

export type TierRule = {
  from: string // The first day (West Africa Time) on which the rule applies.
  source: string
  // The identifiers that must be verified for a tier. A tier that is not listed needs none.
  needs: Readonly<Partial<Record<KycTier, readonly Identifier[]>>>
}

// The rules, ordered by day. Add a new rule at the end, with its day.
export const TIER_RULES: readonly TierRule[] = [
  {
    from: '2023-12-01',
    source:
      'CBN circular of 1 December 2023 to all banks, other financial institutions and mobile money ' +
      'operators, amending section 1.5.3 of the Regulatory Framework for BVN Operations: “It remains ' +
      'mandatory for Tiers 2 & 3 accounts and wallets for Individual accounts to have BVN and NIN”',
    needs: { 2: ['bvn', 'nin'], 3: ['bvn', 'nin'] },
  },
]

type TierFacts = {
  kycTier: KycTier // The tier that the client set.
  verified: readonly Identifier[]
}

// Returns the highest tier up to the client's `kycTier` whose identifiers are verified. The first rule also
// applies to days before it.
export function tierInForce(
  { kycTier, verified }: TierFacts,
  day: string,
  rules: readonly TierRule[] = TIER_RULES,
): KycTier {
  const rule = rules.findLast(({ from }) => from <= day) ?? rules[0]
  const isAllowed = (tier: KycTier) =>
    tier <= kycTier && (rule?.needs[tier] ?? []).every((needed) => verified.includes(needed))
  return KYC_TIERS.findLast(isAllowed) ?? LOWEST_TIER
}

// The tier whose limits apply to an account that was created before identifiers were verified, until an
// operator assigns a tier in force. Such an account has the client's tier if it has a NIN, verified or not.
// The API shows this tier as `limitTier`, not as the account's KYC tier.
export function formerTier({ hasNin, kycTier }: { hasNin: boolean; kycTier: KycTier }): KycTier {
  return hasNin ? kycTier : LOWEST_TIER
}

// SQL scalar: the tier that the API and name enquiries state. Null if there is no account.
export const statedTierOf = (account: string) =>
  `case when ${account}.id is not null then coalesce(${account}.tier_in_force, ${LOWEST_TIER}) end`

// SQL scalar: the tier whose limits apply to an account: the tier in force or, without one, formerTier().
export const limitTierOf = (account: string) =>
  `coalesce(${account}.tier_in_force,
            case when ${account}.nin_hash is null then ${LOWEST_TIER} else ${account}.kyc_tier end)`
