// Imports of statements, including failed ones. The progress of an import is written outside its
// transaction, for those who wait for it.
//
//   reading ──▶ matching ──▶ done | unchanged
//      └────────────┴──────▶ failed          (cut_off: its process is gone)

import type { StatementFormat } from '#banks/statements/statement.ts'
import { columns } from '#db/columns.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'

export const IMPORT_STATES = [
  'reading',
  'matching',
  'done',
  'unchanged',
  'failed',
  'cut_off',
] as const
export type ImportState = (typeof IMPORT_STATES)[number]

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

// An import that has ended stays unchanged.
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

const selectImports = (now: string) => `
  select ${columns('id, bank_code, format, profile, file_name')},
         case when state in ('reading', 'matching')
                   and updated_at < ${now}::timestamptz - interval '${CUT_OFF_AFTER_S} s'
              then 'cut_off' else state end as state,
         ${columns('lines, error_line, error, started_by, started_at, updated_at')}
    from statement_imports`

type Page = { bankCode: string | undefined; beforeId: bigint | null; limit: number }

// Newest first.
export async function listImports(
  db: Queryable,
  now: Date,
  { bankCode, beforeId, limit }: Page,
): Promise<StatementImport[]> {
  const { rows } = await db.query<StatementImport>({
    name: 'list-statement-imports',
    text: `${selectImports('$1')}
            where ($2::text is null or bank_code = $2) and ($3::bigint is null or id < $3)
            order by id desc limit $4`,
    values: [now, bankCode ?? null, beforeId, limit],
  })
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
