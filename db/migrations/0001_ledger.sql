-- The ledger: accounts, and the transfers between them.
--
-- This file enforces, whatever the code above it does:
--   I1  a transfer debits one account and credits another, of one currency, by the same positive
--       amount; so all accounts together always sum to zero;
--   I2  a transfer never changes and never goes away;
--   I3  an account's balance is the sum of its transfers: only inserting a transfer changes it;
--   I4  no account but a bank's own goes below zero on its own side; a bank's does only when it
--       takes back what had left us already, and then an alert stands.
--
-- Amounts are in the smallest unit of their currency (kobo for NGN).

create sequence ledger_account_ids;

create table ledger_accounts (
  id            bigint primary key default nextval('ledger_account_ids'),
  -- bank        what a bank holds for us                                     owner: bank code
  -- shortfall   what a bank took back although it had left us already        owner: bank code
  -- collection  what came in on one collection account                       owner: ''
  -- pending     part payments that are not settled yet                       owner: client
  -- settled     what paid payments brought in                                owner: client
  -- suspense    money that we hold and cannot give to anyone yet             owner: client or bank
  -- returning   money on its way back to a payer                             owner: bank code
  kind          text collate "C" not null,
  owner         text collate "C" not null default '',
  currency      text collate "C" not null default 'NGN',
  debits_kobo   bigint not null default 0,
  credits_kobo  bigint not null default 0,
  opened_at     timestamptz not null default now(),

  constraint ledger_accounts_kind_known check (kind in
    ('bank', 'shortfall', 'collection', 'pending', 'settled', 'suspense', 'returning')),
  constraint ledger_accounts_not_overdrawn check (
    debits_kobo >= 0 and credits_kobo >= 0 and
    case kind when 'bank' then true -- A bank may take back more than it holds: see reversals.
              when 'shortfall' then debits_kobo >= credits_kobo
              else credits_kobo >= debits_kobo end)
) with (fillfactor = 70); -- Room for balances to be rewritten in place, without touching the index.

-- Accounts that many share (all but collection accounts) are found by what they are.
create unique index ledger_accounts_one_per_owner
  on ledger_accounts (kind, owner, currency) where kind <> 'collection';

create table transfers (
  id                bigint not null generated always as identity,
  debit_account_id  bigint not null,
  credit_account_id bigint not null,
  amount_kobo       bigint not null,
  credit_id         bigint not null, -- The credit that brought this money in.
  reason            text collate "C" not null,
  posted_at         timestamptz not null,

  -- Led by the credit, so that one index says which transfers are a credit's.
  constraint transfers_pkey primary key (credit_id, id),
  constraint transfers_amount_positive check (amount_kobo > 0),
  constraint transfers_two_accounts check (debit_account_id <> credit_account_id)
);

create index transfers_by_credit_account on transfers (credit_account_id, id);
-- Every credit debits its bank's account: indexing those would cost each credit an index entry
-- that nobody reads. They are found through the credit.
create index transfers_by_debit_account on transfers (debit_account_id, id) where reason <> 'credit';

create index transfers_reversed on transfers (debit_account_id) include (amount_kobo)
  where reason = 'reversal';

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% may not be changed this way (%)', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end $$;

create trigger transfers_append_only
  before update or delete or truncate on transfers
  for each statement execute function refuse_change();

create trigger ledger_accounts_kept
  before delete or truncate on ledger_accounts
  for each statement execute function refuse_change();

-- Depth 0 is a statement of the code's own; the posting trigger below updates at depth 1.
create trigger ledger_accounts_change_by_transfer_only
  before update on ledger_accounts
  for each statement when (pg_trigger_depth() = 0) execute function refuse_change();

create function refuse_opening_balance() returns trigger language plpgsql as $$
begin
  if exists (select from opened where debits_kobo <> 0 or credits_kobo <> 0) then
    raise exception 'an account opens with nothing in it' using errcode = 'restrict_violation';
  end if;
  return null;
end $$;

create trigger ledger_accounts_open_empty
  after insert on ledger_accounts referencing new table as opened
  for each statement execute function refuse_opening_balance();

-- Posting. One set-wise update for all transfers of a statement: a busy account is written once
-- per batch, not once per transfer. Locks shared accounts last, and each group in id order, so
-- that a batch which already holds collection accounts cannot deadlock with another.
--
-- The planner settings hold it to index look-ups: a transition table joined to a large table
-- would otherwise be planned as a scan of the large one.
create function post_inserted_transfers() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  named_count    int;
  found_count    int;
  currency_count int;
begin
  select count(*) into named_count from (
    select debit_account_id from inserted union select credit_account_id from inserted) as named;

  select count(*), count(distinct currency) into found_count, currency_count from (
    select currency from ledger_accounts
     where id in (select debit_account_id from inserted
                  union select credit_account_id from inserted)
     order by kind <> 'collection', id
       for no key update) as locked;

  -- Only where several currencies meet must each transfer be looked at.
  if found_count < named_count or currency_count > 1 and exists (
    select from inserted t
      join ledger_accounts d on d.id = t.debit_account_id
      join ledger_accounts c on c.id = t.credit_account_id
     where d.currency <> c.currency
  ) then
    raise exception 'a transfer joins two accounts that both exist, in one currency'
      using errcode = 'foreign_key_violation';
  end if;

  with sides as (
    select debit_account_id as id, amount_kobo as debit, 0::bigint as credit from inserted
    union all
    select credit_account_id, 0, amount_kobo from inserted
  ), net as (
    select id, sum(debit)::bigint as debit, sum(credit)::bigint as credit from sides group by id
  )
  update ledger_accounts a
     set debits_kobo = a.debits_kobo + net.debit, credits_kobo = a.credits_kobo + net.credit
    from net
   where a.id = net.id;
  return null;
end $$;

create trigger transfers_post
  after insert on transfers referencing new table as inserted
  for each statement execute function post_inserted_transfers();
