// The row of a collection account.

import { SPLIT_CODE } from '#domain/splits/use-splits.ts'
import type { AccountId, ClientId, LimitProfileId, SplitId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import type { AccountLimits } from './account-limits.ts'
import { type AccountNumbers, ADDITIONAL_NUMBERS } from './additional-numbers.ts'
import type { Kyc } from './kyc.ts'
import type { PayerRules } from './payer-rules.ts'

// The configured limits at its creation, until the client sets its own. Null means none.
type DefaultLimits = { defaultPerCreditKobo: Kobo | null; defaultPerDayKobo: Kobo | null }

export type AccountFields = {
  accountName: string
  bvn: string
  email: string
  merchantId: string
  merchantCode: string
  notificationUrl: string
  phoneNumber: string
  channel: string
}

// The limits are the account's own; `readLimits` returns the limits in force.
export type CollectionAccount = AccountFields &
  Kyc &
  AccountLimits &
  DefaultLimits &
  AccountNumbers & {
    id: AccountId
    clientId: ClientId
    balanceKobo: Kobo
    isDefault: boolean
    isActive: boolean
    currencyCode: string
    payerRules: PayerRules | null
    limitProfileId: LimitProfileId | null
    splitId: SplitId | null
    splitCode: string | null
    version: bigint // Incremented by every change.
    createdAt: Date
    updatedAt: Date
  }

export type AccountRow = Omit<CollectionAccount, 'bvn'> & { bvnSealed: Buffer }

export const ACCOUNT_COLUMNS = `
         a.id, a.client_id as "clientId", a.bank_code as "bankCode",
         a.account_number as "accountNumber", a.account_name as "accountName",
         a.bvn_sealed as "bvnSealed", a.email, a.merchant_id as "merchantId",
         a.merchant_code as "merchantCode", a.notification_url as "notificationUrl",
         a.phone_number as "phoneNumber", a.channel, a.currency_code as "currencyCode",
         a.payer_rules as "payerRules", a.is_default as "isDefault",
         a.is_active as "isActive", a.created_at as "createdAt",
         a.updated_at as "updatedAt", a.version, a.own_per_credit_kobo as "perCreditKobo",
         a.own_per_day_kobo as "perDayKobo", a.own_balance_max_kobo as "balanceMaxKobo",
         a.default_per_credit_kobo as "defaultPerCreditKobo",
         a.default_per_day_kobo as "defaultPerDayKobo", a.limit_profile_id as "limitProfileId",
         a.nin_sealed as "ninSealed", a.nin_hash as "ninHash", a.kyc_tier as "kycTier",
         a.verified_name as "verifiedName", a.split_id as "splitId", ${SPLIT_CODE},
         l.credits_kobo - l.debits_kobo as "balanceKobo",
         ${ADDITIONAL_NUMBERS}`

// Changes the row in place: copying two dozen fields costs more than reading them from the database.
export function decryptAccount(sealer: Sealer, row: AccountRow): CollectionAccount {
  const account = row as AccountRow & { bvn: string }
  account.bvn = sealer.open(row.bvnSealed)
  return account
}
