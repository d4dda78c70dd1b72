// Matches a bank's statements with the books: begins a run, applies the rules in order, and finds the items
// that earlier runs missed.

import { watDay } from '#clock.ts'
import { idBounds, PAST_ID } from '#db/bounds.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Kobo } from '#money.ts'
import {
  addLineTotals,
  type BankAccount,
  type BankState,
  dayBefore,
  dayStart,
  endRun,
  lockBank,
  type Run,
  readMoved,
} from './banks.ts'
import { alertContradictedPayouts } from './contradictions.ts'
import { findGaps, updateDifferences } from './find-differences.ts'
import { readLedgerBalance } from './items.ts'
import { matchByAccount, matchCharges, matchSweeps } from './match-amounts.ts'
import { matchByName, matchSessionIds, suggestItems, suggestNamed } from './match-names.ts'
import { closeSets, findFirstDay, loadSets, openSets } from './sets.ts'

type MatchedDays = { fromDay: string; toDay: string; seenUntil: Date }

// Looks for items that matching missed. Such an item was posted on a day that was already matched, by a slow
// transaction or a process whose clock was behind. No time window covers all such items, so this compares
// balances: the ledger's balance at the end of a day must equal the sum that matching knows. It goes back 1,
// 2, 4, 8 … days until the balances agree.
//
// Returns the day from which items must be read again, or undefined if no item was missed. Returns the day
// before `fromDay` if the balance before the first statement already differs. The caller has locked the
// matching of the bank.
async function findMissedDay(
  tx: Transaction,
  account: BankAccount,
  { fromDay, toDay, seenUntil }: MatchedDays,
): Promise<string | undefined> {
  const dayBeforeFirst = dayBefore(fromDay)
  const lastEndedDay = dayBefore(watDay(seenUntil))
  let day = lastEndedDay < toDay ? lastEndedDay : toDay
  if (day < fromDay) return undefined
  let missed: string | undefined
  for (let stepDays = 1; day > dayBeforeFirst; stepDays *= 2) {
    if (await agreesWithLedger(tx, account, day)) return missed
    const earlier = daysBefore(day, stepDays)
    day = earlier > dayBeforeFirst ? earlier : dayBeforeFirst
    missed = dayAfter(day)
  }
  return (await agreesWithLedger(tx, account, dayBeforeFirst)) ? missed : dayBeforeFirst
}

// Whether the ledger's balance at the end of the day equals the starting balance plus the matched and
// unmatched items since.
async function agreesWithLedger(
  tx: Transaction,
  account: BankAccount,
  day: string,
): Promise<boolean> {
  const { rows } = await tx.query<{ kobo: Kobo | null }>({
    name: 'read-known-balance',
    text: `select (b.books_kobo
                   + coalesce((select sum(d.matched_items_kobo) from reconciled_days d
                                where d.bank_code = $1 and d.currency = $2
                                  and d.day between b.from_day and $3::date), 0)
                   - coalesce((select sum(d.amount_kobo) from differences d
                                where d.bank_code = $1 and d.currency = $2 and d.day <= $3::date
                                  and d.item_id is not null and d.state <> 'cleared'), 0))::bigint
                  as kobo
             from reconciled_banks b where b.bank_code = $1 and b.currency = $2`,
    values: [account.bankCode, account.currency, day],
  })
  return rows[0]?.kobo === (await readLedgerBalance(tx, account, day))
}

const daysBefore = (day: string, days: number) =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)

const dayAfter = (day: string) => daysBefore(day, -1)

type Coverage = {
  firstDay: string | null // The first day that a statement covers.
  firstLineDay: string | null // The first day of a line, which may be dated back.
  toDay: string | null
  newStatements: bigint[] | null
}

// Items are read from this long before the last run, because a transaction takes time to commit and a
// process's clock may be behind. findMissedDayIfDue() finds items that are posted even later.
const SLACK_MS = 15 * 60_000
// In the first run, items are read from this long before the first line, which may be for an earlier item.
const LOOK_BACK_MS = 7 * 86_400_000

