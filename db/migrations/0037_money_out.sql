-- Money out: the ledger accounts that money goes through on its way to clients and payers, and
-- transfers that belong to a payout, a settlement or an adjustment instead of a credit.
--
-- available    proceeds of paid payments, so far called settled       owner: client
-- subaccount   a subaccount's share of the client's credits           owner: subaccount
-- settling     in a settlement that was closed and is not paid yet    owner: client or subaccount
-- reserve      held back from settlements until it is released        owner: client
-- paying       in payouts that the bank has not confirmed             owner: client or subaccount
-- refunding    in refunds that the bank has not confirmed             owner: client
-- receivable   what a client owes us: reversed after it was paid out  owner: client
-- write_off    what nobody will pay back: a loss                      owner: bank or operator
--
-- Receivable and write_off grow by debits.

alter table ledger_accounts
  drop constraint ledger_accounts_kind_known,
  drop constraint ledger_accounts_not_overdrawn;

alter table ledger_accounts disable trigger ledger_accounts_change_by_transfer_only;
update ledger_accounts set kind = 'available' where kind = 'settled' and kind <> 'collection';
alter table ledger_accounts enable trigger ledger_accounts_change_by_transfer_only;

alter table ledger_accounts
  add constraint ledger_accounts_kind_known check (kind in
    ('bank', 'shortfall', 'bank_cost', 'input_vat', 'receivable', 'write_off', 'collection',
     'pending', 'available', 'subaccount', 'settling', 'reserve', 'paying', 'refunding',
     'suspense', 'returning', 'fee_income', 'vat_payable')),
  add constraint ledger_accounts_not_overdrawn check (
    debits_kobo >= 0 and credits_kobo >= 0 and
    case when kind = 'bank' then true
         when kind in ('shortfall', 'bank_cost', 'input_vat', 'receivable', 'write_off')
         then debits_kobo >= credits_kobo
         else credits_kobo >= debits_kobo end);

-- I46. A transfer has one cause: the credit whose money it moves, or else a payout, a settlement or
-- an adjustment (a recovery or a write-off).
alter table transfers drop constraint transfers_pkey;
alter table transfers alter column credit_id drop not null;
alter table transfers
  add column payout_id bigint,
  add column settlement_id bigint,
  add column adjustment_id bigint,
  add constraint transfers_of_credit unique (credit_id, id),
  add constraint transfers_have_one_cause
    check (num_nonnulls(credit_id, payout_id, settlement_id, adjustment_id) = 1);

create index transfers_of_payout on transfers (payout_id) where payout_id is not null;
create index transfers_of_settlement on transfers (settlement_id) where settlement_id is not null;
create index transfers_of_adjustment on transfers (adjustment_id) where adjustment_id is not null;

-- Totals (0036_fees.sql) are of credits: what leaves by payout was counted when it came in, and a
-- share for a subaccount stays the client's.
create or replace view client_movements as
select t.id, t.credit_id, t.reason, t.posted_at, m.client_id, t.currency,
       case when m.place_from = 'outside' and t.reason not in ('fee', 'fee_vat') then t.amount_kobo
            else 0 end as gross_kobo,
       case when m.place_to = 'outside' and t.reason = 'reversal' then t.amount_kobo else 0 end
         as reversed_kobo,
       case when m.place_to = 'outside' and t.reason = 'returned' then t.amount_kobo else 0 end
         as returned_kobo,
       case when m.place_to = 'suspended' then t.amount_kobo
            when m.place_from = 'suspended' then -t.amount_kobo else 0 end as suspended_kobo,
       case when t.reason not in ('fee', 'fee_vat') then 0
            when m.place_to = 'outside' then t.amount_kobo else -t.amount_kobo end as fees_kobo
  from (select t.id, t.debit_account_id, t.credit_account_id, t.amount_kobo, t.credit_id,
               t.reason, t.posted_at, d.currency, d.kind as debit_kind, c.kind as credit_kind,
               coalesce(da.client_id, substr(d.owner, 8)::bigint) as debit_client,
               coalesce(ca.client_id, substr(c.owner, 8)::bigint) as credit_client
          from transfers t
          join (select id, kind, currency, case when owner like 'client:%' then owner end as owner
                  from ledger_accounts) as d on d.id = t.debit_account_id
          join (select id, kind, case when owner like 'client:%' then owner end as owner
                  from ledger_accounts) as c on c.id = t.credit_account_id
          left join collection_accounts da on da.id = t.debit_account_id
          left join collection_accounts ca on ca.id = t.credit_account_id
         where t.credit_id is not null and t.reason <> 'split') as t
 -- What is on its way back is with a bank's account: it is whose suspense it left last.
 cross join lateral (
   select case when t.debit_kind = 'returning' then
            (select substr(l.owner, 8)::bigint
               from transfers r join ledger_accounts l on l.id = r.debit_account_id
              where r.credit_id = t.credit_id and r.reason = 'return' and r.id < t.id
                and l.owner like 'client:%'
                and r.id = (select max(id) from transfers
                             where credit_id = t.credit_id and reason = 'return' and id < t.id))
          end as client_id) as sent
 cross join lateral (
   select coalesce(t.debit_client, t.credit_client, sent.client_id) as client_id,
          case when t.debit_kind = 'suspense' and t.debit_client is not null
                 or sent.client_id is not null then 'suspended'
               when t.debit_client is not null then 'booked' else 'outside' end as place_from,
          case when t.credit_kind = 'suspense' and t.credit_client is not null
                 or t.credit_kind = 'returning' then 'suspended'
               when t.credit_client is not null then 'booked' else 'outside' end as place_to) as m
 where m.client_id is not null and m.place_from <> m.place_to;

-- payouts:read    bank accounts, payouts, settlements, subaccounts
-- payouts:write   to create and approve them, and to change how they are made
-- refunds:write   to refund payments and credits
alter table clients drop constraint clients_scopes_known;
alter table clients add constraint clients_scopes_known check (scopes <@ array[
  'accounts:read', 'accounts:write', 'payments:read', 'payments:write', 'credits:read',
  'webhooks:read', 'webhooks:write', 'suspense:read', 'suspense:write', 'actions:read',
  'payouts:read', 'payouts:write', 'refunds:write', 'returns:read', 'returns:write', 'operator']);
alter table clients alter column scopes set default array[
  'accounts:read', 'accounts:write', 'payments:read', 'payments:write', 'credits:read',
  'webhooks:read', 'webhooks:write', 'suspense:read', 'suspense:write', 'actions:read',
  'payouts:read', 'payouts:write', 'refunds:write'];
-- Who could move suspended money can move the rest.
update clients set scopes = scopes || array['payouts:read'] where scopes @> array['suspense:read'];
update clients set scopes = scopes || array['payouts:write', 'refunds:write']
 where scopes @> array['suspense:write'];
