// `manilla statements …` imports bank statements from disk, and lists them.
//
// `manilla admin payouts …` holds all payouts, and releases them (payouts/holds.ts).
//
// `manilla export --proof <folder>` writes the books as plain files. An auditor adds them up with
// verifier/verify_proof.py or with another program (docs/proof.md).
//
// `manilla admin screening replay` makes the decisions of a past period again, and compares them with the
// stored decisions (screening/replay.ts).

import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { loadConfig, openProfiles } from '#config/config.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { formatKobo } from '#money.ts'
import { holdPayouts, listHolds, releasePayouts } from '#payouts/holds.ts'
import { syncKeys } from '#privacy/data-keys.ts'
import { proofKey } from '#proof/files.ts'
import { type Details, type Progress, type Proof, ProofProblem, writeProof } from '#proof/write.ts'
import {
  chooseReader,
  findFormat,
  type ImportResult,
  importStatement,
} from '#reconciliation/import.ts'
import { listStatements, type Statement } from '#reconciliation/statements.ts'
import { replayDecisions } from '#screening/replay.ts'
import { Sealer } from '#seal.ts'
import { AdminProblem, type Context, UsageProblem, type View } from './operator-command.ts'

const STATEMENT_MAX_MS = 600_000
const LISTED = 50

type Import = { bank: string; format?: string; profile?: string }

// `manilla statements import`: imports a bank's statement file.
export async function importFile(context: Context, options: Import, path: string) {
  const result = await importOne(context, options, path)
  const { isUnchanged, statements, matched, differences } = result
  const outcome = isUnchanged
    ? 'Nothing changed: the same file was imported before.'
    : `Imported. ${matched} lines matched, ${differences} differences found.`
  return { data: toData(result), view: [tableOf(statements), outcome] }
}
importFile.statementMaxMs = STATEMENT_MAX_MS

export async function listImported({ db }: Context, { bank: bankCode }: { bank?: string }) {
  const statements = await listStatements(db, { bankCode, beforeId: null, limit: LISTED })
  return { data: statements.map(plainStatement), view: tableOf(statements) }
}

// `manilla admin payouts hold`: sends no payouts until they are released.
export async function hold({ db, clock, actor: by }: Context, { reason }: { reason: string }) {
  await withTransaction(db, (tx) => holdPayouts(tx, clock(), { reason, by }))
  return { data: { held: true }, view: 'Payouts are held.' }
}

const CANNOT_LACK_NOTHING =
  'Nothing was released: --nothing-missing is for a standby that was promoted while commits waited for it. ' +
  'See npx manilla admin payouts status.'

// `manilla admin payouts release`: ends all holds, so that payouts are sent again.
// With `nothingMissing`, the operator says that the server to which the database was moved lacks nothing.
export async function release(
  { db, clock, actor: by }: Context,
  { nothingMissing: lacksNothing }: { nothingMissing?: boolean },
) {
  const released = await withTransaction(db, (tx) =>
    releasePayouts(tx, clock(), by, { lacksNothing }),
  )
  if (released === undefined) throw new AdminProblem(CANNOT_LACK_NOTHING)
  const view = released > 0 ? 'Payouts are sent again.' : 'Payouts were not held.'
  return { data: { held: false, released }, view }
}

// Lists the holds that keep payouts from being sent.
export async function showHolds({ db }: Context) {
  const holds = await listHolds(db)
  const rows = holds.map(({ heldAt, heldBy, reason, restoredTo, mayLackNothing }) => {
    const to = restoredTo ? ` (to ${restoredTo.toISOString()})` : ''
    const choice = mayLackNothing
      ? ' If you know that it lacks none: release --nothing-missing.'
      : ''
    return [heldAt.toISOString(), heldBy, `${reason}${to}${choice}`]
  })
  const view =
    rows.length > 0 ? { columns: ['held', 'by', 'reason'], rows } : 'Payouts are not held.'
  return { data: { held: holds.length > 0, holds }, view }
}

// Finds the reader of the file first, so that wrong options are refused before anything is read.
async function importOne(
  { db, env, clock, actor, showProgress }: Context,
  { bank: bankCode, format, profile }: Import,
  path: string,
): Promise<ImportResult> {
  const config = loadConfig(env, 'serve')
  const bank = config.banks.find(({ code }) => code === bankCode)
  if (!bank) throw new Refusal('bank_not_supported')
  const fileName = basename(path)
  const profiles = openProfiles(config)
  const preference = { format: format === undefined ? undefined : findFormat(format), profile }
  const reader = chooseReader({ preference, bank, fileName, profiles })
  if (!existsSync(path)) throw new UsageProblem(`There is no file ${path}.`)
  const sealer = new Sealer(config.secrets.data, config.secrets.hash)
  await syncKeys(db, clock(), sealer)
  const bytes = createReadStream(path)
  try {
    return await importStatement(
      { db, importPool: db, sealer, clock },
      {
        bankCode: bank.code,
        accountNumber: bank.statements?.accountNumber,
        ...reader,
        fileName,
        bytes,
        by: { clientId: null, actor },
        onProgress: (lines) => showProgress(`${lines.toLocaleString('en')} lines read`),
      },
    )
  } finally {
    bytes.destroy()
  }
}

