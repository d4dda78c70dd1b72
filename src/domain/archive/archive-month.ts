// Archives a month: moves its finished credits from the database to files (I85).
//
// One transaction on one snapshot does all of it. The files are complete and on disk before
// anything is deleted, and only rows in the files are deleted. Without the commit the database is
// unchanged. If somebody changes one of the credits meanwhile, the archiving starts again.
//
// The database keeps (0074_archives.sql): enough of each credit to recognise it and to add up the
// books; its identifiers; and, for each pair of accounts and reason, the last transfer with the sum
// of all. So every balance still equals the sum of its transfers.
//
// Locks: one archive at a time, and no closing of days meanwhile. Deleting the credits locks them.

import type { Pool } from '#db/pool.ts'
import { BeginAgain, type Transaction, withTransaction } from '#db/transaction.ts'
import { type ExportFolder, withExportFolder } from '#domain/proof/export-folder.ts'
import { type Details, type Proof, writeExport } from '#domain/proof/write-proof.ts'
import { carryTransfers } from '#ledger/carry-transfers.ts'
import { ARCHIVE_FILES, LINES, PAYERS } from './archive-files.ts'
import {
  type Archivable,
  addUpArchiving,
  emptyLines,
  findArchivable,
  findLines,
} from './find-archivable.ts'
import type { Month } from './months.ts'

export class ArchiveProblem extends Error {}

type Archiving = Details & { month: Month; actor: string }

export type Archived = Archivable & { transfers: bigint; carried: bigint; proof: Proof | null }

const FOREIGN_KEY_VIOLATION = '23503'
const LOCK_NOT_AVAILABLE = '55P03'
const SLICE = 100_000
const NOTHING = { transfers: 0n, carried: 0n, proof: null }

export async function previewMonth(pool: Pool, month: Month): Promise<Archivable> {
  return withTransaction(pool, async (tx) => {
    await begin(tx)
    await requireReady(tx, month)
    return findArchivable(tx, month)
  })
}

// `exportedAt` is now. Without archivable credits it writes no files.
export function archiveMonth(
  pool: Pool,
  { folder: path, ...archiving }: Archiving & { folder: string },
): Promise<Archived> {
  return withExportFolder(path, async (folder) => {
    const archived = await withTransaction(pool, (tx) => archive(tx, folder, archiving))
    if (!archived.proof) await folder.discard()
    return archived
  })
}

async function archive(
  tx: Transaction,
  folder: ExportFolder,
  archiving: Archiving,
): Promise<Archived> {
  const { month } = archiving
  await folder.beginAgain()
  await begin(tx)
  await requireReady(tx, month)
  const found = await findArchivable(tx, month)
  if (found.credits === 0n) return { ...found, ...NOTHING }
  await addUpArchiving(tx)
  await findLines(tx)
  const files = { files: ARCHIVE_FILES, companions: [PAYERS, LINES] }
  const { manifestHash, ...proof } = await writeExport(tx, { ...archiving, folder, ...files })
  const counts = await recordArchive(tx, archiving, { ...found, manifestHash })
  await remove(tx)
  folder.becomeOnlyCopy()
  return { ...found, ...counts, proof }
}

// Takes the lock before the first query takes the snapshot, so that the snapshot contains the
// previous holder's changes. Closing a day waits for the lock (close-day.ts). The timeout is off
// because a slow disk is not a frozen process.
async function begin(tx: Transaction): Promise<void> {
  await tx.query('set transaction isolation level repeatable read')
  await tx.query('set local idle_in_transaction_session_timeout = 0')
  await tx.query(`set local work_mem = '256MB'`)
  try {
    await tx.query('lock table archives in share row exclusive mode nowait')
  } catch (error) {
    const isLocked = (error as { code?: string }).code === LOCK_NOT_AVAILABLE
    throw isLocked
      ? new ArchiveProblem('Another archive is being written, or a day closed.')
      : error
  }
}

