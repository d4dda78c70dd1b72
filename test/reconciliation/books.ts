// For tests of matching: inserts books and statements directly, without the service's rules and triggers.
// Only the movements of a bank's account and its statement matter to matching.

import pg from 'pg'
import { withTransaction } from '#db/transaction.ts'
import { matchStatements } from '#reconciliation/match.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

export const BANK = '058'

// The days for which the daily proof counts a line or an item that only one side has as in transit.
const TIMING_DAYS = 2
export const TIMING_WINDOWS: ReadonlyMap<string, number> = new Map([[BANK, TIMING_DAYS]])

type Credit = {
  id: number
  sessionId: string
  amountKobo: number
  at: string // In West Africa: 2026-11-10T09:00
  bankCode?: string
  currency?: string
  accountNumber?: string
  name?: string
  identifiedBy?: 'session_id' | 'settlement_id' | 'bank_reference'
  otherIds?: readonly string[]
  feeKobo?: number
  vatKobo?: number
  dutyKobo?: number
}
type Payout = {
  id: number
  reference: string
  bankReference: string
  amountKobo: number
  at: string
  name?: string
  costKobo?: number
  costVatKobo?: number
  refundId?: number
}
type Reversal = { id: number; sessionId: string; creditId: number; amountKobo: number; at: string }
type Return = {
  id: number
  reference: string
  bankReference: string
  creditId: number
  amountKobo: number
  at: string
}
export type Books = {
  bankCode?: string // The bank of numbers, payouts and reversals. Default: BANK.
  credits?: readonly Credit[]
  payouts?: readonly Payout[]
  reversals?: readonly Reversal[]
  returns?: readonly Return[]
  numbers?: readonly string[] // Our own account numbers.
}

export type Line = {
  amountKobo: number
  day: string
  kind?: string
  sessionId?: string
  bankReference?: string
  endToEndId?: string
  accountNumber?: string
  name?: string
  narration?: string
  isReversal?: boolean
}
export type Statement = {
  fromDay: string
  toDay: string
  coversFrom?: string // The first day of the file; by default that of its first line.
  openingKobo: number
  closingKobo?: number // Default: the opening balance plus the lines.
  sequence?: number
  hasBalances?: boolean
  lines: readonly Line[]
}

// Creates a database. `match` matches the statements as of a time in Lagos, such as 2026-11-11T08:00.
export async function setUpMatching() {
  const database = await createTestDatabase()
  const writer = new pg.Client(database.connectionString)
  await writer.connect()
  await writer.query('set session_replication_role = replica')
  const write = (sql: string, rows: readonly unknown[]) => writer.query(sql, [JSON.stringify(rows)])
  return {
    pool: database.pool,
    writeBooks: (books: Books) => writeBooks(write, books),
    importStatement: (statement: Statement) => importStatement(write, statement),
    match: (now: string) => match(database, now),
    read: async <T>(sql: string) => (await database.pool.query(sql)).rows as T[],
    async [Symbol.asyncDispose]() {
      await writer.end()
      await database[Symbol.asyncDispose]()
    },
  }
}

export type MatchingBench = Awaited<ReturnType<typeof setUpMatching>>

type Write = (sql: string, rows: readonly unknown[]) => Promise<pg.QueryResult>

const match = (database: TestDatabase, now: string) =>
  withTransaction(database.pool, (tx) =>
    matchStatements(tx, { bankCode: BANK, currency: 'NGN', now: new Date(`${now}:00+01:00`) }),
  )

