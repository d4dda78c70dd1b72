// Files of payouts, for banks without an API. Every download of a file has the same bytes (I62).
//
// Locks: a download, a failure, and settling a payout by hand lock the file before its payouts. A download
// first waits for transactions that hold payouts (I82).

import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { writePain001 } from '#banks/iso20022/pain.ts'
import { type DebitAccount, type PaymentFile, writePaymentCsv } from '#banks/payment-files.ts'
import { businessDayFrom, type Holidays, watDay } from '#clock.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { BeginAgain, type Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { isAllHeld } from '#holds/hold.ts'
import { type ClientId, newReference } from '#ids.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { awaitHolders } from '#records/call-rates.ts'
import type { Sealer } from '#seal.ts'
import { arePayoutsHeld, HELD, isUnderReview, MAY_HAVE_BEEN_SENT } from './holds.ts'
import { claimPayouts } from './send.ts'

export const FILE_FORMATS = ['pain.001', 'csv'] as const
type FileFormat = (typeof FILE_FORMATS)[number]

// The reasons why a file cannot be downloaded, in the order of the checks. An operator who uploaded such a
// file could pay twice, or pay a payout that must not be paid now.
export const FILE_BLOCKS = [
  'payout_file_not_delivered',
  'payout_file_may_have_been_sent',
  'payout_file_settled',
  'failure_requested',
  'payout_under_review',
  'client_suspended',
  'client_held',
  'payouts_held',
] as const

export type PayoutFile = {
  id: bigint
  reference: string
  bankCode: string
  format: FileFormat
  payouts: number
  amountKobo: Kobo
  executionDate: string
  sha256: string
  createdBy: string
  createdAt: Date
  downloadedBy: string | null
  downloadedAt: Date | null
  notDeliveredBy: string | null
  notDeliveredAt: Date | null
  bankConfirmation: string | null
  confirmed: number
  failed: number
  settledByHand: number // The number of payouts that were settled without a report of the bank.
  blockedBy: (typeof FILE_BLOCKS)[number] | null // Null if the file can be downloaded.
}

export type FileActor = { clientId: ClientId; actor: string }

// Compression shrinks the XML of many payouts to a twentieth.
function sealContent(sealer: Sealer, content: string): Buffer {
  return sealer.seal(gzipSync(content).toString('base64'))
}

function openContent(sealer: Sealer, sealed: Buffer): Buffer {
  return gunzipSync(Buffer.from(sealer.open(sealed), 'base64'))
}

// SQL condition on a payout `p` and its bank's report `r`: an operator settled the payout by hand.
const IS_SETTLED_BY_HAND = `p.status in ('confirmed', 'failed') and r.payout_id is null`

// SQL condition on a file `f`: it may have been downloaded before a restore, which lost the record. All
// payouts of a file were requested before the file was created.
const FILE_MAY_HAVE_BEEN_SENT = `
  exists (select from payouts where batch_id = f.id and ${MAY_HAVE_BEEN_SENT})`

// SQL condition on a file `f`: a request to fail it, or to fail a payout in it, is open (I94).
const FAILURE_IS_REQUESTED = `
  exists (select from payout_failures r
           where r.state = 'open'
             and (r.file_id = f.id
                  or r.payout_id in (select id from payouts where batch_id = f.id)))`

// SQL condition on a file `f`: it was never downloaded, and screening stopped a payout in it (I147).
const IS_STOPPED_BY_SCREENING = `
  f.downloaded_at is null
    and exists (select from payouts where batch_id = f.id and screening = 'held')`

// SQL condition on a file `f`: it was never downloaded, and it has a payout of a suspended client (I97).
const WOULD_PAY_SUSPENDED = `
  f.downloaded_at is null
    and exists (select from payouts p join clients c on c.id = p.client_id
                 where p.batch_id = f.id and not c.is_active)`

// SQL condition on a file `f`: it was never downloaded, and it has a payout of a client whose money is all
// held (I130).
const WOULD_PAY_HELD = `
  f.downloaded_at is null
    and exists (select from payouts p where p.batch_id = f.id and ${isAllHeld('p.client_id')})`

