// The daily proof of a bank's account: at the end of a day,
//
//   statement = ledger + timing + noted + difference
//
//   statement   the balance by the bank's statements
//   ledger      the bank's account in the books
//   timing      in transit: matched but booked on different days, or still within the bank's window
//   noted       differences that somebody explained
//   difference  everything else: listed one by one, and red
//
// Each is a running total over days, so the cost of a proof depends on the number of days, not of lines
// (I65).

import type { BankSettings } from '#config/bank-settings.ts'
import { TIMING_DAYS_DEFAULT } from '#config/statement-settings.ts'
import type { Queryable } from '#db/pool.ts'
import type { Kobo } from '#money.ts'
import { watDay } from '#wat-time.ts'
import type { BankAccount } from './reconciled-banks.ts'

type ProofStatus = 'balanced' | 'differences' | 'missing_statement'

export type DailyProof = BankAccount & {
  day: string
  status: ProofStatus
  ledgerKobo: Kobo | null // This and the next amounts are null if no statement covers the day.
  statementKobo: Kobo | null
  timingKobo: Kobo | null
  notedKobo: Kobo | null
  differenceKobo: Kobo | null
  waitingKobo: Kobo | null // The part of timing that only one side has yet.
  openDifferences: number // Those that make the day red, up to that day.
  waitingDifferences: number // Those within the bank's window, up to that day.
  notedDifferences: number // The explained ones, up to that day.
  isExpected: boolean // Money had moved at the bank by then, so a statement is expected.
  isClosed: boolean // Nothing posts into the day any more.
}

// In days, by bank: how long a movement that only one side has may be in transit.
export type TimingWindows = ReadonlyMap<string, number>

export function timingWindows(banks: readonly BankSettings[]): TimingWindows {
  const windows = banks.map(
    ({ code, statements }) => [code, statements?.timingDays ?? TIMING_DAYS_DEFAULT] as const,
  )
  return new Map(windows)
}

type ProofQuery = {
  fromDay: string
  toDay: string
  bankCode?: string | undefined
  currency?: string | undefined
  windows: TimingWindows
  now: Date
}

// Proofs of all accounts with a statement or a ledger account, or of the account in the query; by bank
// and day.
export async function readDailyProofs(db: Queryable, query: ProofQuery): Promise<DailyProof[]> {
  const { rows } = await db.query<DailyProof>({
    name: 'read-daily-proofs',
    text: PROOFS,
    values: [
      query.fromDay,
      query.toDay,
      query.bankCode ?? null,
      query.currency ?? null,
      [...query.windows.keys()],
      [...query.windows.values()],
      watDay(query.now),
    ],
  })
  return rows
}

// Whether a difference that only one side has is still within the window of its bank `w`.
export const IS_TIMING = `(
  d.kind in ('missing_in_books', 'missing_at_bank') and d.state in ('open', 'asked')
    and d.day + coalesce(w.days, ${TIMING_DAYS_DEFAULT}) >= $7::date
  or d.state = 'resolved' and d.action <> 'note')`

const IS_NOTED = `(d.state = 'resolved' and d.action = 'note')`

// A day without a statement, between two statements that follow one another, had no lines.
const IS_COVERED = `(
  exists (select from statements s where s.bank_code = r.bank_code and s.currency = r.currency
             and r.day between coalesce(s.covers_from, s.from_day) and s.to_day)
  or r.day > r.from_day and exists (
    select from (select s.id, s.has_balances from statements s
                  where s.bank_code = r.bank_code and s.currency = r.currency
                    and coalesce(s.covers_from, s.from_day) > r.day
                  order by coalesce(s.covers_from, s.from_day), s.id limit 1) as n
     where n.has_balances and not exists (
       select from differences d where d.statement_id = n.id and d.state <> 'cleared')))`