// Journals of open days add up transfers, and an erasure reads credits. Neither would find archived rows.
async function requireReady(tx: Transaction, { name, to }: Month): Promise<void> {
  const { rows } = await tx.query<Record<'isArchived' | 'isOpen' | 'isErasing', boolean>>({
    text: `select exists (select from archives where ends_at = $1) as "isArchived",
                  exists (select from closed_days where ends_at <= $1)
                    and not exists (select from closed_days
                                     where ends_at = $1 and completed_at is not null) as "isOpen",
                  exists (select from erasures where step <> 'done') as "isErasing"`,
    values: [to],
  })
  const { isArchived, isOpen, isErasing } = rows[0] as (typeof rows)[0]
  if (isArchived) throw new ArchiveProblem(`${name} is archived already.`)
  if (isOpen) throw new ArchiveProblem(`Days of ${name} are not closed yet. Close them first.`)
  if (isErasing) throw new ArchiveProblem('Personal data is being erased. Try again in a minute.')
}

type WrittenArchive = Archivable & { manifestHash: Buffer }

async function recordArchive(
  tx: Transaction,
  { month, actor, exportedAt }: Archiving,
  { credits, amountKobo, manifestHash }: WrittenArchive,
): Promise<{ transfers: bigint; carried: bigint }> {
  const { rows } = await tx.query<{ id: bigint; transfers: bigint; carried: bigint }>({
    text: `insert into archives (month, ends_at, credits, amount_kobo, transfers, carried,
                                 manifest_hash, archived_by, archived_at)
           select $1, $2, $3, $4,
                  (select count(*) from transfers t join archiving k on k.id = t.credit_id),
                  (select count(*) from archiving_carried), $5, $6, $7
           returning id, transfers, carried`,
    values: [`${month.name}-01`, month.to, credits, amountKobo, manifestHash, actor, exportedAt],
  })
  const { id, ...counts } = rows[0] as (typeof rows)[0]
  await tx.query({ text: KEEP_CREDITS, values: [id] })
  await tx.query({ text: KEEP_DAYS, values: [id] })
  await carryTransfers(tx, id)
  return counts
}

const KEEP_CREDITS = `
  insert into archived_credits
    (id, archive_id, bank_code, session_id, account_number, client_id, collection_account_id,
     amount_kobo, received_at, currency, identified_by, source, fee_kobo, vat_kobo, duty_kobo,
     merchant_fee_kobo, merchant_vat_kobo)
  select c.id, $1, c.bank_code, c.session_id, c.account_number, c.client_id,
         c.collection_account_id, c.amount_kobo, c.received_at, nullif(c.currency, 'NGN'),
         nullif(c.identified_by, 'session_id'), nullif(c.source, 'notification'),
         nullif(c.fee_kobo, 0), nullif(c.vat_kobo, 0), nullif(c.duty_kobo, 0),
         nullif(f.fee, 0), nullif(f.vat, 0)
    from credits c
    join archiving k on k.id = c.id
    left join (select f.credit_id, sum(f.fee_kobo - f.fee_returned_kobo)::bigint as fee,
                      sum(f.vat_kobo - f.vat_returned_kobo)::bigint as vat
                 from credit_fees f join archiving k on k.id = f.credit_id
                group by f.credit_id) as f on f.credit_id = c.id
   order by c.id`

const KEEP_DAYS = `
  insert into archived_days (archive_id, day, transfers, amount_kobo)
  select $1, (t.posted_at at time zone interval '1 hour')::date, count(*), sum(t.amount_kobo)
    from transfers t join archiving k on k.id = t.credit_id
   group by 2`

async function remove(tx: Transaction): Promise<void> {
  await emptyLines(tx)
  await tx.query('delete from credit_fees f using archiving k where f.credit_id = k.id')
  try {
    for (let after: bigint | null = 0n; after !== null; ) after = await removeSlice(tx, after)
  } catch (error) {
    const isReferred = (error as { code?: string }).code === FOREIGN_KEY_VIOLATION
    throw isReferred ? new BeginAgain('Something was done with one of the credits.') : error
  }
}

// In slices, because PostgreSQL keeps the foreign key checks of each deleted row in memory until
// the statement ends. Returns the last id, or null at the end.
async function removeSlice(tx: Transaction, after: bigint): Promise<bigint | null> {
  const { rows } = await tx.query<{ last: bigint | null }>({
    text: `with slice as materialized (
             select id from archiving where id > $1 order by id limit ${SLICE}
           ), removed as (
             delete from credits c using slice s where c.id = s.id
           )
           select max(id) as last from slice`,
    values: [after],
  })
  return rows[0]?.last ?? null
}
