// Checks that a bank's statements follow one another. A missing number is a `sequence_gap`. An opening
// balance that differs from the previous closing balance is a `balance_gap`, and so is the opening
// balance of the first statement, as far as the books did not have it.
//
// Items from before the first statement that one of its lines matches were in transit, and are not part
// of that gap.

import type { Transaction } from '#db/transaction.ts'
import { clearDifferences, openDifferences } from './find-differences.ts'
import { readLedgerBalance } from './ledger-balance.ts'
import { dayBefore, type Run } from './reconciled-banks.ts'
import { loadChain } from './statement-chain.ts'

// Returns the number of new gaps.
export async function findGaps(tx: Transaction, run: Run): Promise<number> {
  if (run.isFirst) await storeBalance(tx, run)
  await loadChain(tx, run)
  await storeFirst(tx, run)
  await tx.query(INSERT_GAPS, [run.bankCode, run.currency, run.fromDay])
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
  await tx.query(
    `update differences d set day = g.day from gaps g
      where d.statement_id = g.statement_id and d.kind = g.kind and d.state <> 'cleared'
        and d.day <> g.day`,
  )
  const { rowCount } = await tx.query(
    openDifferences(`candidates as (
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

async function storeBalance(tx: Transaction, run: Run): Promise<void> {
  const booksKobo = await readLedgerBalance(tx, run, dayBefore(run.fromDay))
  await tx.query(
    'update reconciled_banks set books_kobo = $3 where bank_code = $1 and currency = $2',
    [run.bankCode, run.currency, booksKobo],
  )
}

// The balance before all lines, by the first statement.
async function storeFirst(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await tx.query(
    `update reconciled_banks b set first_id = f.id, opening_kobo = f.ahead
       from chain f where f.is_first and b.bank_code = $1 and b.currency = $2`,
    [bankCode, currency],
  )
}

// A lateral look-up in the index: otherwise PostgreSQL may read the lines of all banks.
const hasLine = (statementId: string, day: string) => `cross join lateral (
  select from statement_lines l
   where l.statement_id = ${statementId} and l.booked_on = ${day} limit 1) as l`

// Compares each opening balance with the previous one, by how far they are ahead of the lines. The first
// is compared with the books, also if its file has no balances: then it opens with zero, and the books'
// balance is its gap. For a statement that follows another, the closing balance is compared instead,
// unless other statements have lines of its last day too: then nobody can tell which of them that balance
// includes.
//
// A line that is dated back makes a gap from its day to the day of its statement, because earlier
// statements did not have it. So if an opening balance equals the previous closing balance, its gap
// starts on that day.
const INSERT_GAPS = `
  with closings as (
    select distinct to_day as day, closing from chain where follows
  ), last_days as (
    select n.to_day as day, min(n.id) as least, max(n.id) as most
      from chain n ${hasLine('n.id', 'n.to_day')}
     where n.to_day in (select day from closings)
     group by n.to_day
  ), continuing as materialized (
    select n.id, c.day, c.closing
      from (select id, opening, from_day + generate_series(0, to_day - from_day - 1) as day
              from chain) as n
      join closings c on c.day = n.day and c.closing = n.opening
  ), continued as (
    select distinct c.day, c.closing from continuing c ${hasLine('c.id', 'c.day')}
  ), unclear as (
    select o.id
      from chain o
      left join last_days d on d.day = o.to_day
      left join continued c on c.day = o.to_day and c.closing = o.closing
     where d.least <> o.id or d.most <> o.id or c.day is not null
  ), balances as (
    select id, opening, closing, to_day, sequence, ahead, from_day as day, 0 as moment
      from chain where is_first or has_balances and not follows
    union all
    select id, opening, closing, to_day, sequence, ahead_after, to_day, 1
      from chain left join unclear u using (id)
     where follows and not is_first and has_balances and u.id is null
  ), steps as (
    select *, lag(ahead) over w as ahead_before, lag(closing) over w as closing_before,
           lag(to_day) over w as day_before
      from balances
    window w as (order by day, moment, to_day, sequence nulls first, id)
  ), numbered as (
    select id, covers_from, sequence,
           lag(sequence) over (order by to_day, sequence, id) as sequence_before
      from chain where sequence is not null
  )
  insert into gaps
  select id, 'balance_gap', ahead - ahead_before,
         case when moment = 0 and closing_before = opening and day_before < day then day_before
              else day end
    from steps where ahead <> ahead_before
  union all
  select f.id, 'balance_gap', f.ahead - b.kobo, $3::date
    from chain f
   cross join lateral (
     select b.books_kobo - coalesce((select sum(d.matched_items_kobo) from reconciled_days d
              where d.bank_code = $1 and d.currency = $2 and d.day < $3::date), 0) as kobo
       from reconciled_banks b where b.bank_code = $1 and b.currency = $2) as b
   where f.is_first and f.ahead <> b.kobo
  union all
  select id, 'sequence_gap', 0, covers_from from numbered where sequence > sequence_before + 1`
