// I57 on live data: clients owe the amounts that reversals found missing, and payouts that were
// paid after all.

import type { Check } from '#ledger/ledger-checks.ts'

// Amounts reversed after the money had left the account, so that nothing was taken from it.
export const OWED =
  'select account_id, sum(amount_kobo) as kobo from receivables group by account_id'

export const RECEIVABLE_CHECKS: readonly Check[] = [
  {
    // I57. Clients owe the amounts that reversals found missing. Repayments have no credit, and
    // neither have amounts owed again after a cancelled settlement. Payouts are checked below.
    name: 'receivables_are_their_reversals',
    sql: `
      with owed as (
        select client_id, sum(amount_kobo) as kobo from receivables group by client_id
      ), mismatches as (
        select r.id, r.receivable_kobo as kobo, coalesce(sum(o.amount_kobo), 0) as missing
          from reversals r left join receivables o on o.reversal_id = r.id
         group by r.id having r.receivable_kobo <> coalesce(sum(o.amount_kobo), 0)
      ), booked as (
        select substr(a.owner, 8)::bigint as client_id, sum(t.amount_kobo) as kobo
          from ledger_accounts a join transfers t on t.debit_account_id = a.id
         where a.kind = 'receivable' and t.settlement_id is null and t.difference_id is null
         group by 1
      )
      select 'client ' || coalesce(o.client_id, b.client_id) as subject,
             coalesce(o.kobo, 0)::text as expected, coalesce(b.kobo, 0)::text as found
        from owed o full join booked b on b.client_id = o.client_id
       where o.kobo is distinct from b.kobo
      union all
      select 'reversal ' || id, kobo::text, missing::text from mismatches
       order by 1`,
  },
  {
    // I57. Payouts booked from statements. Only a payout that failed or was cancelled here may be
    // booked as paid, for its own client. The sum never exceeds the payout, and no more comes back
    // than was paid.
    name: 'payouts_booked_from_statements_fit',
    sql: `
      with booked as (
        select t.id, d.payout_id, a.kind, a.owner,
               case when t.credit_account_id = b.id then t.amount_kobo else -t.amount_kobo end as kobo
          from transfers t
          join ledger_accounts b on b.kind = 'bank' and b.id in (t.debit_account_id, t.credit_account_id)
          join ledger_accounts a on a.id in (t.debit_account_id, t.credit_account_id) and a.id <> b.id
          left join differences d on d.id = t.difference_id
         where t.difference_id is not null and (t.reason in ('paid', 'refunded') or a.kind = 'receivable')
      ), summed as (
        select b.payout_id, sum(b.kobo) filter (where b.kind <> 'shortfall') as kobo,
               coalesce(sum(b.kobo) filter (where b.kind = 'shortfall'), 0) as undone,
               bool_and(b.kobo < 0 or b.kind = 'shortfall'
                        or b.kind = 'receivable' and p.status in ('failed', 'cancelled')) as may_be_paid,
               bool_and(b.kind = 'shortfall' or b.owner in
                        ('client:' || p.client_id, 'subaccount:' || p.subaccount_id)) as is_own
          from booked b left join payouts p on p.id = b.payout_id
         group by b.payout_id
      )
      select concat_ws(' ', 'payout', s.payout_id) as subject,
             format('paid %s at most', p.amount_kobo) as expected,
             format('paid %s, undone %s', paid.kobo, s.undone) as found
        from summed s left join payouts p on p.id = s.payout_id
       cross join lateral (
         select coalesce(s.kobo, 0)
                + case when p.status = 'confirmed' then p.amount_kobo else 0 end
                - coalesce((select n.amount_kobo from payout_returns n where n.payout_id = p.id), 0)
                as kobo) as paid
       where p.id is null or s.undone <> 0 or paid.kobo not between 0 and p.amount_kobo
          or not s.may_be_paid or not coalesce(s.is_own, false)
       order by 1`,
  },
]