const SELECT_FILE = `
  select f.id, f.reference, f.bank_code, f.format, f.payouts,
         f.amount_kobo, f.execution_date::text as execution_date,
         encode(f.content_hash, 'hex') as sha256, f.created_by, f.created_at, f.downloaded_by,
         f.downloaded_at, f.not_delivered_by, f.not_delivered_at, f.bank_confirmation, s.confirmed,
         s.failed, s.settled_by_hand,
         case when f.not_delivered_at is not null then 'payout_file_not_delivered'
              when ${FILE_MAY_HAVE_BEEN_SENT} then 'payout_file_may_have_been_sent'
              when s.settled_by_hand > 0 then 'payout_file_settled'
              when ${FAILURE_IS_REQUESTED} then 'failure_requested'
              when ${IS_STOPPED_BY_SCREENING} then 'payout_under_review'
              when ${WOULD_PAY_SUSPENDED} then 'client_suspended'
              when ${WOULD_PAY_HELD} then 'client_held'
              when ${HELD} then 'payouts_held' end as blocked_by
    from payout_files f
   cross join lateral (
     select count(*) filter (where p.status = 'confirmed')::int as confirmed,
            count(*) filter (where p.status = 'failed')::int as failed,
            count(*) filter (where ${IS_SETTLED_BY_HAND})::int as settled_by_hand
       from payouts p left join payout_results r on r.payout_id = p.id
      where p.batch_id = f.id) as s`

type FileFilter = { bankCode?: string | undefined; beforeId: bigint | null; limit: number }

