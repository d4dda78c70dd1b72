// Checks of clients' balances (I61), of the sums counted from transfers (I185, I186), of fees (I44), splits
// (I55, I56) and receivables (I57, I119), on live data.
//
// The owner of a ledger account is a text such as 'client:7' or 'subaccount:5'; substr() cuts out the id.

import type { Check } from '#ledger/checks.ts'

// SQL subquery: the client whose money each ledger account holds. Excludes money in suspense, because its
// owner is not certain yet.
const OWNERS = `
  select id, client_id from collection_accounts
  union all
  select id, substr(owner, length('client:') + 1)::bigint from ledger_accounts
   where owner like 'client:%' and kind <> 'collection' and kind <> 'suspense'
  union all
  select l.id, s.client_id
    from ledger_accounts l join subaccounts s on l.owner = 'subaccount:' || s.id
   where l.kind <> 'collection'`

// SQL expression: the sums of an array of four numbers, place by place.
const sumEach = (column: string) =>
  `array[${[1, 2, 3, 4].map((at) => `sum(${column}[${at}])`).join(', ')}] as ${column}`

export const BALANCE_CHECKS: readonly Check[] = [
  {
    // I61. No money of a client left in an unknown way or came from another client. The net of its credits is
    // computed in two ways, which must agree: from its balances without the transfers that belong to no
    // credit, and from its balances plus what left by payouts, refunds, fees, write-offs and forfeitures.
    name: 'net_is_held_or_paid_out',
    sql: `
      with owners as materialized (${OWNERS}), others as materialized (
        select t.*, d.client_id as from_client, c.client_id as to_client
          from transfers t
          left join owners d on d.id = t.debit_account_id
          left join owners c on c.id = t.credit_account_id
         where t.credit_id is null
      ), parts (client_id, currency, held, moved, gone) as (
        select o.client_id, l.currency, l.credits_kobo - l.debits_kobo, 0, 0
          from owners o join ledger_accounts l on l.id = o.id
        union all
        select s.client_id, l.currency, 0, s.kobo, 0
          from others t
          join ledger_accounts l on l.id = t.debit_account_id
         cross join lateral (values (t.to_client, t.amount_kobo),
                                    (t.from_client, -t.amount_kobo)) as s (client_id, kobo)
        union all
        select t.from_client, l.currency, 0, 0, t.amount_kobo
          from others t join ledger_accounts l on l.id = t.credit_account_id
         where t.reason in ('paid', 'refunded') and l.kind = 'bank'
        union all
        select t.to_client, l.currency, 0, 0, -t.amount_kobo
          from others t join ledger_accounts l on l.id = t.debit_account_id
         where t.reason in ('paid', 'refunded') and l.kind = 'bank'
        union all
        select coalesce(t.from_client, t.to_client), l.currency, 0, 0,
               case when l.id = t.credit_account_id then t.amount_kobo else -t.amount_kobo end
          from ledger_accounts l
          join others t on l.id in (t.debit_account_id, t.credit_account_id)
         where l.kind in ('fee_income', 'vat_payable', 'write_off', 'forfeited', 'wht_receivable')
           and l.owner = 'operator:' || coalesce(t.from_client, t.to_client)
      )
      select format('client %s, %s', client_id, currency) as subject,
             format('net %s', sum(held) - sum(moved)) as expected,
             format('net %s', sum(held) + sum(gone)) as found
        from parts where client_id is not null
       group by client_id, currency having sum(moved) <> -sum(gone)
       order by client_id, currency`,
  },
  {
    // I185. The totals by merchant are the sums of the transfers that they count.
    name: 'merchant_totals_are_their_transfers',
    sql: `
      with counted as not materialized (
        select * from transfers where id <= (select to_id from merchant_totals_cursor)
      ), sides (account_id, balance, collected, reversed) as (
        select credit_account_id, sum(amount_kobo),
               sum(amount_kobo) filter (where credit_id is not null and reason <> 'split'), 0
          from counted group by 1
        union all
        select debit_account_id, -sum(amount_kobo),
               -sum(amount_kobo) filter (where credit_id is not null and reason <> 'split'),
               sum(amount_kobo) filter (where reason = 'reversal')
          from counted group by 1
      ), suspended (credit_id, owner, kobo) as (
        select t.credit_id, l.owner, t.amount_kobo
          from ledger_accounts l join counted t on t.credit_account_id = l.id
         where l.kind = 'suspense'
        union all
        select t.credit_id, l.owner, -t.amount_kobo
          from ledger_accounts l join counted t on t.debit_account_id = l.id and t.reason <> 'credit'
         where l.kind = 'suspense'
      ), parts as (
        select a.client_id, a.merchant_id, a.merchant_code, a.currency_code as currency, s.balance,
               s.collected, s.reversed, 0 as suspended
          from sides s join collection_accounts a on a.id = s.account_id
        union all
        select a.client_id, a.merchant_id, a.merchant_code, a.currency_code, 0, 0, 0, s.kobo
          from suspended s
          join credits c on c.id = s.credit_id
          join collection_accounts a on a.id = c.collection_account_id
         where s.owner = 'client:' || a.client_id and c.currency = a.currency_code
      ), sums as (
        select client_id, merchant_id, merchant_code, currency, coalesce(sum(balance), 0) as balance,
               coalesce(sum(collected), 0) as collected, coalesce(sum(reversed), 0) as reversed,
               coalesce(sum(suspended), 0) as suspended
          from parts group by 1, 2, 3, 4
      )
      select format('client %s, merchant %s, %s', client_id, merchant_id, merchant_code) as subject,
             format('balance %s, collected %s, reversed %s, suspended %s', coalesce(s.balance, 0),
                    coalesce(s.collected, 0), coalesce(s.reversed, 0), coalesce(s.suspended, 0))
               as expected,
             format('balance %s, collected %s, reversed %s, suspended %s', t.balance_kobo,
                    t.collected_kobo, t.reversed_kobo, t.suspended_kobo) as found
        from sums s
        full join merchant_totals t using (client_id, merchant_id, merchant_code, currency)
       where (coalesce(s.balance, 0), coalesce(s.collected, 0), coalesce(s.reversed, 0),
              coalesce(s.suspended, 0))
             is distinct from (t.balance_kobo, t.collected_kobo, t.reversed_kobo, t.suspended_kobo)
       order by 1`,
  },
  {
    // I186. The hours are the sums of the transfers that they count.
    name: 'ledger_hours_are_their_transfers',
    sql: `
      with counted as not materialized (
        select *, date_trunc('hour', posted_at, 'UTC') as hour,
               case when settlement_id is not null then 'settlement'
                    when credit_id is not null then 'credit'
                    when adjustment_id is not null then 'adjustment' else 'other' end as cause
          from transfers where id <= (select to_id from ledger_hours_cursor)
      ), sides (account_id, hour, reason, cause, debit, credit, debits, credits) as (
        select debit_account_id, hour, reason, cause, sum(amount_kobo), 0, count(*), 0
          from counted group by 1, 2, 3, 4
        union all
        select credit_account_id, hour, reason, cause, 0, sum(amount_kobo), 0, count(*)
          from counted group by 1, 2, 3, 4
      ), owners as materialized (
        select 'subaccount:' || id as owner, client_id from subaccounts
        union all
        select side || ':' || id, id from clients cross join unnest(array['client', 'operator']) as side
      ), parts (hour, kind, currency, client_id, bank_code, reason, cause, expected, found) as (
        select s.hour, l.kind, l.currency, coalesce(a.client_id, o.client_id), b.code, s.reason,
               s.cause, array[s.debit, s.credit, s.debits, s.credits], array[0, 0, 0, 0]::numeric[]
          from sides s
          join ledger_accounts l on l.id = s.account_id
          left join collection_accounts a on a.id = l.id
          left join owners o on o.owner = l.owner
          left join lateral (select split_part(l.owner, ':', 2) where l.owner like 'bank:%')
            as b (code) on true
        union all
        select hour, kind, currency, client_id, bank_code, reason, cause, array[0, 0, 0, 0]::numeric[],
               array[debit_kobo, credit_kobo, debits, credits]::numeric[]
          from ledger_hours
      ), sums as (
        select hour, kind, currency, client_id, bank_code, reason, cause,
               ${sumEach('expected')}, ${sumEach('found')}
          from parts group by 1, 2, 3, 4, 5, 6, 7
      )
      select format('%s of client %s, bank %s, %s, %s, %s of %s', kind, client_id, bank_code, currency,
                    hour, reason, cause) as subject,
             format('debit, credit, debits, credits: %s', expected) as expected,
             format('debit, credit, debits, credits: %s', found) as found
        from sums where expected <> found
       order by 1`,
  },
]

