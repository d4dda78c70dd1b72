// I55 and I56 on live data: subaccounts received their shares and gave back what they owed.

import type { Check } from '#ledger/ledger-checks.ts'

export const SPLIT_CHECKS: readonly Check[] = [
  {
    // The ledger has each share, minus the amount given back, from the account that received the
    // money to the subaccount. No other transfer of a credit moves a subaccount.
    name: 'shares_are_booked',
    sql: `
      with subaccounts as (
        select id, substr(owner, 12)::bigint as subaccount_id
          from ledger_accounts where kind = 'subaccount'
      ), legs as (
        select t.credit_id, s.subaccount_id, t.debit_account_id as account_id,
               t.amount_kobo as kobo
          from transfers t join subaccounts s on s.id = t.credit_account_id
         where t.credit_id is not null
        union all
        select t.credit_id, s.subaccount_id, t.credit_account_id, -t.amount_kobo
          from transfers t join subaccounts s on s.id = t.debit_account_id
         where t.credit_id is not null
      ), booked as (
        select credit_id, subaccount_id, account_id, sum(kobo) as kobo
          from legs group by 1, 2, 3
      ), shared as (
        select credit_id, subaccount_id, account_id, sum(share_kobo - returned_kobo) as kobo
          from credit_splits group by 1, 2, 3
      )
      select format('credit %s, subaccount %s', credit_id, subaccount_id) as subject,
             coalesce(s.kobo, 0)::text as expected, coalesce(b.kobo, 0)::text as found
        from shared s full join booked b using (credit_id, subaccount_id, account_id)
       where coalesce(s.kobo, 0) <> coalesce(b.kobo, 0)
       order by credit_id, subaccount_id`,
  },
  {
    // Minus the amounts that left for payouts and settlements.
    name: 'subaccounts_are_their_shares',
    sql: `
      with subaccounts as (
        select id, substr(owner, 12)::bigint as subaccount_id, credits_kobo - debits_kobo as kobo
          from ledger_accounts where kind = 'subaccount'
      ), gone as (
        select a.subaccount_id, sum(t.kobo) as kobo
          from (select debit_account_id as id, amount_kobo as kobo
                  from transfers where credit_id is null
                union all
                select credit_account_id, -amount_kobo from transfers where credit_id is null) as t
          join subaccounts a on a.id = t.id
         group by a.subaccount_id
      ), shared as (
        select subaccount_id, sum(share_kobo - returned_kobo) as kobo
          from credit_splits group by subaccount_id
      )
      select 'subaccount ' || coalesce(a.subaccount_id, s.subaccount_id) as subject,
             (coalesce(s.kobo, 0) - coalesce(g.kobo, 0))::text as expected,
             coalesce(a.kobo, 0)::text as found
        from subaccounts a full join shared s on s.subaccount_id = a.subaccount_id
        left join gone g on g.subaccount_id = a.subaccount_id
       where coalesce(s.kobo, 0) - coalesce(g.kobo, 0) <> coalesce(a.kobo, 0)
       order by 1`,
  },
  {
    // Fee and shares of a part do not exceed the booked amount.
    name: 'shares_fit_what_was_booked',
    sql: `
      select format('credit %s', s.credit_id) as subject,
             format('at most %s', max(s.base_kobo) - coalesce(max(f.kobo), 0)) as expected,
             sum(s.share_kobo)::text as found
        from credit_splits s
        left join (select credit_id, item_id, fee_kobo + vat_kobo as kobo from credit_fees) as f
          on f.credit_id = s.credit_id and f.item_id is not distinct from s.item_id
       group by s.credit_id, s.item_id
      having sum(s.share_kobo) > max(s.base_kobo) - coalesce(max(f.kobo), 0)
       order by s.credit_id`,
  },
]
