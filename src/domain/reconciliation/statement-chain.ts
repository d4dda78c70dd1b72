// Orders a bank's statements. They come in any order and may overlap: a part of a month may come after
// the whole month. So each opening balance is compared with the sum of the lines booked before its first
// day. The opening balance is `ahead` of that sum by the balance before all lines, which is the same for
// all statements.
//
// A statement of a part of a day opens with the closing balance of another part. A statement with a line
// that is dated back starts on the day of that line, but opens with the closing balance of a later day.
// Both `follow` the other statement, and their opening balance is not that of their first day.
//
// A statement never follows one that ends on a later day or, on the same day, has a higher number. If
// parts of a day go round (0 to 100, 100 to 50, 50 to 0), each opens with the closing balance of another,
// and one of them starts the day.

import type { Transaction } from '#db/transaction.ts'
import { byHashing } from './open-sets.ts'
import { type BankAccount, type Run, STATEMENT_ORDER } from './reconciled-banks.ts'

const SEQUENCE_MAX = '9223372036854775807'

// For the account $1 and $2. The first of the chain is the first that follows none. `ahead_after`: how
// far the closing balance is ahead of the lines up to the last day. Sums are computed once, in day order.
//
// Balances may stay the same for years, if the account is swept. So the parts of one day are sorted
// instead of joined (`parts`), and earlier days are joined one by one (`dated_back`), up to the first day
// that the file names. Joined by balance only, 10,000 parts of days took half a minute; now they take 0.3
// s.
//
// If parts go round, the first one that is as far ahead as a statement of another day starts the
// day.
const CHAIN = `
  with marks as (
    select id, from_day as day, 0 as moment, 0 as kobo
      from statements where bank_code = $1 and currency = $2
    union all
    select null, day, 1, lines_kobo
      from reconciled_days where bank_code = $1 and currency = $2
    union all
    select id, to_day, 2, 0 from statements where bank_code = $1 and currency = $2
  ), sums as (
    select id, min(kobo) filter (where moment = 0) as before,
           min(kobo) filter (where moment = 2) as after
      from (select id, moment, sum(kobo) over (order by day, moment) as kobo from marks) as m
     where id is not null group by id
  ), opened as materialized (
    select s.id, s.from_day, s.to_day, coalesce(s.covers_from, s.from_day) as covers_from,
           s.sequence, s.has_balances, s.opening_kobo as opening, s.closing_kobo as closing,
           least(s.to_day - 1, s.covers_from) as opens_by,
           s.opening_kobo - m.before as ahead, s.closing_kobo - m.after as ahead_after
      from statements s join sums m using (id)
     where s.bank_code = $1 and s.currency = $2
  ), balances as (
    select id, to_day, closing as balance, ahead, coalesce(sequence, -1) as number, false as opens
      from opened
    union all
    select id, to_day, opening, ahead, coalesce(sequence, ${SEQUENCE_MAX}), true from opened
  ), parts as (
    select id
      from (select id, opens, ahead, min(ahead) filter (where not opens) over w as least,
                   max(ahead) filter (where not opens) over w as most
              from balances window w as (partition by to_day, balance order by number)) as b
     where opens and (least <> ahead or most <> ahead)
  ), dated_back as (
    select distinct o.id
      from (select id, opening, closing, ahead,
                   from_day + generate_series(0, opens_by - from_day) as day from opened) as o
      join (select to_day as day, opening, closing, min(ahead) as least, max(ahead) as most
              from opened group by 1, 2, 3) as g
        on g.day = o.day and g.closing = o.opening and g.opening <> o.closing
       and (g.least <> o.ahead or g.most <> o.ahead)
  ), marked as (
    select o.*, p.id is not null as is_part, b.id is not null as is_dated_back,
           min(o.to_day) over a < max(o.to_day) over a as is_confirmed
      from opened o left join parts p using (id) left join dated_back b using (id)
    window a as (partition by o.ahead)
  ), ordered as (
    select *, bool_and(is_part and not is_dated_back) over (partition by to_day) as goes_round,
           row_number() over (partition by to_day
                              order by not is_confirmed, ${STATEMENT_ORDER}) as place
      from marked
  ), followed as (
    select *, (is_part or is_dated_back) and not (goes_round and place = 1) as follows from ordered
  )
  select id, from_day, to_day, covers_from, sequence, has_balances, opening, closing, ahead,
         ahead_after, follows, row_number() over (order by follows, ${STATEMENT_ORDER}) = 1 as is_first
    from followed`

// By hashing: new statements are not in the planner's statistics, and nested loops took half a minute for
// ten years of days.
export async function loadChain(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await byHashing(tx, () => tx.query(`insert into chain ${CHAIN}`, [bankCode, currency]))
  await tx.query('analyze chain')
}

// The first day that statements cover. Their lines must be counted.
export async function findFirstDay(
  tx: Transaction,
  { bankCode, currency }: BankAccount,
): Promise<string> {
  const { rows } = await byHashing(tx, () =>
    tx.query<{ day: string }>(
      `select min(covers_from)::text as day from (${CHAIN}) as c where not follows or is_first`,
      [bankCode, currency],
    ),
  )
  return (rows[0] as { day: string }).day
}
