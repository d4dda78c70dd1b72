// How far a bank's account is reconciled, stored in reconciled_banks: the days that its statements cover, and
// the time up to which items of the books were matched. Matching locks the row, so runs follow one another.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Kobo } from '#money.ts'

// The operator's account at one bank in one currency.
export type BankAccount = { bankCode: string; currency: string }

// One matching run: the statements and the period of the books that matchStatements() compares.
export type Run = BankAccount & {
  now: Date
  fromDay: string // The first day that statements cover.
  toDay: string // The last day that statements cover.
  newStatements: bigint[] // Not matched yet.
  linesFrom: bigint // The first line of the new statements.
  itemsSince: Date // Earlier items are matched or in differences.
  creditsFrom: bigint // The lowest id that a credit posted since `itemsSince` can have.
  movedKobo: Kobo // The sum of both sides of the bank's ledger account, at the start of the run.
  isFirst: boolean // The bank's first run, or the first run that covers an earlier day.
}

// A row of reconciled_banks: how far earlier runs got. All fields are null before the first run.
export type BankState = {
  fromDay: string | null
  toDay: string | null
  itemsUntil: Date | null
  seenUntil: Date | null
}

// Locks the bank's row until the transaction ends, so that only one transaction at a time matches or
// resolves differences of this bank. Creates the row for a bank that has none.
export async function lockBank(
  tx: Transaction,
  { bankCode, currency }: BankAccount,
): Promise<BankState> {
  await tx.query(
    `insert into reconciled_banks (bank_code, currency) values ($1, $2) on conflict do nothing`,
    [bankCode, currency],
  )
  const { rows } = await tx.query<BankState>(
    `select from_day::text as from_day, to_day::text as to_day, items_until, seen_until
       from reconciled_banks where bank_code = $1 and currency = $2 for no key update`,
    [bankCode, currency],
  )
  return rows[0] as BankState
}

// Returns the start of a day in West Africa.
export function dayStart(day: string): Date {
  return new Date(`${day}T00:00:00+01:00`)
}

export function dayBefore(day: string): string {
  return new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
}

export function dayEnd(day: string): Date {
  return new Date(dayStart(day).getTime() + 86_400_000)
}

// SQL order: statements in order of time, even if a day has several statements.
export const STATEMENT_ORDER = 'from_day, to_day, sequence nulls first, id'

type NewLines = Pick<Run, 'bankCode' | 'currency' | 'newStatements'>

// Adds the lines of the new statements to the totals of their days.
export async function addLineTotals(tx: Transaction, run: NewLines): Promise<void> {
  if (run.newStatements.length === 0) return
  await tx.query(
    `insert into reconciled_days (bank_code, currency, day, lines_kobo)
     select $2, $3, booked_on, sum(amount_kobo)
       from statement_lines where statement_id = any ($1)
      group by booked_on order by booked_on
     on conflict (bank_code, currency, day)
       do update set lines_kobo = reconciled_days.lines_kobo + excluded.lines_kobo`,
    [run.newStatements, run.bankCode, run.currency],
  )
}

// SQL scalar: the sum of both sides of the ledger account of the bank `b`. Every item increases it.
const MOVED = `coalesce((select debits_kobo + credits_kobo from ledger_accounts
  where kind = 'bank' and owner = 'bank:' || b.bank_code and currency = b.currency), 0)`

// Reads how much money has moved on a bank's ledger account so far, in both directions together. At the end
// of the run it is stored, so that findOpenAccounts() sees whether money has moved since. lockBank() has
// created the account's row.
export async function readMoved(
  tx: Transaction,
  { bankCode, currency }: BankAccount,
): Promise<Kobo> {
  const { rows } = await tx.query<{ kobo: Kobo }>({
    name: 'read-moved-at-bank',
    text: `select ${MOVED} as kobo from reconciled_banks b where bank_code = $1 and currency = $2`,
    values: [bankCode, currency],
  })
  return (rows[0] as { kobo: Kobo }).kobo
}

// Returns accounts with statements that were not matched yet, and accounts with differences if money
// moved or a difference changed since the last run. Once an hour returns all accounts, because an item
// may be posted late (findMissedDay in match.ts) and a credit may be reported again by another identifier.
export async function findOpenAccounts(db: Queryable, now: Date): Promise<BankAccount[]> {
  const { rows } = await db.query<BankAccount>({
    name: 'find-open-accounts',
    text: `select bank_code, currency from statements where matched_at is null
           union
           select b.bank_code, b.currency from reconciled_banks b
            where (b.moved_kobo, b.last_change_id)
                    is distinct from (${MOVED}, (select max(id) from difference_changes))
              and exists (select from differences d
                           where d.bank_code = b.bank_code and d.currency = b.currency
                             and d.state in ('open', 'asked') and d.statement_id is null)
           union
           select bank_code, currency from reconciled_banks
            where date_trunc('hour', seen_until) <> date_trunc('hour', $1::timestamptz)
           order by 1, 2`,
    values: [now],
  })
  return rows
}

// Stores how far the run got, and marks its new statements as matched. Items posted after the last covered
// day wait for the next statement, so `items_until` never passes the end of that day.
export async function endRun(tx: Transaction, run: Run): Promise<void> {
  const { bankCode, currency, now, fromDay, toDay } = run
  const lastDayEnd = dayEnd(toDay)
  await tx.query(
    `update reconciled_banks
        set from_day = $3, to_day = $4, items_until = $5, seen_until = $6, moved_kobo = $7,
            last_change_id = (select max(id) from difference_changes)
      where bank_code = $1 and currency = $2`,
    [bankCode, currency, fromDay, toDay, now < lastDayEnd ? now : lastDayEnd, now, run.movedKobo],
  )
  if (run.newStatements.length === 0) return
  await tx.query('update statements set matched_at = $2 where id = any ($1)', [
    run.newStatements,
    now,
  ])
}
