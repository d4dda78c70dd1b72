// Imports statements from the watched folder: <folder>/<bank code>/<file>. A file is taken when it has
// been still for a few seconds, and then moved to done/, or to failed/ with a text that says why.
//
// Several processes may watch one folder: each file is locked by name. After a crash between the
// import and the move the file is imported again, which changes nothing (I64).

import { createReadStream } from 'node:fs'
import { access, lstat, mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { BankSettings } from '#config/bank-settings.ts'
import type { StatementProfiles } from '#config/statement-profiles.ts'
import { withHeldLock } from '#db/held-lock.ts'
import type { Pool } from '#db/pool.ts'
import { chooseReader } from '#domain/reconciliation/choose-reader.ts'
import { type ImportDeps, importStatement } from '#domain/reconciliation/import-statement.ts'
import { Refusal } from '#errors.ts'
import type { Logger } from '#log.ts'
import type { Round } from './loop.ts'

export const SETTLED_MS = 5_000
const RETRY_MS = 60_000 // Of what failed for a reason of ours.
const UNFINISHED = /^\.|\.(?:part|partial|tmp|temp|crdownload|filepart)$/i
const ACTOR = 'folder:statements'

export type ImportStatementsDeps = ImportDeps & {
  log: Logger
  banks: readonly BankSettings[]
  statementsFolder: string | undefined
  statementProfiles: StatementProfiles
}

type Found = { bank: BankSettings; folder: string; name: string }
type Seen = { size: number; changedMs: number; readyMs: number }

export function importStatementsRound(deps: ImportStatementsDeps): Round {
  const { statementsFolder, banks, clock } = deps
  let seen = new Map<string, Seen>()
  return async (signal) => {
    if (statementsFolder === undefined) return { more: false }
    const still = new Map<string, Seen>()
    for (const bank of banks) {
      const folder = join(statementsFolder, bank.code)
      for (const name of await listFiles(folder)) {
        const path = join(folder, name)
        const state = await look(path, seen.get(path), clock().getTime())
        if (!state) continue
        still.set(path, state)
        if (signal.aborted || clock().getTime() < state.readyMs) continue
        const isDone = await take(deps, { bank, folder, name })
        if (!isDone) state.readyMs = clock().getTime() + RETRY_MS
      }
    }
    seen = still
    return { more: false }
  }
}

async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && !UNFINISHED.test(entry.name))
      .map(({ name }) => name)
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [] // A bank without a folder.
    throw error
  }
}

// Undefined: it is gone.
async function look(path: string, before: Seen | undefined, nowMs: number) {
  const stat = await lstat(path).catch(() => undefined)
  if (!stat?.isFile()) return undefined
  const { size, mtimeMs: changedMs } = stat
  if (before && before.size === size && before.changedMs === changedMs) return before
  return { size, changedMs, readyMs: nowMs + SETTLED_MS }
}

// Whether nothing is left to do: it was moved, by us or by another process.
async function take(deps: ImportStatementsDeps, found: Found): Promise<boolean> {
  const { db, log } = deps
  const where = { bankCode: found.bank.code, file: found.name }
  try {
    return await withFileLock(db, `${found.bank.code}/${found.name}`, async () => {
      const path = join(found.folder, found.name)
      if (!(await exists(path))) return true
      const refusal = await importFile(deps, found)
      if (refusal) log.warn({ ...where, reason: refusal }, 'statement refused')
      else log.info(where, 'statement imported')
      await move(found, refusal)
      return true
    })
  } catch (error) {
    log.error({ err: error, ...where }, 'statement not imported')
    return false
  }
}

// Why it was refused, if it was.
async function importFile(
  deps: ImportStatementsDeps,
  { bank, folder, name }: Found,
): Promise<string | undefined> {
  const bytes = createReadStream(join(folder, name))
  try {
    const { statementProfiles: profiles } = deps
    const reader = chooseReader({ preference: {}, bank, fileName: name, profiles })
    await importStatement(deps, {
      bankCode: bank.code,
      accountNumber: bank.statements?.accountNumber,
      ...reader,
      fileName: name,
      bytes,
      by: { clientId: null, actor: ACTOR },
    })
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const reasons = error.fields.map(({ field, message }) => `${field}: ${message}`)
    return [error.message, ...reasons].join('\n')
  } finally {
    bytes.destroy()
  }
}

async function move({ folder, name }: Found, refusal: string | undefined): Promise<void> {
  const target = join(folder, refusal === undefined ? 'done' : 'failed')
  await mkdir(target, { recursive: true })
  const free = await findFreeName(target, name)
  if (refusal !== undefined) await writeFile(join(target, `${free}.txt`), `${refusal}\n`)
  await rename(join(folder, name), join(target, free))
}

async function findFreeName(folder: string, name: string): Promise<string> {
  const { name: stem, ext } = parse(name)
  for (let nth = 1; ; nth++) {
    const candidate = nth === 1 ? name : `${stem}-${nth}${ext}`
    if (!(await exists(join(folder, candidate)))) return candidate
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function withFileLock(
  db: Pool,
  file: string,
  work: () => Promise<boolean>,
): Promise<boolean> {
  const lock = `hashtext('statement file'), hashtext($1)`
  return (await withHeldLock(db, { lock, values: [file] }, work)) ?? true
}
