// The daily proof of a bank's account, its alerts, and the items that make up its amounts. At the end of a
// day,
//
//   statement = ledger + timing + noted + difference
//
//   statement   the balance by the bank's statements
//   ledger      the balance of the bank's account in the books
//   timing      in transit: matched but booked on different days, or still within the bank's window
//   noted       reconciling items: differences that a user explained, until they clear
//   difference  everything else: listed one by one, and red
//
// Each amount is a running total over days, so the cost of a proof depends on the number of days, not of
// lines (I65).

import { watDay, watTime } from '#clock.ts'
import {
  type BankSettings,
  EXPECTED_AT_DEFAULT,
  TIMING_DAYS_DEFAULT,
} from '#config/bank-settings.ts'
import { TIMES_ARE_IN_ORDER } from '#db/bounds.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { DifferenceId, StatementLineId } from '#ids.ts'
import { CURRENCY, formatKobo, type Kobo, kobo } from '#money.ts'
import { clearAlert, type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import { type BankAccount, dayBefore } from './banks.ts'
import { alertContradictedPayouts } from './contradictions.ts'
import type { DifferenceKind } from './difference.ts'
import type { ItemKind } from './items.ts'

// The status of a day, from green to red. `reconciling_items` is balanced, but with noted differences.
export const PROOF_STATUSES = [
  'balanced',
  'reconciling_items',
  'differences',
  'missing_statement',
] as const
type ProofStatus = (typeof PROOF_STATUSES)[number]

export type DailyProof = BankAccount & {
  day: string
  status: ProofStatus
  ledgerKobo: Kobo | null // This amount and the next ones are null if no statement covers the day.
  statementKobo: Kobo | null
  timingKobo: Kobo | null
  notedKobo: Kobo | null
  differenceKobo: Kobo | null
  waitingKobo: Kobo | null // The part of timing that only one side has so far.
  openDifferences: number // Differences that make the day red, up to that day.
  waitingDifferences: number // Differences within the bank's window, up to that day.
  notedDifferences: number // The reconciling items, up to that day.
  isExpected: boolean // Money had moved at the bank by that day, so a statement is expected.
  isClosed: boolean // No transfer can be posted into the day any more.
  computedAt: Date
}

// For each bank, the number of days for which a movement that only one side has is treated as in transit.
export type TimingWindows = ReadonlyMap<string, number>

// Returns each bank's timing window, in days, from its settings, or the default. Money that only the bank or
// only the books have counts as on its way (timing) within this window.
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

// Returns the proofs of all accounts with a statement or a ledger account, or of the account in the query,
// ordered by bank, currency and day.
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
  return rows.map((proof) => ({ ...proof, computedAt: query.now }))
}

// SQL condition: whether the difference `d` is in transit: only one side has it, and it is still within the
// window of its bank `w`; or it was resolved by an action other than a note. `today` is a SQL parameter.
export const isTiming = (today: string) => `(
  d.kind in ('missing_in_books', 'missing_at_bank') and d.state in ('open', 'asked')
    and d.day + coalesce(w.days, ${TIMING_DAYS_DEFAULT}) >= ${today}::date
  or d.state = 'resolved' and d.action <> 'note')`
const IS_TIMING = isTiming('$7')

const IS_NOTED = `(d.state = 'resolved' and d.action = 'note')`

