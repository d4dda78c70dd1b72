// Locks collection accounts by the numbers that money was sent to, with their limits, fee rule and split.
//
// If nobody uses limit profiles or fee rules, the locking statement says so, and no further query reads
// them.

import { texts } from '#db/binary-arrays.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import { HAS_PROFILES, PLAIN_LIMITS, readLimits } from '#domain/accounts/account-limits.ts'
import { receivedToday } from '#domain/accounts/received-today.ts'
import { findMerchantRules, HAS_RULES, merchantName } from '#domain/fees/fee-rules.ts'
import { readSplits } from '#domain/splits/splits.ts'
import type { AccountId, SplitId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'
import type { CollectionTarget } from './judge-credit.ts'

type AccountRow = Omit<CollectionTarget, 'kind' | 'todayKobo' | 'feeRule' | 'split'> & {
  splitId: SplitId | null
  accountNumber: string
  bankCode: string
  creditedKobo: Kobo // The total ever.
  merchantCode: string | null // Null without fee rules.
  hasProfiles: boolean
}

// In id order. Joins only tables: after waiting for a row, PostgreSQL checks it again by the joins of the
// statement, and with a union of two look-ups (which reads a quarter less) all rows but the first were
// gone. The account is as of the start of the statement: changes made while this waits count from the
// next credit on (erasures look for such credits again, erase-payer-data.ts).
export async function lockCollectionAccounts(
  tx: Transaction,
  numbers: readonly string[],
): Promise<AccountRow[]> {
  const { rows } = await tx.query<AccountRow>({
    name: 'lock-collection-accounts-by-number',
    text: `select n.account_number as "accountNumber", n.bank_code as "bankCode",
                  a.client_id as "clientId",
                  a.id as "collectionAccountId", a.is_active as "isActive",
                  a.currency_code as currency, l.credits_kobo - l.debits_kobo as "balanceKobo",
                  l.credits_kobo as "creditedKobo", a.payer_rules as "payerRules",
                  a.split_id as "splitId",
                  ${PLAIN_LIMITS.perCredit} as "perCreditKobo",
                  ${PLAIN_LIMITS.perDay} as "perDayKobo",
                  ${PLAIN_LIMITS.balanceMax} as "balanceMaxKobo",
                  ${HAS_PROFILES} as "hasProfiles",
                  case when ${HAS_RULES} then a.merchant_code end as "merchantCode"
             from numbers n
             join collection_accounts a on a.id = n.collection_account_id
             join ledger_accounts l on l.id = a.id
            where n.account_number = any($1::text[])
            order by l.id
              for no key update of l`,
    values: [texts(numbers, (number) => number)],
  })
  return rows
}

// By account: two numbers of one account share one target, so that each sees the other's credits. The
// accounts must be locked.
export async function findTargets(
  tx: Transaction,
  now: Date,
  accounts: readonly AccountRow[],
): Promise<ReadonlyMap<AccountId, CollectionTarget>> {
  const [limited, rules, splits] = await pipeline([
    withProfiles(tx, accounts),
    findMerchantRules(tx, now, accounts.filter(isChargeable)),
    readSplits(
      tx,
      accounts.map(({ splitId }) => splitId),
    ),
  ])
  const today = await receivedToday(tx, now, limited)
  const targets = new Map<AccountId, CollectionTarget>()
  for (const account of limited) {
    const { collectionAccountId } = account
    if (targets.has(collectionAccountId)) continue
    targets.set(collectionAccountId, {
      kind: 'collection',
      clientId: account.clientId,
      collectionAccountId,
      isActive: account.isActive,
      currency: account.currency,
      balanceKobo: account.balanceKobo,
      payerRules: account.payerRules,
      perCreditKobo: account.perCreditKobo,
      perDayKobo: account.perDayKobo,
      balanceMaxKobo: account.balanceMaxKobo,
      todayKobo: today.get(collectionAccountId) ?? kobo(0n),
      feeRule: (isChargeable(account) && rules.get(merchantName(account))) || null,
      split: (account.splitId !== null && splits.get(account.splitId)) || null,
    })
  }
  return targets
}

function isChargeable<T extends AccountRow>(account: T): account is T & { merchantCode: string } {
  return account.merchantCode !== null
}

// Runs after the lock, so that a changed profile counts from its commit on.
async function withProfiles(
  tx: Transaction,
  accounts: readonly AccountRow[],
): Promise<readonly AccountRow[]> {
  if (!accounts[0]?.hasProfiles) return accounts
  const limits = await readLimits(
    tx,
    accounts.map((account) => account.collectionAccountId),
  )
  return accounts.map((account) => ({ ...account, ...limits.get(account.collectionAccountId) }))
}
