// Statements and their lines, for lists.

import type { LineKind } from '#banks/statements/statement.ts'
import { columns } from '#db/columns.ts'
import { listQuery } from '#db/list-query.ts'
import type { Queryable } from '#db/pool.ts'
import { PREFIX_SCAN_MAX, pastPrefix } from '#db/prefixes.ts'
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
  select ${columns(`s.id, s.import_id, s.bank_code, s.currency, s.account_number, s.reference,
           s.sequence, s.from_day::text as from_day, s.to_day::text as to_day, s.opening_kobo,
           s.closing_kobo, s.has_balances, s.lines, s.new_lines, s.imported_at,
           i.started_by as imported_by, i.file_name`)}
    from statements s join statement_imports i on i.id = s.import_id`

type Page = { bankCode: string | undefined; beforeId: bigint | null; limit: number }

// Latest import first.
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

// Statements whose reference starts with the prefix, among the latest: a bank sends one a day.
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

// In the order of the file.
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

export type ListedLine = {
  id: StatementLineId
  lineNo: number
  bookedOn: string
  valueOn: string | null
  amountKobo: Kobo
  isReversal: boolean
  kind: LineKind
  sessionId: string | null
  bankReference: string | null
  endToEndId: string | null
  accountNumber: string | null
  counterpartyName: string | null
  counterpartySealed: Buffer | null
  counterpartyBank: string | null
  narration: string | null
  rule: string | null // The rule that matched it.
}

// Every field of the line `l` but its rule.
export const LINE_COLUMNS = columns(
  `l.id, l.line_no, l.booked_on::text as booked_on, l.value_on::text as value_on, l.amount_kobo,
   l.is_reversal, l.kind, l.session_id, l.bank_reference, l.end_to_end_id, l.account_number,
   l.counterparty_name, l.counterparty_sealed, l.counterparty_bank, l.narration`,
)

export type LinePage = { isMatched: boolean | undefined; afterId: bigint | null; limit: number }

// The id bounds of the lines of the statement $1: the index orders them day by day.
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

// The new lines of a statement, in the order of the file, which is their id order. `+ 0` avoids the
// index, which would sort the lines for every page.
export async function listLines(
  db: Queryable,
  statementId: StatementId,
  { isMatched, afterId, limit }: LinePage,
): Promise<ListedLine[]> {
  const { rows } = await db.query<ListedLine>({
    name: 'list-statement-lines',
    text: `with bounds as materialized (${LINE_BOUNDS})
           select ${LINE_COLUMNS}, m.rule
             from statement_lines l
             left join lateral (select rule from statement_matches m
                                 where m.line_id = l.id limit 1) as m on true
            where l.id between greatest($2::bigint + 1, (select first from bounds))
                           and (select last from bounds)
              and l.statement_id + 0 = $1
              and ($3::boolean is null or (m.rule is not null) = $3)
            order by l.id limit $4`,
    values: [statementId, afterId, isMatched ?? null, limit],
  })
  return rows
}
