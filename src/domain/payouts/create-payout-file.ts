// Puts the queued payouts of a bank into a file. They are `sending` when the transaction commits,
// and before anybody can download it: so whatever dies later, none is in two files or sent otherwise
// (I47, I62).

import { createHash } from 'node:crypto'
import { writePain001 } from '#banks/iso20022/pain001.ts'
import { writePaymentCsv } from '#banks/payment-csv.ts'
import type { DebitAccount, PaymentFile } from '#banks/payment-files.ts'
import { businessDayFrom, type Holidays } from '#business-days.ts'
import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { watDay } from '#wat-time.ts'
import { claimPayouts } from './claim-payouts.ts'
import { arePayoutsHeld } from './hold-payouts.ts'
import { type FileActor, type FileFormat, newFileReference, sealContent } from './payout-files.ts'

// More than most portals take at once. What is over goes into the next file.
export const FILE_PAYOUTS_MAX = 10_000

const WRITERS: Record<FileFormat, (file: PaymentFile) => string> = {
  'pain.001': writePain001,
  csv: writePaymentCsv,
}

type Deps = { sealer: Sealer; now: Date; by: FileActor; holidays: Holidays }
type Asked = { bankCode: string; debitAccount: DebitAccount; format: FileFormat }

// The file's reference. Refused when nothing is queued, and while payouts are held.
export async function createPayoutFile(
  tx: Transaction,
  { sealer, now, by, holidays }: Deps,
  { bankCode, debitAccount, format }: Asked,
): Promise<string> {
  const id = await nextId(tx)
  const reference = newFileReference()
  const batch = { batchId: id, detail: reference }
  const claiming = { bankCode, limit: FILE_PAYOUTS_MAX, ...batch, by: by.actor }
  const orders = await claimPayouts(tx, { sealer, now }, claiming)
  if (orders.length === 0) {
    throw new Refusal((await arePayoutsHeld(tx)) ? 'payouts_held' : 'no_payouts_queued')
  }
  const executionDate = businessDayFrom(watDay(now), holidays)
  const file = { reference, createdAt: now, executionDate, bankCode, debitAccount, orders }
  const content = WRITERS[format](file)
  const amountKobo = kobo(orders.reduce((sum, order) => sum + order.amountKobo, 0n))
  await insertFile(tx, {
    id,
    file,
    format,
    amountKobo,
    by,
    sealed: sealContent(sealer, content),
    content,
  })
  await writeAuditLog(tx, now, {
    ...by,
    action: 'payout_file.create',
    subject: `payout_file/${reference}`,
    detail: { bankCode, format, payouts: orders.length, amount: formatKobo(amountKobo) },
  })
  return reference
}

async function nextId(tx: Transaction): Promise<bigint> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'next-payout-file',
    text: `select nextval(pg_get_serial_sequence('payout_files', 'id')) as id`,
  })
  return (rows[0] as { id: bigint }).id
}

type NewFile = {
  id: bigint
  file: PaymentFile
  format: FileFormat
  amountKobo: Kobo
  by: FileActor
  content: string
  sealed: Buffer
}

async function insertFile(
  tx: Transaction,
  { id, file, format, amountKobo, by, content, sealed }: NewFile,
): Promise<void> {
  await tx.query({
    name: 'insert-payout-file',
    text: `insert into payout_files
             (id, reference, bank_code, format, payouts, amount_kobo, execution_date,
              content_sealed, content_hash, created_by, created_at)
           overriding system value
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [
      id,
      file.reference,
      file.bankCode,
      format,
      file.orders.length,
      amountKobo,
      file.executionDate,
      sealed,
      createHash('sha256').update(content).digest(),
      by.actor,
      file.createdAt,
    ],
  })
}
