// A file that never reached the bank, or that the bank dropped as a whole: its payouts fail, and are
// never queued again (I47). Only with the bank's confirmation, and not once it has paid any of them. That
// one was confirmed by hand says so too, unless nobody had the file: the bank was told otherwise. Of a
// file older than a restore, nobody knows.
//
// Locks: the file, then its payouts, in id order.

import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import { formatKobo, kobo } from '#money.ts'
import type { FileResult, KnownPayout } from './judge-file-results.ts'
import { type FileActor, lockPayoutFile } from './payout-files.ts'
import type { PayoutStatus } from './payouts.ts'
import { insertResults } from './take-file-results.ts'

type Deps = { now: Date; by: FileActor }

// Idempotent: the first confirmation is kept.
export async function failPayoutFile(
  tx: Transaction,
  { now, by }: Deps,
  { reference, bankConfirmation }: { reference: string; bankConfirmation: string },
): Promise<void> {
  const file = await lockPayoutFile(tx, reference)
  if (file.isNotDelivered) return
  const results = await failedResults(tx, { ...file, reference, bankConfirmation })
  await insertResults(tx, { now, by }, results)
  await tx.query({
    name: 'payout-file-not-delivered',
    text: `update payout_files
              set not_delivered_by = $2, not_delivered_at = $3, bank_confirmation = $4
            where id = $1`,
    values: [file.id, by.actor, now, bankConfirmation],
  })
  const sum = results.reduce((kobos, { payout }) => kobos + payout.amountKobo, 0n)
  await writeAuditLog(tx, now, {
    ...by,
    action: 'payout_file.not_delivered',
    subject: `payout_file/${reference}`,
    detail: { bankConfirmation, failed: results.length, amount: formatKobo(kobo(sum)) },
  })
}

const isSettled = (status: PayoutStatus) => status === 'confirmed' || status === 'failed'

type Failing = { id: bigint; mayBeAtBank: boolean; reference: string; bankConfirmation: string }

// Refuses a file of which the bank has paid any.
export async function failedResults(
  tx: Transaction,
  { id, mayBeAtBank, reference, bankConfirmation }: Failing,
): Promise<FileResult[]> {
  const { rows } = await tx.query<KnownPayout>({
    name: 'lock-payouts-of-file',
    text: `select p.id, p.reference, p.status, r.status as reported,
                  p.amount_kobo as "amountKobo", p.currency, $2::text as "fileReference",
                  coalesce(r.bank_reference, p.bank_reference) as "bankReference"
             from payouts p left join payout_results r on r.payout_id = p.id
            where p.batch_id = $1
            order by p.id for no key update of p`,
    values: [id, reference],
  })
  const isPaid = ({ status, reported }: KnownPayout) =>
    (status === 'confirmed' && mayBeAtBank) || reported === 'confirmed'
  if (rows.some(isPaid)) throw new Refusal('payout_file_paid')
  const reason = `Not delivered to the bank: ${bankConfirmation}`
  return rows
    .filter(({ status, reported }) => !isSettled(status) && reported === null)
    .map((payout) => ({ payout, status: 'failed', bankReference: null, reason }))
}
