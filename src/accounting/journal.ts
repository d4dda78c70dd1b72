// The journal: the lines of a period, closed days, the journal of a day, and the transfers of a day.
//
// Journal lines are the movements of a period by kind of ledger account, owner and reason. Total debits equal
// total credits, and both equal the period's transfers (I69).

import {
  HOURS_CURSOR,
  isFullHour,
  OWNER_BANK,
  OWNER_CLIENT,
  OWNER_JOINS,
  selectHours,
} from '#accounts/ledger-hours.ts'
import { DAY_MS, parseBankTime } from '#clock.ts'
import type { Chart, ChartEntry } from '#config/chart-settings.ts'
import type { Queryable } from '#db/pool.ts'
import type { ClientId, CreditId, TransferId } from '#ids.ts'
import { findPosition } from '#ledger/transfer-counts.ts'
import { type Kobo, kobo } from '#money.ts'
import { CAUSE_COLUMNS, CAUSE_JOINS, type CauseReferences } from '#records/shared-sql.ts'

export type JournalLine = {
  kind: string
  currency: string
  clientId: ClientId | null
  clientCode: string | null // The public client id, which never changes.
  bankCode: string | null
  reason: string
  debitKobo: Kobo
  creditKobo: Kobo
}

export type Period = { from: Date; to: Date } // `from` is included, `to` is not.

// SQL query: the journal lines of transfers from $1 (included) to $2 (excluded), and how many transfers debit
// the accounts of a line. Totals each side by account first, because that is most of the work: a million
// transfers take a second.
const linesSql = (accountFilter: (side: string) => string) => `
  select l.kind, l.currency, ${OWNER_CLIENT} as client_id, ${OWNER_BANK} as bank_code, s.reason,
         sum(s.debit)::bigint as debit_kobo, sum(s.credit)::bigint as credit_kobo,
         sum(s.debits)::bigint as debits
    from (select debit_account_id as id, reason, sum(amount_kobo) as debit, 0 as credit,
                 count(*) as debits
            from transfers
           where posted_at >= $1 and posted_at < $2 ${accountFilter('debit_account_id')} group by 1, 2
          union all
          select credit_account_id, reason, 0, sum(amount_kobo), 0
            from transfers
           where posted_at >= $1 and posted_at < $2 ${accountFilter('credit_account_id')} group by 1, 2
         ) as s
    join ledger_accounts l on l.id = s.id ${OWNER_JOINS}
   group by 1, 2, 3, 4, 5`

const ALL = linesSql(() => '')
const BY_KIND = linesSql(
  (side) => `and ${side} in (select id from ledger_accounts where kind = any($3))`,
)

// SQL query: the same by the hours. $3 is their position, and $4 has the kinds, or is null for all.
const BY_HOURS = `
  select kind, currency, client_id, bank_code, reason, sum(debit_kobo)::bigint as debit_kobo,
         sum(credit_kobo)::bigint as credit_kobo, sum(debits)::bigint as debits
    from (${selectHours('$3')}) as h
   where $4::text[] is null or kind = any($4)
   group by 1, 2, 3, 4, 5`

const LINE_COLUMNS = `
  j.kind, j.currency, j.client_id, k.client_id as client_code, j.bank_code, j.reason, j.debit_kobo,
  j.credit_kobo`

type OpenLine = JournalLine & { debits: bigint } // How many transfers debit the accounts of the line.

// Adds up a period, for days that are not closed: the hours or, if too many transfers are not counted yet,
// the transfers. `kinds` selects kinds of ledger accounts.
export async function addUpLines(
  db: Queryable,
  { from, to }: Period,
  kinds?: readonly string[],
): Promise<OpenLine[]> {
  const after =
    isFullHour(from) && isFullHour(to) ? await findPosition(db, HOURS_CURSOR) : undefined
  const [sql, ...values] =
    after === undefined
      ? [kinds ? BY_KIND : ALL, ...(kinds ? [kinds] : [])]
      : [BY_HOURS, after, kinds ?? null]
  const { rows } = await db.query<OpenLine>({
    text: `select ${LINE_COLUMNS}, j.debits from (${sql}) as j
             left join clients k on k.id = j.client_id`,
    values: [from, to, ...values],
  })
  return rows
}

