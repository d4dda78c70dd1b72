// Posts transfers. This is the only code that moves money. It only inserts transfers: a trigger in the
// database moves the balances and refuses violations of I1–I4 (0001_ledger.sql).

import { numberArray, plainArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { CopyTarget, int8, text, timestamptz } from '#hot-path/copy-rows.ts'
import type {
  AccountId,
  AdjustmentId,
  CreditId,
  DifferenceId,
  HoldId,
  PayoutId,
  SettlementId,
} from '#ids.ts'
import type { Kobo } from '#money.ts'

export type TransferReason =
  | 'credit' // a bank reported money
  | 'bank_charge' // a bank withheld a part of a credit, or charged us on its statement
  | 'fee' // the operator's fee on money that was booked, or its return with the money
  | 'fee_vat' // the VAT on that fee
  | 'settle' // an earlier part payment became part of a paid payment
  | 'suspend' // a payment closed with money on it that was not enough
  | 'assign' // an operator assigned suspended money to its recipient
  | 'return' // suspended money is being sent back
  | 'returned' // the bank confirmed that it was sent back
  | 'return_failed' // the bank could not send it back, and it is in suspense again
  | 'reversal' // the bank took a credit back
  | 'split' // a subaccount's share of money that was booked, or its return with the money
  | 'settlement' // a settlement took the available money, or was cancelled and returned it
  | 'reserve' // a settlement held back a reserve, or released one
  | 'recovery' // a client or bank repaid a debt to us
  | 'write_off' // a client or bank will not repay a debt to us
  | 'adjusting_entry' // the books follow a bank's statement, after two people agreed
  | 'provision' // we expect that a client will not repay a debt
  | 'provision_release' // we no longer expect that
  | 'withholding' // a client withheld tax from our fees
  | 'wht_credit_note' // a client gave us the credit note for withheld tax
  | 'withholding_reversal' // withheld tax was booked wrongly, or its fees were returned
  | 'wht_credit_note_reversal' // a credit note was booked wrongly
  | 'payout' // money leaves for a bank account; with 'paid' the bank confirmed it
  | 'paid' // also a payout that failed here but was paid; in reverse, one that came back
  | 'payout_failed' // the bank did not pay, or the payout was cancelled; the money is available again
  | 'refund' // money goes back to its payer; with 'refunded' the bank confirmed it
  | 'refunded'
  | 'refund_failed'
  | 'hold' // an operator stopped a client's money
  | 'hold_release' // two people released it
  | 'forfeiture' // two people took it from the client

export type Transfer = {
  debitAccountId: AccountId
  creditAccountId: AccountId
  amountKobo: Kobo
  reason: TransferReason
} & Cause

// A transfer has exactly one cause (I46).
export type Cause =
  | { creditId: CreditId }
  | { payoutId: PayoutId }
  | { settlementId: SettlementId }
  | { adjustmentId: AdjustmentId }
  | { differenceId: DifferenceId }
  | { holdId: HoldId }

// Posts transfers, in their order. Transfers of credits, which are the most frequent, are written with COPY.
export async function postTransfers(
  tx: Transaction,
  now: Date,
  transfers: readonly Transfer[],
): Promise<void> {
  if (transfers.length === 0) return
  await (transfers.every(isOfCredit)
    ? CREDIT_TRANSFERS.insert(tx, transfers, now)
    : insertTransfersOfAnyCause(tx, now, transfers))
}

type CreditTransfer = Extract<Transfer, { creditId: CreditId }>

function isOfCredit(transfer: Transfer): transfer is CreditTransfer {
  return 'creditId' in transfer
}

const CREDIT_TRANSFERS = new CopyTarget<CreditTransfer, Date>('transfers', {
  debit_account_id: int8(({ debitAccountId }) => debitAccountId),
  credit_account_id: int8(({ creditAccountId }) => creditAccountId),
  amount_kobo: int8(({ amountKobo }) => amountKobo),
  credit_id: int8(({ creditId }) => creditId),
  reason: text(({ reason }) => reason),
  posted_at: timestamptz((_, now) => now),
})

// Inserts transfers with one statement, for operations that are less frequent than credits.
async function insertTransfersOfAnyCause(
  tx: Transaction,
  now: Date,
  transfers: readonly Transfer[],
): Promise<void> {
  await tx.query({
    name: 'post-transfers-of-any',
    text: `insert into transfers
             (debit_account_id, credit_account_id, amount_kobo, credit_id, payout_id,
              settlement_id, adjustment_id, difference_id, hold_id, reason, posted_at)
           select t.*, $11 from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[],
                                       $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
                                       $9::bigint[], $10::text[]) as t`,
    values: [
      numberArray(transfers.map((transfer) => transfer.debitAccountId)),
      numberArray(transfers.map((transfer) => transfer.creditAccountId)),
      numberArray(transfers.map((transfer) => transfer.amountKobo)),
      numberArray(transfers.map((cause) => ('creditId' in cause ? cause.creditId : null))),
      numberArray(transfers.map((cause) => ('payoutId' in cause ? cause.payoutId : null))),
      numberArray(transfers.map((cause) => ('settlementId' in cause ? cause.settlementId : null))),
      numberArray(transfers.map((cause) => ('adjustmentId' in cause ? cause.adjustmentId : null))),
      numberArray(transfers.map((cause) => ('differenceId' in cause ? cause.differenceId : null))),
      numberArray(transfers.map((cause) => ('holdId' in cause ? cause.holdId : null))),
      plainArray(transfers.map((transfer) => transfer.reason)),
      now,
    ],
  })
}

// Returns the highest id up to which every transfer is committed or rolled back. Waits for the transfers that
// are being posted, so that none with a lower id can appear later. The caller's next statement sees them all.
export async function decideTransfers(tx: Transaction): Promise<bigint> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'decided-transfer-id',
    text: 'select decided_transfer_id() as id',
  })
  return (rows[0] as { id: bigint }).id
}

