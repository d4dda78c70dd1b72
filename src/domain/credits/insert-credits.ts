// Writes the rows of new credits. Nearly all credits of a batch are of one bank and currency, booked
// whole, and told of by a notification with a session id: what all have in common is not sent row by
// row.

import type { BankCharges } from '#banks/notifications.ts'
import { sparsePlainArray, unless } from '#db/arrays.ts'
import { byteas, int8s, texts, timestamps, uuids } from '#db/binary-arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import type { CreditRow } from './decide-credits.ts'

const INSERT = `
  insert into credits
    (id, session_id, account_number, client_id, collection_account_id, payment_id, amount_kobo,
     reason, source_account_sealed, source_account_name, source_bank_code, narration,
     transacted_at, judged_by, transacted_on, bank_code, currency, outcome, suspended_kobo,
     identified_by, source, fee_kobo, vat_kobo, duty_kobo, received_at)
  select c.id, c.session_id, c.account_number, c.client_id, c.account_id, c.payment_id, c.amount,
         c.reason, c.payer_sealed, c.payer_name, c.payer_bank, c.narration, c.transacted_at,
         c.judged_by, c.transacted_on, coalesce(c.bank_code, $25), coalesce(c.currency, $26),
         coalesce(c.outcome, 'booked'), coalesce(c.suspended, 0),
         coalesce(c.identified_by, 'session_id'), coalesce(c.source, 'notification'),
         coalesce(c.fee, 0), coalesce(c.vat, 0), coalesce(c.duty, 0), $27
    from unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::uuid[],
                $7::bigint[], $8::text[], $9::bytea[], $10::text[], $11::text[], $12::text[],
                $13::timestamptz[], $14::text[], $15::date[], $16::text[], $17::text[],
                $18::text[], $19::bigint[], $20::text[], $21::text[], $22::bigint[],
                $23::bigint[], $24::bigint[])
         as c (id, session_id, account_number, client_id, account_id, payment_id, amount, reason,
               payer_sealed, payer_name, payer_bank, narration, transacted_at, judged_by,
               transacted_on, bank_code, currency, outcome, suspended, identified_by, source, fee,
               vat, duty)`

type Deps = { sealer: Sealer; now: Date }

export async function insertCredits(
  tx: Transaction,
  { sealer, now }: Deps,
  rows: readonly CreditRow[],
): Promise<void> {
  const [first] = rows
  if (!first) return
  const { bankCode, currency } = first.credit
  const charged = (of: (charges: BankCharges) => Kobo) =>
    int8s(rows, ({ credit }) => (credit.charges ? of(credit.charges) : null))
  const values = [
    int8s(rows, (row) => row.creditId),
    texts(rows, (row) => row.credit.sessionId),
    texts(rows, (row) => row.credit.accountNumber),
    int8s(rows, (row) => row.target?.clientId ?? null),
    int8s(rows, accountIdOf),
    uuids(rows, paymentIdOf),
    int8s(rows, (row) => row.credit.amountKobo),
    texts(rows, (row) => row.reason),
    byteas(rows, (row) => sealedPayer(sealer, row)),
    texts(rows, (row) => row.credit.sourceAccountName),
    texts(rows, (row) => row.credit.sourceBankCode),
    texts(rows, (row) => row.credit.narration),
    timestamps(rows, (row) => row.credit.transactionTime),
    texts(rows, (row) => row.judgedBy),
    sparsePlainArray(rows.map((row) => row.credit.transactionDate ?? null)),
    texts(rows, (row) => unless(bankCode, row.credit.bankCode)),
    texts(rows, (row) => unless(currency, row.credit.currency)),
    texts(rows, (row) => unless('booked', row.outcome)),
    int8s(rows, (row) => unless<bigint>(0n, row.suspendedKobo)),
    texts(rows, (row) => row.credit.identifiedBy ?? null),
    texts(rows, (row) => row.credit.source ?? null),
    charged(({ feeKobo }) => feeKobo),
    charged(({ vatKobo }) => vatKobo),
    charged(({ dutyKobo }) => dutyKobo),
    bankCode,
    currency,
    now,
  ]
  await tx.query({ name: 'insert-credits', text: INSERT, values })
}

function accountIdOf({ target }: CreditRow) {
  return target?.kind === 'collection' ? target.collectionAccountId : null
}

function paymentIdOf({ target }: CreditRow) {
  return target?.kind === 'payment' ? target.paymentId : null
}

function sealedPayer(sealer: Sealer, { credit: { sourceAccountNumber } }: CreditRow) {
  return sourceAccountNumber === null ? null : sealer.seal(sourceAccountNumber)
}
