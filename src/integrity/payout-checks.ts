// Checks of payouts (I47, I48, I104), their fees and costs (I37, I44), settlements (I51, I52, I186) and holds
// (I130), on live data.

import type { Check } from '#ledger/checks.ts'

export const PAYOUT_CHECKS: readonly Check[] = [
  {
    // I48. The accounts for payouts and refunds on their way have exactly the amounts of those that are
    // neither confirmed nor failed. Excludes returns, whose money is in another account
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
    // Fee and VAT are charged with the payout, and credited back if it fails or is cancelled.
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
    // I37. The ledger has the bank's cost of each payout, and its VAT, as the payout states them.
    name: 'payout_costs_are_booked',
    sql: `
      with costs as (
        select id, kind from ledger_accounts where kind in ('bank_cost', 'stamp_duty', 'input_vat')
      ), booked as (
        select t.payout_id,
               coalesce(sum(t.amount_kobo) filter (where d.kind <> 'input_vat'), 0) as cost,
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
    // I104. A payout that the bank sent back is booked once, in full, to the client or subaccount that it
    // belongs to. It must have been confirmed, and the statement must not have been used to book it again.
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
    // I47, I105. A payout is sent once or never. The history of a payout shows how often it was sent,
    // independently of its status. Attempts that did not reach the bank do not count.
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

// Reasons of transfers that bring a credit's money to a client's account.
const REASONS_THAT_BRING_MONEY = `('credit', 'settle', 'assign')`

export const SETTLEMENT_CHECKS: readonly Check[] = [
  {
    // I51. Every credit up to the cut-off of a client's last settlement is in the lines of its settlements,
    // once per account and with the full amount.
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
         where t.credit_id is not null and t.reason in ${REASONS_THAT_BRING_MONEY}
         group by 1, 2
      ), settled as (
        select credit_id, account_id, sum(gross_kobo) as kobo
          from settlement_lines
         where kind = 'credit' and gross_kobo <> 0 and credit_id is not null
         group by 1, 2
      )
      select 'credit ' || coalesce(b.credit_id, s.credit_id) as subject,
             coalesce(b.kobo, 0)::text as expected, coalesce(s.kobo, 0)::text as found
        from brought b full join settled s using (credit_id, account_id)
       where b.kobo is distinct from s.kobo
       order by 1`,
  },
  {
    // I52. The amounts of a settlement are the sums of its lines.
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
    // I52. The transfers of a settlement moved its net amount to the settling accounts, after recoveries and
    // reserves. A cancelled settlement moved everything back.
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
    // I52. A settling account has the shares of closed settlements, which are not approved yet. After
    // approval, the money is in payouts.
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
    // The reserve account of a client has its reserves that are not released yet.
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
  {
    // I130. A hold has the amount that it took and neither released nor forfeited. A Held account has the sum
    // of its holds.
    name: 'held_is_in_holds',
    sql: `
      with moved as (
        select hold_id, sum(case reason when 'hold' then amount_kobo else -amount_kobo end) as held,
               sum(amount_kobo) filter (where reason = 'forfeiture') as forfeited
          from transfers where hold_id is not null group by 1
      ), accounts as (
        select h.held_account_id as id, sum(h.held_kobo) as held from holds h group by 1
      )
      select 'hold ' || coalesce(h.id, m.hold_id) as subject,
             format('held %s, forfeited %s', coalesce(h.held_kobo, 0), coalesce(h.forfeited_kobo, 0))
               as expected,
             format('held %s, forfeited %s', coalesce(m.held, 0), coalesce(m.forfeited, 0)) as found
        from holds h full join moved m on m.hold_id = h.id
       where (coalesce(h.held_kobo, 0), coalesce(h.forfeited_kobo, 0))
             is distinct from (coalesce(m.held, 0), coalesce(m.forfeited, 0))
      union all
      select 'held account ' || l.id, coalesce(a.held, 0)::text,
             (l.credits_kobo - l.debits_kobo)::text
        from ledger_accounts l left join accounts a on a.id = l.id
       where l.kind = 'held' and l.credits_kobo - l.debits_kobo <> coalesce(a.held, 0)
       order by 1`,
  },
]
