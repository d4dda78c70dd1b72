// I61 on live data: a client's net credits are in its balances.

import type { Check } from '#ledger/ledger-checks.ts'

// The client whose money each ledger account holds. The owner of money in suspense is not certain yet.
const OWNERS = `
  select id, client_id from collection_accounts
  union all
  select id, substr(owner, length('client:') + 1)::bigint from ledger_accounts
   where owner like 'client:%' and kind <> 'collection' and kind <> 'suspense'
  union all
  select l.id, s.client_id
    from ledger_accounts l join subaccounts s on l.owner = 'subaccount:' || s.id
   where l.kind <> 'collection'`

export const BALANCE_CHECKS: readonly Check[] = [
  {
    // A client's balances without transfers that have no credit equal its net. Its balances plus
    // payouts, refunds and their fees, minus write-offs, equal the same net. So no money left in
    // another way, and none came from another client.
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
         where l.kind in ('fee_income', 'vat_payable', 'write_off')
           and l.owner = 'operator:' || coalesce(t.from_client, t.to_client)
      )
      select format('client %s, %s', client_id, currency) as subject,
             format('net %s', sum(held) - sum(moved)) as expected,
             format('net %s', sum(held) + sum(gone)) as found
        from parts where client_id is not null
       group by client_id, currency having sum(moved) <> -sum(gone)
       order by client_id, currency`,
  },
]