// Begins a matching run: finds the new statements, and the time from which items of the books are read.
// Returns undefined if the account has no statement.
async function beginRun(
  tx: Transaction,
  { bankCode, currency, now }: BankAccount & { now: Date },
): Promise<Run | undefined> {
  // Locks before any read, so that the run includes statements that were stored while it waited.
  const state = await lockBank(tx, { bankCode, currency })
  const movedKobo = await readMoved(tx, { bankCode, currency })
  const { rows: covered } = await tx.query<Coverage>(
    `select min(coalesce(covers_from, from_day))::text as first_day, max(to_day)::text as to_day,
            min(from_day)::text as first_line_day,
            array_agg(id order by id) filter (where matched_at is null) as new_statements
       from statements where bank_code = $1 and currency = $2`,
    [bankCode, currency],
  )
  const { firstDay, firstLineDay, toDay, newStatements } = covered[0] as Coverage
  if (firstDay === null || firstLineDay === null || toDay === null) return undefined
  const account = { bankCode, currency, newStatements: newStatements ?? [] }
  await addLineTotals(tx, account)
  const fromDay = await findFromDay(tx, account, { current: state.fromDay, firstDay })
  const run = { ...account, now, fromDay, toDay }
  const missedDay = await findMissedDayIfDue(tx, state, run)
  // A missed day before `fromDay` means that the stored starting balance is wrong, as before the first run.
  const isFirst = state.fromDay === null || fromDay < state.fromDay || missedDay < fromDay
  const since = findItemsStart(state, { ...run, isFirst, firstLineDay })
  const missedSince = dayStart(missedDay)
  const itemsSince = since < missedSince ? since : missedSince
  const { firstId: creditsFrom } = await idBounds(tx, 'credits', { from: itemsSince })
  const linesFrom = await findFirstLine(tx, run.newStatements)
  return { ...run, movedKobo, linesFrom, isFirst, itemsSince, creditsFrom }
}

// Returns the first covered day of the account. It may move to an earlier day but never to a later one: a
// covered day stays covered, and so do the differences of its items.
async function findFromDay(
  tx: Transaction,
  account: BankAccount,
  { current, firstDay }: { current: string | null; firstDay: string },
): Promise<string> {
  if (current !== null && current <= firstDay) return current
  const day = await findFirstDay(tx, account)
  return current !== null && current < day ? current : day
}

// Returns the lowest id of the lines of the statements. Without statements, returns an id that is higher
// than every line's.
async function findFirstLine(tx: Transaction, statements: readonly bigint[]): Promise<bigint> {
  if (statements.length === 0) return PAST_ID
  const { rows } = await tx.query<{ id: bigint | null }>(
    'select min(id) as id from statement_lines where statement_id = any ($1)',
    [statements],
  )
  return rows[0]?.id ?? PAST_ID
}

const NEVER = '9999-12-31'

// Returns the day from which items must be read again, or NEVER. Adding up the items takes a while, so this
// looks only after a new statement and once an hour.
async function findMissedDayIfDue(
  tx: Transaction,
  { fromDay, toDay, seenUntil }: BankState,
  { newStatements, now, ...account }: Pick<Run, 'newStatements' | 'now'> & BankAccount,
): Promise<string> {
  if (fromDay === null || toDay === null || seenUntil === null) return NEVER
  const isDue = newStatements.length > 0 || hourOf(seenUntil) !== hourOf(now)
  if (!isDue) return NEVER
  return (await findMissedDay(tx, account, { fromDay, toDay, seenUntil })) ?? NEVER
}

const hourOf = (at: Date) => Math.floor(at.getTime() / 3_600_000)

// Returns the time from which this run reads items of the books. endRun() stored two times: `seenUntil` is
// the time of the last run; `itemsUntil` is that time or the end of the last covered day, whichever is
// earlier. With a new statement, the run reads all items since `itemsUntil`, because items after the last
// covered day have waited for a statement. Without one, it reads only items posted since the last run. Both
// start SLACK_MS earlier, for items whose transaction committed late. The first run starts some days before
// the first line, because that line may be for an earlier item.
function findItemsStart(
  state: BankState,
  run: Pick<Run, 'newStatements' | 'isFirst'> & { firstLineDay: string },
): Date {
  const { itemsUntil, seenUntil } = state
  if (run.isFirst || !itemsUntil || !seenUntil) {
    return new Date(dayStart(run.firstLineDay).getTime() - LOOK_BACK_MS)
  }
  const since = run.newStatements.length > 0 ? itemsUntil : seenUntil
  return new Date(since.getTime() - SLACK_MS)
}

export type MatchResult = { matched: number; differences: number }

// Matches a bank's statements with the books (I65). A rule sees only the lines and items that earlier rules
// did not match. Lines and items that no rule explains become differences.
//
// A run is deterministic, and a run without new lines, items or decisions changes nothing. The worker repeats
// it, because later items may explain a difference.
export async function matchStatements(
  tx: Transaction,
  account: BankAccount & { now: Date },
): Promise<MatchResult> {
  const run = await beginRun(tx, account)
  if (!run) return { matched: 0, differences: 0 }
  await openSets(tx, run)
  let matched = await matchSessionIds(tx, run)
  await loadSets(tx, run)
  matched += await matchByName(tx, run)
  matched += await matchByAccount(tx, run)
  matched += await matchSweeps(tx, run)
  matched += await matchCharges(tx, run)
  const newDifferences = await updateDifferences(tx, run)
  const gaps = run.newStatements.length > 0 || matched > 0 ? await findGaps(tx, run) : 0
  await suggestItems(tx, run)
  await suggestNamed(tx, run)
  await endRun(tx, run)
  await closeSets(tx)
  await alertContradictedPayouts(tx, account.now)
  return { matched, differences: newDifferences + gaps }
}
