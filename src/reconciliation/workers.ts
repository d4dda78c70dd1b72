// The background workers of reconciliation. They match statements with the books, import statement files from
// a watched folder, and complete the booking of credits that a crash interrupted (finishBooking in book.ts).

import { createReadStream } from 'node:fs'
import { access, lstat, mkdir, readdir, rename, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { StatementProfiles } from '#config/config.ts'
import type { Pool } from '#db/pool.ts'
import { withHeldLock, withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { Logger } from '#log.ts'
import type { Deps, Round } from '#workers/loop.ts'
import { findOpenAccounts } from './banks.ts'
import { type FinishDeps, findUnfinished, finishBooking } from './book.ts'
import { watchStatements } from './daily-proof.ts'
import { chooseReader, type ImportDeps, importStatement } from './import.ts'
import { matchStatements } from './match.ts'

export type ReconcileDeps = Pick<Deps, 'db' | 'clock'> & { banks: readonly BankSettings[] }

// Matches the statements of accounts with open work again, because the explanation of a difference may arrive
// later. Then raises and clears the alerts of reconciliation.
export function reconcileBanksRound({ db, clock, banks }: ReconcileDeps): Round {
  return async (signal) => {
    for (const account of await findOpenAccounts(db, clock())) {
      if (signal.aborted) return { more: false }
      await withTransaction(db, (tx) => matchStatements(tx, { ...account, now: clock() }))
    }
    await withTransaction(db, (tx) => watchStatements(tx, clock(), banks))
    return { more: false }
  }
}

// A file that has not changed for this long is complete: the sender has finished writing it.
export const SETTLED_MS = 5_000
const RETRY_MS = 60_000 // The wait after a failure on our side.
// The names that file transfer tools use while they write a file.
const UNFINISHED = /^\.|\.(?:part|partial|tmp|temp|crdownload|filepart)$/i
// The actor of these imports in the audit log.
const ACTOR = 'folder:statements'

export type ImportStatementsDeps = ImportDeps & {
  log: Logger
  realClock?: Clock // Defaults to the clock.
  banks: readonly BankSettings[]
  statementsFolder: string | undefined
  statementProfiles: StatementProfiles
}

type StatementFile = { bank: BankSettings; folder: string; name: string }
// `readyMs` is the time from which the file may be imported.
type FileState = { size: number; changedMs: number; readyMs: number }

// Imports statements from the watched folder: <folder>/<bank code>/<file>. A file is imported once it has
// not changed for a few seconds, then moved to done/, or to failed/ with a text file that explains why.
//
// Several processes may watch one folder: each file is locked by name. After a crash between import and move,
// the file is imported again, which changes nothing (I64).
export function importStatementsRound(deps: ImportStatementsDeps): Round {
  const { statementsFolder, banks, realClock = deps.clock } = deps
  let states = new Map<string, FileState>()
  return async (signal) => {
    if (statementsFolder === undefined) return { more: false }
    const current = new Map<string, FileState>()
    for (const bank of banks) {
      const folder = join(statementsFolder, bank.code)
      for (const name of await listFiles(folder)) {
        const path = join(folder, name)
        const state = await checkFileChange(path, states.get(path), realClock().getTime())
        if (!state) continue
        current.set(path, state)
        if (signal.aborted || realClock().getTime() < state.readyMs) continue
        const isDone = await importAndMoveFile(deps, { bank, folder, name })
        if (!isDone) state.readyMs = realClock().getTime() + RETRY_MS
      }
    }
    states = current
    return { more: false }
  }
}

// Returns the names of the files in a bank's folder, sorted. Leaves out files that are still being
// transferred. A bank without a folder has none.
async function listFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isFile() && !UNFINISHED.test(entry.name))
      .map(({ name }) => name)
      .sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

// Returns the state of a file, or undefined if the file is gone. Unless size and time of change are the same
// as in the last round, the file may still be growing, so its waiting time starts again.
async function checkFileChange(path: string, lastState: FileState | undefined, nowMs: number) {
  const fileStat = await lstat(path).catch(() => undefined)
  if (!fileStat?.isFile()) return undefined
  const { size, mtimeMs: changedMs } = fileStat
  if (lastState && lastState.size === size && lastState.changedMs === changedMs) return lastState
  return { size, changedMs, readyMs: nowMs + SETTLED_MS }
}

// Imports and moves a file. Returns false if the import failed on our side and must be retried later. Returns
// true if the file was moved, or if another process has moved it or is importing it.
async function importAndMoveFile(
  deps: ImportStatementsDeps,
  file: StatementFile,
): Promise<boolean> {
  const { db, log } = deps
  const logFields = { bankCode: file.bank.code, file: file.name }
  try {
    return await withFileLock(db, `${file.bank.code}/${file.name}`, async () => {
      const path = join(file.folder, file.name)
      if (!(await exists(path))) return true
      const refusal = await importFile(deps, file)
      if (refusal) log.warn({ ...logFields, reason: refusal }, 'statement refused')
      else log.info(logFields, 'statement imported')
      await moveToResultFolder(file, refusal)
      return true
    })
  } catch (error) {
    log.error({ err: error, ...logFields }, 'statement not imported')
    return false
  }
}

// Imports one file. Returns undefined, or the reason if the file itself is at fault; other errors are
// thrown, and the import is retried.
async function importFile(
  deps: ImportStatementsDeps,
  { bank, folder, name }: StatementFile,
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

// Moves an imported file to done/, or a refused one to failed/ with the reason in a text file.
async function moveToResultFolder(
  { folder, name }: StatementFile,
  refusal: string | undefined,
): Promise<void> {
  const target = join(folder, refusal === undefined ? 'done' : 'failed')
  await mkdir(target, { recursive: true })
  const freeName = await findFreeName(target, name)
  if (refusal !== undefined) await writeFile(join(target, `${freeName}.txt`), `${refusal}\n`)
  await rename(join(folder, name), join(target, freeName))
}

// Appends -2, -3 and so on to the name if an earlier file in the folder has it.
async function findFreeName(folder: string, name: string): Promise<string> {
  const { name: stem, ext } = parse(name)
  for (let attempt = 1; ; attempt++) {
    const candidate = attempt === 1 ? name : `${stem}-${attempt}${ext}`
    if (!(await exists(join(folder, candidate)))) return candidate
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

// Runs the work if no other process holds the file's lock. Otherwise returns true, as for a file that is
// done: the other process imports it, so this process need not wait before it looks again.
async function withFileLock(
  db: Pool,
  file: string,
  work: () => Promise<boolean>,
): Promise<boolean> {
  const lock = `hashtext('statement file'), hashtext($1)`
  return (await withHeldLock(db, { lock, values: [file] }, work)) ?? true
}

export type FinishBookingsDeps = Omit<FinishDeps, 'now'> & { db: Pool; clock: Clock }

// Completes the booking of credits from statement lines: a user decided to book them, and the process that
// should have booked them died. A failed booking does not delay others. If the books refuse a credit, its
// difference opens again, and that is no failure.
export function finishBookingsRound(deps: FinishBookingsDeps): Round {
  return async (signal) => {
    const failures: unknown[] = []
    for (const id of await findUnfinished(deps.db, deps.clock())) {
      if (signal.aborted) break
      await finishBooking({ ...deps, now: deps.clock() }, id).catch((error) => {
        if (!(error instanceof Refusal)) failures.push(error)
      })
    }
    if (failures.length > 0) throw failures[0]
    return { more: false }
  }
}
