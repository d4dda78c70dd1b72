// Writes the books as plain files that anybody can re-add without us (I70): one snapshot, read through
// a cursor a few thousand lines at a time, chained, and signed in the manifest.
//
// The files have their names only when all are whole, and the manifest gets its own last: without it
// an export is none. Measured: a million credits and as many transfers take 13 s of processor time
// besides the database's, and 235 MB.

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

type Written = { name: string; lines: number; sums: Record<string, string>; chain: string }

export type Proof = { exportedAt: string; publicKey: string; files: readonly Written[] }

export function writeProof(pool: Pool, asked: Details & { folder: string }): Promise<Proof> {
  return withExportFolder(asked.folder, async (folder) => {
    const written = await withSnapshot(pool, (tx) =>
      writeExport(tx, { ...asked, folder, files: PROOF_FILES }),
    )
    const { exportedAt, publicKey, files } = written
    return { exportedAt, publicKey, files }
  })
}

type Asked = Details & {
  folder: ExportFolder
  files: readonly ProofFile[]
  companions?: readonly ProofFile[] // Of the same form, and outside of what a verifier adds up.
}

// All of it is on disk when this returns. May run again in the same folder, as its transaction may.
export async function writeExport(
  tx: Transaction,
  asked: Asked,
): Promise<Proof & { manifestHash: Buffer }> {
  const { folder, product, mode, key } = asked
  // A slow disk is no frozen process, and the first line may wait for a sort of all. Plans are for
  // all of the rows, not for the first ones.
  await tx.query('set local idle_in_transaction_session_timeout = 0')
  await tx.query('set local cursor_tuple_fraction = 1')
  await folder.beginAgain()
  const files = await writeFiles(tx, asked.files, asked)
  const companions = asked.companions && (await writeFiles(tx, asked.companions, asked))
  const { publicKey } = key
  const exportedAt = asked.exportedAt.toISOString()
  const content = { format: PROOF_FORMAT, product, mode, exportedAt, files, companions, publicKey }
  const manifest = signManifest(content, key)
  await folder.finish(manifest)
  const manifestHash = createHash('sha256').update(manifest).digest()
  return { exportedAt, publicKey, files, manifestHash }
}

// Over the text without the signature, exactly as the file has it.
export function signManifest(content: object, key: ProofKey): string {
  const unsigned = `${JSON.stringify(content, null, 2)}\n`
  const signature = key.sign(unsigned)
  return `${unsigned.slice(0, -'\n}\n'.length)},\n  "signature": "${signature}"\n}\n`
}

async function writeFiles(
  tx: Transaction,
  files: readonly ProofFile[],
  asked: Asked,
): Promise<Written[]> {
  const written: Written[] = []
  for (const file of files) written.push(await writeOne(tx, file, asked))
  return written
}

async function writeOne(tx: Transaction, file: ProofFile, asked: Asked): Promise<Written> {
  const { name, sums } = file
  const output = await asked.folder.create(name)
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
      asked.onProgress({ name, lines: output.lines, isWhole: false })
      more = rows.length === BATCH
    }
    await tx.query('close proof_lines')
    await output.close()
  } catch (error) {
    await output.abandon()
    throw error
  }
  asked.onProgress({ name, lines: output.lines, isWhole: true })
  const told = [...totals].map(([field, total]) => [field, `${total}`])
  return { name, lines: output.lines, sums: Object.fromEntries(told), chain: output.chain }
}
