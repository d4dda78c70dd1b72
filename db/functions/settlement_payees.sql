-- Which bank account each party of a client's settlements is paid to: the client's default one, and
-- each subaccount's own.

create or replace view settlement_payees as
select client_id, null::bigint as subaccount_id, null::text as subaccount_code,
       id as bank_account_id
  from bank_accounts where is_default
union all
select client_id, id, code, bank_account_id from subaccounts;
