// /api/v1/operator/statements, their lines, imports and profiles.

import { Type } from '@fastify/type-provider-typebox'
import type { LoadedProfile } from '#banks/statements/load-profiles.ts'
import { LINE_KINDS, STATEMENT_FORMATS } from '#banks/statements/statement.ts'
import type { ImportResult } from '#domain/reconciliation/import-statement.ts'
import {
  getImport,
  IMPORT_STATES,
  listImports,
  type StatementImport,
} from '#domain/reconciliation/statement-imports.ts'
import {
  getStatement,
  type ListedLine,
  listLines,
  listStatements,
  type Statement,
} from '#domain/reconciliation/statements.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { parseFlag } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { bankCode, nullable } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { maskAccountNumber } from '#mask.ts'
import { kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'

type Naming = Pick<Deps, 'nameBank'>

const StatementView = view('Statement', (f: Fields<Statement, Naming>) => ({
  statementId: f.text(({ id }) => id.toString()),
  importId: f.text(({ importId }) => importId.toString()),
  bankCode: f.text('bankCode'),
  bankName: f.text((statement, { nameBank }) => nameBank(statement.bankCode)),
  currency: f.text('currency'),
  accountNumber: f.textOrNull('accountNumber', 'As the bank writes it.'),
  reference: f.textOrNull('reference', 'The bank’s own: Stmt/Id, or :20:.'),
  sequence: f.numberOrNull(
    ({ sequence }) => (sequence === null ? null : Number(sequence)),
    'ElctrncSeqNb, or :28C:.',
  ),
  fromDay: f.text('fromDay'),
  toDay: f.text('toDay'),
  opening: f.naira('openingKobo'),
  closing: f.naira('closingKobo'),
  hasBalances: f.flag(
    'hasBalances',
    'false: the file has none; opening is the closing balance of the one before.',
  ),
  lines: f.integer('lines', 'In the file.'),
  newLines: f.integer('newLines', 'Of those, in no file before.'),
  importedAt: f.time('importedAt'),
  importedBy: f.text('importedBy'),
  fileName: f.textOrNull('fileName'),
}))

const NO_MONEY = kobo(0n)
const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

// The answer to an upload.
export const ImportedView = view('ImportedStatements', (f: Fields<ImportResult, Naming>) => ({
  importId: f.text(({ importId }) => importId.toString()),
  isUnchanged: f.flag('isUnchanged', 'The same file was imported before.'),
  statementId: f.text(
    ({ statements: [first] }) => first?.id.toString() ?? '',
    'Of the first statement in the file.',
  ),
  lines: f.integer(({ statements }) => sum(statements.map(({ lines }) => lines)), 'In the file.'),
  newLines: f.integer(
    ({ isUnchanged, statements }) =>
      isUnchanged ? 0 : sum(statements.map(({ newLines }) => newLines)),
    'Stored by this import.',
  ),
  opening: f.naira(
    ({ statements }) => statements[0]?.openingKobo ?? NO_MONEY,
    'Of the first statement.',
  ),
  closing: f.naira(
    ({ statements }) => statements.at(-1)?.closingKobo ?? NO_MONEY,
    'Of the last statement.',
  ),
  matched: f.integer('matched', 'Lines matched to the books by this import.'),
  differences: f.integer('differences', 'Differences found by this import.'),
  statements: f.list(StatementView, 'statements'),
}))

type Opening = { sealer: Sealer }

export const StatementLineView = view('StatementLine', (f: Fields<ListedLine, Opening>) => ({
  lineId: f.text(({ id }) => id.toString()),
  lineNo: f.integer('lineNo', 'In the file, from 1.'),
  bookedOn: f.text('bookedOn'),
  valueOn: f.textOrNull('valueOn'),
  amount: f.naira('amountKobo', 'Above zero: received.'),
  kind: f.text('kind', `One of ${LINE_KINDS.join(', ')}.`),
  sessionId: f.textOrNull('sessionId'),
  bankReference: f.textOrNull('bankReference'),
  endToEndId: f.textOrNull('endToEndId'),
  accountNumber: f.textOrNull('accountNumber', 'Virtual account that it was sent to.'),
  counterpartyName: f.textOrNull('counterpartyName'),
  counterpartyAccountMasked: f.textOrNull(
    ({ counterpartySealed: sealed }, { sealer }) =>
      sealed && maskAccountNumber(sealer.open(sealed)),
  ),
  narration: f.textOrNull('narration'),
  isReversal: f.flag('isReversal'),
  rule: f.textOrNull('rule', 'Rule that matched it. Null: not matched.'),
}))

const ImportView = view('StatementImport', (f: Fields<StatementImport>) => ({
  importId: f.text(({ id }) => id.toString()),
  bankCode: f.text('bankCode'),
  format: f.text('format', `One of ${STATEMENT_FORMATS.join(', ')}.`),
  profile: f.textOrNull('profile'),
  fileName: f.textOrNull('fileName'),
  state: f.text(
    'state',
    `One of ${IMPORT_STATES.join(', ')}. unchanged: the same file was imported before. cut_off: ` +
      'its process is gone, and nothing of it is stored.',
  ),
  lines: f.integer('lines', 'Read so far.'),
  error: f.as(
    Type.Unsafe({
      type: ['object', 'null'],
      properties: { line: nullable('number'), message: Type.String() },
      required: ['line', 'message'],
      description: 'Why it failed, and in which line.',
    }),
    ({ error, errorLine }) => (error === null ? null : { line: errorLine, message: error }),
  ),
  startedBy: f.text('startedBy'),
  startedAt: f.time('startedAt'),
  updatedAt: f.time('updatedAt'),
}))

const ProfileView = view('StatementProfile', (f: Fields<LoadedProfile>) => ({
  name: f.text(({ profile }) => profile.name),
  title: f.text(({ profile }) => profile.title),
  isShipped: f.flag('isShipped', 'false: from MANILLA_STATEMENT_PROFILES.'),
  currency: f.text(({ profile }) => profile.currency, 'Where the file does not say.'),
  balances: f.text(({ profile }) => profile.balances, 'running, labelled or none.'),
}))

const OPERATOR = '/api/v1/operator'
const scopes = { read: 'accounting:read', write: 'accounting:write' } as const
const BankFilter = { bankCode: Type.Optional(bankCode('Filter by bank.')) }

export const statements = resource(`${OPERATOR}/statements`, {
  tag: 'Operator',
  noun: 'statement',
  view: StatementView,
  scopes,
  params: { id: idOr('statement_not_found') },
})
  .list('listStatements', {
    summary: 'List bank statements, latest import first',
    description: 'Each with its period, balances and how many of its lines were new.',
    filters: BankFilter,
    rows: (db, { query, after, limit }) =>
      listStatements(db, { bankCode: query.bankCode, beforeId: after, limit }),
  })
  .get('getStatement', {
    summary: 'Retrieve a bank statement',
    description: 'Its period, balances, account and lines, and the import it came with.',
    errors: ['statement_not_found'],
    run: (db, { params }) => getStatement(db, params.id),
  })
  .list('listStatementLines', {
    path: '/:id/lines',
    name: 'statement-lines',
    summary: 'List the lines of a bank statement',
    description: 'Those that were in no statement before, in the order of the file.',
    view: StatementLineView,
    filters: {
      isMatched: Type.Optional(
        Type.Unsafe<'true' | 'false'>({
          type: 'string',
          enum: ['true', 'false'],
          description: 'Only lines that are matched to the books, or that are not.',
          'x-says': 'Must be true or false.',
        }),
      ),
    },
    message: 'Statement lines retrieved successfully',
    errors: ['statement_not_found'],
    rows: async (db, { params, query, after, limit }) => {
      const { id } = await getStatement(db, params.id)
      return listLines(db, id, { isMatched: parseFlag(query.isMatched), afterId: after, limit })
    },
  })

export const statementImports = resource(`${OPERATOR}/statement-imports`, {
  tag: 'Operator',
  noun: 'statement import',
  view: ImportView,
  scopes,
  params: { id: idOr('statement_import_not_found') },
})
  .list('listStatementImports', {
    summary: 'List imports of bank statements, newest first',
    description: 'Also those in progress and those that failed.',
    filters: BankFilter,
    rows: (db, { now, query, after, limit }) =>
      listImports(db, now, { bankCode: query.bankCode, beforeId: after, limit }),
  })
  .get('getStatementImport', {
    summary: 'Retrieve an import of a bank statement',
    description:
      'Its state and the lines read so far; of one that failed, the line and the reason.',
    errors: ['statement_import_not_found'],
    run: (db, { now, params }) => getImport(db, now, params.id),
  })

export const statementProfiles = resource(`${OPERATOR}/statement-profiles`, {
  tag: 'Operator',
  noun: 'statement profile',
  view: ProfileView,
  scopes,
}).list('listStatementProfiles', {
  summary: 'List profiles of CSV statements',
  description: 'How banks write their statements as CSV: those shipped, and your own.',
  isWhole: true,
  rows: async (_db, call) => [...call.statementProfiles.values()],
})

function idOr(missing: RefusalCode) {
  return (text: string): bigint => {
    if (!/^[1-9][0-9]{0,17}$/.test(text)) throw new Refusal(missing)
    return BigInt(text)
  }
}
