// I85 on live data: an archive's totals equal its archived credits, and the transfers that
// represent them moved the same amounts.

import type { Check } from '#ledger/ledger-checks.ts'

export const ARCHIVE_CHECKS: readonly Check[] = [
  {
    name: 'archives_are_their_credits',
    sql: `
      with sums as (
        select archive_id, count(*) as credits, sum(amount_kobo) as kobo
          from archived_credits group by 1
      ), days as (
        select archive_id, sum(transfers) as transfers from archived_days group by 1
      ), carried as (
        select archive_id, count(*) as transfers from transfers where archive_id is not null group by 1
      )
      select 'archive ' || coalesce(a.id, k.archive_id, c.archive_id) as subject,
             format('%s credits of %s, %s transfers, %s of them carried', a.credits, a.amount_kobo,
                    a.transfers, a.carried) as expected,
             format('%s credits of %s, %s transfers, %s of them carried', coalesce(k.credits, 0),
                    coalesce(k.kobo, 0), coalesce(d.transfers, 0), coalesce(c.transfers, 0)) as found
        from archives a full join sums k on k.archive_id = a.id
        full join carried c on c.archive_id = coalesce(a.id, k.archive_id)
        left join days d on d.archive_id = coalesce(a.id, k.archive_id, c.archive_id)
       where (a.credits, a.amount_kobo, a.transfers, a.carried)
             is distinct from (k.credits, k.kobo, d.transfers, c.transfers)
       order by 1`,
  },
  {
    // By collection account and by bank, and in total for fees and withheld charges.
    name: 'archived_money_is_carried',
    sql: `
      with sums as (
        select archive_id, collection_account_id, bank_code, coalesce(currency, 'NGN') as currency,
               sum(amount_kobo) as amount, coalesce(sum(fee_kobo), 0) + coalesce(sum(duty_kobo), 0) as cost,
               coalesce(sum(vat_kobo), 0) as vat, coalesce(sum(merchant_fee_kobo), 0) as merchant_fee,
               coalesce(sum(merchant_vat_kobo), 0) as merchant_vat
          from archived_credits group by 1, 2, 3, 4
      ), expected_moves as (
        select archive_id, subject, sum(kobo) as kobo
          from sums k cross join lateral (values
                 ('collection ' || k.collection_account_id,
                  k.amount - k.merchant_fee - k.merchant_vat),
                 (concat_ws(' ', 'bank:' || k.bank_code, k.currency),
                  k.cost + k.vat - k.amount),
                 ('fee_income ' || k.currency, k.merchant_fee),
                 ('vat_payable ' || k.currency, k.merchant_vat),
                 ('bank_cost ' || k.currency, -k.cost),
                 ('input_vat ' || k.currency, -k.vat)) as part (subject, kobo)
         group by 1, 2
      ), accounts as (
        select id, case kind when 'collection' then 'collection ' || id
                             when 'bank' then concat_ws(' ', owner, currency)
                             else concat_ws(' ', kind, currency) end as subject
          from ledger_accounts
      ), moved as (
        select t.archive_id, a.subject, sum(s.kobo) as kobo
          from transfers t
         cross join lateral (values (t.credit_account_id, t.amount_kobo),
                                    (t.debit_account_id, -t.amount_kobo)) as s (id, kobo)
          join accounts a on a.id = s.id
         where t.archive_id is not null
         group by 1, 2
      )
      select format('archive %s, %s', archive_id, subject) as subject,
             coalesce(t.kobo, 0)::text as expected, coalesce(m.kobo, 0)::text as found
        from expected_moves t full join moved m using (archive_id, subject)
       where coalesce(t.kobo, 0) <> coalesce(m.kobo, 0)
       order by 1`,
  },
]