type BalanceSweep = {
  settlementId: SettlementId
  from: readonly { accountId: AccountId; intoId: AccountId }[] // The caller has locked these accounts.
  cut: { toId: bigint; before: Date; afterFromId: bigint } // No later transfer has an id below `afterFromId`.
}

// Moves the balances that accounts had at a settlement's cut into other accounts, in one statement: the
// current balance less what was posted after the cut, but never more than the current balance.
// undoSettlement() moves them back.
//
// A transfer is before the cut if its id is at most `toId` and its time is earlier than `before`. Transfers
// of settlements are ignored.
//
// The statement finds each account by its key, and the transfers after the cut at the end of the account's
// index. 50,000 accounts take a second.
export async function takeBalances(
  tx: Transaction,
  now: Date,
  { settlementId, from, cut }: BalanceSweep,
): Promise<void> {
  // SQL scalar: the sum of the transfers after the cut on one side of the account `l`. A payer's credit
  // (reason `credit`) debits only a bank's account, which is never swept. Leaving these debits out lets
  // PostgreSQL use the index of all other debits.
  const postedAfter = (side: 'credit' | 'debit', condition = '') => `
    coalesce((select sum(t.amount_kobo) from transfers t
               where t.${side}_account_id = l.id and t.id >= $3 ${condition}
                 and (t.id > $4 or t.posted_at >= $5) and t.settlement_id is null), 0)`
  await tx.query({
    name: 'take-balances',
    text: `with held as materialized (
             select l.id, h.into_id, l.credits_kobo - l.debits_kobo as balance,
                    ${postedAfter('credit')} - ${postedAfter('debit', "and t.reason <> 'credit'")} as after
               from unnest($1::bigint[], $2::bigint[]) as h (id, into_id)
               join ledger_accounts l on l.id = h.id
           )
           insert into transfers
             (debit_account_id, credit_account_id, amount_kobo, settlement_id, reason, posted_at)
           select id, into_id, least(balance, balance - after), $6, 'settlement', $7
             from held where balance > 0 and balance > after order by id`,
    values: [
      numberArray(from.map(({ accountId }) => accountId)),
      numberArray(from.map(({ intoId }) => intoId)),
      cut.afterFromId,
      cut.toId,
      cut.before,
      settlementId,
      now,
    ],
  })
}

// Posts the reverse of every transfer of a cancelled settlement. Must be called only once per settlement.
export async function undoSettlement(
  tx: Transaction,
  now: Date,
  settlementId: SettlementId,
): Promise<void> {
  await tx.query({
    name: 'undo-settlement',
    text: `insert into transfers
             (debit_account_id, credit_account_id, amount_kobo, settlement_id, reason, posted_at)
           select credit_account_id, debit_account_id, amount_kobo, settlement_id, reason, $2
             from transfers where settlement_id = $1 order by id desc`,
    values: [settlementId, now],
  })
}