// Reads the lines that were stored when the days closed, from `first` to `last`.
export async function readClosedLines(
  db: Queryable,
  { first, last }: { first: string; last: string },
  kinds?: readonly string[],
): Promise<JournalLine[]> {
  const { rows } = await db.query<JournalLine>({
    name: 'read-closed-day-lines',
    text: `select ${LINE_COLUMNS} from closed_day_lines j left join clients k on k.id = j.client_id
            where j.day between $1 and $2 and ($3::text[] is null or j.kind = any($3))`,
    values: [first, last, kinds ?? null],
  })
  return rows
}

// Stores the lines of a day that is being closed. Returns the number of its transfers.
export async function writeLines(db: Queryable, day: string, period: Period): Promise<bigint> {
  await db.query({
    name: 'write-closed-day-lines',
    text: `insert into closed_day_lines
             (day, kind, currency, client_id, bank_code, reason, debit_kobo, credit_kobo)
           select $3::date, kind, currency, client_id, bank_code, reason, debit_kobo, credit_kobo
             from (${ALL}) as j`,
    values: [period.from, period.to, day],
  })
  const { rows } = await db.query<{ count: bigint }>({
    name: 'count-transfers-of-period',
    text: 'select count(*) as count from transfers where posted_at >= $1 and posted_at < $2',
    values: [period.from, period.to],
  })
  return rows[0]?.count ?? 0n
}

export type CurrencyTotal = { currency: string; debitKobo: bigint; creditKobo: bigint }

// Total debits and credits by currency, ordered by currency.
export function totalsOf(
  lines: readonly { currency: string; debitKobo: bigint; creditKobo: bigint }[],
): CurrencyTotal[] {
  const totals = new Map<string, CurrencyTotal>()
  for (const { currency, debitKobo, creditKobo } of lines) {
    const total = totals.get(currency) ?? { currency, debitKobo: 0n, creditKobo: 0n }
    total.debitKobo += debitKobo
    total.creditKobo += creditKobo
    totals.set(currency, total)
  }
  return [...totals.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1))
}

// Closed days (I68): the time, the user and the chart of accounts of each closing.

export type UnbalancedBank = {
  bankCode: string
  currency: string
  status: string
  openDifferences?: number // Absent for days that were closed before this field existed.
}

export type ClosedDay = {
  day: string // yyyy-MM-dd, in West Africa.
  endsAt: Date
  chart: Chart
  reason: string | null
  unbalanced: UnbalancedBank[]
  closedBy: string
  closedAt: Date
  transfers: bigint | null // Null, like the hash, until the closing of the day is complete.
  journalHash: Buffer | null
}

const CLOSED_DAY_COLUMNS = `
  to_char(day, 'YYYY-MM-DD') as day, ends_at, chart, reason, unbalanced, closed_by, closed_at,
   transfers, journal_hash`

// The day in West Africa Time, which has no daylight saving: every day has 24 hours.
export function periodOf(day: string): Period {
  const from = parseBankTime(day) as Date
  return { from, to: new Date(from.getTime() + DAY_MS) }
}

export async function findClosedDay(db: Queryable, day: string): Promise<ClosedDay | undefined> {
  const { rows } = await db.query<ClosedDay>({
    name: 'find-closed-day',
    text: `select ${CLOSED_DAY_COLUMNS} from closed_days where day = $1`,
    values: [day],
  })
  return rows[0]
}

// The last completely closed day that ended by the moment.
export async function findLastClosed(db: Queryable, moment: Date): Promise<ClosedDay | undefined> {
  const { rows } = await db.query<ClosedDay>({
    name: 'find-last-closed-day',
    text: `select ${CLOSED_DAY_COLUMNS} from closed_days
            where ends_at <= $1 and completed_at is not null order by day desc limit 1`,
    values: [moment],
  })
  return rows[0]
}

