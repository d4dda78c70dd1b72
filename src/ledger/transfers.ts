// Posting: the only code that moves money. It only inserts transfers: the database moves the
// balances and refuses violations of I1–I4 (0001_ledger.sql).

import { numberArray, plainArray } from '#db/arrays.ts'
import { CopyTarget, int8, text, timestamptz } from '#db/copy-rows.ts'
import type { Transaction } from '#db/transaction.ts'
import type {
  AccountId,
  AdjustmentId,
  CreditId,
  DifferenceId,
  PayoutId,
  SettlementId,
} from '#ids.ts'
import type { Kobo } from '#money.ts'

type TransferReason =
  | 'credit' // a bank reported money
  | 'bank_charge' // and withheld a part of it, or charged us on its statement
  | 'fee' // the operator's fee on money that was booked, or given back with it
  | 'fee_vat' // and the VAT on that fee
  | 'settle' // an earlier part payment became part of a paid payment
  | 'suspend' // a payment closed with money on it that was not enough
  | 'assign' // an operator assigned suspended money to its recipient
  | 'return' // suspended money is being sent back
  | 'returned' // the bank confirmed that it was sent back
  | 'return_failed' // the bank could not send it back, and it is in suspense again
  | 'reversal' // the bank took a credit back
  | 'split' // a subaccount's share of money that was booked, or given back with it
  | 'settlement' // a settlement was closed and took the available money, or was cancelled
  | 'reserve' // held back from a settlement, or released
  | 'recovery' // a client or bank repaid a debt to us
  | 'write_off' // or will not repay it
  | 'payout' // money leaves for a bank account; with 'paid' the bank confirmed it
  | 'paid' // also a payout that failed here but was paid; in reverse, one that came back
  | 'payout_failed' // the bank did not pay, or was not asked to, and the money is available again
  | 'refund' // money goes back to its payer; with 'refunded' the bank confirmed it
  | 'refunded'
  | 'refund_failed'

export type Transfer = {
  debitAccountId: AccountId
  creditAccountId: AccountId
  amountKobo: Kobo
  reason: TransferReason
} & Cause

// Exactly one (I46).
export type Cause =
  | { creditId: CreditId }
  | { payoutId: PayoutId }
  | { settlementId: SettlementId }
  | { adjustmentId: AdjustmentId }
  | { differenceId: DifferenceId }

export async function postTransfers(
  tx: Transaction,
  now: Date,
  transfers: readonly Transfer[],
): Promise<void> {
  if (transfers.length === 0) return
  await (transfers.every(isOfCredit)
    ? TRANSFERS.insert(tx, transfers, now)
    : insertOfAny(tx, now, transfers))
}

type CreditTransfer = Extract<Transfer, { creditId: CreditId }>

function isOfCredit(transfer: Transfer): transfer is CreditTransfer {
  return 'creditId' in transfer
}

const TRANSFERS = new CopyTarget<CreditTransfer, Date>('transfers', {
  debit_account_id: int8(({ debitAccountId }) => debitAccountId),
  credit_account_id: int8(({ creditAccountId }) => creditAccountId),
  amount_kobo: int8(({ amountKobo }) => amountKobo),
  credit_id: int8(({ creditId }) => creditId),
  reason: text(({ reason }) => reason),
  posted_at: timestamptz((_, now) => now),
})

async function insertOfAny(
  tx: Transaction,
  now: Date,
  transfers: readonly Transfer[],
): Promise<void> {
  await tx.query({
    name: 'post-transfers-of-any',
    text: `insert into transfers
             (debit_account_id, credit_account_id, amount_kobo, credit_id, payout_id,
              settlement_id, adjustment_id, difference_id, reason, posted_at)
           select t.*, $10 from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[],
                                       $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
                                       $9::text[]) as t`,
    values: [
      numberArray(transfers.map((transfer) => transfer.debitAccountId)),
      numberArray(transfers.map((transfer) => transfer.creditAccountId)),
      numberArray(transfers.map((transfer) => transfer.amountKobo)),
      numberArray(transfers.map((cause) => ('creditId' in cause ? cause.creditId : null))),
      numberArray(transfers.map((cause) => ('payoutId' in cause ? cause.payoutId : null))),
      numberArray(transfers.map((cause) => ('settlementId' in cause ? cause.settlementId : null))),
      numberArray(transfers.map((cause) => ('adjustmentId' in cause ? cause.adjustmentId : null))),
      numberArray(transfers.map((cause) => ('differenceId' in cause ? cause.differenceId : null))),
      plainArray(transfers.map((transfer) => transfer.reason)),
      now,
    ],
  })
}