// SQL subquery: the deductions from the receipts of each ledger account that were not returned: fees, their
// VAT and the shares of subaccounts.
export const DEDUCTED = `
  select account_id, sum(kobo) as kobo
    from (select account_id,
                 fee_kobo + vat_kobo - fee_returned_kobo - vat_returned_kobo as kobo
            from credit_fees
          union all
          select account_id, share_kobo - returned_kobo from credit_splits) as deductions
   group by account_id`

export const FEE_CHECKS: readonly Check[] = [
  {
    // I44. The ledger has each fee and its VAT as they were charged, minus what was returned with a reversal.
    // No other transfer of a credit moves the accounts of fees and VAT.
    name: 'fees_are_booked',
    sql: `
      with incomes as (
        select id, kind from ledger_accounts where kind in ('fee_income', 'vat_payable')
      ), legs as (
        select t.credit_id, i.kind, t.amount_kobo as kobo
          from transfers t join incomes i on i.id = t.credit_account_id
         where t.credit_id is not null
        union all
        select t.credit_id, i.kind, -t.amount_kobo
          from transfers t join incomes i on i.id = t.debit_account_id
         where t.credit_id is not null
      ), booked as (
        select credit_id, coalesce(sum(kobo) filter (where kind = 'fee_income'), 0) as fee,
               coalesce(sum(kobo) filter (where kind = 'vat_payable'), 0) as vat
          from legs group by credit_id
      ), charged as (
        select credit_id, sum(fee_kobo - fee_returned_kobo) as fee,
               sum(vat_kobo - vat_returned_kobo) as vat
          from credit_fees group by credit_id
      )
      select 'credit ' || coalesce(c.credit_id, b.credit_id) as subject,
             format('fee %s, VAT %s', coalesce(c.fee, 0), coalesce(c.vat, 0)) as expected,
             format('fee %s, VAT %s', coalesce(b.fee, 0), coalesce(b.vat, 0)) as found
        from charged c full join booked b on b.credit_id = c.credit_id
       where (c.fee, c.vat) is distinct from (b.fee, b.vat)
       order by coalesce(c.credit_id, b.credit_id)`,
  },
  {
    // I44. A payment shows the fees that its credits bore.
    name: 'payments_show_their_fees',
    sql: `
      with charged as (
        select coalesce(i.assigned_payment_id, case when f.item_id is null then c.payment_id end)
                 as payment_id,
               sum(f.fee_kobo - f.fee_returned_kobo) as fee,
               sum(f.vat_kobo - f.vat_returned_kobo) as vat
          from credit_fees f
          join credits c on c.id = f.credit_id
          left join suspense_items i on i.id = f.item_id
         group by 1
      )
      select 'payment ' || coalesce(p.id, c.payment_id) as subject,
             format('fee %s, VAT %s', coalesce(c.fee, 0), coalesce(c.vat, 0)) as expected,
             format('fee %s, VAT %s', p.fee, p.vat) as found
        from (select id, charged_fee_kobo as fee, charged_vat_kobo as vat from payments) as p
        full join (select * from charged where payment_id is not null) as c on c.payment_id = p.id
       where (p.fee, p.vat) is distinct from (coalesce(c.fee, 0), coalesce(c.vat, 0))
       order by coalesce(p.id, c.payment_id)`,
  },
]

