// The shares of subaccounts in credits: computes, stores, returns and reads them. A part of a credit that is
// shared is its booked amount, or one of its suspense items that was assigned (I55). Shares are written in
// the transaction that books the money, after its fee.
//
//   Available → Subaccount 15,828.00     80% of 20,000.00 less fee and VAT
//   Available → Subaccount  3,957.00     20%
//
// When the bank takes the money back, the subaccounts first return their shares, as far as they still hold
// them (I56). Money that has left a subaccount is the client's loss and is never taken twice.

import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { type CreditFee, sumOfFees } from '#fees/charges.ts'
import { distribute } from '#fees/fee.ts'
import type { FeeRule } from '#fees/rules.ts'
import type { AccountId, ClientId, CreditId, SplitId, SubaccountId, SuspenseItemId } from '#ids.ts'
import { type SharedAccount, subaccountOwner } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { type Split, shareAmount } from './split.ts'

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

// Returns the shares of subaccounts in booked money. Splits the sum of all parts once, then takes each share
// from the parts, in proportion to the money left in each.
export function shareCredits(
  split: Split | null,
  { parts, fees, rule }: Booked,
): readonly CreditShare[] {
  if (!split) return NO_SHARES
  const grossKobo = kobo(parts.reduce((sum, { amountKobo }) => sum + amountKobo, 0n))
  const feesKobo = sumOfFees(fees)
  const shares = shareAmount(split, { grossKobo, feesKobo, bearer: rule?.bearer })
  // The money that is left in each part: at first the amount less its fees; each share then reduces it.
  const leftKobo = parts.map(({ creditId, itemId = null, amountKobo }) => {
    const partFees = fees.filter((fee) => fee.creditId === creditId && fee.itemId === itemId)
    return amountKobo - sumOfFees(partFees)
  })
  return split.parts.flatMap(({ subaccountId }, partIndex) => {
    const shareByCredit = distribute(shares[partIndex] as Kobo, leftKobo)
    return parts.flatMap(({ creditId, itemId = null, amountKobo: baseKobo }, creditIndex) => {
      const shareKobo = kobo(shareByCredit[creditIndex] as bigint)
      leftKobo[creditIndex] = (leftKobo[creditIndex] as bigint) - shareKobo
      if (shareKobo === 0n) return []
      const { clientId, id: splitId } = split
      return [{ creditId, itemId, clientId, splitId, subaccountId, baseKobo, shareKobo }]
    })
  })
}

const NO_SHARES: readonly CreditShare[] = []

export function sumOfShares(shares: readonly { shareKobo: Kobo }[]): Kobo {
  return kobo(shares.reduce((sum, { shareKobo }) => sum + shareKobo, 0n))
}

export function subaccountLedger(id: SubaccountId): SharedAccount {
  return { kind: 'subaccount', owner: subaccountOwner(id), currency: CURRENCY }
}

// Returns the ledger accounts that the shares of a split go to, so that the caller can open them.
export function splitAccounts(split: Split | null): SharedAccount[] {
  return split ? split.parts.map(({ subaccountId }) => subaccountLedger(subaccountId)) : []
}

type FindAccount = (account: SharedAccount) => AccountId

// Returns the ledger transfer that pays a share to its subaccount.
export function shareTransfer(share: PostedShare, accountId: FindAccount): Transfer {
  return {
    debitAccountId: share.accountId,
    creditAccountId: accountId(subaccountLedger(share.subaccountId)),
    amountKobo: share.shareKobo,
    creditId: share.creditId,
    reason: 'split',
  }
}

// Stores the shares of booked credits. Their transfers are posted separately.
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

// A share in a credit, and how much of it the subaccount has returned since a bank took money back (I56).
export type StandingShare = {
  id: bigint
  itemId: SuspenseItemId | null
  subaccountId: SubaccountId
  accountId: AccountId // The account that paid the share, and to which a returned share is credited back.
  baseKobo: Kobo
  shareKobo: Kobo
  returnedKobo: Kobo // Returned so far.
  lostKobo: Kobo // Due for return, but the money had already left the subaccount.
}

// Reads the shares in a credit, to return them when a bank takes money back. The caller has locked the
// credit.
export async function readShares(tx: Transaction, creditId: CreditId): Promise<StandingShare[]> {
  const { rows } = await tx.query<StandingShare>({
    name: 'read-credit-splits',
    text: `select id, item_id, subaccount_id, account_id, base_kobo, share_kobo, returned_kobo,
                  lost_kobo
             from credit_splits where credit_id = $1 order by id`,
    values: [creditId],
  })
  return rows
}

