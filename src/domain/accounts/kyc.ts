// Know your customer: what is known of the holder of a collection account beyond the BVN. A NIN is
// sealed, as a BVN is; it is opened only to be shown masked.

import type { Sealer } from '#seal.ts'

export const KYC_TIERS = [1, 2, 3] as const
export type KycTier = (typeof KYC_TIERS)[number]

// Of an account that was opened with a BVN, as every one is.
const TIER_WITH_BVN: KycTier = 3

export type Kyc = {
  ninSealed: Buffer | null
  ninHash: Buffer | null
  kycTier: KycTier
  verifiedName: string | null // As the verification service returned it.
}

// As a client gives it when it opens an account.
export type GivenKyc = {
  nin?: string | null | undefined
  kycTier?: KycTier | null | undefined
  verifiedName?: string | null | undefined
}

export function kycOf(sealer: Sealer, { nin, kycTier, verifiedName }: GivenKyc): Kyc {
  return {
    ...sealedNin(sealer, nin ?? null),
    kycTier: kycTier ?? TIER_WITH_BVN,
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
