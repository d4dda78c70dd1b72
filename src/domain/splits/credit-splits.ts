// The shares of subaccounts in each part of a credit: its booked amount, or a suspense item of it that
// was assigned (I55). Written in the transaction that books the money, after its fee.
//
//   Available → Subaccount 15,828.00     80% of 20,000.00 less fee and VAT
//   Available → Subaccount  3,957.00     20%
//
// When the bank takes the money back, the subaccounts first give back their shares, as far as they still
// hold them (I56). Money that has left them is the client's loss and is never taken twice.

import { numberArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { type CreditFee, sumOfFees } from '#domain/fees/credit-fees.ts'
import type { FeeRule } from '#domain/fees/fee-rules.ts'
import { distribute } from '#domain/fees/share-fee.ts'
import type { AccountId, ClientId, CreditId, SplitId, SubaccountId, SuspenseItemId } from '#ids.ts'
import { type SharedAccount, subaccountOwner } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { shareAmount } from './share-amount.ts'
import type { Split } from './splits.ts'

type BookedPart = { creditId: CreditId; itemId?: SuspenseItemId | null; amountKobo: Kobo }

export type CreditShare = {
  creditId: CreditId
  itemId: SuspenseItemId | null
  clientId: ClientId
  splitId: SplitId
  subaccountId: SubaccountId
  baseKobo: Kobo // The booked amount.
  shareKobo: Kobo
}

export type PostedShare = CreditShare & { accountId: AccountId } // The account that paid the share.

type Booked = { parts: readonly BookedPart[]; fees: readonly CreditFee[]; rule: FeeRule | null }

// Splits the sum of all parts once. Each part contributes to a share in proportion to its size.
export function shareCredits(
  split: Split | null,
  { parts, fees, rule }: Booked,
): readonly CreditShare[] {
  if (!split) return NOTHING
  const grossKobo = kobo(parts.reduce((sum, { amountKobo }) => sum + amountKobo, 0n))
  const feesKobo = sumOfFees(fees)
  const shares = shareAmount(split, { grossKobo, feesKobo, bearer: rule?.bearer })
  const leftKobo = parts.map(({ creditId, itemId = null, amountKobo }) => {
    const own = fees.filter((fee) => fee.creditId === creditId && fee.itemId === itemId)
    return amountKobo - sumOfFees(own)
  })
  return split.parts.flatMap(({ subaccountId }, at) => {
    const ofParts = distribute(shares[at] as Kobo, leftKobo)
    return parts.flatMap(({ creditId, itemId = null, amountKobo: baseKobo }, index) => {
      const shareKobo = kobo(ofParts[index] as bigint)
      leftKobo[index] = (leftKobo[index] as bigint) - shareKobo
      if (shareKobo === 0n) return []
      const { clientId, id: splitId } = split
      return [{ creditId, itemId, clientId, splitId, subaccountId, baseKobo, shareKobo }]
    })
  })
}

const NOTHING: readonly CreditShare[] = []

export function sumOfShares(shares: readonly { shareKobo: Kobo }[]): Kobo {
  return kobo(shares.reduce((sum, { shareKobo }) => sum + shareKobo, 0n))
}

export function subaccountLedger(id: SubaccountId): SharedAccount {
  return { kind: 'subaccount', owner: subaccountOwner(id), currency: CURRENCY }
}

export function splitAccounts(split: Split | null): SharedAccount[] {
  return split ? split.parts.map(({ subaccountId }) => subaccountLedger(subaccountId)) : []
}

type FindAccount = (account: SharedAccount) => AccountId

export function shareTransfer(share: PostedShare, accountId: FindAccount): Transfer {
  return {
    debitAccountId: share.accountId,
    creditAccountId: accountId(subaccountLedger(share.subaccountId)),
    amountKobo: share.shareKobo,
    creditId: share.creditId,
    reason: 'split',
  }
}

export async function insertShares(
  tx: Transaction,
  now: Date,
  shares: readonly PostedShare[],
): Promise<void> {
  if (shares.length === 0) return
  await tx.query({
    name: 'insert-credit-splits',
    text: `insert into credit_splits
             (credit_id, item_id, client_id, split_id, subaccount_id, account_id, base_kobo,
              share_kobo, split_at)
           select s.*, $9
             from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
                         $6::bigint[], $7::bigint[], $8::bigint[]) as s`,
    values: [
      numberArray(shares.map((share) => share.creditId)),
      numberArray(shares.map((share) => share.itemId)),
      numberArray(shares.map((share) => share.clientId)),
      numberArray(shares.map((share) => share.splitId)),
      numberArray(shares.map((share) => share.subaccountId)),
      numberArray(shares.map((share) => share.accountId)),
      numberArray(shares.map((share) => share.baseKobo)),
      numberArray(shares.map((share) => share.shareKobo)),
      now,
    ],
  })
}