// One row for each statement of the file.
function tableOf(statements: readonly Statement[]) {
  const columns = ['id', 'bank', 'currency', 'from', 'to', 'lines', 'new', 'opening', 'closing']
  const rows = statements.map((statement) => {
    const { id, bankCode, currency, fromDay, toDay, lines, newLines } = statement
    const balances = [formatKobo(statement.openingKobo), formatKobo(statement.closingKobo)]
    return [id.toString(), bankCode, currency, fromDay, toDay, lines, newLines, ...balances]
  })
  return { columns, rows }
}

// The import as --json shows it.
function toData({ importId, isUnchanged, statements, matched, differences }: ImportResult) {
  const counts = { isUnchanged, matched, differences }
  return { importId: importId.toString(), ...counts, statements: statements.map(plainStatement) }
}

// The statement as --json shows it: ids as texts, amounts in naira.
function plainStatement(statement: Statement) {
  const { id, importId, sequence, openingKobo, closingKobo, ...rest } = statement
  return {
    statementId: id.toString(),
    importId: importId.toString(),
    ...rest,
    sequence: sequence === null ? null : Number(sequence),
    opening: formatKobo(openingKobo),
    closing: formatKobo(closingKobo),
  }
}

const EXPORT_STATEMENT_MAX_MS = 3_600_000 // The first row may wait until all transfers are sorted.
const PROGRESS_EVERY_LINES = 50_000
const PACKAGE = new URL('../../package.json', import.meta.url)

// `manilla export`: writes the books and their proof. With --proof-key, only shows the public key.
export async function exportBooks(
  context: Context,
  { proof: folder, proofKey: showsKeyOnly }: { proof?: string; proofKey?: boolean },
) {
  if ((showsKeyOnly === true) === (folder !== undefined) || folder === '') {
    throw new UsageProblem('Specify --proof <folder>, or --proof-key.')
  }
  const details = readDetails(context)
  const { publicKey } = details.key
  if (!folder) return { data: { publicKey }, view: publicKey }
  const path = resolve(folder)
  const proof = await runExport(context.db, { ...details, folder: path })
  const rows = proof.files.map(({ name, lines }) => [name, lines])
  const view: View[] = [
    `Exported to ${path}`,
    { columns: ['file', 'lines'], rows },
    `Public key: ${publicKey}`,
    `Verify: python3 verifier/verify_proof.py ${path} --public-key ${publicKey}`,
  ]
  return { data: { folder: path, ...proof }, view }
}
exportBooks.statementMaxMs = EXPORT_STATEMENT_MAX_MS

// A ProofProblem is an expected failure, so its message is shown without a stack.
async function runExport(db: Pool, options: Details & { folder: string }): Promise<Proof> {
  try {
    return await writeProof(db, options)
  } catch (error) {
    throw error instanceof ProofProblem ? new AdminProblem(error.message) : error
  }
}

// The facts that an export states about itself, and the key that signs it.
function readDetails({ env, clock, showProgress }: Context): Details {
  const { mode, secrets } = loadConfig(env, 'serve')
  const { name, version } = JSON.parse(readFileSync(PACKAGE, 'utf8'))
  return {
    exportedAt: clock(),
    product: `${name} ${version}`,
    mode,
    key: proofKey(new Sealer(secrets.data, secrets.hash)),
    onProgress: throttled(showProgress),
  }
}

// Shows a line for every 50,000 lines of a file, and one at its end.
function throttled(show: Context['showProgress']): (progress: Progress) => void {
  let lastShown = 0
  return ({ name, lines, isWhole }) => {
    if (!isWhole && lines < lastShown + PROGRESS_EVERY_LINES) return
    lastShown = isWhole ? 0 : lines
    show(`${name}: ${lines} lines`)
  }
}

const SHOWN_MAX = 20

// `manilla admin screening replay`: fails if a decision differs from the stored one.
export async function replayScreening(
  { db, env }: Context,
  { from, to }: { from: Date; to: Date },
) {
  if (to <= from) throw new UsageProblem('--to must be after --from.')
  const { secrets } = loadConfig(env, 'serve')
  const sealer = new Sealer(secrets.data, secrets.hash)
  const { differences, ...counts } = await replayDecisions(db, { sealer, period: { from, to } })
  const { credits, decisions, payouts, cleared, erased } = counts
  if (differences.length > 0) {
    const subjects = differences.slice(0, SHOWN_MAX).map(({ subject }) => subject)
    throw new AdminProblem(`${differences.length} decisions differ: ${subjects.join(', ')}`)
  }
  const view =
    `${credits} credits were screened again. ${decisions} decisions on credits and ${payouts} on payouts ` +
    `are identical, and ${cleared} payouts pass as they did` +
    `${erased > 0 ? `; ${erased} cannot be compared, their payers were erased` : ''}.`
  return { data: counts, view }
}
replayScreening.statementMaxMs = STATEMENT_MAX_MS
