// Marks credits as archived and writes the archive's files, like archiving a month.

import type { Transaction } from '#db/transaction.ts'
import { ARCHIVE_FILES, PAYERS } from '#domain/archive/archive-files.ts'
import { addUpArchiving, createTables } from '#domain/archive/find-archivable.ts'
import type { ExportFolder } from '#domain/proof/export-folder.ts'
import { writeExport } from '#domain/proof/write-proof.ts'
import { KEY } from './proving.ts'
import { START } from './settings.ts'

export async function markArchiving(tx: Transaction, ids: readonly bigint[]): Promise<void> {
  await createTables(tx)
  await tx.query('insert into archiving select unnest($1::bigint[])', [ids])
  await addUpArchiving(tx)
}

export function writeArchiveFiles(tx: Transaction, folder: ExportFolder, onProgress = () => {}) {
  const details = { exportedAt: START, product: 'manilla 0.0.0', mode: 'sandbox', key: KEY }
  const files = { files: ARCHIVE_FILES, companions: [PAYERS] }
  return writeExport(tx, { ...details, ...files, folder, onProgress })
}
