-- The ledger: accounts, and the transfers between them.
--
-- This file enforces, independently of the code above it:
--   I1  a transfer debits one account and credits another, of one currency, by the same positive
--       amount; so all accounts together always sum to zero;
--   I2  a transfer never changes and never goes away;
--   I3  an account's balance is the sum of its transfers: only inserting a transfer changes it;
--   I4  no account but a bank's own goes below zero on its own side; a bank's does only when it
--       takes back what had left us already, and then an alert stands.
--
-- Amounts are in the smallest unit of their currency (kobo for NGN).

create sequence ledger_account_ids;

-- Shared accounts get ids above all others. Balances are updated in the order of ids
-- (db/functions/post_inserted_transfers.sql), so shared accounts are updated last, and another batch that
-- needs them waits for little more than the commit.
create sequence shared_account_ids start 1000000000000000;

create table ledger_accounts (
  id           bigint primary key default nextval('ledger_account_ids'),
  -- bank         money that a bank holds for us                              owner: bank code
  -- shortfall    money that a bank took back after it had left us            owner: bank code
  -- bank_cost    fees and duties that a bank withheld from credits           owner: bank code
  -- input_vat    VAT on them, which may be reclaimed                         owner: bank code
  -- receivable   debts of a client: reversed after it was paid out           owner: client
  -- write_off    losses: debts that nobody will pay                          owner: bank or operator
  -- collection   money received on one collection account                    owner: ''
  -- pending      part payments of payments that are not paid yet             owner: client
  -- available    proceeds of paid payments                                   owner: client
  -- subaccount   a subaccount's share of the client's credits                owner: subaccount
  -- settling     in a settlement that is closed and not paid yet             owner: client or subaccount
  -- reserve      held back from settlements until it is released             owner: client
  -- paying       in payouts that the bank has not confirmed                  owner: client or subaccount
  -- refunding    in refunds that the bank has not confirmed                  owner: client
  -- suspense     money that cannot be booked to anyone yet                   owner: client or bank
  -- returning    money on its way back to a payer                            owner: bank code
  -- fee_income   fees charged to a client                                    owner: operator, by client
  -- vat_payable  VAT charged with them, owed to the state                    owner: operator, by client
  kind         text collate "C" not null,
  owner        text collate "C" not null default '',
  currency     text collate "C" not null default 'NGN',
  debits_kobo  bigint not null default 0,
  credits_kobo bigint not null default 0,
  opened_at    timestamptz not null default now(),

  constraint ledger_accounts_kind_known check (kind in
      ('bank', 'shortfall', 'bank_cost', 'input_vat', 'receivable', 'write_off', 'collection',
       'pending', 'available', 'subaccount', 'settling', 'reserve', 'paying', 'refunding',
       'suspense', 'returning', 'fee_income', 'vat_payable')),
  constraint ledger_accounts_not_overdrawn check (
    debits_kobo >= 0 and credits_kobo >= 0 and
    case when kind = 'bank' then true
         when kind in ('shortfall', 'bank_cost', 'input_vat', 'receivable', 'write_off')
         then debits_kobo >= credits_kobo
         else credits_kobo >= debits_kobo end)
) with (fillfactor = 70); -- Room for balances to be rewritten in place, without touching the index.

-- Accounts that many share (all but collection accounts) are found by what they are.
create unique index ledger_accounts_one_per_owner
  on ledger_accounts (kind, owner, currency) where kind <> 'collection';

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% may not be changed this way (%)', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end $$;

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

create trigger ledger_accounts_kept
  before delete on ledger_accounts
  for each statement execute function refuse_change();

create trigger ledger_accounts_not_truncated
  before truncate on ledger_accounts
  for each statement execute function refuse_change();

create table transfers (
  id                bigint not null generated always as identity,
  debit_account_id  bigint not null,
  credit_account_id bigint not null,
  amount_kobo       bigint not null,
  credit_id         bigint, -- The credit that brought this money in.
  reason            text collate "C" not null,
  posted_at         timestamptz not null,
  payout_id         bigint,
  settlement_id     bigint,
  adjustment_id     bigint,
  -- I46. What a statement told us of a bank's charges is booked with its difference as the cause.
  difference_id     bigint,

  constraint transfers_amount_positive check (amount_kobo > 0),
  constraint transfers_two_accounts check (debit_account_id <> credit_account_id),
  constraint transfers_of_credit unique (credit_id, id),
  constraint transfers_have_one_cause
    check (num_nonnulls(credit_id, payout_id, settlement_id, adjustment_id, difference_id) = 1)
);

create index transfers_by_credit_account on transfers (credit_account_id, id);
-- Every credit debits its bank's account: indexing those would cost each credit an index entry
-- that nobody reads. They are found through the credit.
create index transfers_by_debit_account on transfers (debit_account_id, id) where reason <> 'credit';
create index transfers_reversed on transfers (debit_account_id) include (amount_kobo)
  where reason = 'reversal';
-- Transfers after a credit was booked. They are a small share of all transfers and are found by time.
create index transfers_later on transfers (posted_at)
  where reason in ('assign', 'suspend', 'returned', 'reversal');
create index transfers_of_payout on transfers (payout_id) where payout_id is not null;
create index transfers_of_settlement on transfers (settlement_id) where settlement_id is not null;
create index transfers_of_adjustment on transfers (adjustment_id) where adjustment_id is not null;
-- Transfers with a cause other than a credit: payouts, refunds, settlements, write-offs. Balances read
-- them apart from credits and reversals. Transfers of credits are in neither index, so they cost nothing.
create index transfers_out_without_credit on transfers (debit_account_id)
  include (amount_kobo, reason, posted_at) where credit_id is null;
create index transfers_in_without_credit on transfers (credit_account_id)
  include (amount_kobo, reason, posted_at) where credit_id is null;
-- The transfers of a period, and of a range of ids. Rows lie in the order of posting, so a summary of
-- each run of pages finds them, and a batch of credits writes next to nothing to it.
create index transfers_in_order on transfers using brin (posted_at, id)
  with (pages_per_range = 32, autosummarize = on);
create unique index transfers_of_difference_once on transfers (difference_id)
  where difference_id is not null;
create index transfers_refunded on transfers (posted_at) where reason = 'refunded';

-- The body is in db/functions/post_inserted_transfers.sql. Until it is applied, every row is refused.
create function post_inserted_transfers() returns trigger language plpgsql as $$ begin end $$;

create trigger transfers_post
  after insert on transfers referencing new table as inserted
  for each statement execute function post_inserted_transfers();

create trigger transfers_not_truncated
  before truncate on transfers
  for each statement execute function refuse_change();

create trigger transfers_append_only before update or delete on transfers
  for each statement execute function refuse_change();