// Inserts the books, and the bank's ledger account with the sum of their movements.
export async function writeBooks(write: Write, books: Books): Promise<void> {
  const { credits = [], numbers = [], bankCode = BANK } = books
  await write(
    `insert into numbers (account_number, bank_code, client_id, collection_account_id)
     select number, '${bankCode}', 1, 1 from json_array_elements_text($1) as n (number)`,
    numbers,
  )
  await write(
    `insert into credits
       (id, bank_code, session_id, account_number, amount_kobo, suspended_kobo, currency, outcome,
        reason, source_account_name, received_at, identified_by, fee_kobo, vat_kobo, duty_kobo)
     select id, coalesce("bankCode", '${bankCode}'), "sessionId",
            coalesce("accountNumber", '0100000001'), "amountKobo", "amountKobo",
            coalesce(currency, 'NGN'), 'suspended', 'unknown_number', name, (at || '+01')::timestamptz,
            coalesce("identifiedBy", 'session_id'), coalesce("feeKobo", 0),
            coalesce("vatKobo", 0), coalesce("dutyKobo", 0)
       from json_to_recordset($1) as r (id bigint, "bankCode" text, "sessionId" text,
            "accountNumber" text, "amountKobo" bigint, currency text, name text, at text,
            "identifiedBy" text, "feeKobo" bigint, "vatKobo" bigint, "dutyKobo" bigint)`,
    credits,
  )
  await write(
    `insert into credit_identifiers (credit_id, is_first, value, bank_code, kind)
     select id, n = 1, value, coalesce("bankCode", '${bankCode}'),
            case when n = 1 then coalesce("identifiedBy", 'session_id')
                 when "identifiedBy" is null then 'bank_reference' else 'session_id' end
       from json_to_recordset($1) as r (id bigint, "bankCode" text, "identifiedBy" text,
            "sessionId" text, "otherIds" text[]),
            unnest("sessionId" || coalesce("otherIds", '{}')) with ordinality as v (value, n)`,
    credits,
  )
  await writeMoneyOut(write, books)
  // The statement needs no rows. It mentions $1 only because write() always sends a parameter.
  await write(
    `insert into ledger_accounts (id, kind, owner, currency, debits_kobo, credits_kobo)
     select nextval('ledger_account_ids'), 'bank', 'bank:' || bank_code, currency,
            coalesce(sum(amount_kobo) filter (where amount_kobo > 0), 0),
            coalesce(-sum(amount_kobo) filter (where amount_kobo < 0), 0)
       from bank_items where $1::text is not null group by bank_code, currency
     on conflict (kind, owner, currency) where kind <> 'collection'
       do update set debits_kobo = excluded.debits_kobo, credits_kobo = excluded.credits_kobo`,
    [],
  )
}

// Inserts confirmed payouts, reversals and confirmed returns.
async function writeMoneyOut(write: Write, books: Books): Promise<void> {
  const { payouts = [], reversals = [], returns = [], bankCode = BANK } = books
  await write(
    `insert into payouts
       (id, reference, client_id, purpose, status, bank_code, to_bank_code, to_account_sealed,
        to_account_name, amount_kobo, currency, narration, cost_kobo, cost_vat_kobo, approval,
        requested_by, requested_at, sending_at, bank_reference, settled_by, settled_at, refund_id)
     overriding system value
     select id, reference, 1, case when "refundId" is null then 'payout' else 'refund' end,
            'confirmed', '${bankCode}', '044', '', coalesce(name, 'Ada Obi'), "amountKobo", 'NGN', '',
            coalesce("costKobo", 0), coalesce("costVatKobo", 0), 'not_needed', 'test',
            (at || '+01')::timestamptz, (at || '+01')::timestamptz, "bankReference", 'bank',
            (at || '+01')::timestamptz, "refundId"
       from json_to_recordset($1) as r (id bigint, reference text, "bankReference" text,
            "amountKobo" bigint, at text, name text, "costKobo" bigint, "costVatKobo" bigint,
            "refundId" bigint)`,
    payouts,
  )
  await write(
    `insert into reversals (id, bank_code, session_id, credit_id, amount_kobo, received_at)
     overriding system value
     select id, '${bankCode}', "sessionId", "creditId", "amountKobo", (at || '+01')::timestamptz
       from json_to_recordset($1) as r (id bigint, "sessionId" text, "creditId" bigint,
            "amountKobo" bigint, at text)`,
    reversals,
  )
  await write(
    `with given as (
       select * from json_to_recordset($1) as r (id bigint, reference text, "bankReference" text,
              "creditId" bigint, "amountKobo" bigint, at text)
     ), items as (
       insert into suspense_items (id, credit_id, account_id, amount_kobo, reason, opened_at)
       overriding system value
       select id, "creditId", 1, "amountKobo", 'unknown_number', (at || '+01')::timestamptz from given
     )
     insert into returns (id, reference, item_id, amount_kobo, status, bank_reference,
                          requested_at, settled_at)
     overriding system value
     select id, reference, id, "amountKobo", 'confirmed', "bankReference",
            (at || '+01')::timestamptz, (at || '+01')::timestamptz
       from given`,
    returns,
  )
}

