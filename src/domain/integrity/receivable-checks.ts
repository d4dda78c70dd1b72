// I57 on live data: what clients owe us is what reversals found missing.

import type { Check } from '#ledger/ledger-checks.ts'

// What was reversed of each ledger account after it had left: nothing was taken from it for that.
export const OWED =
  'select account_id, sum(amount_kobo) as kobo from receivables group by account_id'

export const RECEIVABLE_CHECKS: readonly Check[] = [
  {
    // I57. What clients owe is what reversals found missing; what they pay of it is not of a credit,
    // nor what a settlement that was cancelled has recovered, and owes again.
    name: 'receivables_are_their_reversals',
    sql: `
      with owed as (
        select client_id, sum(amount_kobo) as kobo from receivables group by client_id
      ), told as (
        select r.id, r.receivable_kobo as kobo, coalesce(sum(o.amount_kobo), 0) as missing
          from reversals r left join receivables o on o.reversal_id = r.id
         group by r.id having r.receivable_kobo <> coalesce(sum(o.amount_kobo), 0)
      ), booked as (
        select substr(a.owner, 8)::bigint as client_id, sum(t.amount_kobo) as kobo
          from ledger_accounts a join transfers t on t.debit_account_id = a.id
         where a.kind = 'receivable' and t.settlement_id is null group by 1
      )
      select 'client ' || coalesce(o.client_id, b.client_id) as subject,
             coalesce(o.kobo, 0)::text as expected, coalesce(b.kobo, 0)::text as found
        from owed o full join booked b on b.client_id = o.client_id
       where o.kobo is distinct from b.kobo
      union all
      select 'reversal ' || id, kobo::text, missing::text from told
       order by 1`,
  },
]
