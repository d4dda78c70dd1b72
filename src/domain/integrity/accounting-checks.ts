// I68 and I69 on live data: the journal of a closed day equals its transfers, and the balances at
// its end follow from it.

import type { Check } from '#ledger/ledger-checks.ts'

export const ACCOUNTING_CHECKS: readonly Check[] = [
  {
    // Compares both sides by day: finds later postings and wrong sums.
    name: 'journals_are_their_transfers',
    sql: `
      with closed as (
        select day, ends_at, transfers from closed_days where completed_at is not null
      ), posted as (
        select day, sum(transfers) as transfers, sum(kobo) as kobo
          from (select (posted_at at time zone interval '1 hour')::date as day,
                       count(*) as transfers, sum(amount_kobo) as kobo
                  from transfers
                 where posted_at >= (select min(ends_at) - interval '1 day' from closed)
                   and posted_at < (select max(ends_at) from closed) and archive_id is null
                 group by 1
                union all
                select day, transfers, amount_kobo from archived_days) as parts
         group by day
      ), journals as (
        select day, sum(debit_kobo) as debit, sum(credit_kobo) as credit
          from closed_day_lines group by day
      )
      select 'day ' || c.day as subject,
             format('%s transfers, debit %s, credit %s', coalesce(p.transfers, 0),
                    coalesce(p.kobo, 0), coalesce(p.kobo, 0)) as expected,
             format('%s transfers, debit %s, credit %s', c.transfers, coalesce(k.debit, 0),
                    coalesce(k.credit, 0)) as found
        from closed c left join posted p on p.day = c.day left join journals k on k.day = c.day
       where (c.transfers, coalesce(k.debit, 0), coalesce(k.credit, 0))
             is distinct from (coalesce(p.transfers, 0), coalesce(p.kobo, 0), coalesce(p.kobo, 0))
       order by c.day`,
  },
  {
    name: 'closed_balances_follow_from_journals',
    sql: `
      with moved as (
        select day, kind, currency, sum(debit_kobo) as debits, sum(credit_kobo) as credits
          from closed_day_lines group by 1, 2, 3
      ), expected as (
        select day, kind, currency, sum(debits) as debits, sum(credits) as credits
          from (select day, kind, currency, debits, credits from moved
                union all
                select d.day, b.kind, b.currency, b.debits_kobo, b.credits_kobo
                  from closed_days d join closed_day_balances b on b.day = d.previous) as parts
         group by 1, 2, 3
      )
      select format('day %s, %s %s', day, kind, currency) as subject,
             format('debits %s, credits %s', coalesce(e.debits, 0), coalesce(e.credits, 0))
               as expected,
             format('debits %s, credits %s', coalesce(b.debits_kobo, 0),
                    coalesce(b.credits_kobo, 0)) as found
        from (select e.* from expected e join closed_days d using (day)
               where d.previous is not null and d.completed_at is not null) as e
        full join (select b.* from closed_day_balances b join closed_days d using (day)
                    where d.previous is not null) as b using (day, kind, currency)
       where (coalesce(e.debits, 0), coalesce(e.credits, 0))
             is distinct from (coalesce(b.debits_kobo, 0), coalesce(b.credits_kobo, 0))
       order by 1`,
  },
]