// SQL condition: whether statements cover the day of the proof `r`. A day without a statement had no lines if
// the statement after it follows the statement before it.
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
           case when ${TIMES_ARE_IN_ORDER}
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
    union all
    select d.bank_code, d.currency, d.day, false,
           case when d.statement_id <> a.first_id then d.amount_kobo else 0 end,
           0, 0, 0, 0, 0, 0, 0
      from differences d join accounts a using (bank_code, currency)
     where d.statement_id is not null and d.state = 'cleared' and d.action = 'adjust'
       and d.day <= $2::date
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
  select bank_code, currency, day::text as day, open as open_differences,
         waiting_count as waiting_differences, noted_count as noted_differences,
         is_covered or coalesce(day >= opened_on, false) as is_expected,
         case when not is_covered then 'missing_statement'
              when open = 0 and statement = ledger + timing + noted
                then case when noted_count > 0 then 'reconciling_items' else 'balanced' end
              else 'differences' end as status,
         case when is_covered then ledger end as ledger_kobo,
         case when is_covered then statement end as statement_kobo,
         case when is_covered then timing end as timing_kobo,
         case when is_covered then waiting end as waiting_kobo,
         case when is_covered then noted end as noted_kobo,
         case when is_covered then statement - ledger - timing - noted end as difference_kobo,
         exists (select from closed_days c where c.day = proofs.day) as is_closed
    from proofs order by bank_code, currency, day`

// Alerts are raised by the proofs of this many days. Alerts about earlier days were raised when those days
// were recent.
const DAYS_WATCHED = 31

type WatchedAccount = BankAccount & { fromDay: string | null; toDay: string | null }

// Raises and clears the alerts of reconciliation by the current daily proofs:
//   reconciliation_difference  the last day that a bank's statements cover is red
//   statement_missing          a day's statement has not arrived by the expected time of the next day
//   payout_contradicted        a line contradicts the final state of a payout (contradictions.ts)
// Skips banks that have never sent a statement and are not configured to send any.
export async function watchStatements(
  tx: Transaction,
  now: Date,
  banks: readonly BankSettings[],
): Promise<void> {
  const proofs = await readDailyProofs(tx, {
    fromDay: new Date(now.getTime() - DAYS_WATCHED * 86_400_000).toISOString().slice(0, 10),
    toDay: watDay(now),
    windows: timingWindows(banks),
    now,
  })
  const raised: NewAlert[] = []
  for (const account of await findWatched(tx, banks)) {
    const accountProofs = proofs.filter(
      ({ bankCode, currency }) => bankCode === account.bankCode && currency === account.currency,
    )
    const bank = banks.find(({ code }) => code === account.bankCode)
    const lastDueDay = findLastDueDay(now, bank)
    const alerts = [
      differenceAlert(account, accountProofs),
      missingStatementAlert(account, accountProofs, lastDueDay),
    ]
    for (const alert of alerts) {
      const { detail } = alert
      if (detail) raised.push({ ...alert, detail })
      else await clearAlert(tx, now, alert) // Without a detail, its condition does not hold.
    }
  }
  await appendEvents(tx, now, await raiseAlerts(tx, now, raised))
  await alertContradictedPayouts(tx, now)
}

// Returns the accounts that have statements, and the banks whose settings say that they send some.
async function findWatched(
  tx: Transaction,
  banks: readonly BankSettings[],
): Promise<WatchedAccount[]> {
  const { rows } = await tx.query<WatchedAccount>({
    name: 'find-reconciled-banks',
    text: `select bank_code, currency, from_day::text as from_day,
                  to_day::text as to_day
             from reconciled_banks where to_day is not null order by 1, 2`,
  })
  const codes = new Set(rows.map(({ bankCode }) => bankCode))
  const banksWithoutStatement = banks.filter(
    ({ code, statements }) => statements && !codes.has(code),
  )
  const withoutStatement = { currency: CURRENCY, fromDay: null, toDay: null }
  return [
    ...rows,
    ...banksWithoutStatement.map(({ code }) => ({ bankCode: code, ...withoutStatement })),
  ]
}

// Returns the last day whose statement the bank should have sent by now.
function findLastDueDay(now: Date, bank: BankSettings | undefined): string {
  const yesterday = dayBefore(watDay(now))
  const expectedAt = bank?.statements?.expectedAt ?? EXPECTED_AT_DEFAULT
  return watTime(now).slice(11, 16) >= expectedAt ? yesterday : dayBefore(yesterday)
}

// The state of an alert now: it is raised with `detail`, or cleared if it has none.
type Alert = Omit<NewAlert, 'detail'> & { detail?: object | undefined }

const subjectOf = ({ bankCode, currency }: BankAccount) => `${bankCode} ${currency}`

// Returns the alert for open differences. It is raised if the last day with a statement has the status
// `differences`. Earlier days need no check: a difference counts on all later days too, until it clears.
function differenceAlert(account: WatchedAccount, proofs: readonly DailyProof[]): Alert {
  const lastProof = proofs.filter(({ status }) => status !== 'missing_statement').at(-1)
  const alert = { kind: 'reconciliation_difference', subject: subjectOf(account) } as const
  if (lastProof?.status !== 'differences') return alert
  const difference = formatKobo(lastProof.differenceKobo ?? kobo(0n))
  return { ...alert, detail: { day: lastProof.day, difference } }
}

// Returns the alert for missing statements. It is raised if the statement of a day up to `lastDueDay` has not
// arrived, and names the first such day. If the account has no statement at all, it names `lastDueDay`.
function missingStatementAlert(
  account: WatchedAccount,
  proofs: readonly DailyProof[],
  lastDueDay: string,
): Alert {
  const alert = { kind: 'statement_missing', subject: subjectOf(account) } as const
  const missingDays = proofs
    .filter(({ day, status }) => status === 'missing_statement' && day <= lastDueDay)
    .filter(({ day }) => day >= (account.fromDay ?? lastDueDay))
    .map(({ day }) => day)
  if (account.toDay === null) return { ...alert, detail: { day: lastDueDay, lastDay: null } }
  return missingDays.length === 0
    ? alert
    : { ...alert, detail: { day: missingDays[0], lastDay: account.toDay } }
}

// The items that make up the amounts of the daily proofs. At the end of each day:
//
//   timing      the sum of the waiting items up to that day, and of the pairs with one side on or before
//               that day and the other side later
//   noted       the sum of the reconciling items up to that day
//   difference  the sum of the open items up to that day

type ItemQuery = { fromDay: string; toDay: string; windows: TimingWindows; now: Date }

// A difference that counts in the daily proof, because it is not cleared.
export type StandingItem = BankAccount & {
  day: string
  state: 'waiting' | 'noted' | 'open'
  kind: DifferenceKind
  amountKobo: Kobo // The amount by which the statement exceeds the books.
  differenceId: DifferenceId
  lineId: StatementLineId | null // null if the difference is about an item of the books, or a statement.
  item: string | null
  reason: string | null
}

// Returns the uncleared differences dated up to `toDay`, ordered by bank, currency and day.
export async function readStandingItems(
  db: Queryable,
  { toDay, windows, now }: ItemQuery,
): Promise<StandingItem[]> {
  const { rows } = await db.query<StandingItem>({
    name: 'read-standing-items',
    text: `select d.bank_code, d.currency, d.day::text as day,
                  case when ${isTiming('$2')} then 'waiting' when ${IS_NOTED} then 'noted'
                       else 'open' end as state,
                  d.kind, d.amount_kobo, d.id as difference_id, d.line_id,
                  d.item_kind || ' ' || d.item_id as item, d.reason
             from differences d
             left join unnest($3::text[], $4::int[]) as w (bank_code, days) using (bank_code)
            where d.state <> 'cleared' and d.day <= $1::date
            order by d.bank_code, d.currency, d.day, d.id`,
    values: [toDay, watDay(now), [...windows.keys()], [...windows.values()]],
  })
  return rows
}

// A matched line and item that were booked on different days, so that the amount was in transit between
// them.
export type CrossDayItem = BankAccount & {
  fromDay: string
  untilDay: string
  amountKobo: Kobo // The amount by which the statement exceeds the books between the two days.
  rule: string
  lineId: StatementLineId | null // null if an adjusting entry offsets the item.
  kind: ItemKind
  item: string
}

// Returns the pairs that are in transit at the end of any day of the range: one side has them already, the
// other not yet. The line id 0 stands for no line.
export async function readCrossDayItems(
  db: Queryable,
  { fromDay, toDay }: Pick<ItemQuery, 'fromDay' | 'toDay'>,
): Promise<CrossDayItem[]> {
  const { rows } = await db.query<CrossDayItem>({
    name: 'read-cross-day-items',
    text: `select bank_code, currency, least(line_day, item_day)::text as from_day,
                  greatest(line_day, item_day)::text as until_day,
                  case when line_day < item_day then amount_kobo else -amount_kobo end as amount_kobo,
                  rule, nullif(line_id, 0) as line_id, item_kind as kind,
                  item_kind || ' ' || item_id as item
             from statement_matches
            where line_day <> item_day and least(line_day, item_day) <= $2::date
              and greatest(line_day, item_day) > $1::date
            order by bank_code, currency, least(line_day, item_day), item_kind, item_id, line_id`,
    values: [fromDay, toDay],
  })
  return rows
}