export async function listClosedDays(
  db: Queryable,
  { first, last }: { first: string; last: string },
): Promise<ClosedDay[]> {
  const { rows } = await db.query<ClosedDay>({
    name: 'list-closed-days',
    text: `select ${CLOSED_DAY_COLUMNS} from closed_days where day between $1 and $2 order by day`,
    values: [first, last],
  })
  return rows
}

// The total debits of closed days, by day and currency. The total credits are equal (I69).
export async function readDayTotals(
  db: Queryable,
  { first, last }: { first: string; last: string },
): Promise<{ day: string; currency: string; kobo: Kobo }[]> {
  const { rows } = await db.query<{ day: string; currency: string; kobo: Kobo }>({
    name: 'read-closed-day-totals',
    text: `select to_char(day, 'YYYY-MM-DD') as day, currency, sum(debit_kobo)::bigint as kobo
             from closed_day_lines where day between $1 and $2
            group by closed_day_lines.day, currency order by closed_day_lines.day, currency`,
    values: [first, last],
  })
  return rows
}

// The journal of a day: its lines by account code, in a stable order. A closed day uses the lines
// and the chart stored with it, so no later configuration changes it (I68). An open day uses the
// transfers so far.

// An entry is either a debit or a credit. An account with movements both ways has two entries.
export type JournalEntry = {
  code: string
  name: string
  clientCode: string | null
  bankCode: string | null
  currency: string
  reason: string
  debitKobo: Kobo
  creditKobo: Kobo
}

export type Journal = {
  day: string
  closed: ClosedDay | undefined
  chart: Chart
  transfers: bigint
  entries: JournalEntry[]
  totals: CurrencyTotal[]
}

// Reads the stored journal of a closed day (`closed`), or computes the journal so far of an open one, with
// the accounts of `chart`. Call in a repeatable-read transaction.
export async function readJournal(
  db: Queryable,
  query: { day: string; closed: ClosedDay | undefined; chart: Chart },
): Promise<Journal> {
  const { day, closed } = query
  const isComplete = closed?.transfers != null // Whether the lines of the day are stored.
  const chart = closed?.chart ?? query.chart
  const openLines = isComplete ? [] : await addUpLines(db, periodOf(day))
  const lines = isComplete ? await readClosedLines(db, { first: day, last: day }) : openLines
  return {
    day,
    closed,
    chart,
    transfers: closed?.transfers ?? openLines.reduce((sum, { debits }) => sum + debits, 0n),
    entries: toEntries(lines, chart),
    totals: totalsOf(lines),
  }
}

// Returns the code and name of a kind of ledger account in a chart of accounts. A kind that was added to the
// product after the chart was stored appears under its own name.
export function accountOf(chart: Chart, kind: string): ChartEntry {
  return chart[kind] ?? { code: kind, name: kind }
}

// Sorted by currency, code, owner and reason, debits first. Kinds with the same code are merged into one
// account.
function toEntries(lines: readonly JournalLine[], chart: Chart): JournalEntry[] {
  const merged = new Map<string, JournalEntry>()
  for (const line of lines) {
    const { code, name } = accountOf(chart, line.kind)
    const { clientCode, bankCode, currency, reason } = line
    for (const side of ['debitKobo', 'creditKobo'] as const) {
      if (line[side] === 0n) continue
      const owner = `${clientCode ?? ''}\u0000${bankCode ?? ''}`
      const isCredit = side === 'creditKobo' ? 1 : 0
      const key = [currency, code, owner, reason, isCredit].join('\u0000')
      const entry = merged.get(key) ?? {
        code,
        name,
        clientCode,
        bankCode,
        currency,
        reason,
        debitKobo: kobo(0n),
        creditKobo: kobo(0n),
      }
      entry[side] = kobo(entry[side] + line[side])
      merged.set(key, entry)
    }
  }
  return [...merged].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, entry]) => entry)
}

