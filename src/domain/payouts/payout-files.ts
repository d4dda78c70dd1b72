// Files of payouts, for banks without an API. A file is kept as it was written: it is the same bytes
// whenever it is downloaded (I62).
//
// Whoever gives a file out, fails it, or settles one of its payouts by hand locks the file first, before
// any payout of it; and before that awaits holders, if it is given out (I82).

import { gunzipSync, gzipSync } from 'node:zlib'
import type { Queryable } from '#db/pool.ts'
import { BeginAgain, type Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { awaitHolders } from '#domain/records/sending-lock.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { formatKobo, type Kobo } from '#money.ts'
import { newReference } from '#references.ts'
import type { Sealer } from '#seal.ts'
import { HELD, MAY_HAVE_BEEN_SENT } from './hold-payouts.ts'

export const FILE_FORMATS = ['pain.001', 'csv'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

// Why a file is not given out, in the order that they are looked for. Whoever uploaded it would pay again
// what the bank does not have and has therefore failed, what it may have had before a restore, or what was
// settled by hand; or pay what is about to fail, what a suspended client does not pay, or while payouts are
// held.
export const FILE_BLOCKS = [
  'payout_file_not_delivered',
  'payout_file_may_have_been_sent',
  'payout_file_settled',
  'failure_requested',
  'client_suspended',
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
  settledByHand: number // Of those: not by a report of the bank’s.
  blockedBy: (typeof FILE_BLOCKS)[number] | null // Null: it is given out.
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

// Of a file `f`: a restored database does not know whether somebody has it. All payouts of a file were
// requested before it was created.
const FILE_MAY_HAVE_BEEN_SENT = `
  exists (select from payouts where batch_id = f.id and ${MAY_HAVE_BEEN_SENT})`

// Of a file `f`: somebody asked to fail it, or a payout in it (I94).
const FAILURE_IS_REQUESTED = `
  exists (select from payout_failures r
           where r.state = 'open'
             and (r.file_id = f.id
                  or r.payout_id in (select id from payouts where batch_id = f.id)))`

// Of a file `f`: nobody has it yet, and it would pay for a suspended client (I97).
const WOULD_PAY_SUSPENDED = `
  f.downloaded_at is null
    and exists (select from payouts p join clients c on c.id = p.client_id
                 where p.batch_id = f.id and not c.is_active)`

const SELECT_FILE = `
  select f.id, f.reference, f.bank_code as "bankCode", f.format, f.payouts,
         f.amount_kobo as "amountKobo", f.execution_date::text as "executionDate",
         encode(f.content_hash, 'hex') as sha256, f.created_by as "createdBy",
         f.created_at as "createdAt", f.downloaded_by as "downloadedBy",
         f.downloaded_at as "downloadedAt", f.not_delivered_by as "notDeliveredBy",
         f.not_delivered_at as "notDeliveredAt", f.bank_confirmation as "bankConfirmation",
         s.confirmed, s.failed, s."settledByHand",
         case when f.not_delivered_at is not null then 'payout_file_not_delivered'
              when ${FILE_MAY_HAVE_BEEN_SENT} then 'payout_file_may_have_been_sent'
              when s."settledByHand" > 0 then 'payout_file_settled'
              when ${FAILURE_IS_REQUESTED} then 'failure_requested'
              when ${WOULD_PAY_SUSPENDED} then 'client_suspended'
              when ${HELD} then 'payouts_held' end as "blockedBy"
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

// Those with payouts that are not settled.
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

// Of the file of this reference.
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

export async function lockPayoutFile(tx: Transaction, reference: string): Promise<LockedFile> {
  const { rows } = await tx.query<LockedFile>({
    name: 'lock-payout-file',
    text: `select f.id, f.not_delivered_at is not null as "isNotDelivered",
                  f.downloaded_at is not null or ${FILE_MAY_HAVE_BEEN_SENT} as "mayBeAtBank"
             from payout_files f where f.reference = $1 for no key update`,
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

// Commit before the content is shown.
export async function downloadPayoutFile(
  tx: Transaction,
  { sealer, now, by }: { sealer: Sealer; now: Date; by: FileActor },
  reference: string,
): Promise<Pick<PayoutFile, 'format'> & { content: Buffer }> {
  await awaitHolders(tx)
  const { id } = await lockPayoutFile(tx, reference)
  const { format, payouts, amountKobo, blockedBy } = await getPayoutFile(tx, reference)
  if (blockedBy === 'payout_file_settled') await refuseSettledByHand(tx, id)
  if (blockedBy) throw new Refusal(blockedBy)
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

const NAMED_MAX = 20

async function refuseSettledByHand(tx: Transaction, fileId: bigint): Promise<never> {
  const { rows } = await tx.query<{ reference: string; status: string }>({
    name: 'settled-by-hand-in-file',
    text: `select p.reference, p.status
             from payouts p left join payout_results r on r.payout_id = p.id
            where p.batch_id = $1 and ${BY_HAND}
            order by p.id limit ${NAMED_MAX}`,
    values: [fileId],
  })
  const errors = rows.map(({ reference, status }) => {
    return { field: 'payouts', message: `${reference} was ${status} by hand.` }
  })
  throw new Refusal('payout_file_settled', errors)
}
