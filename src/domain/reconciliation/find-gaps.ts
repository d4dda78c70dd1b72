// Whether a bank's statements follow one another. A number left out is a `sequence_gap`; an opening
// balance that is not the closing one before is a `balance_gap`, and so is the balance that the first
// statement begins with, as far as the books did not have it.
//
// Items of the days before the first statement that one of its lines is for were on their way: they
// are no part of that gap.

import type { Transaction } from '#db/transaction.ts'
import { clearDifferences, openDifferences } from './find-differences.ts'
import { readLedgerBalance } from './ledger-balance.ts'
import { dayBefore, type Run, STATEMENT_ORDER } from './reconciled-banks.ts'

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

// Statements come in any order, and may overlap: part of a month may follow the whole of it. So each
// opening balance is held against the lines booked before its first day, and what it is `ahead` of
// them, against what the one before was. The first is held against the books, also if its file has
// no balances: then it opens with nothing, and what the books had is its gap.
//
// A statement of part of a day opens with what another one of that day closed with.
const GAPS = `
  with opened as (
    select s.*,
           s.opening_kobo - coalesce((
             select sum(d.lines_kobo) from reconciled_days d
              where d.bank_code = $1 and d.currency = $2 and d.day < s.from_day), 0) as ahead,
           row_number() over w as place
      from statements s where bank_code = $1 and currency = $2
    window w as (order by ${STATEMENT_ORDER})
  ), whole as (
    select o.*, lag(ahead) over w as ahead_before from opened o
     where place = 1 or has_balances and not exists (
       select from statements g
        where g.bank_code = $1 and g.currency = $2 and g.id <> o.id
          and g.closing_kobo = o.opening_kobo and g.opening_kobo <> g.closing_kobo
          and g.opening_kobo <> o.closing_kobo
          and o.from_day between g.from_day and g.to_day)
    window w as (order by place)
  ), numbered as (
    select id, from_day, sequence, lag(sequence) over w as sequence_before from opened
     where sequence is not null
    window w as (order by place)
  )
  select id, 'balance_gap', ahead - ahead_before, from_day
    from whole where ahead <> ahead_before
  union all
  select f.id, 'balance_gap', f.opening_kobo - b.kobo, f.from_day
    from whole f
   cross join lateral (
     select b.books_kobo - coalesce((select sum(d.matched_items_kobo) from reconciled_days d
              where d.bank_code = $1 and d.currency = $2 and d.day < f.from_day), 0) as kobo
       from reconciled_banks b where b.bank_code = $1 and b.currency = $2) as b
   where f.place = 1 and f.opening_kobo <> b.kobo
  union all
  select id, 'sequence_gap', 0, from_day from numbered where sequence > sequence_before + 1`
