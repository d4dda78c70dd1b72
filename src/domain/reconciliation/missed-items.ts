// Finds items that matching missed: posted on a day that was already matched, by a slow transaction or a
// clock that was behind. No time window covers all of them, so this compares balances: the ledger's
// balance at the end of a day must equal the sum that matching knows.

import type { Transaction } from '#db/transaction.ts'
import type { Kobo } from '#money.ts'
import { watDay } from '#wat-time.ts'
import { readLedgerBalance } from './ledger-balance.ts'
import { type BankAccount, dayBefore } from './reconciled-banks.ts'

type MatchedDays = { fromDay: string; toDay: string; seenUntil: Date }

// The day from which items must be read again; the day before `fromDay` if even the balance before the
// first statement differs. The caller holds the matching of the bank.
export async function findMissedDay(
  tx: Transaction,
  account: BankAccount,
  { fromDay, toDay, seenUntil }: MatchedDays,
): Promise<string | undefined> {
  const before = dayBefore(fromDay)
  const over = dayBefore(watDay(seenUntil))
  let day = over < toDay ? over : toDay
  if (day < fromDay) return undefined
  let missed: string | undefined
  for (let step = 1; day > before; step *= 2) {
    if (await isComplete(tx, account, day)) return missed
    const earlier = daysBefore(day, step)
    day = earlier > before ? earlier : before
    missed = dayAfter(day)
  }
  return (await isComplete(tx, account, before)) ? missed : before
}

// The sum of the starting balance, the matched items since, and the unmatched ones.
async function isComplete(tx: Transaction, account: BankAccount, day: string): Promise<boolean> {
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
