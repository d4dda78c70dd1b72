// Statements, their lines and their imports: the queries that list them, and the progress of an import.

import type { StatementFormat, StatementLine } from '#banks/statements/statement.ts'
import { SECOND_MS } from '#clock.ts'
import { isDue } from '#db/due.ts'
import { listQuery, PREFIX_SCAN_MAX, pastPrefix } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { StatementId, StatementLineId } from '#ids.ts'
import type { Kobo } from '#money.ts'

export type Statement = {
  id: StatementId
  importId: bigint
  bankCode: string
  currency: string
  accountNumber: string | null
  reference: string | null
  sequence: bigint | null
  fromDay: string
  toDay: string
  openingKobo: Kobo
  closingKobo: Kobo
  hasBalances: boolean
  lines: number
  newLines: number
  importedAt: Date
  importedBy: string
  fileName: string | null
}

const SELECT_STATEMENTS = `
  select s.id, s.import_id, s.bank_code, s.currency, s.account_number, s.reference,
           s.sequence, s.from_day::text as from_day, s.to_day::text as to_day, s.opening_kobo,
           s.closing_kobo, s.has_balances, s.lines, s.new_lines, s.imported_at,
           i.started_by as imported_by, i.file_name
    from statements s join statement_imports i on i.id = s.import_id`

type Page = { bankCode: string | undefined; beforeId: bigint | null; limit: number }

