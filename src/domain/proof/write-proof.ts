// Writes the books as plain files that anybody can add up independently (I70): one snapshot, read
// through a cursor a few thousand lines at a time, hash-chained, and signed in the manifest.
//
// Files get their final names only when all are complete, the manifest last: without it there is no
// export. Measured: a million credits and as many transfers take 13 s of processor time besides the
// database's, and 235 MB.

import { createHash } from 'node:crypto'
import type { Pool } from '#db/pool.ts'
import { withSnapshot } from '#db/snapshot.ts'
import type { Transaction } from '#db/transaction.ts'
import { type ExportFolder, withExportFolder } from './export-folder.ts'
import {
  type Line,
  PROOF_FILES,
  PROOF_FORMAT,
  type ProofFile,
  renderLine,
  selectLines,
} from './proof-files.ts'
import type { ProofKey } from './proof-key.ts'

const BATCH = 2_000

export type Details = {
  exportedAt: Date
  product: string
  mode: string
  key: ProofKey
  onProgress: (progress: Progress) => void
}

export type Progress = { name: string; lines: number; isWhole: boolean }

type WrittenFile = { name: string; lines: number; sums: Record<string, string>; chain: string }

export type Proof = { exportedAt: string; publicKey: string; files: readonly WrittenFile[] }

export function writeProof(pool: Pool, options: Details & { folder: string }): Promise<Proof> {
  return withExportFolder(options.folder, async (folder) => {
    const written = await withSnapshot(pool, (tx) =>
      writeExport(tx, { ...options, folder, files: PROOF_FILES }),
    )
    const { exportedAt, publicKey, files } = written
    return { exportedAt, publicKey, files }
  })
}

type ExportOptions = Details & {
  folder: ExportFolder
  files: readonly ProofFile[]
  companions?: readonly ProofFile[] // In the same form, but not part of the verifier's sums.
}

// Everything is on disk when this returns. A retried transaction may call it again with the same folder.
export async function writeExport(
  tx: Transaction,
  options: ExportOptions,
): Promise<Proof & { manifestHash: Buffer }> {
  const { folder, product, mode, key } = options
  // A slow disk is not a frozen process, so the timeout is off. All rows are fetched, so the
  // planner must not optimise for the first ones.
  await tx.query('set local idle_in_transaction_session_timeout = 0')
  await tx.query('set local cursor_tuple_fraction = 1')
  await folder.beginAgain()
  const files = await writeFiles(tx, options.files, options)
  const companions = options.companions && (await writeFiles(tx, options.companions, options))
  const { publicKey } = key
  const exportedAt = options.exportedAt.toISOString()
  const content = { format: PROOF_FORMAT, product, mode, exportedAt, files, companions, publicKey }
  const manifest = signManifest(content, key)
  await folder.finish(manifest)
  const manifestHash = createHash('sha256').update(manifest).digest()
  return { exportedAt, publicKey, files, manifestHash }
}

// Signs the text without the signature, exactly as written.
export function signManifest(content: object, key: ProofKey): string {
  const unsigned = `${JSON.stringify(content, null, 2)}\n`
  const signature = key.sign(unsigned)
  return `${unsigned.slice(0, -'\n}\n'.length)},\n  "signature": "${signature}"\n}\n`
}

async function writeFiles(
  tx: Transaction,
  files: readonly ProofFile[],
  options: ExportOptions,
): Promise<WrittenFile[]> {
  const written: WrittenFile[] = []
  for (const file of files) written.push(await writeOne(tx, file, options))
  return written
}

async function writeOne(
  tx: Transaction,
  file: ProofFile,
  options: ExportOptions,
): Promise<WrittenFile> {
  const { name, sums } = file
  const output = await options.folder.create(name)
  const totals = new Map(sums.map((field) => [field, 0n]))
  try {
    await tx.query(`declare proof_lines no scroll cursor for ${selectLines(file)}`)
    for (let more = true; more; ) {
      const { rows } = await tx.query<Line>(`fetch ${BATCH} from proof_lines`)
      for (const [field, total] of totals) {
        const batch = rows.reduce((sum, row) => sum + BigInt(row[field] ?? 0), 0n)
        totals.set(field, total + batch)
      }
      await output.append(rows.map((row) => renderLine(file, row)))
      options.onProgress({ name, lines: output.lines, isWhole: false })
      more = rows.length === BATCH
    }
    await tx.query('close proof_lines')
    await output.close()
  } catch (error) {
    await output.abandon()
    throw error
  }
  options.onProgress({ name, lines: output.lines, isWhole: true })
  const entries = [...totals].map(([field, total]) => [field, `${total}`])
  return { name, lines: output.lines, sums: Object.fromEntries(entries), chain: output.chain }
}