const PROOFS = `
  with windows (bank_code, days) as (
    select * from unnest($5::text[], $6::int[])
  ), moved as (
    select substr(owner, 6) as bank_code, currency,
           case when not exists (select from test_clocks)
                 and not exists (select from sandbox_seeds)
                then (opened_at at time zone 'Africa/Lagos')::date
                else '-infinity'::date end as opened_on
      from ledger_accounts where kind = 'bank' and debits_kobo + credits_kobo > 0
  ), accounts as (
    select bank_code, currency, b.from_day, b.to_day, b.first_id, b.opening_kobo,
           b.books_kobo, m.opened_on
      from (select substr(owner, 6) as bank_code, currency from ledger_accounts
             where kind = 'bank'
            union
            select bank_code, currency from reconciled_banks
            union
            select $3::text, $4::text where num_nonnulls($3, $4) = 2) as banks
      left join reconciled_banks b using (bank_code, currency)
      left join moved m using (bank_code, currency)
     where ($3::text is null or bank_code = $3) and ($4::text is null or currency = $4)
  ), moves as (
    select a.bank_code, a.currency, g.day::date as day, true as is_in_range, 0 as statement,
           0 as ledger, 0 as timing, 0 as noted, 0 as waiting, 0 as open, 0 as waiting_count,
           0 as noted_count
      from accounts a, generate_series($1::date, $2::date, interval '1 day') as g (day)
    union all
    select m.bank_code, m.currency, m.day, false, m.lines_kobo,
           case when m.day >= a.from_day then m.matched_items_kobo else 0 end,
           m.matched_lines_kobo - m.matched_items_kobo, 0, 0, 0, 0, 0
      from reconciled_days m join accounts a using (bank_code, currency)
     where m.day <= $2::date
    union all
    select d.bank_code, d.currency, d.day, false,
           case when d.statement_id <> a.first_id then d.amount_kobo else 0 end,
           case when d.item_id is not null then -d.amount_kobo else 0 end,
           case when ${IS_TIMING} then d.amount_kobo else 0 end,
           case when ${IS_NOTED} then d.amount_kobo else 0 end,
           case when ${IS_TIMING} then d.amount_kobo else 0 end,
           case when d.state in ('open', 'asked') and not ${IS_TIMING} then 1 else 0 end,
           case when ${IS_TIMING} then 1 else 0 end, case when ${IS_NOTED} then 1 else 0 end
      from differences d
      join accounts a using (bank_code, currency)
      left join windows w using (bank_code)
     where d.state <> 'cleared' and d.day <= $2::date
  ), days as (
    select bank_code, currency, day, bool_or(is_in_range) as is_in_range, sum(statement) as statement,
           sum(ledger) as ledger, sum(timing) as timing, sum(noted) as noted,
           sum(waiting) as waiting, sum(open) as open, sum(waiting_count) as waiting_count,
           sum(noted_count) as noted_count
      from moves group by 1, 2, 3
  ), running as (
    select a.*, d.day, d.is_in_range,
           (a.opening_kobo + sum(d.statement) over w)::bigint as statement,
           (a.books_kobo + sum(d.ledger) over w)::bigint as ledger,
           (sum(d.timing) over w)::bigint as timing, (sum(d.noted) over w)::bigint as noted,
           (sum(d.waiting) over w)::bigint as waiting, (sum(d.open) over w)::int as open,
           (sum(d.waiting_count) over w)::int as waiting_count,
           (sum(d.noted_count) over w)::int as noted_count
      from days d join accounts a using (bank_code, currency)
    window w as (partition by d.bank_code, d.currency order by d.day)
  ), proofs as (
    select r.*, coalesce(r.day between r.from_day and r.to_day, false) and ${IS_COVERED} as is_covered
      from running r where r.is_in_range
  )
  select bank_code as "bankCode", currency, day::text as day, open as "openDifferences",
         waiting_count as "waitingDifferences", noted_count as "notedDifferences",
         is_covered or coalesce(day >= opened_on, false) as "isExpected",
         case when not is_covered then 'missing_statement'
              when open = 0 and statement = ledger + timing + noted then 'balanced'
              else 'differences' end as status,
         case when is_covered then ledger end as "ledgerKobo",
         case when is_covered then statement end as "statementKobo",
         case when is_covered then timing end as "timingKobo",
         case when is_covered then waiting end as "waitingKobo",
         case when is_covered then noted end as "notedKobo",
         case when is_covered then statement - ledger - timing - noted end as "differenceKobo",
         exists (select from closed_days c where c.day = proofs.day) as "isClosed"
    from proofs order by bank_code, currency, day`
