// Imports the file of a statement: chooses its reader, reports the progress, and stores and matches the file.

import { createHash } from 'node:crypto'
import type { CsvProfile } from '#banks/statements/csv-profile.ts'
import { unpack } from '#banks/statements/decode.ts'
import { readStatement } from '#banks/statements/read-statement.ts'
import {
  STATEMENT_FORMATS,
  type StatementFormat,
  type StatementPart,
  StatementProblem,
} from '#banks/statements/statement.ts'
import type { Clock } from '#clock.ts'
import type { StatementSettings } from '#config/bank-settings.ts'
import type { StatementProfiles } from '#config/config.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import { Staging } from '#hot-path/staging.ts'
import type { ClientId } from '#ids.ts'
import { formatKobo } from '#money.ts'
import { recordActions } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import { type MatchResult, matchStatements } from './match.ts'
import {
  type ReadStatement,
  readFile,
  STAGED_COLUMNS,
  STAGED_LINES,
  StagedLines,
} from './read-file.ts'
import {
  beginImport,
  endImport,
  failImport,
  listImported,
  reportProgress,
  type Statement,
} from './statements.ts'
import { type FileContent, findSameFile, lockBankAccounts, storeStatements } from './store.ts'

// The format of a statement file by its extension, for files whose format neither the importer nor the
// bank's settings name.
const ENDINGS: Readonly<Record<string, StatementFormat>> = {
  csv: 'csv',
  txt: 'csv',
  xml: 'camt053',
  camt: 'camt053',
  camt053: 'camt053',
  sta: 'mt940',
  mt940: 'mt940',
  940: 'mt940',
}

type Choice = {
  preference: { format?: StatementFormat | undefined; profile?: string | undefined }
  bank: StatementSettings
  fileName: string | null
  profiles: StatementProfiles
}

type Reader = { format: StatementFormat; profile: CsvProfile | undefined }

// Chooses the format of a file: by the importer's preference, else by the bank's settings, else by the
// extension of the file name. A preference or setting that names a profile means CSV.
export function chooseReader({ preference, bank, fileName, profiles }: Choice): Reader {
  const format =
    preference.format ??
    (preference.profile === undefined ? undefined : 'csv') ??
    bank.statements?.format ??
    (bank.statements?.profile === undefined ? undefined : 'csv') ??
    formatOf(fileName)
  if (!format) throw invalidField('format', 'Is needed: camt053, mt940 or csv.')
  if (format !== 'csv') {
    if (preference.profile !== undefined) throw invalidField('profile', 'Is for CSV only.')
    return { format, profile: undefined }
  }
  const name = preference.profile ?? bank.statements?.profile
  const names = `one of ${[...profiles.keys()].join(', ')}`
  if (name === undefined) throw invalidField('profile', `Is needed for CSV: ${names}.`)
  const loaded = profiles.get(name)
  if (!loaded) throw invalidField('profile', `Must be ${names}.`)
  return { format, profile: loaded.profile }
}

export function findFormat(text: string): StatementFormat | undefined {
  return STATEMENT_FORMATS.find((format) => format === text)
}

// Returns the format that the extension stands for. A final `.gz` is ignored.
function formatOf(fileName: string | null): StatementFormat | undefined {
  const [, ending = ''] = /\.([a-z0-9]+)(?:\.gz)?$/i.exec(fileName ?? '') ?? []
  return ENDINGS[ending.toLowerCase()]
}

const REPORT_EVERY_MS = 1_000
const INTERRUPTED =
  'The import was interrupted, and nothing of it is stored. Import the file again.'

type Options = {
  db: Queryable
  clock: Clock
  id: bigint
  onProgress: ((lines: number) => void) | undefined
}

// Reports the progress of an import about every second while the process runs, and reports its failure. A
// failed report does not fail the import.
class ImportProgress {
  readonly #options: Options
  #count: () => number = () => 0
  #timer: NodeJS.Timeout | undefined
  #reporting: Promise<void> = Promise.resolve()
  state: 'reading' | 'matching' = 'reading'

  constructor(options: Options) {
    this.#options = options
  }

