// Shares of subaccounts in a reversal: they are given back before the bank takes the money (I56).

import type { Transaction } from '#db/transaction.ts'
import { discountReceipt } from '#domain/accounts/received-today.ts'
import { subaccountLedger } from '#domain/splits/credit-splits.ts'
import {
  type ReturnedShare,
  recordReturnedShares,
  type StandingShare,
  shareBackTransfers,
} from '#domain/splits/return-shares.ts'
import type { AccountId, CreditId, SubaccountId } from '#ids.ts'
import type { SharedAccount, SharedAccounts } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'

type Balances = {
  balances: ReadonlyMap<AccountId, Kobo> // Locked.
  accountId: (account: SharedAccount) => AccountId
}

export function subaccountBalances(
  shares: readonly StandingShare[],
  { balances, accountId }: Balances,
): ReadonlyMap<SubaccountId, Kobo> {
  return new Map(
    shares.map(({ subaccountId }) => [
      subaccountId,
      balances.get(accountId(subaccountLedger(subaccountId))) ?? kobo(0n),
    ]),
  )
}

// A returned share does not count as received again.
export async function giveSharesBack(
  tx: Transaction,
  sharedAccounts: SharedAccounts,
  {
    plan: { shares },
    creditId,
  }: { plan: { shares: readonly ReturnedShare[] }; creditId: CreditId },
): Promise<Transfer[]> {
  await recordReturnedShares(tx, shares)
  for (const { of, returnedKobo } of shares) {
    await discountReceipt(tx, { accountId: of.accountId, amountKobo: returnedKobo })
  }
  const accountId = (account: SharedAccount) => sharedAccounts.id(account)
  return shareBackTransfers(shares, { creditId, accountId })
}