export type ReturnedShare = { share: StandingShare; returnedKobo: Kobo; lostKobo: Kobo }

// Computes the shares to return when `leftKobo` remains of the booked amount. A subaccount returns only money
// that it still holds (`balances`), and its balance in the map is reduced by that amount. The share that a
// subaccount keeps is rounded down, in the client's favour.
export function returnShares(
  shares: readonly StandingShare[],
  { leftKobo, balances }: { leftKobo: Kobo; balances: Map<SubaccountId, Kobo> },
): ReturnedShare[] {
  return shares.flatMap((share) => {
    const keptKobo = (share.shareKobo * leftKobo) / share.baseKobo
    const dueKobo = share.shareKobo - share.returnedKobo - share.lostKobo - keptKobo
    if (dueKobo === 0n) return []
    const heldKobo = balances.get(share.subaccountId) ?? kobo(0n)
    const returnedKobo = kobo(dueKobo < heldKobo ? dueKobo : heldKobo)
    balances.set(share.subaccountId, kobo(heldKobo - returnedKobo))
    return [{ share, returnedKobo, lostKobo: kobo(dueKobo - returnedKobo) }]
  })
}

export function sumReturned(returned: readonly ReturnedShare[]): Kobo {
  return kobo(returned.reduce((sum, { returnedKobo }) => sum + returnedKobo, 0n))
}

// Adds returned and lost amounts to the stored shares.
export async function recordReturnedShares(
  tx: Transaction,
  returned: readonly ReturnedShare[],
): Promise<void> {
  for (const { share, returnedKobo, lostKobo } of returned) {
    await tx.query({
      name: 'return-credit-split',
      text: `update credit_splits
                set returned_kobo = returned_kobo + $2, lost_kobo = lost_kobo + $3
              where id = $1`,
      values: [share.id, returnedKobo, lostKobo],
    })
  }
}

// Returns the ledger transfers that take returned shares back from the subaccounts.
export function shareBackTransfers(
  returned: readonly ReturnedShare[],
  { creditId, accountId }: { creditId: CreditId; accountId: (account: SharedAccount) => AccountId },
): Transfer[] {
  return returned.flatMap(({ share, returnedKobo }): Transfer[] => {
    if (returnedKobo === 0n) return []
    const debitAccountId = accountId(subaccountLedger(share.subaccountId))
    const creditAccountId = share.accountId
    return [
      { debitAccountId, creditAccountId, amountKobo: returnedKobo, creditId, reason: 'split' },
    ]
  })
}

// SQL query: the transfers that moved shares of the credits $1 to subaccounts (positive) or back (negative).
export const SHARE_TRANSFERS = `
  select t.id, t.credit_id, u.client_id, t.posted_at, u.code as subaccount_code,
         case when l.id = t.credit_account_id then t.amount_kobo else -t.amount_kobo end
           as share_kobo
    from transfers t
    join ledger_accounts l
      on l.id in (t.debit_account_id, t.credit_account_id) and l.kind = 'subaccount'
    join subaccounts u on u.id = case when l.owner like 'subaccount:%'
                                      then split_part(l.owner, ':', 2)::bigint end
   where t.credit_id = any($1::bigint[]) and t.reason = 'split'`

export type ShareView = { subaccountCode: string; amountKobo: Kobo }

// The shares of an object as a query returns them in JSON; null if there are no shares.
export type ShareRows = { subaccountCode: string; amountKobo: string }[] | null

// SQL scalar: the shares of subaccounts under a condition on credit_splits `s`, less the returned amounts.
const shares = (condition: string) => `
  (select json_agg(json_build_object('subaccountCode', s.code, 'amountKobo', s.kobo::text)
                   order by s.code)
     from (select u.code, sum(s.share_kobo - s.returned_kobo) as kobo
             from credit_splits s join subaccounts u on u.id = s.subaccount_id
            where ${condition}
            group by u.code) as s)`

export const CREDIT_SHARES = `${shares('s.credit_id = c.id')} as splits`

// SQL column: the shares in a payment `p` of an advice `a`, which are those in the payment's own credits and
// in suspense items assigned to it. Reads no shares if the advice has no split.
export const PAYMENT_SHARES = `
  case when a.split_id is not null then ${shares(`
    s.item_id is null and s.credit_id in (select id from credits where payment_id = p.id)
    or s.item_id in (select id from suspense_items where assigned_payment_id = p.id)`)}
  end as splits`

// Converts shares from the JSON of a query.
export function openShares(rows: ShareRows): ShareView[] {
  return (rows ?? []).map(({ subaccountCode, amountKobo }) => ({
    subaccountCode,
    amountKobo: kobo(BigInt(amountKobo)),
  }))
}
