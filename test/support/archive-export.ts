// Marks credits as those that an archive takes, and writes its files, as archiving a month does.

import type { Transaction } from '#db/transaction.ts'
import { ARCHIVE_FILES, PAYERS } from '#domain/archive/archive-files.ts'
import type { ExportFolder } from '#domain/proof/export-folder.ts'
import { writeExport } from '#domain/proof/write-proof.ts'
import { KEY } from './proving.ts'
import { START } from './settings.ts'

export async function markArchiving(tx: Transaction, ids: readonly bigint[]): Promise<void> {
  await tx.query('create temporary table archiving (id bigint primary key) on commit drop')
  await tx.query('insert into archiving select unnest($1::bigint[])', [ids])
  await tx.query(
    `create temporary table archiving_accounts
       (id bigint primary key, debits_kobo bigint, credits_kobo bigint) on commit drop`,
  )
  await tx.query(
    `insert into archiving_accounts
     select side.id, sum(side.debits), sum(side.credits)
       from archiving x
       join transfers t on t.credit_id = x.id
      cross join lateral (values (t.debit_account_id, t.amount_kobo, 0),
                                 (t.credit_account_id, 0, t.amount_kobo)) as side (id, debits, credits)
      group by side.id`,
  )
}

export function writeArchiveFiles(tx: Transaction, folder: ExportFolder, onProgress = () => {}) {
  const details = { exportedAt: START, product: 'manilla 0.0.0', mode: 'sandbox', key: KEY }
  const files = { files: ARCHIVE_FILES, companions: [PAYERS] }
  return writeExport(tx, { ...details, ...files, folder, onProgress })
}
