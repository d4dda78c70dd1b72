// Know your customer: verified data about the holder of a collection account besides the BVN. A NIN
// is sealed like a BVN and opened only to be shown masked.
//
// CBN, December 2023: tier 1 requires a BVN or a NIN, tiers 2 and 3 require both. Every account has
// a BVN, so the tier that a client sets takes effect once there is a NIN too (I95).

import type { Sealer } from '#seal.ts'

export const KYC_TIERS = [1, 2, 3] as const
export type KycTier = (typeof KYC_TIERS)[number]

const TIER_WITH_BVN: KycTier = 1
const TIER_BY_DEFAULT: KycTier = 3 // Used if the client sets none.

export type Kyc = {
  ninSealed: Buffer | null
  ninHash: Buffer | null
  kycTier: KycTier // The tier that was set; `tierInForce` returns the one that applies.
  verifiedName: string | null // The name that the verification service returned.
}

export type KycInput = {
  nin?: string | null | undefined
  kycTier?: KycTier | null | undefined
  verifiedName?: string | null | undefined
}

export function kycOf(sealer: Sealer, { nin, kycTier, verifiedName }: KycInput): Kyc {
  return {
    ...sealedNin(sealer, nin ?? null),
    kycTier: kycTier ?? TIER_BY_DEFAULT,
    verifiedName: verifiedName ?? null,
  }
}

export function sealedNin(sealer: Sealer, nin: string | null) {
  return {
    ninSealed: nin === null ? null : sealer.seal(nin),
    ninHash: nin === null ? null : hashNin(sealer, nin),
  }
}

export function hashNin(sealer: Sealer, nin: string): Buffer {
  return sealer.hash('nin', nin)
}

export function tierInForce({ ninHash, kycTier }: Pick<Kyc, 'ninHash' | 'kycTier'>): KycTier {
  return ninHash === null ? TIER_WITH_BVN : kycTier
}

// SQL for the same. Null if there is no account.
export const tierInForceOf = (account: string) =>
  `case when ${account}.nin_hash is null and ${account}.id is not null then ${TIER_WITH_BVN}
        else ${account}.kyc_tier end`
