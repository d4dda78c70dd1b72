// The shares of subaccounts in a credit, and the parts of them that go back when a bank takes the money
// back (I56).

import type { Transaction } from '#db/transaction.ts'
import type { AccountId, CreditId, SubaccountId, SuspenseItemId } from '#ids.ts'
import type { SharedAccount } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import { subaccountLedger } from './credit-splits.ts'

export type StandingShare = {
  id: bigint
  itemId: SuspenseItemId | null
  subaccountId: SubaccountId
  accountId: AccountId // The account that paid the share; returns go there.
  baseKobo: Kobo
  shareKobo: Kobo
  returnedKobo: Kobo // Given back so far.
  lostKobo: Kobo // Due when the money had already left the subaccount.
}

// The credit must be locked.
export async function readShares(tx: Transaction, creditId: CreditId): Promise<StandingShare[]> {
  const { rows } = await tx.query<StandingShare>({
    name: 'read-credit-splits',
    text: `select id, item_id as "itemId", subaccount_id as "subaccountId",
                  account_id as "accountId", base_kobo as "baseKobo", share_kobo as "shareKobo",
                  returned_kobo as "returnedKobo", lost_kobo as "lostKobo"
             from credit_splits where credit_id = $1 order by id`,
    values: [creditId],
  })
  return rows
}

export type ReturnedShare = { of: StandingShare; returnedKobo: Kobo; lostKobo: Kobo }

// Computes the returns when `leftKobo` remains of the part, as far as the subaccounts hold the money.
// Reduces `balances`. A subaccount's remaining share is rounded down, in the client's favour.
export function returnShares(
  shares: readonly StandingShare[],
  { leftKobo, balances }: { leftKobo: Kobo; balances: Map<SubaccountId, Kobo> },
): ReturnedShare[] {
  return shares.flatMap((of) => {
    const keptKobo = (of.shareKobo * leftKobo) / of.baseKobo
    const dueKobo = of.shareKobo - of.returnedKobo - of.lostKobo - keptKobo
    if (dueKobo === 0n) return []
    const heldKobo = balances.get(of.subaccountId) ?? kobo(0n)
    const returnedKobo = kobo(dueKobo < heldKobo ? dueKobo : heldKobo)
    balances.set(of.subaccountId, kobo(heldKobo - returnedKobo))
    return [{ of, returnedKobo, lostKobo: kobo(dueKobo - returnedKobo) }]
  })
}

export function sumReturned(returned: readonly ReturnedShare[]): Kobo {
  return kobo(returned.reduce((sum, { returnedKobo }) => sum + returnedKobo, 0n))
}

export async function recordReturnedShares(
  tx: Transaction,
  returned: readonly ReturnedShare[],
): Promise<void> {
  for (const { of, returnedKobo, lostKobo } of returned) {
    await tx.query({
      name: 'return-credit-split',
      text: `update credit_splits
                set returned_kobo = returned_kobo + $2, lost_kobo = lost_kobo + $3
              where id = $1`,
      values: [of.id, returnedKobo, lostKobo],
    })
  }
}

type Returning = { creditId: CreditId; accountId: (account: SharedAccount) => AccountId }

export function shareBackTransfers(
  returned: readonly ReturnedShare[],
  { creditId, accountId }: Returning,
): Transfer[] {
  return returned.flatMap(({ of, returnedKobo }): Transfer[] => {
    if (returnedKobo === 0n) return []
    const debitAccountId = accountId(subaccountLedger(of.subaccountId))
    const creditAccountId = of.accountId
    return [
      { debitAccountId, creditAccountId, amountKobo: returnedKobo, creditId, reason: 'split' },
    ]
  })
}
