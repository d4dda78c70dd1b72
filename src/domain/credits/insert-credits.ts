// Writes the rows of new credits.

import type { BankCharges } from '#banks/notifications.ts'
import { bytea, CopyTarget, date, int8, text, timestamptz, uuid } from '#db/copy-rows.ts'
import type { Transaction } from '#db/transaction.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import type { CreditRow } from './decide-credits.ts'

type Shared = { sealer: Sealer; now: Date }

const NONE = kobo(0n)

const CREDITS = new CopyTarget<CreditRow, Shared>('credits', {
  id: int8(({ creditId }) => creditId),
  session_id: text(({ credit }) => credit.sessionId),
  account_number: text(({ credit }) => credit.accountNumber),
  client_id: int8(({ target }) => target?.clientId ?? null),
  collection_account_id: int8(({ target }) =>
    target?.kind === 'collection' ? target.collectionAccountId : null,
  ),
  payment_id: uuid(({ target }) => (target?.kind === 'payment' ? target.paymentId : null)),
  amount_kobo: int8(({ credit }) => credit.amountKobo),
  reason: text(({ reason }) => reason),
  source_account_sealed: bytea(sealPayer),
  source_account_name: text(({ credit }) => credit.sourceAccountName),
  source_bank_code: text(({ credit }) => credit.sourceBankCode),
  narration: text(({ credit }) => credit.narration),
  transacted_at: timestamptz(({ credit }) => credit.transactionTime),
  judged_by: text(({ judgedBy }) => judgedBy),
  transacted_on: date(({ credit }) => credit.transactionDate ?? null),
  bank_code: text(({ credit }) => credit.bankCode),
  currency: text(({ credit }) => credit.currency),
  outcome: text(({ outcome }) => outcome),
  suspended_kobo: int8(({ suspendedKobo }) => suspendedKobo),
  identified_by: text(({ credit }) => credit.identifiedBy ?? 'session_id'),
  source: text(({ credit }) => credit.source ?? 'notification'),
  fee_kobo: charged(({ feeKobo }) => feeKobo),
  vat_kobo: charged(({ vatKobo }) => vatKobo),
  duty_kobo: charged(({ dutyKobo }) => dutyKobo),
  received_at: timestamptz((_, { now }) => now),
})

function charged(of: (charges: BankCharges) => Kobo) {
  return int8(({ credit }: CreditRow) => (credit.charges ? of(credit.charges) : NONE))
}

function sealPayer({ credit: { sourceAccountNumber } }: CreditRow, { sealer }: Shared) {
  return sourceAccountNumber === null ? null : sealer.seal(sourceAccountNumber)
}

export function insertCredits(
  tx: Transaction,
  shared: Shared,
  rows: readonly CreditRow[],
): Promise<void> {
  return CREDITS.insert(tx, rows, shared)
}
