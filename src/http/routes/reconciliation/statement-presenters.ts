// Schemas and presenters of statements, their lines and their imports.

import { Type } from '@fastify/type-provider-typebox'
import type { LoadedProfile } from '#banks/statements/load-profiles.ts'
import { LINE_KINDS, STATEMENT_FORMATS } from '#banks/statements/statement.ts'
import type { NameBank } from '#domain/payments/resource-presenters.ts'
import type { ImportResult } from '#domain/reconciliation/import-statement.ts'
import { IMPORT_STATES, type StatementImport } from '#domain/reconciliation/statement-imports.ts'
import type { ListedLine, Statement } from '#domain/reconciliation/statements.ts'
import { named, nullable } from '#http/schemas.ts'
import { maskAccountNumber } from '#mask.ts'
import { type Kobo, kobo, toNaira } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

export const StatementBody = named('Statement', {
  statementId: Type.String(),
  importId: Type.String(),
  bankCode: Type.String(),
  bankName: Type.String(),
  currency: Type.String(),
  accountNumber: nullable('string', { description: 'As the bank writes it.' }),
  reference: nullable('string', { description: 'The bank’s own: Stmt/Id, or :20:.' }),
  sequence: nullable('number', { description: 'ElctrncSeqNb, or :28C:.' }),
  fromDay: Type.String(),
  toDay: Type.String(),
  opening: Type.Number(),
  closing: Type.Number(),
  hasBalances: Type.Boolean({
    description: 'false: the file has none; opening is the closing balance of the one before.',
  }),
  lines: Type.Integer({ description: 'In the file.' }),
  newLines: Type.Integer({ description: 'Of those, in no file before.' }),
  importedAt: Type.String(),
  importedBy: Type.String(),
  fileName: nullable('string'),
})

export function presentStatement(nameBank: NameBank, statement: Statement) {
  const { id, importId, openingKobo, closingKobo, sequence, ...rest } = statement
  return {
    ...rest,
    statementId: id.toString(),
    importId: importId.toString(),
    bankName: nameBank(statement.bankCode),
    sequence: sequence === null ? null : Number(sequence),
    opening: toNaira(openingKobo),
    closing: toNaira(closingKobo),
    importedAt: timestamp(statement.importedAt),
  }
}

export const ImportedBody = named('ImportedStatements', {
  importId: Type.String(),
  isUnchanged: Type.Boolean({ description: 'The same file was imported before.' }),
  statementId: Type.String({ description: 'Of the first statement in the file.' }),
  lines: Type.Integer({ description: 'In the file.' }),
  newLines: Type.Integer({ description: 'Stored by this import.' }),
  opening: Type.Number({ description: 'Of the first statement.' }),
  closing: Type.Number({ description: 'Of the last statement.' }),
  matched: Type.Integer({ description: 'Lines matched to the books by this import.' }),
  differences: Type.Integer({ description: 'Differences found by this import.' }),
  statements: Type.Array(StatementBody),
})

export function presentImported(nameBank: NameBank, result: ImportResult) {
  const { importId, isUnchanged, statements, matched, differences } = result
  const sum = (read: (statement: Statement) => number) =>
    statements.reduce((total, statement) => total + read(statement), 0)
  const naira = (amountKobo: Kobo | undefined) => toNaira(amountKobo ?? kobo(0n))
  return {
    importId: importId.toString(),
    isUnchanged,
    statementId: statements[0]?.id.toString() ?? '',
    lines: sum(({ lines }) => lines),
    newLines: isUnchanged ? 0 : sum(({ newLines }) => newLines),
    opening: naira(statements[0]?.openingKobo),
    closing: naira(statements.at(-1)?.closingKobo),
    matched,
    differences,
    statements: statements.map((statement) => presentStatement(nameBank, statement)),
  }
}

export const StatementLineBody = named('StatementLine', {
  lineId: Type.String(),
  lineNo: Type.Integer({ description: 'In the file, from 1.' }),
  bookedOn: Type.String(),
  valueOn: nullable('string'),
  amount: Type.Number({ description: 'Above zero: received.' }),
  kind: Type.String({ description: `One of ${LINE_KINDS.join(', ')}.` }),
  sessionId: nullable('string'),
  bankReference: nullable('string'),
  endToEndId: nullable('string'),
  accountNumber: nullable('string', { description: 'Virtual account that it was sent to.' }),
  counterpartyName: nullable('string'),
  counterpartyAccountMasked: nullable('string'),
  narration: nullable('string'),
  isReversal: Type.Boolean(),
  rule: nullable('string', { description: 'Rule that matched it. Null: not matched.' }),
})

export function presentLine(sealer: Sealer, line: ListedLine) {
  const { id, amountKobo, counterpartySealed, counterpartyBank: _, ...rest } = line
  return {
    ...rest,
    lineId: id.toString(),
    amount: toNaira(amountKobo),
    counterpartyAccountMasked:
      counterpartySealed && maskAccountNumber(sealer.open(counterpartySealed)),
  }
}

export const ImportBody = named('StatementImport', {
  importId: Type.String(),
  bankCode: Type.String(),
  format: Type.String({ description: `One of ${STATEMENT_FORMATS.join(', ')}.` }),
  profile: nullable('string'),
  fileName: nullable('string'),
  state: Type.String({
    description:
      `One of ${IMPORT_STATES.join(', ')}. unchanged: the same file was imported before. cut_off: ` +
      'its process is gone, and nothing of it is stored.',
  }),
  lines: Type.Integer({ description: 'Read so far.' }),
  error: Type.Unsafe<{ line: number | null; message: string } | null>({
    type: ['object', 'null'],
    properties: { line: nullable('number'), message: Type.String() },
    required: ['line', 'message'],
    description: 'Why it failed, and in which line.',
  }),
  startedBy: Type.String(),
  startedAt: Type.String(),
  updatedAt: Type.String(),
})

export function presentImport({ id, error, errorLine, ...rest }: StatementImport) {
  return {
    ...rest,
    importId: id.toString(),
    error: error === null ? null : { line: errorLine, message: error },
    startedAt: timestamp(rest.startedAt),
    updatedAt: timestamp(rest.updatedAt),
  }
}

export const ProfileBody = named('StatementProfile', {
  name: Type.String(),
  title: Type.String(),
  isShipped: Type.Boolean({ description: 'false: from MANILLA_STATEMENT_PROFILES.' }),
  currency: Type.String({ description: 'Where the file does not say.' }),
  balances: Type.String({ description: 'running, labelled or none.' }),
})

export function presentProfile({ profile, isShipped }: LoadedProfile) {
  const { name, title, currency, balances } = profile
  return { name, title, isShipped, currency, balances }
}
