// Checks of reconciliation (I63, I65, I67, I110, I111) and accounting (I68, I69, I116, I121), on live data.

import type { Check } from '#ledger/checks.ts'

export const RECONCILIATION_CHECKS: readonly Check[] = [
  {
    // I63. The balance of a bank's ledger account equals the sum of its items.
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
    // I65. Once a statement was matched with the books, the full amount of each of its lines is either
    // matched with items or in differences.
    name: 'lines_are_matched_or_differ',
    sql: `
      with pairs as (
        select line_id, sum(amount_kobo) as kobo from statement_matches where line_id > 0 group by 1
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
    // I65. The matches of a bank item do not exceed its amount, and the unmatched amount is its difference.
    // On a day without a statement, an item has no difference.
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
    // I65. The bank items of a day that statements cover are matched or in differences. Checks only days that
    // had been over for an hour when they were last matched, because items may be posted late.
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
    // I67. A transfer that was booked from a statement line is matched with that line, with the amount that
    // it changed the bank's account by. An adjusting entry for an item or a gap has no line: its match has
    // the line id 0, which stands for no line.
    name: 'bookings_are_matched_to_their_lines',
    sql: `
      with booked as (
        select t.id, case when d.action = 'adjust' then coalesce(d.line_id, 0) else d.line_id end
                       as line_id, i.amount_kobo as kobo
          from transfers t
          left join differences d on d.id = t.difference_id and d.action in ('book', 'adjust')
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
  {
    // I110, I111. An approved adjusting entry has the amount of its difference, one transfer, and two
    // different people who requested and approved it. It offsets the bank item that the difference is about.
    name: 'adjusting_entries_are_their_differences',
    sql: `
      select 'adjusting entry ' || e.reference as subject,
             format('%s cleared by two people', d.amount_kobo) as expected,
             format('%s posted as %s, offset by %s, difference %s', e.amount_kobo,
                    coalesce(i.amount_kobo::text, 'nothing'), coalesce(o.amount_kobo::text, 'nothing'),
                    d.state) as found
        from adjusting_entries e
        join differences d on d.id = e.difference_id
        left join transfers t on t.difference_id = d.id and t.reason = 'adjusting_entry'
        left join bank_items i on i.kind = 'booked' and i.id = t.id
        left join statement_matches o
          on o.item_kind = d.item_kind and o.item_id = d.item_id and o.line_id = 0
       where e.state = 'approved'
         and (e.amount_kobo <> d.amount_kobo or i.amount_kobo is distinct from e.amount_kobo
              or d.item_id is not null and o.amount_kobo is distinct from -e.amount_kobo
              or d.state <> 'cleared' or d.action <> 'adjust'
              or e.requested_by_user is not distinct from e.decided_by_user)
       order by e.id`,
  },
]

export const ACCOUNTING_CHECKS: readonly Check[] = [
  {
    // I68. The journal of a closed day has the sums of its transfers. Finds wrong sums, and transfers that
    // were posted after the day was closed.
    name: 'journals_are_their_transfers',
    sql: `
      with closed as (
        select day, ends_at, transfers from closed_days where completed_at is not null
      ), posted as (
        select (posted_at at time zone interval '1 hour')::date as day,
               count(*) as transfers, sum(amount_kobo) as kobo
          from transfers
         where posted_at >= (select min(ends_at) - interval '1 day' from closed)
           and posted_at < (select max(ends_at) from closed)
         group by 1
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
    // I69. The balances at the end of a closed day are those of the previous day plus the journal.
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
  {
    // I121. The files of a closed month have the hashes that its signed manifest states.
    name: 'packs_are_as_signed',
    sql: `
      with signed as (
        select c.id, f ->> 'name' as name, f ->> 'sha256' as hash
          from closed_months c cross join json_array_elements(c.manifest::json -> 'files') as f
      ), stored as (
        select closing_id as id, name, encode(sha256(convert_to(content, 'UTF8')), 'hex') as hash
          from closed_month_files
      )
      select format('month %s, version %s, %s', to_char(c.month, 'YYYY-MM'), c.version, name) as subject,
             coalesce(s.hash, 'no such file') as expected,
             coalesce(t.hash, 'no such file') as found
        from signed s full join stored t using (id, name) join closed_months c using (id)
       where s.hash is distinct from t.hash
       order by 1`,
  },
  {
    // I116. VAT invoices have the fees and VAT that were charged in their month. Credit notes have the fees
    // and VAT that were returned in it.
    name: 'vat_documents_are_their_fees',
    sql: `
      with accounts as (
        select id, kind, substr(owner, length('operator:') + 1)::bigint as client_id, currency
          from ledger_accounts where kind in ('fee_income', 'vat_payable')
      ), moved as (
        select s.document, a.kind, a.client_id, a.currency, s.month, sum(s.kobo) as kobo
          from (select 'invoice' as document, credit_account_id as id, amount_kobo as kobo,
                       date_trunc('month', posted_at at time zone interval '1 hour')::date as month
                  from transfers where exists (select from vat_documents)
                union all
                select 'credit_note', debit_account_id, amount_kobo,
                       date_trunc('month', posted_at at time zone interval '1 hour')::date
                  from transfers where exists (select from vat_documents)) as s
          join accounts a on a.id = s.id
         group by 1, 2, 3, 4, 5
      ), sums as (
        select document, client_id, currency, month,
               coalesce(sum(kobo) filter (where kind = 'fee_income'), 0) as fees,
               coalesce(sum(kobo) filter (where kind = 'vat_payable'), 0) as vat
          from moved group by 1, 2, 3, 4
      )
      select format('%s %s', d.kind, d.number) as subject,
             format('fees %s, VAT %s', coalesce(s.fees, 0), coalesce(s.vat, 0)) as expected,
             format('fees %s, VAT %s', d.fees_kobo, d.vat_kobo) as found
        from vat_documents d
        left join sums s on (s.document, s.client_id, s.currency, s.month) =
                            (d.kind, d.client_id, d.currency, d.month)
       where (d.fees_kobo, d.vat_kobo) is distinct from (coalesce(s.fees, 0), coalesce(s.vat, 0))
       order by 1`,
  },
]
