// How a bank's statements follow one another. They come in any order, and may overlap: part of a month
// may follow the whole of it. So each opening balance is held against the lines booked before its first
// day; what it is `ahead` of them is the balance before all lines, and the same for all statements.
//
// A statement of part of a day opens with what another one of that day closed with. One with a line that
// is dated back begins on the day of that line, but opens with what one of a later day closed with. Both
// `follow` that one, and their opening balance is not that of their first day.
//
// None follows one that ends on a later day or, on the same day, has a higher number. Where parts of a day
// go round (0 to 100, 100 to 50, 50 to 0), each opens with what another closed with: one begins the day.

import type { Transaction } from '#db/transaction.ts'
import { byHashing } from './open-sets.ts'
import { type BankAccount, type Run, STATEMENT_ORDER } from './reconciled-banks.ts'

const SEQUENCE_MAX = '9223372036854775807'

// Of the account $1 and $2. The first of the chain is the first that follows none. `ahead_after` is what
// the closing balance is ahead of the lines up to the last day. Sums are made once, in the order of days.
//
// Balances may be the same for years, if the account is swept. So those of one day are sorted rather than
// joined (`parts`), and days before it are joined one by one (`dated_back`), up to the one that a file
// names as its first: joined by balance only, 10,000 parts of days took half a minute, and now 0.3 s.
//
// Of parts that go round, one that is as far ahead as a statement of another day begins the day, the first
// in order of such.
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
  ), found as (
    select o.*, p.id is not null as is_part, b.id is not null as is_dated_back,
           min(o.to_day) over a < max(o.to_day) over a as is_confirmed
      from opened o left join parts p using (id) left join dated_back b using (id)
    window a as (partition by o.ahead)
  ), ordered as (
    select *, bool_and(is_part and not is_dated_back) over (partition by to_day) as goes_round,
           row_number() over (partition by to_day
                              order by not is_confirmed, ${STATEMENT_ORDER}) as place
      from found
  ), followed as (
    select *, (is_part or is_dated_back) and not (goes_round and place = 1) as follows from ordered
  )
  select id, from_day, to_day, covers_from, sequence, has_balances, opening, closing, ahead,
         ahead_after, follows, row_number() over (order by follows, ${STATEMENT_ORDER}) = 1 as is_first
    from followed`

// By hashing: what is new is new to the planner, and loops took half a minute for ten years of days.
export async function loadChain(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await byHashing(tx, () => tx.query(`insert into chain ${CHAIN}`, [bankCode, currency]))
  await tx.query('analyze chain')
}

// The first day that statements cover. Needs their lines to be counted.
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
