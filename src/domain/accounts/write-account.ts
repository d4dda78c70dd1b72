// Writes the changeable columns of a collection account. The row must be locked.

import type { Transaction } from '#db/transaction.ts'
import type { CollectionAccount } from './collection-accounts.ts'

export async function writeAccount(tx: Transaction, account: CollectionAccount): Promise<void> {
  await tx.query({
    name: 'write-account',
    text: `update collection_accounts
              set account_name = $2, email = $3, phone_number = $4, notification_url = $5,
                  payer_rules = $6, is_active = $7, is_default = $8, version = $9, updated_at = $10,
                  own_per_credit_kobo = $11, own_per_day_kobo = $12, own_balance_max_kobo = $13,
                  default_per_credit_kobo = $14, default_per_day_kobo = $15,
                  limit_profile_id = $16, nin_sealed = $17, nin_hash = $18, kyc_tier = $19,
                  verified_name = $20, split_id = $21
            where id = $1`,
    values: [
      account.id,
      account.accountName,
      account.email,
      account.phoneNumber,
      account.notificationUrl,
      account.payerRules && JSON.stringify(account.payerRules),
      account.isActive,
      account.isDefault,
      account.version,
      account.updatedAt,
      account.perCreditKobo,
      account.perDayKobo,
      account.balanceMaxKobo,
      account.defaultPerCreditKobo,
      account.defaultPerDayKobo,
      account.limitProfileId,
      account.ninSealed,
      account.ninHash,
      account.kycTier,
      account.verifiedName,
      account.splitId,
    ],
  })
}