// The transfers of a day in posting order, for a journal that lists each of them. Each batch is a separate
// query, so that sending a long journal holds no connection. Rows name the owners of accounts and our own
// references, and nothing about payers.

export type TransferSide = { kind: string; clientCode: string | null; bankCode: string | null }

type Transfer = CauseReferences & {
  id: TransferId
  postedAt: Date
  amountKobo: Kobo
  currency: string
  reason: string
  creditId: CreditId | null
}

export type JournalTransfer = Transfer & { debit: TransferSide; credit: TransferSide }

type TransferRow = Transfer & {
  debitKind: string
  debitClient: string | null
  debitBank: string | null
  creditKind: string
  creditClient: string | null
  creditBank: string | null
}

const IDS_PER_BATCH = 20_000n

// SQL joins: the account and the owner of one side of a transfer. These joins take PostgreSQL 6 to 8 µs per
// transfer. Sub-selects into a JSON object per side took 15 to 22 µs.
const sideJoins = (side: string) => `
    join ledger_accounts ${side} on ${side}.id = t.${side}_account_id
    left join collection_accounts ${side}_own on ${side}_own.id = ${side}.id
    left join subaccounts ${side}_sub
      on ${side}_sub.id = case when ${side}.owner like 'subaccount:%'
                               then split_part(${side}.owner, ':', 2)::bigint end
    left join clients ${side}_client
      on ${side}_client.id = coalesce(${side}_own.client_id, ${side}_sub.client_id,
           case when ${side}.owner ~ '^(client|operator):'
                then split_part(${side}.owner, ':', 2)::bigint end)`

const sideColumns = (side: string) => `
  ${side}.kind as ${side}_kind, ${side}_client.client_id as ${side}_client,
  case when ${side}.owner like 'bank:%' then substr(${side}.owner, 6) end as ${side}_bank`

const BATCH = `
  select t.id, t.posted_at, t.amount_kobo, debit.currency, t.reason,
         t.credit_id, ${sideColumns('debit')}, ${sideColumns('credit')},
         ${CAUSE_COLUMNS}
    from transfers t ${sideJoins('debit')} ${sideJoins('credit')} ${CAUSE_JOINS}
   where t.posted_at >= $1 and t.posted_at < $2 and t.id >= $3 and t.id < $4
   order by t.id`

// Reads the transfers of a day in batches of IDS_PER_BATCH ids. Compares `posted_at` as well, because the ids
// of two days may overlap around midnight.
export async function* readJournalTransfers(
  db: Queryable,
  day: string,
): AsyncGenerator<JournalTransfer[], void> {
  const { from, to } = periodOf(day)
  const { rows: bounds } = await db.query<{ first: bigint | null; last: bigint | null }>({
    name: 'bounds-of-day',
    text: `select min(id) as first, max(id) as last from transfers
            where posted_at >= $1 and posted_at < $2`,
    values: [from, to],
  })
  const { first: firstId, last: lastId } = bounds[0] ?? {}
  if (firstId == null || lastId == null) return // The day has no transfers.
  for (let id = firstId; id <= lastId; id += IDS_PER_BATCH) {
    const { rows } = await db.query<TransferRow>({
      name: 'journal-transfers',
      text: BATCH,
      values: [from, to, id, id + IDS_PER_BATCH],
    })
    if (rows.length > 0) yield rows.map(toTransfer)
  }
}

// Turns a row with the columns of both sides into an object with two sides.
function toTransfer(row: TransferRow): JournalTransfer {
  const { debitKind, debitClient, debitBank, creditKind, creditClient, creditBank, ...transfer } =
    row
  return {
    ...transfer,
    debit: { kind: debitKind, clientCode: debitClient, bankCode: debitBank },
    credit: { kind: creditKind, clientCode: creditClient, bankCode: creditBank },
  }
}