export async function listPayoutFiles(
  db: Queryable,
  { bankCode, beforeId, limit }: FileFilter,
): Promise<PayoutFile[]> {
  const { rows } = await db.query<PayoutFile>(
    listQuery({
      select: SELECT_FILE,
      where: [['f.bank_code = $', bankCode]],
      id: 'f.id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

// Lists the files that have payouts without an outcome.
export async function listOpenFiles(db: Queryable): Promise<PayoutFile[]> {
  const { rows } = await db.query<PayoutFile>({
    name: 'list-open-payout-files',
    text: `${SELECT_FILE}
            where f.id in (select batch_id from payouts where status in ('sending', 'unknown'))
            order by f.id`,
  })
  return rows
}

export async function getPayoutFile(db: Queryable, reference: string): Promise<PayoutFile> {
  const { rows } = await db.query<PayoutFile>({
    name: 'get-payout-file',
    text: `${SELECT_FILE} where f.reference = $1`,
    values: [reference],
  })
  if (!rows[0]) throw new Refusal('payout_file_not_found')
  return rows[0]
}

export async function getFileId(db: Queryable, reference: string): Promise<bigint> {
  const { rows } = await db.query<{ id: bigint }>({
    name: 'get-payout-file-id',
    text: 'select id from payout_files where reference = $1',
    values: [reference],
  })
  if (!rows[0]) throw new Refusal('payout_file_not_found')
  return rows[0].id
}

type LockedFile = { id: bigint; mayBeAtBank: boolean; isNotDelivered: boolean }

// Locks a file before its payouts. `mayBeAtBank` also covers a download whose record a restore lost.
export async function lockPayoutFile(tx: Transaction, reference: string): Promise<LockedFile> {
  const { rows } = await tx.query<LockedFile>({
    name: 'lock-payout-file',
    text: `select f.id, f.not_delivered_at is not null as is_not_delivered,
                  f.downloaded_at is not null or ${FILE_MAY_HAVE_BEEN_SENT} as may_be_at_bank
             from payout_files f where f.reference = $1 for no key update`,
    values: [reference],
  })
  if (!rows[0]) throw new Refusal('payout_file_not_found')
  return rows[0]
}

// Locks the file that a payout is in, because files are locked before their payouts. Returns the file's id,
// or null. The caller then locks the payout and calls requireSameFile().
export async function lockFileOf(tx: Transaction, payoutReference: string): Promise<bigint | null> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'lock-file-of-payout',
    text: `select f.id from payouts p join payout_files f on f.id = p.batch_id
            where p.reference = $1 for no key update of f`,
    values: [payoutReference],
  })
  return rows[0]?.id ?? null
}

// Makes the transaction begin again if the payout was put into a file after lockFileOf(), before the payout
// was locked.
export function requireSameFile(lockedFileId: bigint | null, batchId: bigint | null): void {
  if (lockedFileId !== batchId) throw new BeginAgain('The payout was put into a file meanwhile.')
}

// Returns a file's content, and records the download. The caller commits before it sends the content to the
// operator, so that the audit log has every download.
export async function downloadPayoutFile(
  tx: Transaction,
  { sealer, now, by }: { sealer: Sealer; now: Date; by: FileActor },
  reference: string,
): Promise<Pick<PayoutFile, 'format'> & { content: Buffer }> {
  await awaitHolders(tx)
  const { id } = await lockPayoutFile(tx, reference)
  const { format, payouts, amountKobo, blockedBy } = await getPayoutFile(tx, reference)
  // These two refusals name the payouts.
  if (blockedBy === 'payout_file_settled') await refuseSettledByHand(tx, id)
  if (blockedBy === 'payout_under_review') await refuseUnscreened(tx, now, id)
  if (blockedBy) throw new Refusal(blockedBy)
  // `blockedBy` does not cover payouts that must be screened again because a rule or a list has changed.
  await refuseUnscreened(tx, now, id)
  const { rows } = await tx.query<{ sealed: Buffer }>({
    name: 'download-payout-file',
    text: `update payout_files
              set downloaded_by = coalesce(downloaded_by, $2),
                  downloaded_at = coalesce(downloaded_at, $3)
            where id = $1
           returning content_sealed as sealed`,
    values: [id, by.actor, now],
  })
  await writeAuditLog(tx, now, {
    ...by,
    action: 'payout_file.download',
    subject: `payout_file/${reference}`,
    detail: { payouts, amount: formatKobo(amountKobo) },
  })
  return { format, content: openContent(sealer, (rows[0] as { sealed: Buffer }).sealed) }
}

const NAMED_PAYOUTS_MAX = 20

// Refuses the first download of a file with a payout that screening stopped, or has not seen since a rule or
// a list changed (I147). The worker screens it again within a second.
async function refuseUnscreened(tx: Transaction, now: Date, fileId: bigint): Promise<void> {
  const { rows } = await tx.query<{ reference: string }>({
    name: 'unscreened-in-file',
    text: `select p.reference from payout_files f join payouts p on p.batch_id = f.id
            where f.id = $1 and f.downloaded_at is null and p.status = 'sending'
              and ${isUnderReview('$2::timestamptz')}
            order by p.id limit ${NAMED_PAYOUTS_MAX}`,
    values: [fileId, now],
  })
  if (rows.length === 0) return
  const errors = rows.map(({ reference }) => {
    return { field: 'payouts', message: `${reference} waits for screening.` }
  })
  throw new Refusal('payout_under_review', errors)
}

// Refuses a download, and names the payouts that were settled by hand: the bank could pay them again.
async function refuseSettledByHand(tx: Transaction, fileId: bigint): Promise<never> {
  const { rows } = await tx.query<{ reference: string; status: string }>({
    name: 'settled-by-hand-in-file',
    text: `select p.reference, p.status
             from payouts p left join payout_results r on r.payout_id = p.id
            where p.batch_id = $1 and ${IS_SETTLED_BY_HAND}
            order by p.id limit ${NAMED_PAYOUTS_MAX}`,
    values: [fileId],
  })
  const errors = rows.map(({ reference, status }) => {
    return { field: 'payouts', message: `${reference} was ${status} by hand.` }
  })
  throw new Refusal('payout_file_settled', errors)
}

// Most bank portals take fewer payouts at once. Further payouts go into the next file.
export const FILE_PAYOUTS_MAX = 10_000

const WRITERS: Record<FileFormat, (file: PaymentFile) => string> = {
  'pain.001': writePain001,
  csv: writePaymentCsv,
}

// Puts the queued payouts of a bank into a file, and returns the file's reference. The transaction commits
// them as `sending` before the file can be downloaded. So after any crash, no payout is in two files or is
// also sent in another way (I47, I62). Refuses if no payout is queued, or while payouts are held.
export async function createPayoutFile(
  tx: Transaction,
  { sealer, now, by, holidays }: { sealer: Sealer; now: Date; by: FileActor; holidays: Holidays },
  {
    bankCode,
    debitAccount,
    format,
  }: { bankCode: string; debitAccount: DebitAccount; format: FileFormat },
): Promise<string> {
  const id = await reserveFileId(tx)
  const reference = newReference('PYF')
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

// Takes the next id of `payout_files`, because the payouts are claimed under the file's id before the file's
// row is written.
async function reserveFileId(tx: Transaction): Promise<bigint> {
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

// Writes the row of a file under its reserved id (overriding system value), with the content sealed.
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
