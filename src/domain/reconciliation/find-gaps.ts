// Whether a bank's statements follow one another. A number left out is a `sequence_gap`; an opening
// balance that is not the closing one before is a `balance_gap`, and so is the balance that the first
// statement begins with, as far as the books did not have it.
//
// Items of the days before the first statement that one of its lines is for were on their way: they
// are no part of that gap.

import type { Transaction } from '#db/transaction.ts'
import { clearDifferences, openDifferences } from './find-differences.ts'
import { readLedgerBalance } from './ledger-balance.ts'
import { dayBefore, type Run } from './reconciled-banks.ts'

// How many were found.
export async function findGaps(tx: Transaction, run: Run): Promise<number> {
  if (run.isFirst) await rememberBalance(tx, run)
  await tx.query(`insert into gaps ${GAPS}`, [run.bankCode, run.currency])
  await tx.query(
    clearDifferences(`
      select d.id from differences d
       where d.bank_code = $2 and d.currency = $3 and d.state <> 'cleared'
         and d.statement_id is not null
         and not exists (select from gaps g
                          where g.statement_id = d.statement_id and g.kind = d.kind
                            and g.amount = d.amount_kobo)`),
    [run.now, run.bankCode, run.currency],
  )
  const { rowCount } = await tx.query(
    openDifferences(`found as (
      select g.day, g.kind, g.amount, null::bigint as line_id, null::text as item_kind,
             null::bigint as item_id, g.statement_id
        from gaps g
       where not exists (select from differences d
                          where d.statement_id = g.statement_id and d.kind = g.kind
                            and d.state <> 'cleared'))`),
    [run.bankCode, run.currency, run.now],
  )
  return rowCount ?? 0
}

async function rememberBalance(tx: Transaction, run: Run): Promise<void> {
  const booksKobo = await readLedgerBalance(tx, run, dayBefore(run.fromDay))
  await tx.query(
    'update reconciled_banks set books_kobo = $3 where bank_code = $1 and currency = $2',
    [run.bankCode, run.currency, booksKobo],
  )
}

// Statements may overlap: then the opening balance is that of its first day, and what was booked since
// stands in the one before.
const GAPS = `
  with followed as (
    select s.*, lag(closing_kobo) over w as closing_before, lag(sequence) over w as sequence_before,
           lag(to_day) over w as day_before, row_number() over w as place
      from statements s where bank_code = $1 and currency = $2
    window w as (order by from_day, to_day, id)
  ), opened as (
    select f.*, case when place = 1 then
             (select b.books_kobo - coalesce((select sum(d.matched_items_kobo) from reconciled_days d
                where d.bank_code = $1 and d.currency = $2 and d.day < f.from_day), 0)
                from reconciled_banks b where b.bank_code = $1 and b.currency = $2)
           when opening_kobo = closing_before or day_before < from_day then closing_before
           else closing_before - coalesce((
             select sum(l.amount_kobo) from statement_lines l
              where l.bank_code = $1 and l.currency = $2 and l.statement_id <> f.id
                and l.booked_on >= f.from_day and l.statement_id < f.id), 0) end as expected
      from followed f
  )
  select id, 'balance_gap', opening_kobo - expected, from_day
    from opened where has_balances and opening_kobo <> expected
  union all
  select id, 'sequence_gap', 0, from_day from opened where sequence > sequence_before + 1`