// Lists statements, latest import first.
export async function listStatements(
  db: Queryable,
  { bankCode, beforeId, limit }: Page,
): Promise<Statement[]> {
  const { rows } = await db.query<Statement>(
    listQuery({
      select: SELECT_STATEMENTS,
      where: [['s.bank_code = $', bankCode]],
      id: 's.id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

// Finds statements whose reference starts with the prefix. Searches only the latest ones: a bank sends one a
// day.
export async function findStatementsLike(
  db: Queryable,
  { prefix, limit }: { prefix: string; limit: number },
): Promise<Statement[]> {
  const { rows } = await db.query<Statement>({
    name: 'find-statements-like',
    text: `${SELECT_STATEMENTS}
            where s.id > (select max(id) from statements) - ${PREFIX_SCAN_MAX}
              and s.reference >= $1 and s.reference < $2
            order by s.id desc limit $3`,
    values: [prefix, pastPrefix(prefix), limit],
  })
  return rows
}

// Lists the statements of an import, ordered as in the file.
export async function listImported(db: Queryable, importId: bigint): Promise<Statement[]> {
  const { rows } = await db.query<Statement>({
    name: 'list-imported-statements',
    text: `${SELECT_STATEMENTS} where s.import_id = $1 order by s.id`,
    values: [importId],
  })
  return rows
}

export async function getStatement(db: Queryable, id: bigint): Promise<Statement> {
  const { rows } = await db.query<Statement>({
    name: 'get-statement',
    text: `${SELECT_STATEMENTS} where s.id = $1`,
    values: [id],
  })
  if (!rows[0]) throw new Refusal('statement_not_found')
  return rows[0]
}

export type ListedLine = Omit<StatementLine, 'currency' | 'counterparty'> & {
  id: StatementLineId
  counterpartyName: string | null
  counterpartySealed: Buffer | null
  counterpartyBank: string | null
  rule: string | null // The rule that matched the line; null if it is not matched.
}

// SQL columns: all fields of the line `l` except the rule that matched it.
export const LINE_COLUMNS = `
  l.id, l.line_no, l.booked_on::text as booked_on, l.value_on::text as value_on, l.amount_kobo,
   l.is_reversal, l.kind, l.session_id, l.bank_reference, l.end_to_end_id, l.account_number,
   l.counterparty_name, l.counterparty_sealed, l.counterparty_bank, l.narration`

type LinePage = { isMatched: boolean | undefined; afterId: bigint | null; limit: number }

// SQL query: the lowest and highest id of the lines of the statement $1, found day by day in the index.
const LINE_BOUNDS = `
  select min(f.id) as first, max(t.id) as last
    from statements s
   cross join lateral generate_series(s.from_day, s.to_day, interval '1 day') as g (day)
   cross join lateral (select id from statement_lines
                        where statement_id = s.id and booked_on = g.day::date
                        order by id limit 1) as f
   cross join lateral (select id from statement_lines
                        where statement_id = s.id and booked_on = g.day::date
                        order by id desc limit 1) as t
   where s.id = $1`

// Lists the new lines of a statement by id, which is the order of the file. Reads only ids between the lowest
// and the highest one of the statement (LINE_BOUNDS). `+ 0` keeps PostgreSQL from using
// the index on statement_id, which would sort all lines for every page.
export async function listLines(
  db: Queryable,
  statementId: StatementId,
  { isMatched, afterId, limit }: LinePage,
): Promise<ListedLine[]> {
  const { rows } = await db.query<ListedLine>(
    listQuery({
      select: `with bounds as materialized (${LINE_BOUNDS})
               select ${LINE_COLUMNS}, m.rule
                 from statement_lines l
                 left join lateral (select rule from statement_matches m
                                     where m.line_id = l.id limit 1) as m on true`,
      values: [statementId],
      where: [
        'l.id between (select first from bounds) and (select last from bounds)',
        'l.statement_id + 0 = $1',
        ['(m.rule is not null) = $', isMatched],
      ],
      id: 'l.id',
      order: 'oldest',
      after: afterId,
      limit,
    }),
  )
  return rows
}

// Imports of statements, including failed ones. The progress of an import is written outside the import's
// transaction, so that a waiting user sees it.
//
//   reading ──▶ matching ──▶ done | unchanged
//      └────────────┴──────▶ failed          (cut_off: its process is gone)

export const IMPORT_STATES = [
  'reading',
  'matching',
  'done',
  'unchanged',
  'failed',
  'cut_off',
] as const
type ImportState = (typeof IMPORT_STATES)[number]

const CUT_OFF_AFTER_S = 60
const ERROR_MAX = 1_000

export type StatementImport = {
  id: bigint
  bankCode: string
  format: StatementFormat
  profile: string | null
  fileName: string | null
  state: ImportState
  lines: number
  errorLine: number | null
  error: string | null
  startedBy: string
  startedAt: Date
  updatedAt: Date
}

type NewImport = Pick<StatementImport, 'bankCode' | 'format' | 'profile' | 'fileName'> & {
  startedBy: string
}

// Stores that an import has begun. Users follow its progress by the returned id.
export async function beginImport(db: Queryable, now: Date, newImport: NewImport): Promise<bigint> {
  const { bankCode, format, profile, fileName, startedBy } = newImport
  const { rows } = await db.query<{ id: bigint }>({
    name: 'begin-statement-import',
    text: `insert into statement_imports (bank_code, format, profile, file_name, started_by,
                                          started_at, updated_at)
           values ($1, $2, $3, $4, $5, $6, $6) returning id`,
    values: [bankCode, format, profile, fileName, startedBy, now],
  })
  return (rows[0] as { id: bigint }).id
}

type Progress = { id: bigint; lines: number; state: 'reading' | 'matching' }

// Stores how far an import has got, for users who wait. Changes nothing if the import has ended.
export async function reportProgress(
  db: Queryable,
  now: Date,
  { id, lines, state }: Progress,
): Promise<void> {
  await db.query({
    name: 'report-statement-import',
    text: `update statement_imports set state = $2, lines = $3, updated_at = $4
            where id = $1 and state in ('reading', 'matching')`,
    values: [id, state, lines, now],
  })
}

type Failure = { id: bigint; lines: number; line: number | null; message: string }

// Stores why an import failed. Changes nothing if the import has ended.
export async function failImport(
  db: Queryable,
  now: Date,
  { id, lines, line, message }: Failure,
): Promise<void> {
  await db.query({
    name: 'fail-statement-import',
    text: `update statement_imports
              set state = 'failed', lines = $2, error_line = $3, error = $4, updated_at = $5
            where id = $1 and state in ('reading', 'matching')`,
    values: [id, lines, line, message.slice(0, ERROR_MAX), now],
  })
}

type End = { id: bigint; lines: number; state: 'done' | 'unchanged'; fileHash: Buffer }

// Stores that an import is complete, or that its file was imported before. The hash of the file recognises
// the same file later.
export async function endImport(
  tx: Transaction,
  now: Date,
  { id, lines, state, fileHash }: End,
): Promise<void> {
  await tx.query({
    name: 'end-statement-import',
    text: `update statement_imports set state = $2, lines = $3, file_hash = $4, updated_at = $5
            where id = $1`,
    values: [id, state, lines, fileHash, now],
  })
}

// SQL query: imports. An import that has not reported progress for CUT_OFF_AFTER_S counts as cut off: its
// process is gone.
const selectImports = (now: string) => `
  select id, bank_code, format, profile, file_name,
         case when state in ('reading', 'matching')
                   and ${isDue(`updated_at + interval '${CUT_OFF_AFTER_S} s'`, {
                     now,
                     longest: CUT_OFF_AFTER_S * SECOND_MS,
                   })}
              then 'cut_off' else state end as state,
         lines, error_line, error, started_by, started_at, updated_at
    from statement_imports`

type ImportPage = { bankCode: string | undefined; beforeId: bigint | null; limit: number }

// Lists imports, newest first.
export async function listImports(
  db: Queryable,
  now: Date,
  { bankCode, beforeId, limit }: ImportPage,
): Promise<StatementImport[]> {
  const { rows } = await db.query<StatementImport>(
    listQuery({
      select: selectImports('$1'),
      values: [now],
      where: [['bank_code = $', bankCode]],
      id: 'id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

export async function getImport(db: Queryable, now: Date, id: bigint): Promise<StatementImport> {
  const { rows } = await db.query<StatementImport>({
    name: 'get-statement-import',
    text: `${selectImports('$1')} where id = $2`,
    values: [now, id],
  })
  if (!rows[0]) throw new Refusal('statement_import_not_found')
  return rows[0]
}
