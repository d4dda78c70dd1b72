// For tests of reconciliation: inserts statement lines and differences into the database, and sends the
// operator's calls that resolve them.

import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import type { LineKind } from '#banks/statements/statement.ts'
import type { DifferenceAction, DifferenceKind, Reading } from '#reconciliation/difference.ts'
import type { Browser } from './people.ts'
import type { Bench } from './running-service.ts'

export const RECONCILIATION = '/api/v1/operator/reconciliation'
export const DAY = '2026-11-15'

export type GivenLine = {
  amount: number // In naira, signed.
  kind?: LineKind
  bankCode?: string
  currency?: string
  bookedOn?: string
  sessionId?: string | null
  bankReference?: string | null
  endToEndId?: string | null
  accountNumber?: string | null
  counterpartyName?: string | null
  counterpartySealed?: Buffer | null
  counterpartyBank?: string | null
  narration?: string | null
}

const koboOf = (naira: number) => Math.round(naira * 100)

// The id of the bank's statement in this currency; creates it if there is none.
async function statementOf({ db }: Pick<Bench, 'db'>, bankCode: string, currency: string) {
  const existing = await db.query<{ id: bigint }>(
    'select id from statements where bank_code = $1 and currency = $2',
    [bankCode, currency],
  )
  if (existing.rows[0]) return existing.rows[0].id
  const { rows } = await db.query<{ id: bigint }>(
    `with import as (
       insert into statement_imports
         (bank_code, format, file_hash, state, started_by, started_at, updated_at)
       values ($1, 'csv', $3, 'done', 'test', now(), now()) returning id)
     insert into statements (import_id, bank_code, currency, from_day, to_day, opening_kobo,
                             closing_kobo, has_balances, lines, new_lines, imported_at, matched_at)
     select id, $1, $2, $4, $4, 0, 0, false, 0, 0, now(), now() from import returning id`,
    [
      bankCode,
      currency,
      createHash('sha256')
        .update(bankCode + currency)
        .digest(),
      DAY,
    ],
  )
  return rows[0]?.id as bigint
}

// Inserts a line into the bank's statement; returns its id.
export async function addLine(bench: Pick<Bench, 'db'>, input: GivenLine): Promise<bigint> {
  const { bankCode = '035', currency = 'NGN', kind = 'credit', bookedOn = DAY } = input
  const statementId = await statementOf(bench, bankCode, currency)
  // Adds the amount to the stored sum of the day's lines, as an import does.
  await bench.db.query(
    `insert into reconciled_days (bank_code, currency, day, lines_kobo) values ($1, $2, $3, $4)
     on conflict (bank_code, currency, day)
       do update set lines_kobo = reconciled_days.lines_kobo + excluded.lines_kobo`,
    [bankCode, currency, bookedOn, koboOf(input.amount)],
  )
  const { rows } = await bench.db.query<{ id: bigint }>(
    `insert into statement_lines
       (statement_id, bank_code, currency, line_no, booked_on, amount_kobo, kind, session_id,
        bank_reference, end_to_end_id, account_number, counterparty_name, counterparty_sealed,
        counterparty_bank, narration, hash)
     values ($1, $2, $3, 1, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) returning id`,
    [
      statementId,
      bankCode,
      currency,
      bookedOn,
      koboOf(input.amount),
      kind,
      input.sessionId ?? null,
      input.bankReference ?? null,
      input.endToEndId ?? null,
      input.accountNumber ?? null,
      input.counterpartyName ?? null,
      input.counterpartySealed ?? null,
      input.counterpartyBank ?? null,
      input.narration ?? null,
      createHash('sha256').update(randomUUID()).digest(),
    ],
  )
  return rows[0]?.id as bigint
}

type GivenDifference = {
  kind: DifferenceKind
  amount: number
  lineId?: bigint
  item?: { kind: string; id: bigint }
  suggested?: { kind: string; id: bigint }
  bankCode?: string
  currency?: string
  day?: string
}

