// Posting: the only code that moves money. Inserting a transfer is all there is to it: the
// database moves the balances with it and refuses what would break I1–I4 (0001_ledger.sql).

import { numberArray, plainArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId, CreditId } from '#ids.ts'
import type { Kobo } from '#money.ts'

type TransferReason =
  | 'credit' // a bank reported money
  | 'bank_charge' // and withheld a part of it
  | 'fee' // the operator's fee on money that was booked, or given back with it
  | 'fee_vat' // and the VAT on that fee
  | 'settle' // an earlier part payment became part of a paid payment
  | 'suspend' // a payment closed with money on it that was not enough
  | 'assign' // an operator gave suspended money to whom it was meant for
  | 'return' // suspended money is being sent back
  | 'returned' // the bank confirmed that it was sent back
  | 'return_failed' // the bank could not send it back, and it is in suspense again
  | 'reversal' // the bank took a credit back

export type Transfer = {
  debitAccountId: AccountId
  creditAccountId: AccountId
  amountKobo: Kobo
  creditId: CreditId
  reason: TransferReason
}

export async function postTransfers(
  tx: Transaction,
  now: Date,
  transfers: readonly Transfer[],
): Promise<void> {
  if (transfers.length === 0) return
  await tx.query({
    name: 'post-transfers',
    text: `insert into transfers
             (debit_account_id, credit_account_id, amount_kobo, credit_id, reason, posted_at)
           select t.*, $6 from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[],
                                      $5::text[]) as t`,
    values: [
      numberArray(transfers.map((transfer) => transfer.debitAccountId)),
      numberArray(transfers.map((transfer) => transfer.creditAccountId)),
      numberArray(transfers.map((transfer) => transfer.amountKobo)),
      numberArray(transfers.map((transfer) => transfer.creditId)),
      plainArray(transfers.map((transfer) => transfer.reason)),
      now,
    ],
  })
}
