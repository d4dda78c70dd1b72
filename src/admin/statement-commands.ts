// `manilla admin statements …`: imports bank statements from disk, and lists them.

import { createReadStream, existsSync } from 'node:fs'
import { basename } from 'node:path'
import { loadConfig } from '#config/config.ts'
import { openProfiles } from '#config/statement-profiles.ts'
import { syncKeys } from '#domain/privacy/data-keys.ts'
import { chooseReader, findFormat } from '#domain/reconciliation/choose-reader.ts'
import { type ImportResult, importStatement } from '#domain/reconciliation/import-statement.ts'
import { listStatements, type Statement } from '#domain/reconciliation/statements.ts'
import { Refusal } from '#errors.ts'
import { formatKobo } from '#money.ts'
import { Sealer } from '#seal.ts'
import type { AdminCommand, Context } from './admin-command.ts'
import { type Arguments, columns, type Option, UsageProblem } from './command-line.ts'

const STATEMENT_MAX_MS = 600_000
const LISTED = 50

const BANK: Option = { name: 'bank', value: 'code', about: 'Bank code, such as 058.' }

export const statementCommands: readonly AdminCommand[] = [
  {
    name: 'statements import',
    subject: 'file',
    statementMaxMs: STATEMENT_MAX_MS,
    summary: 'Import a bank’s statement: camt.053, MT940 or CSV, plain or gzip.',
    options: [
      { ...BANK, about: 'Bank that it is of. Required.' },
      {
        name: 'format',
        value: 'format',
        about: 'camt053, mt940 or csv. Default: as the bank is configured, else by the name.',
      },
      { name: 'profile', value: 'name', about: 'Profile of a CSV. Default: as configured.' },
    ],
    async run(context, args) {
      const result = await importFile(context, args)
      return { data: plain(result), text: describe(result) }
    },
  },
  {
    name: 'statements list',
    summary: `List bank statements: the latest ${LISTED}.`,
    options: [BANK],
    async run({ db }, args) {
      const bankCode = args.text('bank')
      const statements = await listStatements(db, { bankCode, beforeId: null, limit: LISTED })
      const lines = statements.map((each) => [each.id.toString(), formatLine(each)] as const)
      const text = columns(lines).join('\n') || 'No statements.'
      return { data: statements.map(plainStatement), text }
    },
  },
]

async function importFile(context: Context, args: Arguments): Promise<ImportResult> {
  const { db, env, clock, actor } = context
  const config = loadConfig(env, 'serve')
  const bank = config.banks.find(({ code }) => code === args.text('bank'))
  if (args.text('bank') === undefined) throw new UsageProblem('--bank is required.')
  if (!bank) throw new Refusal('bank_not_supported')
  const fileName = basename(args.subject)
  const profiles = openProfiles(config)
  const format = parseFormat(args.text('format'))
  const preference = { format, profile: args.text('profile') }
  const reader = chooseReader({ preference, bank, fileName, profiles })
  if (!existsSync(args.subject)) throw new UsageProblem(`There is no file ${args.subject}.`)
  const sealer = new Sealer(config.secrets.data, config.secrets.hash)
  await syncKeys(db, clock(), sealer)
  const bytes = createReadStream(args.subject)
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
        ...(process.stderr.isTTY ? { onProgress: showProgress } : {}),
      },
    )
  } finally {
    bytes.destroy()
  }
}

function parseFormat(text: string | undefined) {
  if (text === undefined) return undefined
  const format = findFormat(text)
  if (!format) throw new UsageProblem('--format must be camt053, mt940 or csv.')
  return format
}

function showProgress(lines: number): void {
  process.stderr.write(`\r${lines.toLocaleString('en')} lines read`)
}

function describe({ isUnchanged, statements, matched, differences }: ImportResult): string {
  const rows = statements.map((each) => [each.id.toString(), formatLine(each)] as const)
  const what = isUnchanged
    ? 'Nothing changed: the same file was imported before.'
    : `Imported. ${matched} lines matched, ${differences} differences found.`
  return [...columns(rows), what].join('\n')
}

function formatLine(statement: Statement): string {
  const { bankCode, currency, fromDay, toDay, lines, newLines } = statement
  const [opening, closing] = [statement.openingKobo, statement.closingKobo].map(formatKobo)
  return (
    `${bankCode} ${currency} ${fromDay} to ${toDay}  ${lines} lines, ${newLines} new  ` +
    `${opening} to ${closing}`
  )
}

function plain({ importId, isUnchanged, statements, matched, differences }: ImportResult) {
  const counts = { isUnchanged, matched, differences }
  return { importId: importId.toString(), ...counts, statements: statements.map(plainStatement) }
}

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
