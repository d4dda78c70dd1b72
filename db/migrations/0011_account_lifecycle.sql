-- Collection accounts that change: their versions, limits, default, and how they are found.
--
--   I19  a client has at most one default account for a merchantId, and it is active;
--   I20  a credit that breaks a limit of its account is suspended. What came in today is what was
--        ever credited less `opening_kobo`; rows are written under the lock of the ledger account.

alter table collection_accounts
  add column version               bigint not null default 1, -- Counts the changes: the ETag.
  add column limit_per_credit_kobo bigint, -- Null: none.
  add column limit_per_day_kobo    bigint,
  add constraint collection_accounts_limits_positive
    check (limit_per_credit_kobo > 0 and limit_per_day_kobo > 0),
  add constraint collection_accounts_default_is_active check (is_active or not is_default);

create unique index collection_accounts_one_default
  on collection_accounts (client_id, merchant_id) where is_default;

-- Only for accounts with a limit per day: what had been credited to it before this day (WAT) began.
create table collection_days (
  collection_account_id bigint primary key references collection_accounts,
  day                   date not null,
  opening_kobo          bigint not null check (opening_kobo >= 0)
) with (fillfactor = 50);

-- Found by what a client knows of its customer: a BVN by its keyed hash, an email address in any
-- case, a phone number with or without the country's code.
create index collection_accounts_by_bvn on collection_accounts (client_id, bvn_hash);
create index collection_accounts_by_email on collection_accounts (client_id, lower(email));
create index collection_accounts_by_phone on collection_accounts (client_id, right(phone_number, 10));