  // `count` returns how many lines have been read so far.
  start(count: () => number): void {
    this.#count = count
    this.#timer = setInterval(() => this.#report(), REPORT_EVERY_MS)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  // Stores the reason of a failed import, after the last report of progress. The user sees our own messages
  // only; any other error is reported as an interruption.
  async fail(error: unknown): Promise<void> {
    this.stop()
    await this.#reporting
    const { db, clock, id } = this.#options
    const line = error instanceof StatementProblem ? error.line : null
    const hasMessage = error instanceof StatementProblem || error instanceof Refusal
    const message = hasMessage ? error.message : INTERRUPTED
    await failImport(db, clock(), { id, lines: this.#count(), line, message }).catch(() => {})
  }

  // Reports are chained, so that a slow one cannot overwrite a later one.
  #report(): void {
    const { db, clock, id, onProgress } = this.#options
    const lines = this.#count()
    onProgress?.(lines)
    const { state } = this
    this.#reporting = this.#reporting.then(() =>
      reportProgress(db, clock(), { id, lines, state }).catch(() => {}),
    )
  }
}

export type ImportDeps = {
  db: Pool
  importPool: Pool // A statement on this pool may run for minutes.
  sealer: Sealer
  clock: Clock
}

type FileToImport = {
  bankCode: string
  accountNumber: string | undefined // Our account, from the bank's settings.
  format: StatementFormat
  profile: CsvProfile | undefined // Set for CSV only.
  fileName: string | null
  bytes: AsyncIterable<Uint8Array> // May be compressed.
  by: { clientId: ClientId | null; actor: string } // null if the import is recorded for every operator.
  lockCaller?: (tx: Transaction) => Promise<void> // Refuses a caller who is gone by then.
  onProgress?: (lines: number) => void
}

export type ImportResult = {
  importId: bigint
  isUnchanged: boolean
  statements: Statement[] // For a file that was imported before, the statements of the first import.
  matched: number
  differences: number
}

// Imports a file: reads it into a separate staging table, and stores it in one transaction (I64). Importing
// the same file again, or the same line in another file, changes nothing, so a caller that is unsure of the
// outcome may repeat an import. An interrupted import has changed nothing.
export async function importStatement(deps: ImportDeps, file: FileToImport): Promise<ImportResult> {
  const { db, importPool, clock } = deps
  const { bankCode, format, profile, fileName, by } = file
  const source = { bankCode, format, profile: profile?.name ?? null, fileName }
  const id = await beginImport(db, clock(), { ...source, startedBy: by.actor })
  const progress = new ImportProgress({ db, clock, id, onProgress: file.onProgress })
  let staging: Staging | undefined
  try {
    staging = await Staging.open(importPool, STAGED_LINES, STAGED_COLUMNS)
    const fileContents = await readInto(staging, { deps, file, progress })
    progress.state = 'matching'
    const content = { ...fileContents, importId: id, bankCode, accountNumber: file.accountNumber }
    return await staging.transaction(async (tx) => {
      await file.lockCaller?.(tx)
      return store(tx, clock(), { content, by, fileName })
    })
  } catch (error) {
    await progress.fail(error)
    if (!(error instanceof StatementProblem)) throw error
    const field = error.line === null ? 'file' : `line ${error.line}`
    throw new Refusal('statement_refused', [{ field, message: error.message }])
  } finally {
    progress.stop()
    staging?.close()
  }
}

type Reading = { deps: ImportDeps; file: FileToImport; progress: ImportProgress }
type Read = { statements: ReadStatement[]; fileHash: Buffer }

// Reads the whole file: unpacks it, stages its lines and computes its hash in one pass.
async function readInto(staging: Staging, { deps, file, progress }: Reading): Promise<Read> {
  const { sealer, clock } = deps
  const { bankCode, format, profile } = file
  const sha256 = createHash('sha256')
  const staged = new StagedLines({ staging, sealer, bankCode, now: clock() })
  progress.start(() => staged.count)
  const bytes = hashed(unpack(file.bytes), (chunk) => sha256.update(chunk))
  const parts: AsyncIterable<StatementPart> = readStatement({ format, profile, bytes })
  const statements = await readFile({ parts, staged })
  return { statements, fileHash: sha256.digest() }
}

// Passes the chunks on, and calls `update` with each, to compute the hash while the file is read.
async function* hashed(
  bytes: AsyncIterable<Uint8Array>,
  update: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    update(chunk)
    yield chunk
  }
}

type NewFile = {
  content: FileContent
  by: FileToImport['by']
  fileName: string | null
}

// Stores and matches a file that was read, in the caller's transaction. If the same file was imported
// before, stores nothing and returns the first import's statements.
async function store(
  tx: Transaction,
  now: Date,
  { content, by, fileName }: NewFile,
): Promise<ImportResult> {
  const { importId, fileHash } = content
  const currencies = await lockBankAccounts(tx, content)
  const lines = content.statements.reduce((sum, statement) => sum + statement.lines, 0)
  const earlierImport = await findSameFile(tx, content)
  if (earlierImport !== undefined) {
    await endImport(tx, now, { id: importId, lines, state: 'unchanged', fileHash })
    const statements = await listImported(tx, earlierImport)
    return { importId, isUnchanged: true, statements, matched: 0, differences: 0 }
  }
  await storeStatements(tx, now, content)
  const { bankCode } = content
  const counts: MatchResult = { matched: 0, differences: 0 }
  for (const currency of currencies) {
    const result = await matchStatements(tx, { bankCode, currency, now })
    counts.matched += result.matched
    counts.differences += result.differences
  }
  const statements = await listImported(tx, importId)
  await recordImport(tx, now, { by, fileName, statements })
  await endImport(tx, now, { id: importId, lines, state: 'done', fileHash })
  return { importId, isUnchanged: false, statements, ...counts }
}

type ImportRecord = Pick<NewFile, 'by' | 'fileName'> & { statements: readonly Statement[] }

// Writes an audit entry for each statement: to the log of the client that imported the file or, for a file
// from the watched folder, to the log of every operator.
async function recordImport(
  tx: Transaction,
  now: Date,
  { by: { clientId, actor }, fileName, statements }: ImportRecord,
): Promise<void> {
  const clientIds = clientId === null ? await listOperators(tx) : [clientId]
  // One entry for each statement and each client.
  const actions = statements.flatMap((statement) => {
    const { id, bankCode, currency, fromDay, toDay, lines, newLines } = statement
    const [opening, closing] = [statement.openingKobo, statement.closingKobo].map(formatKobo)
    const days = { bankCode, currency, fromDay, toDay }
    const detail = { ...days, fileName, lines, newLines, opening, closing }
    const action = 'statement.import' as const
    return clientIds.map((clientId) => {
      return { clientId: clientId, actor, action, subject: `statement/${id}`, detail }
    })
  })
  await recordActions(tx, now, actions)
}

// Returns the clients in whose audit logs an import from the watched folder is recorded.
async function listOperators(tx: Transaction): Promise<ClientId[]> {
  const { rows } = await tx.query<{ id: ClientId }>({
    name: 'list-operators-to-record',
    text: 'select id from clients where is_operator and is_active order by id',
  })
  return rows.map(({ id }) => id)
}