export const SPLIT_CHECKS: readonly Check[] = [
  {
    // I55, I56. For each subaccount's share in a credit, the ledger moves the share, minus what was returned,
    // from the account that received the money to the subaccount. No other transfer of a credit moves a
    // subaccount.
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
    // I55, I56. The balance of a subaccount equals its shares minus the amounts that left for payouts and
    // settlements.
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
    // A part of a credit is booked at once, or when suspended money is assigned. The fee and the shares of a
    // part do not exceed its amount.
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

// SQL subquery: the amounts that reversals could not take back from each account, because the money had left
// it before.
export const OWED =
  'select account_id, sum(amount_kobo) as kobo from receivables group by account_id'

export const RECEIVABLE_CHECKS: readonly Check[] = [
  {
    // I57. Clients owe exactly the amounts that reversals could not take back. Excludes settlements, which
    // recover debts, and bookings from statements (payouts_booked_from_statements_fit).
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
    // I119. The provision for a client's debt never exceeds the debt.
    name: 'provisions_fit_their_debts',
    sql: `
      select 'client ' || substr(p.owner, 10) as subject,
             'at most ' || coalesce(r.debits_kobo - r.credits_kobo, 0) as expected,
             (p.credits_kobo - p.debits_kobo)::text as found
        from ledger_accounts p
        left join ledger_accounts r on r.kind = 'receivable' and r.currency = p.currency
                                   and r.owner = 'client:' || substr(p.owner, 10)
       where p.kind = 'provision'
         and p.credits_kobo - p.debits_kobo > coalesce(r.debits_kobo - r.credits_kobo, 0)
       order by 1`,
  },
  {
    // I57. A statement may show that a payout was paid although the books have it as failed or cancelled.
    // Only such payouts are booked as paid from statements, for the payout's own client. Per payout the
    // bookings never exceed its amount, and no more comes back than was paid.
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