// Inserts a statement with its lines; returns its id.
async function importStatement(write: Write, statement: Statement): Promise<bigint> {
  const { lines, openingKobo } = statement
  const closingKobo = openingKobo + lines.reduce((sum, line) => sum + line.amountKobo, 0)
  const { rows } = await write(
    `with imported as (
       insert into statement_imports (bank_code, format, state, started_by, started_at, updated_at)
       values ('${BANK}', 'csv', 'matching', 'test', now(), now()) returning id
     )
     insert into statements (import_id, bank_code, currency, sequence, from_day, to_day,
                             opening_kobo, closing_kobo, has_balances, lines, new_lines, imported_at,
                             covers_from)
     select i.id, '${BANK}', 'NGN', sequence, "fromDay", "toDay", "openingKobo", "closingKobo",
            coalesce("hasBalances", true), count, count, now(), "coversFrom"
       from imported i, json_to_recordset($1) as r ("hasBalances" boolean, sequence bigint,
            "fromDay" date, "toDay" date, "coversFrom" date, "openingKobo" bigint,
            "closingKobo" bigint, count int)
     returning id`,
    [{ closingKobo, ...statement, count: lines.length, lines: undefined }],
  )
  const { id } = rows[0] as { id: bigint }
  await write(
    `insert into statement_lines
       (statement_id, bank_code, currency, line_no, booked_on, amount_kobo, is_reversal, kind,
        session_id, bank_reference, end_to_end_id, account_number, counterparty_name, narration,
        hash)
     select ${id}, '${BANK}', 'NGN', row_number() over (), day, "amountKobo",
            coalesce("isReversal", false), coalesce(kind, 'other'), "sessionId", "bankReference",
            "endToEndId", "accountNumber", name, narration, gen_random_uuid()::text::bytea
       from json_to_recordset($1) as r (day date, "amountKobo" bigint, "isReversal" boolean,
            kind text, "sessionId" text, "bankReference" text, "endToEndId" text,
            "accountNumber" text, name text, narration text)`,
    lines,
  )
  return id
}

export type Found = {
  kind: string
  amount: bigint
  about: string
  state: string
}

// The differences that are not cleared. `about` is the narration of the line, or the item, or "statement".
export function readDifferences(bench: MatchingBench): Promise<Found[]> {
  return bench.read(`
    select d.kind, d.amount_kobo as amount, d.state,
           coalesce(l.narration, d.item_kind || ' ' || d.item_id, 'statement') as about
      from differences d left join statement_lines l on l.id = d.line_id
     where d.state <> 'cleared' order by d.id`)
}

// The matches, each as "narration rule item kind item id amount".
export async function readMatches(bench: MatchingBench): Promise<string[]> {
  const rows = await bench.read<{ text: string }>(`
    select concat_ws(' ', l.narration, m.rule, m.item_kind, m.item_id, m.amount_kobo) as text
      from statement_matches m join statement_lines l on l.id = m.line_id
     order by m.line_id, m.item_kind, m.item_id`)
  return rows.map(({ text }) => text)
}
