// I63, I65 and I67 on live data: the balance of a bank's ledger account equals the sum of its items;
// lines and items are matched or are in differences; and a booking from a line is matched to that line.

import type { Check } from '#ledger/ledger-checks.ts'

export const RECONCILIATION_CHECKS: readonly Check[] = [
  {
    name: 'bank_items_are_the_balance',
    sql: `
      with items as (
        select bank_code, currency, sum(amount_kobo) as kobo from bank_items group by 1, 2
      ), balances as (
        select substr(owner, 6) as bank_code, currency, debits_kobo - credits_kobo as kobo
          from ledger_accounts where kind = 'bank'
      )
      select format('bank %s, %s', coalesce(i.bank_code, b.bank_code),
                    coalesce(i.currency, b.currency)) as subject,
             format('balance %s', coalesce(i.kobo, 0)) as expected,
             format('balance %s', coalesce(b.kobo, 0)) as found
        from items i full join balances b using (bank_code, currency)
       where coalesce(i.kobo, 0) <> coalesce(b.kobo, 0)
       order by 1`,
  },
  {
    // I65. Statements that have been matched.
    name: 'lines_are_matched_or_differ',
    sql: `
      with pairs as (
        select line_id, sum(amount_kobo) as kobo from statement_matches group by 1
      ), standing as (
        select line_id, sum(amount_kobo) as kobo from differences
         where line_id is not null and state <> 'cleared' group by 1
      ), lines as (
        select l.id, l.amount_kobo as kobo from statement_lines l
          join statements s on s.id = l.statement_id
         where s.matched_at is not null
      )
      select 'line ' || coalesce(l.id, p.line_id, d.line_id) as subject,
             coalesce(l.kobo::text, 'no such line') as expected,
             format('matched %s, differs by %s', coalesce(p.kobo, 0), coalesce(d.kobo, 0)) as found
        from lines l full join pairs p on p.line_id = l.id
        full join standing d on d.line_id = coalesce(l.id, p.line_id)
       where l.kobo is distinct from coalesce(p.kobo, 0) + coalesce(d.kobo, 0)
       order by coalesce(l.id, p.line_id, d.line_id)`,
  },
  {
    // I65. An item is not matched beyond its amount. The unmatched rest equals its difference, if
    // it has one: a day without a statement has none.
    name: 'items_are_matched_or_differ',
    sql: `
      with pairs as (
        select item_kind as kind, item_id as id, min(bank_code) as bank_code,
               min(currency) as currency, sum(amount_kobo) as kobo
          from statement_matches group by 1, 2
      ), standing as (
        select item_kind as kind, item_id as id, amount_kobo as kobo from differences
         where item_id is not null and state <> 'cleared'
      ), tally as (
        select kind, id, p.bank_code, p.currency, coalesce(p.kobo, 0) as matched, d.kobo as differs
          from pairs p full join standing d using (kind, id)
      )
      select concat_ws(' ', t.kind, t.id) as subject,
             case when i.id is null then 'no such item'
                  else format('%s at bank %s', i.amount_kobo, i.bank_code) end as expected,
             format('matched %s at bank %s, differs by %s', t.matched, t.bank_code,
                    coalesce(t.differs::text, 'nothing')) as found
        from tally t left join bank_items i on i.kind = t.kind and i.id = t.id
       where i.id is null
          or (t.bank_code, t.currency) <> (i.bank_code, i.currency)
          or t.matched * sign(i.amount_kobo) not between 0 and abs(i.amount_kobo)
          or t.differs <> t.matched - i.amount_kobo
       order by 1`,
  },
  {
    // I65. Days that had been over for an hour when they were last matched.
    name: 'covered_items_are_matched_or_differ',
    sql: `
      with covered as (
        select bank_code, currency, from_day, to_day from reconciled_banks
         where seen_until > ((to_day + 1)::timestamp at time zone 'Africa/Lagos') + interval '1 hour'
      ), items as (
        select i.bank_code, i.currency, (i.posted_at at time zone 'Africa/Lagos')::date as day,
               sum(i.amount_kobo) as kobo
          from bank_items i group by 1, 2, 3
      ), standing as (
        select bank_code, currency, day, sum(amount_kobo) as kobo from differences
         where item_id is not null and state <> 'cleared' group by 1, 2, 3
      )
      select format('bank %s, %s, %s', c.bank_code, c.currency, g.day::date) as subject,
             format('items of %s', coalesce(i.kobo, 0)) as expected,
             format('matched %s, differ by %s', coalesce(m.matched_items_kobo, 0),
                    coalesce(d.kobo, 0)) as found
        from covered c
       cross join lateral generate_series(c.from_day, c.to_day, interval '1 day') as g (day)
        left join items i on (i.bank_code, i.currency, i.day) = (c.bank_code, c.currency, g.day)
        left join reconciled_days m
          on (m.bank_code, m.currency, m.day) = (c.bank_code, c.currency, g.day)
        left join standing d on (d.bank_code, d.currency, d.day) = (c.bank_code, c.currency, g.day)
       where coalesce(i.kobo, 0) <> coalesce(m.matched_items_kobo, 0) - coalesce(d.kobo, 0)
       order by 1`,
  },
  {
    // I65. Recomputes the sums of the daily proof from lines and matches.
    name: 'reconciled_days_add_up',
    sql: `
      with counted as (
        select bank_code, currency, day, sum(lines) as lines, sum(of_lines) as of_lines,
               sum(of_items) as of_items
          from (select l.bank_code, l.currency, l.booked_on as day, l.amount_kobo as lines,
                       0 as of_lines, 0 as of_items
                  from statement_lines l
                  join statements s on s.id = l.statement_id
                 where s.matched_at is not null
                union all
                select bank_code, currency, line_day, 0, amount_kobo, 0 from statement_matches
                union all
                select bank_code, currency, item_day, 0, 0, amount_kobo from statement_matches)
               as each_day
         group by 1, 2, 3
      )
      select format('bank %s, %s, %s', bank_code, currency, day) as subject,
             format('lines %s, matched %s and %s', coalesce(c.lines, 0), coalesce(c.of_lines, 0),
                    coalesce(c.of_items, 0)) as expected,
             format('lines %s, matched %s and %s', coalesce(r.lines_kobo, 0),
                    coalesce(r.matched_lines_kobo, 0), coalesce(r.matched_items_kobo, 0)) as found
        from counted c full join reconciled_days r using (bank_code, currency, day)
       where (coalesce(c.lines, 0), coalesce(c.of_lines, 0), coalesce(c.of_items, 0))
          <> (coalesce(r.lines_kobo, 0), coalesce(r.matched_lines_kobo, 0),
              coalesce(r.matched_items_kobo, 0))
       order by 1`,
  },
  {
    // I67. A cost and a refund of it alike, signed by the side of the bank's account.
    name: 'bookings_are_matched_to_their_lines',
    sql: `
      with booked as (
        select t.id, d.line_id, i.amount_kobo as kobo
          from transfers t
          left join differences d on d.id = t.difference_id and d.action = 'book'
          left join bank_items i on i.kind = 'booked' and i.id = t.id
         where t.difference_id is not null
      ), pairs as (
        select item_id as id, line_id, amount_kobo as kobo from statement_matches
         where item_kind = 'booked'
      )
      select 'transfer ' || coalesce(b.id, p.id) as subject,
             case when b.id is null then 'no such transfer'
                  else format('%s for line %s', b.kobo, b.line_id) end as expected,
             case when p.id is null then 'not matched'
                  else format('%s for line %s', p.kobo, p.line_id) end as found
        from booked b full join pairs p on p.id = b.id
       where (b.line_id, b.kobo) is distinct from (p.line_id, p.kobo)
          or b.line_id is null or b.kobo is null
       order by coalesce(b.id, p.id)`,
  },
]
