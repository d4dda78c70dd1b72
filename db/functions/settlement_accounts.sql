-- Whose ledger accounts a client's settlement takes from: its collection accounts, the proceeds of its
-- payments, and what its subaccounts have.

create or replace view settlement_accounts as
select a.client_id, null::bigint as subaccount_id, l.id as account_id, l.currency
  from collection_accounts a join ledger_accounts l on l.id = a.id
union all
select substr(l.owner, 8)::bigint, null::bigint, l.id, l.currency
  from ledger_accounts l where l.kind = 'available'
union all
select s.client_id, s.id, l.id, l.currency
  from subaccounts s
  join ledger_accounts l on l.kind = 'subaccount' and l.owner = 'subaccount:' || s.id;
