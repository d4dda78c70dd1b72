// I51 and I52 on live data: settlements contain every covered credit once, and the ledger has the
// amounts they took.

import type { Check } from '#ledger/ledger-checks.ts'

// Reasons of transfers that bring a credit's money to a client's account.
const BRINGS = `('credit', 'settle', 'assign')`

export const SETTLEMENT_CHECKS: readonly Check[] = [
  {
    // I51. Every credit up to a client's last settlement is in the lines of its settlements, once
    // per account and with the full amount. Archived credits are skipped: their transfers no longer
    // exist individually.
    name: 'credits_are_settled_once',
    sql: `
      with last as (
        select distinct on (client_id, currency) client_id, currency, to_id, cut_off
          from settlements where status <> 'cancelled'
         order by client_id, currency, id desc
      ), brought as (
        select t.credit_id, t.credit_account_id as account_id, sum(t.amount_kobo) as kobo
          from last l
          join settlement_accounts a
            on a.client_id = l.client_id and a.currency = l.currency and a.subaccount_id is null
          join transfers t
            on t.credit_account_id = a.account_id and t.id <= l.to_id and t.posted_at < l.cut_off
         where t.credit_id is not null and t.archive_id is null and t.reason in ${BRINGS}
         group by 1, 2
      ), settled as (
        select credit_id, account_id, sum(gross_kobo) as kobo
          from settlement_lines l
         where kind = 'credit' and gross_kobo <> 0 and credit_id is not null
           and not exists (select from archived_credits a where a.id = l.credit_id)
         group by 1, 2
      )
      select 'credit ' || coalesce(b.credit_id, s.credit_id) as subject,
             coalesce(b.kobo, 0)::text as expected, coalesce(s.kobo, 0)::text as found
        from brought b full join settled s using (credit_id, account_id)
       where b.kobo is distinct from s.kobo
       order by 1`,
  },
  {
    // I52.
    name: 'settlements_are_their_lines',
    sql: `
      with summed as (
        select settlement_id, count(*) as lines, sum(gross_kobo) as gross, sum(fee_kobo) as fees,
               sum(vat_kobo) as vat, sum(reversed_kobo) as reversed, sum(net_kobo) as net
          from settlement_lines group by settlement_id
      ), totals as (
        select id, lines, gross_kobo as gross, fees_kobo as fees, vat_kobo as vat,
               reversed_kobo as reversed, net_kobo as net
          from settlements where status <> 'cancelled'
      )
      select 'settlement ' || coalesce(t.id, s.settlement_id) as subject,
             format('%s lines, gross %s, fees %s, VAT %s, reversed %s, net %s', t.lines, t.gross,
                    t.fees, t.vat, t.reversed, t.net) as expected,
             format('%s lines, gross %s, fees %s, VAT %s, reversed %s, net %s', s.lines, s.gross,
                    s.fees, s.vat, s.reversed, s.net) as found
        from totals t full join summed s on s.settlement_id = t.id
       where (t.lines, t.gross, t.fees, t.vat, t.reversed, t.net)
             is distinct from (s.lines, s.gross, s.fees, s.vat, s.reversed, s.net)
       order by 1`,
  },
  {
    // I52. The amount moved to settling, minus recoveries and reserves, equals the net amount. A
    // cancelled settlement moved everything back.
    name: 'settlements_are_their_transfers',
    sql: `
      with settling as (select id from ledger_accounts where kind = 'settling'),
      moved as (
        select settlement_id, sum(kobo) as kobo
          from (select t.settlement_id, t.amount_kobo as kobo
                  from transfers t join settling a on a.id = t.credit_account_id
                 where t.settlement_id is not null
                union all
                select t.settlement_id, -t.amount_kobo
                  from transfers t join settling a on a.id = t.debit_account_id
                 where t.settlement_id is not null) as sides
         group by settlement_id
      ), totals as (
        select id, case when status = 'cancelled' then 0 else net_kobo end as kobo from settlements
      )
      select 'settlement ' || coalesce(t.id, m.settlement_id) as subject,
             coalesce(t.kobo::text, 'no such settlement') as expected,
             coalesce(m.kobo, 0)::text as found
        from totals t full join moved m on m.settlement_id = t.id
       where t.kobo is distinct from coalesce(m.kobo, 0)
       order by 1`,
  },
  {
    // I52. After approval the amounts are in payouts.
    name: 'settling_is_unpaid_settlements',
    sql: `
      with shares as (
        select h.account_id, sum(h.net_kobo) as kobo
          from settlement_shares h join settlements s on s.id = h.settlement_id
         where s.status = 'closed' group by h.account_id
      ), accounts as (
        select id, owner, credits_kobo - debits_kobo as kobo
          from ledger_accounts where kind = 'settling'
      )
      select concat_ws(' ', 'settling account', coalesce(a.id, h.account_id), a.owner) as subject,
             coalesce(h.kobo, 0)::text as expected,
             coalesce(a.kobo::text, 'no such account') as found
        from accounts a full join shares h on h.account_id = a.id
       where a.kobo is distinct from coalesce(h.kobo, 0)
       order by 1`,
  },
  {
    name: 'reserves_are_held',
    sql: `
      with held as (
        select 'client:' || client_id as owner, sum(amount_kobo) as kobo
          from settlement_reserves where released_by is null group by client_id
      ), accounts as (
        select owner, credits_kobo - debits_kobo as kobo
          from ledger_accounts where kind = 'reserve'
      )
      select 'reserve of ' || owner as subject, coalesce(h.kobo, 0)::text as expected,
             coalesce(a.kobo, 0)::text as found
        from held h full join accounts a using (owner)
       where coalesce(h.kobo, 0) <> coalesce(a.kobo, 0)
       order by 1`,
  },
]
