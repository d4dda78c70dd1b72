-- Whose ledger accounts a client's settlement takes from: its collection accounts, the proceeds of its
-- payments, and what its subaccounts have.

create view settlement_accounts as
select a.client_id, null::bigint as subaccount_id, l.id as account_id, l.currency
  from collection_accounts a join ledger_accounts l on l.id = a.id
union all
select substr(l.owner, 8)::bigint, null::bigint, l.id, l.currency
  from ledger_accounts l where l.kind = 'available'
union all
select s.client_id, s.id, l.id, l.currency
  from subaccounts s
  join ledger_accounts l on l.kind = 'subaccount' and l.owner = 'subaccount:' || s.id;

-- Which bank account each party of a client's settlements is paid to: the client's default one, and
-- each subaccount's own.

create view settlement_payees as
select client_id, null::bigint as subaccount_id, null::text as subaccount_code,
       id as bank_account_id
  from bank_accounts where is_default
union all
select client_id, id, code, bank_account_id from subaccounts;
