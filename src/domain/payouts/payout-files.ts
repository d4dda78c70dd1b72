// Files of payouts, for banks without an API. A file is kept as it was written: it is the same bytes
// whenever it is downloaded (I62).

import { gunzipSync, gzipSync } from 'node:zlib'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
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

const SELECT_FILE = `
  select f.id, f.reference, f.bank_code as "bankCode", f.format, f.payouts,
         f.amount_kobo as "amountKobo", f.execution_date::text as "executionDate",
         encode(f.content_hash, 'hex') as sha256, f.created_by as "createdBy",
         f.created_at as "createdAt", f.downloaded_by as "downloadedBy",
         f.downloaded_at as "downloadedAt", f.not_delivered_by as "notDeliveredBy",
         f.not_delivered_at as "notDeliveredAt", f.bank_confirmation as "bankConfirmation",
         s.confirmed, s.failed
    from payout_files f
   cross join lateral (
     select count(*) filter (where status = 'confirmed')::int as confirmed,
            count(*) filter (where status = 'failed')::int as failed
       from payouts where batch_id = f.id) as s`

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

// Commit before the content is shown. A file that the bank is known not to have is shown to nobody
// any more: its payouts have failed, and whoever gave it to the bank now would pay them after all.
export async function downloadPayoutFile(
  tx: Transaction,
  { sealer, now, by }: { sealer: Sealer; now: Date; by: FileActor },
  reference: string,
): Promise<Pick<PayoutFile, 'format'> & { content: Buffer }> {
  const { rows } = await tx.query<{
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
           returning format, content_sealed as sealed, payouts, amount_kobo as "amountKobo",
                     not_delivered_at is not null as "isNotDelivered"`,
    values: [reference, by.actor, now],
  })
  const file = rows[0]
  if (!file) throw new Refusal('payout_file_not_found')
  if (file.isNotDelivered) throw new Refusal('payout_file_not_delivered')
  await writeAuditLog(tx, now, {
    ...by,
    action: 'payout_file.download',
    subject: `payout_file/${reference}`,
    detail: { payouts: file.payouts, amount: formatKobo(file.amountKobo) },
  })
  return { format: file.format, content: openContent(sealer, file.sealed) }
}
