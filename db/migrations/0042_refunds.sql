-- Reversals of money that has left.
--
--   I57  what a bank reverses is taken from the ledger account that the credit was booked to as far
--        as that goes, and the rest is the client's debt: nobody else pays for it, and nothing twice.

alter table reversals
  add column receivable_kobo bigint not null default 0, -- Of the amount, what the client owes us.
  drop constraint reversals_shortfall_is_part,
  add constraint reversals_parts_fit check (
    shortfall_kobo >= 0 and receivable_kobo >= 0 and shortfall_kobo + receivable_kobo <= amount_kobo);

-- What a reversal found missing, by the ledger account that should have had it.
create table receivables (
  id          bigint primary key generated always as identity,
  reversal_id bigint not null references reversals,
  client_id   bigint not null references clients,
  account_id  bigint not null references ledger_accounts,
  amount_kobo bigint not null,

  constraint receivables_amount_positive check (amount_kobo > 0)
);

create index receivables_by_reversal on receivables (reversal_id);
create index receivables_by_account on receivables (account_id);
