// Files of payouts, for banks without an API. A file is kept as it was written: it is the same bytes
// whenever it is downloaded (I62).
//
// Whoever gives a file out, fails it, or settles one of its payouts by hand locks the file first, before
// any payout of it.

import { gunzipSync, gzipSync } from 'node:zlib'
import type { Queryable } from '#db/pool.ts'
import { BeginAgain, type Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { formatKobo, type Kobo } from '#money.ts'
import { newReference } from '#references.ts'
import type { Sealer } from '#seal.ts'

export const FILE_FORMATS = ['pain.001', 'csv'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

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
  settledByHand: number // Of those: not by a report of the bank’s.
}

export type FileActor = { clientId: ClientId; actor: string }

export function newFileReference(): string {
  return newReference('PYF')
}

export function isFileReference(text: string): boolean {
  return /^PYF[0-9]{15}$/.test(text)
}

// XML of many payouts is a twentieth of its size.
export function sealContent(sealer: Sealer, content: string): Buffer {
  return sealer.seal(gzipSync(content).toString('base64'))
}

function openContent(sealer: Sealer, sealed: Buffer): Buffer {
  return gunzipSync(Buffer.from(sealer.open(sealed), 'base64'))
}

// Of a payout `p` and what its bank reported of it, `r`.
const BY_HAND = `p.status in ('confirmed', 'failed') and r.payout_id is null`

const SELECT_FILE = `
  select f.id, f.reference, f.bank_code as "bankCode", f.format, f.payouts,
         f.amount_kobo as "amountKobo", f.execution_date::text as "executionDate",
         encode(f.content_hash, 'hex') as sha256, f.created_by as "createdBy",
         f.created_at as "createdAt", f.downloaded_by as "downloadedBy",
         f.downloaded_at as "downloadedAt", f.not_delivered_by as "notDeliveredBy",
         f.not_delivered_at as "notDeliveredAt", f.bank_confirmation as "bankConfirmation",
         s.confirmed, s.failed, s."settledByHand"
    from payout_files f
   cross join lateral (
     select count(*) filter (where p.status = 'confirmed')::int as confirmed,
            count(*) filter (where p.status = 'failed')::int as failed,
            count(*) filter (where ${BY_HAND})::int as "settledByHand"
       from payouts p left join payout_results r on r.payout_id = p.id
      where p.batch_id = f.id) as s`

type FileFilter = { bankCode?: string | undefined; beforeId: bigint | null; limit: number }

// Newest first.
export async function listPayoutFiles(
  db: Queryable,
  { bankCode, beforeId, limit }: FileFilter,
): Promise<PayoutFile[]> {
  const { rows } = await db.query<PayoutFile>({
    name: 'list-payout-files',
    text: `${SELECT_FILE}
            where ($1::text is null or f.bank_code = $1) and ($2::bigint is null or f.id < $2)
            order by f.id desc limit $3`,
    values: [bankCode ?? null, beforeId, limit],
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

type LockedFile = { id: bigint; isDownloaded: boolean; isNotDelivered: boolean }

export async function lockPayoutFile(tx: Transaction, reference: string): Promise<LockedFile> {
  const { rows } = await tx.query<LockedFile>({
    name: 'lock-payout-file',
    text: `select id, downloaded_at is not null as "isDownloaded",
                  not_delivered_at is not null as "isNotDelivered"
             from payout_files where reference = $1 for no key update`,
    values: [reference],
  })
  if (!rows[0]) throw new Refusal('payout_file_not_found')
  return rows[0]
}

// The file that the payout is in; null: none. Lock the payout next, and hold what it says against this.
export async function lockFileOf(tx: Transaction, payoutReference: string): Promise<bigint | null> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'lock-file-of-payout',
    text: `select f.id from payouts p join payout_files f on f.id = p.batch_id
            where p.reference = $1 for no key update of f`,
    values: [payoutReference],
  })
  return rows[0]?.id ?? null
}

// A file may have been created since the payout’s was looked for.
export function requireSameFile(locked: bigint | null, batchId: bigint | null): void {
  if (locked !== batchId) throw new BeginAgain('The payout was put into a file meanwhile.')
}

// Commit before the content is shown. Whoever gave a file to the bank now would pay what is in it after
// all: it is shown to nobody once it is known that the bank does not have it, for its payouts have failed,
// nor once one of them was settled by hand.
export async function downloadPayoutFile(
  tx: Transaction,
  { sealer, now, by }: { sealer: Sealer; now: Date; by: FileActor },
  reference: string,
): Promise<Pick<PayoutFile, 'format'> & { content: Buffer }> {
  const { rows } = await tx.query<{
    id: bigint
    format: FileFormat
    sealed: Buffer
    payouts: number
    amountKobo: Kobo
    isNotDelivered: boolean
  }>({
    name: 'download-payout-file',
    text: `update payout_files
              set downloaded_by = case when not_delivered_at is null
                                       then coalesce(downloaded_by, $2) else downloaded_by end,
                  downloaded_at = case when not_delivered_at is null
                                       then coalesce(downloaded_at, $3) else downloaded_at end
            where reference = $1
           returning id, format, content_sealed as sealed, payouts, amount_kobo as "amountKobo",
                     not_delivered_at is not null as "isNotDelivered"`,
    values: [reference, by.actor, now],
  })
  const file = rows[0]
  if (!file) throw new Refusal('payout_file_not_found')
  if (file.isNotDelivered) throw new Refusal('payout_file_not_delivered')
  await refuseSettledByHand(tx, file.id)
  await writeAuditLog(tx, now, {
    ...by,
    action: 'payout_file.download',
    subject: `payout_file/${reference}`,
    detail: { payouts: file.payouts, amount: formatKobo(file.amountKobo) },
  })
  return { format: file.format, content: openContent(sealer, file.sealed) }
}

const NAMED_MAX = 20

async function refuseSettledByHand(tx: Transaction, fileId: bigint): Promise<void> {
  const { rows } = await tx.query<{ reference: string; status: string }>({
    name: 'settled-by-hand-in-file',
    text: `select p.reference, p.status
             from payouts p left join payout_results r on r.payout_id = p.id
            where p.batch_id = $1 and ${BY_HAND}
            order by p.id limit ${NAMED_MAX}`,
    values: [fileId],
  })
  if (rows.length === 0) return
  const errors = rows.map(({ reference, status }) => {
    return { field: 'payouts', message: `${reference} was ${status} by hand.` }
  })
  throw new Refusal('payout_file_settled', errors)
}
