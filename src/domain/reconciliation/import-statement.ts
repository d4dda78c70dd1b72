// Imports a file: reads it into a table of its own, and stores it in one transaction (I64). Importing the
// same file again, or the same line in another file, changes nothing, so an import may be repeated in
// doubt. An import that dies has done nothing.

import { createHash } from 'node:crypto'
import type { CsvProfile } from '#banks/statements/csv-profile.ts'
import { readStatement } from '#banks/statements/read-statement.ts'
import {
  type StatementFormat,
  type StatementPart,
  StatementProblem,
} from '#banks/statements/statement.ts'
import { unpack } from '#banks/statements/unpack.ts'
import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { Staging } from '#db/staging.ts'
import type { Transaction } from '#db/transaction.ts'
import { recordActions } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { formatKobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { ImportProgress } from './import-progress.ts'
import { type MatchResult, matchStatements } from './match-statements.ts'
import { type ReadStatement, readFile } from './read-file.ts'
import { STAGED_COLUMNS, STAGED_LINES, StagedLines } from './staged-lines.ts'
import { beginImport, endImport } from './statement-imports.ts'
import { listImported, type Statement } from './statements.ts'
import {
  type FileContent,
  findSameFile,
  lockBankAccounts,
  storeStatements,
} from './store-statements.ts'

export type ImportDeps = {
  db: Pool
  importPool: Pool // Its statements may take minutes.
  sealer: Sealer
  clock: Clock
}

type FileToImport = {
  bankCode: string
  accountNumber: string | undefined // From the bank's settings.
  format: StatementFormat
  profile: CsvProfile | undefined // Only for CSV.
  fileName: string | null
  bytes: AsyncIterable<Uint8Array> // Compressed or not.
  by: { clientId: ClientId | null; actor: string } // Null: recorded for every operator.
  onProgress?: (lines: number) => void
}

export type ImportResult = {
  importId: bigint
  isUnchanged: boolean
  statements: Statement[] // For an unchanged file, those of its first import.
  matched: number
  differences: number
}

export async function importStatement(deps: ImportDeps, file: FileToImport): Promise<ImportResult> {
  const { db, importPool, clock } = deps
  const { bankCode, format, profile, fileName, by } = file
  const source = { bankCode, format, profile: profile?.name ?? null, fileName }
  const id = await beginImport(db, clock(), { ...source, startedBy: by.actor })
  const progress = new ImportProgress({ db, clock, id, onProgress: file.onProgress })
  let staging: Staging | undefined
  try {
    staging = await Staging.open(importPool, STAGED_LINES, STAGED_COLUMNS)
    const read = await readInto(staging, { deps, file, progress })
    progress.state = 'matching'
    const content = { ...read, importId: id, bankCode, accountNumber: file.accountNumber }
    return await staging.transaction((tx) => store(tx, clock(), { content, by, fileName }))
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

async function store(
  tx: Transaction,
  now: Date,
  { content, by, fileName }: NewFile,
): Promise<ImportResult> {
  const { importId, fileHash } = content
  const currencies = await lockBankAccounts(tx, content)
  const lines = content.statements.reduce((sum, statement) => sum + statement.lines, 0)
  const before = await findSameFile(tx, content)
  if (before !== undefined) {
    await endImport(tx, now, { id: importId, lines, state: 'unchanged', fileHash })
    const statements = await listImported(tx, before)
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

async function recordImport(
  tx: Transaction,
  now: Date,
  { by: { clientId, actor }, fileName, statements }: ImportRecord,
): Promise<void> {
  const clientIds = clientId === null ? await listOperators(tx) : [clientId]
  const actions = statements.flatMap((statement) => {
    const { id, bankCode, currency, fromDay, toDay, lines, newLines } = statement
    const [opening, closing] = [statement.openingKobo, statement.closingKobo].map(formatKobo)
    const days = { bankCode, currency, fromDay, toDay }
    const detail = { ...days, fileName, lines, newLines, opening, closing }
    const action = 'statement.import' as const
    return clientIds.map((each) => {
      return { clientId: each, actor, action, subject: `statement/${id}`, detail }
    })
  })
  await recordActions(tx, now, actions)
}

async function listOperators(tx: Transaction): Promise<ClientId[]> {
  const { rows } = await tx.query<{ id: ClientId }>({
    name: 'list-operators-to-record',
    text: 'select id from clients where is_operator and is_active order by id',
  })
  return rows.map(({ id }) => id)
}
