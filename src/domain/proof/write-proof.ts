// Writes the books as plain files that anybody can re-add without us (I70): one snapshot, read through
// a cursor a few thousand lines at a time, chained, and signed in the manifest.
//
// The files have their names only when all are whole, and the manifest gets its own last: without it
// an export is none. Measured: a million credits and as many transfers take 13 s of processor time
// besides the database's, and 235 MB.

import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from '#db/pool.ts'
import { withSnapshot } from '#db/snapshot.ts'
import type { Transaction } from '#db/transaction.ts'
import { syncFolder } from '#durable-files.ts'
import { ChainedFile, PARTIAL } from './chained-file.ts'
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
const MANIFEST = 'manifest.json'
const FILE_NAMES = PROOF_FILES.map(({ name }) => name)

// Of the folder; what a person can put right.
export class ProofProblem extends Error {}

type Asked = {
  folder: string
  exportedAt: Date
  product: string
  mode: string
  key: ProofKey
  onProgress: (progress: Progress) => void
}

export type Progress = { name: string; lines: number; isWhole: boolean }

type Written = { name: string; lines: number; sums: Record<string, string>; chain: string }

export type Proof = { exportedAt: string; publicKey: string; files: readonly Written[] }

export async function writeProof(pool: Pool, asked: Asked): Promise<Proof> {
  const { folder, key, product, mode } = asked
  await occupy(folder)
  const exportedAt = asked.exportedAt.toISOString()
  try {
    const files = await withSnapshot(pool, (tx) => writeFiles(tx, asked))
    const content = { format: PROOF_FORMAT, product, mode, exportedAt, files }
    const manifest = signManifest({ ...content, publicKey: key.publicKey }, key)
    await writeFile(join(folder, `${MANIFEST}${PARTIAL}`), manifest, { flush: true })
    for (const name of [...files.map((file) => file.name), MANIFEST]) {
      await rename(join(folder, `${name}${PARTIAL}`), join(folder, name))
    }
    syncFolder(folder)
    return { exportedAt, publicKey: key.publicKey, files }
  } catch (error) {
    await removePartial(folder, [...FILE_NAMES, MANIFEST])
    throw toProblem(error)
  }
}

// Over the text without the signature, exactly as the file has it.
export function signManifest(content: object, key: ProofKey): string {
  const unsigned = `${JSON.stringify(content, null, 2)}\n`
  const signature = key.sign(unsigned)
  return `${unsigned.slice(0, -'\n}\n'.length)},\n  "signature": "${signature}"\n}\n`
}

async function writeFiles(tx: Transaction, asked: Asked): Promise<Written[]> {
  // A slow disk is no frozen process, and the first line may wait for a sort of all. Plans are for
  // all of the rows, not for the first ones.
  await tx.query('set local idle_in_transaction_session_timeout = 0')
  await tx.query('set local cursor_tuple_fraction = 1')
  await removePartial(asked.folder, FILE_NAMES) // Of an attempt before this one.
  const written: Written[] = []
  for (const file of PROOF_FILES) written.push(await writeOne(tx, file, asked))
  return written
}

async function writeOne(tx: Transaction, file: ProofFile, asked: Asked): Promise<Written> {
  const { name, sums } = file
  const output = await ChainedFile.create(join(asked.folder, name), name)
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

// Whoever makes the manifest has the folder: of two exports at once, one is refused and touches
// nothing.
async function occupy(folder: string): Promise<void> {
  const manifest = `${MANIFEST}${PARTIAL}`
  const refusal = new ProofProblem(`${folder} is not empty. Name a new folder.`)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if ((await readdir(folder)).length > 0) throw refusal
    await writeFile(join(folder, manifest), '', { flag: 'wx', mode: 0o600 })
    if ((await readdir(folder)).length === 1) return
    await removePartial(folder, [MANIFEST])
  } catch (error) {
    throw toProblem(error)
  }
  throw refusal
}

async function removePartial(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) await rm(join(folder, `${name}${PARTIAL}`), { force: true })
}

// The disk is full, the folder not ours: no bug. Errors of the database name no system call.
function toProblem(error: unknown): unknown {
  const { code, syscall, message } = error as NodeJS.ErrnoException
  const isOfDisk = /^E(ACCES|PERM|ROFS|NOSPC|DQUOT|NOTDIR|EXIST|NOENT)$/.test(code ?? '')
  return isOfDisk && syscall !== 'connect' ? new ProofProblem(message) : error
}
