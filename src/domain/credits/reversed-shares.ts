// Shares of subaccounts in a reversal: locked before it is decided, so that nothing leaves them
// meanwhile, and given back before the bank takes the money (I56).
//
// Locks: all ledger accounts that the reversal may move besides collection accounts, in id order, as
// posting does.

import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { discountReceipt } from '#domain/accounts/received-today.ts'
import { feeAccounts, type StandingFee } from '#domain/fees/credit-fees.ts'
import { subaccountLedger } from '#domain/splits/credit-splits.ts'
import {
  type ReturnedShare,
  readShares,
  recordReturnedShares,
  type StandingShare,
  shareBackTransfers,
} from '#domain/splits/return-shares.ts'
import type { AccountId, CreditId, SubaccountId } from '#ids.ts'
import { clientOwner, type SharedAccount, type SharedAccounts } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import type { PaymentTarget } from './judge-credit.ts'
import type { LockedItem } from './suspense-items.ts'

type Moved = {
  creditId: CreditId // Locked, and so is what follows.
  fees: readonly StandingFee[]
  payments: Iterable<PaymentTarget>
  items: readonly LockedItem[]
  bank: { owner: string; currency: string }
}

type LockedShares = {
  shares: readonly StandingShare[]
  subaccounts: ReadonlyMap<SubaccountId, Kobo> // What they have.
}

// Of a credit without shares, nothing is locked.
export async function lockShares(
  tx: Transaction,
  sharedAccounts: SharedAccounts,
  { creditId, fees, payments, items, bank }: Moved,
): Promise<LockedShares> {
  const shares = await readShares(tx, creditId)
  if (shares.length === 0) return { shares, subaccounts: new Map() }
  const accounts: SharedAccount[] = [
    { kind: 'bank', ...bank },
    { kind: 'shortfall', ...bank },
    ...fees.flatMap(({ clientId }) => feeAccounts(clientId)),
    ...[...payments].flatMap(accountsOf),
    ...shares.map(({ subaccountId }) => subaccountLedger(subaccountId)),
  ]
  await sharedAccounts.open(accounts)
  const ids = [
    ...accounts.map((account) => sharedAccounts.id(account)),
    ...items.map(({ accountId }) => accountId),
  ]
  const { rows } = await tx.query<{ id: AccountId; balanceKobo: Kobo }>({
    name: 'lock-accounts-of-reversal',
    text: `select id, credits_kobo - debits_kobo as "balanceKobo" from ledger_accounts
            where id = any($1::bigint[]) order by id for no key update`,
    values: [numberArray(ids)],
  })
  const balances = new Map(rows.map(({ id, balanceKobo }) => [id, balanceKobo]))
  const subaccounts = new Map(
    shares.map(({ subaccountId }) => {
      const id = sharedAccounts.id(subaccountLedger(subaccountId))
      return [subaccountId, balances.get(id) ?? kobo(0n)]
    }),
  )
  return { shares, subaccounts }
}

function accountsOf({ clientId, currency }: PaymentTarget): SharedAccount[] {
  const owner = clientOwner(clientId)
  return [
    { kind: 'pending', owner, currency },
    { kind: 'available', owner, currency },
  ]
}

// What comes back to a collection account is not received again.
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
