// Collection accounts as our own endpoints show them: with KYC, payer rules and the limits in force.
// BVN and NIN are always masked.

import type { Queryable } from '#db/pool.ts'
import {
  type AccountLimits,
  type LimitsInForce,
  readLimits,
} from '#domain/accounts/account-limits.ts'
import type { CollectionAccount } from '#domain/accounts/collection-accounts.ts'
import { tierInForce } from '#domain/accounts/kyc.ts'
import { presentPayerRules } from '#domain/accounts/payer-rules.ts'
import { type NameBank, viewAccount } from '#domain/payments/resource-presenters.ts'
import { maskIdentityNumber } from '#mask.ts'
import { type Kobo, toNaira } from '#money.ts'
import type { Sealer } from '#seal.ts'

type Deps = { db: Queryable; sealer: Sealer; nameBank: NameBank }

export type OwnAccount = Awaited<ReturnType<typeof presentOwnAccount>>

export async function presentOwnAccounts(deps: Deps, accounts: readonly CollectionAccount[]) {
  const { db, sealer } = deps
  const inForce = await readLimits(
    db,
    accounts.map(({ id }) => id),
  )
  return accounts.map((account) => {
    const { limitProfile, ...limits } = inForce.get(account.id) as LimitsInForce
    const { payerRules, ninSealed } = account
    return {
      ...viewAccount(account, deps),
      bvnMasked: maskIdentityNumber(account.bvn),
      ninMasked: ninSealed && maskIdentityNumber(sealer.open(ninSealed)),
      kycTier: tierInForce(account),
      kycTierSet: account.kycTier,
      verifiedName: account.verifiedName,
      payerRules: payerRules && presentPayerRules(payerRules),
      limits: presentLimits(limits),
      ownLimits: presentLimits(account),
      limitProfile,
      splitCode: account.splitCode,
      version: Number(account.version),
    }
  })
}

export async function presentOwnAccount(deps: Deps, account: CollectionAccount) {
  const [shown] = await presentOwnAccounts(deps, [account])
  return shown as NonNullable<typeof shown>
}

export function presentLimits({ perCreditKobo, perDayKobo, balanceMaxKobo }: AccountLimits) {
  const naira = (limit: Kobo | null) => (limit === null ? null : toNaira(limit))
  return {
    perCredit: naira(perCreditKobo),
    perDay: naira(perDayKobo),
    balanceMax: naira(balanceMaxKobo),
  }
}