// Inserts an open difference. Without a line or an item, the difference is about the statement itself, for
// example its closing balance.
export async function addDifference(bench: Bench, input: GivenDifference): Promise<number> {
  const { kind, amount, lineId, item, suggested, bankCode = '035', currency = 'NGN' } = input
  const { day = DAY } = input
  const isAboutStatement = lineId === undefined && item === undefined
  const { rows } = await bench.db.query<{ id: bigint }>(
    `with opened as (
       insert into differences (bank_code, currency, day, kind, amount_kobo, line_id, item_kind,
                                item_id, statement_id, suggested_kind, suggested_id, opened_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id)
     insert into difference_changes (difference_id, change, detail, changed_at)
     select id, 'opened', '{}', $12 from opened returning difference_id as id`,
    [
      bankCode,
      currency,
      day,
      kind,
      koboOf(amount),
      lineId ?? null,
      item?.kind ?? null,
      item?.id ?? null,
      isAboutStatement ? await statementOf(bench, bankCode, currency) : null,
      suggested?.kind ?? null,
      suggested?.id ?? null,
      bench.clock(),
    ],
  )
  return Number(rows[0]?.id)
}

type LineDifference = Omit<GivenDifference, 'amount' | 'lineId' | 'item'> & { line: GivenLine }

// Inserts a line and a difference for its whole amount.
export async function addLineDifference(bench: Bench, input: LineDifference) {
  const { line, ...rest } = input
  const lineId = await addLine(bench, line)
  const { amount, bankCode = '035', currency = 'NGN' } = line
  const id = await addDifference(bench, { ...rest, bankCode, currency, amount, lineId })
  return { id, lineId }
}

type Caller = Pick<Browser, 'call'>

export const REASON = 'Seen on the statement'

// Requests how a difference is resolved; returns the response, which may be a refusal.
export function resolve(
  by: Caller,
  id: number,
  action: DifferenceAction,
  more: { reason?: string; reading?: Reading; headers?: Record<string, string> } = {},
) {
  const { reason = REASON, headers = {}, reading } = more
  const body = { action, reason, ...(reading ? { reading } : {}) }
  return by.call({ url: `${RECONCILIATION}/${id}/resolve`, body, headers })
}

// Decides on a request to resolve a difference; `verb` is approve, reject or withdraw.
export function decide(by: Caller, id: number, verb: string, body: object = {}) {
  return by.call({ url: `${RECONCILIATION}/${id}/${verb}`, body })
}

// Makes a user the owner of a difference. With `from`, only if it still has this owner.
export function assign(
  by: Caller,
  id: number,
  owner: string,
  more: { from?: string; headers?: Record<string, string> } = {},
) {
  const { headers = {}, ...from } = more
  return by.call({ url: `${RECONCILIATION}/${id}/assign`, body: { owner, ...from }, headers })
}

// The difference's owner after the call, or the code of the refusal.
export async function ownerAfter(answering: ReturnType<typeof assign>): Promise<string> {
  const { data, code } = (await answering).json()
  return code ?? data.owner?.email ?? 'nobody'
}

// The difference's state after the call, or the code of the refusal.
export async function outcomeOf(answering: ReturnType<typeof resolve>): Promise<string> {
  const { data, code } = (await answering).json()
  return data?.state ?? code
}

// The history of a difference, oldest first, for example "resolved by user:ada@people.example".
export async function changesOf({ db }: Pick<Bench, 'db'>, id: number): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(
    `select concat_ws(' by ', change, actor) as line from difference_changes
      where difference_id = $1 order by id`,
    [id],
  )
  return rows.map(({ line }) => line)
}

// The items that a line is matched with, as "item kind, amount, rule", for example "credit 100.00 booked".
export async function pairsOf({ db }: Pick<Bench, 'db'>, lineId: bigint): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(
    `select format('%s %s %s', item_kind, to_char(amount_kobo / 100.0, 'FM999990.00'), rule) as line
       from statement_matches where line_id = $1 order by 1`,
    [lineId],
  )
  return rows.map(({ line }) => line)
}

// Asserts that each line's amount is the sum of its matches and of its differences that are not cleared.
export async function assertLinesExplained({ db }: Pick<Bench, 'db'>): Promise<void> {
  const { rows } = await db.query(
    `select l.id, l.amount_kobo,
            (select coalesce(sum(amount_kobo), 0)::text from statement_matches
              where line_id = l.id) as paired,
            (select coalesce(sum(amount_kobo), 0)::text from differences
              where line_id = l.id and state <> 'cleared') as differs
       from statement_lines l
      where l.amount_kobo
            <> (select coalesce(sum(amount_kobo), 0) from statement_matches where line_id = l.id)
               + (select coalesce(sum(amount_kobo), 0) from differences
                   where line_id = l.id and state <> 'cleared')`,
  )
  assert.deepEqual(rows, [])
}
