// I47, I48 and the fees and costs of payouts (I37, I44) on live data.

import type { Check } from '#ledger/ledger-checks.ts'

export const PAYOUT_CHECKS: readonly Check[] = [
  {
    // I48. Money of returns is in another account until they are settled
    // (money_on_its_way_back_is_in_items).
    name: 'paying_is_its_payouts',
    sql: `
      with payouts as (
        select case purpose when 'refund' then 'refunding' else 'paying' end as kind,
               coalesce('subaccount:' || subaccount_id, 'client:' || client_id) as owner, currency,
               sum(amount_kobo) as kobo
          from payouts
         where status in ('queued', 'sending', 'unknown') and purpose <> 'return'
         group by 1, 2, 3
      ), accounts as (
        select kind, owner, currency, credits_kobo - debits_kobo as kobo
          from ledger_accounts where kind in ('paying', 'refunding')
      )
      select concat_ws(' ', kind, owner, currency) as subject,
             coalesce(p.kobo, 0)::text as expected, coalesce(a.kobo, 0)::text as found
        from payouts p full join accounts a using (kind, owner, currency)
       where coalesce(p.kobo, 0) <> coalesce(a.kobo, 0)
       order by 1`,
  },
  {
    // Fee and VAT are charged with the payout and given back with it.
    name: 'payout_fees_are_booked',
    sql: `
      with incomes as (
        select id, kind from ledger_accounts where kind in ('fee_income', 'vat_payable')
      ), legs as (
        select t.payout_id, i.kind, t.amount_kobo as kobo
          from transfers t join incomes i on i.id = t.credit_account_id
         where t.credit_id is null
        union all
        select t.payout_id, i.kind, -t.amount_kobo
          from transfers t join incomes i on i.id = t.debit_account_id
         where t.credit_id is null
      ), booked as (
        select payout_id, coalesce(sum(kobo) filter (where kind = 'fee_income'), 0) as fee,
               coalesce(sum(kobo) filter (where kind = 'vat_payable'), 0) as vat
          from legs group by payout_id
      ), charged as (
        select id, fee_kobo as fee, vat_kobo as vat from payouts
         where fee_kobo + vat_kobo > 0 and status not in ('failed', 'cancelled')
      )
      select concat_ws(' ', 'payout', coalesce(c.id, b.payout_id)) as subject,
             format('fee %s, VAT %s', coalesce(c.fee, 0), coalesce(c.vat, 0)) as expected,
             format('fee %s, VAT %s', coalesce(b.fee, 0), coalesce(b.vat, 0)) as found
        from charged c full join booked b on b.payout_id = c.id
       where (coalesce(c.fee, 0), coalesce(c.vat, 0))
             is distinct from (coalesce(b.fee, 0), coalesce(b.vat, 0))
       order by coalesce(c.id, b.payout_id)`,
  },
  {
    name: 'payout_costs_are_booked',
    sql: `
      with costs as (
        select id, kind from ledger_accounts where kind in ('bank_cost', 'input_vat')
      ), booked as (
        select t.payout_id,
               coalesce(sum(t.amount_kobo) filter (where d.kind = 'bank_cost'), 0) as cost,
               coalesce(sum(t.amount_kobo) filter (where d.kind = 'input_vat'), 0) as vat
          from transfers t left join costs d on d.id = t.debit_account_id
         where t.credit_id is null and t.difference_id is null
           and (t.reason = 'bank_charge' or d.id is not null)
         group by t.payout_id
      ), charged as (
        select id, cost_kobo as cost, cost_vat_kobo as vat
          from payouts where cost_kobo + cost_vat_kobo > 0
      )
      select concat_ws(' ', 'payout', coalesce(c.id, b.payout_id)) as subject,
             format('cost %s, VAT %s', coalesce(c.cost, 0), coalesce(c.vat, 0)) as expected,
             format('cost %s, VAT %s', coalesce(b.cost, 0), coalesce(b.vat, 0)) as found
        from charged c full join booked b on b.payout_id = c.id
       where (c.cost, c.vat) is distinct from (b.cost, b.vat)
       order by coalesce(c.id, b.payout_id)`,
  },
  {
    // I104. A payout that its bank gave back is booked once, in full, to the payer of the payout, and not
    // again from the statement.
    name: 'payout_returns_are_booked',
    sql: `
      with booked as (
        select t.payout_id, sum(t.amount_kobo) as kobo, string_agg(c.owner, ', ') as owner
          from transfers t
          join ledger_accounts b on b.id = t.debit_account_id and b.kind = 'bank'
          join ledger_accounts c on c.id = t.credit_account_id
         where t.payout_id is not null
         group by 1
      ), stated as (
        select n.payout_id, n.amount_kobo as kobo,
               coalesce('subaccount:' || p.subaccount_id, 'client:' || p.client_id) as owner,
               p.status = 'confirmed' and p.amount_kobo = n.amount_kobo
                 and not exists (select from differences d join transfers t on t.difference_id = d.id
                                  where d.payout_id = n.payout_id) as may_be
          from payout_returns n join payouts p on p.id = n.payout_id
      )
      select concat_ws(' ', 'payout', coalesce(r.payout_id, b.payout_id)) as subject,
             format('returned %s to %s', coalesce(r.kobo, 0), coalesce(r.owner, 'nobody')) as expected,
             format('returned %s to %s%s', coalesce(b.kobo, 0), coalesce(b.owner, 'nobody'),
                    case when r.may_be then '' else ', otherwise than it was paid' end) as found
        from stated r full join booked b on b.payout_id = r.payout_id
       where (r.kobo, r.owner) is distinct from (b.kobo, b.owner) or not coalesce(r.may_be, false)
       order by coalesce(r.payout_id, b.payout_id)`,
  },
  {
    // I47, I105. The history shows how often a payout was sent, independent of its status. Attempts that
    // did not reach the bank do not count.
    name: 'payouts_are_sent_once',
    sql: `
      with sent as (
        select payout_id, sum(case change when 'sending' then 1 else -1 end) as times
          from payout_changes where change in ('sending', 'unsent') group by 1
      )
      select 'payout ' || p.id as subject,
             case when p.sending_at is null then 'not sent' else 'sent once' end as expected,
             format('sent %s times', coalesce(s.times, 0)) as found
        from payouts p left join sent s on s.payout_id = p.id
       where coalesce(s.times, 0) <> case when p.sending_at is null then 0 else 1 end
       order by p.id`,
  },
]
