-- Account numbers, and the collection accounts that keep one for ever.
--
--   I6  a number belongs to one collection account or one payment at a time;
--   I7  a dynamic number is issued again only after `reusable_at`;
--   I8  a collection account is one ledger account: they share their id.

-- The serials that a bank grants us. Serial number i of a range is first_serial + permute(key, i): each
-- index is used once, and nobody without the key can tell the next number from the last.
create table number_ranges (
  id           bigint primary key generated always as identity,
  bank_code    text collate "C" not null,
  purpose      text collate "C" not null check (purpose in ('static', 'dynamic')),
  first_serial bigint not null,
  last_serial  bigint not null,
  key          bytea not null,
  next_index   bigint not null default 0,

  constraint number_ranges_once unique (bank_code, purpose, first_serial, last_serial),
  constraint number_ranges_in_order
    check (first_serial between 0 and last_serial and last_serial <= 999999999),
  constraint number_ranges_not_overrun check (next_index <= last_serial - first_serial + 1)
) with (fillfactor = 50);

-- One process at a time refills the pool of a bank, and waits longer after each failure of the bank.
create table number_pools (
  bank_code    text collate "C" primary key,
  leased_until timestamptz,
  failures     integer not null default 0,
  retry_at     timestamptz
) with (fillfactor = 50);

-- Numbers that a bank reserves for us, one at a time, and collection accounts with numbers at
-- several banks.
--
--   asked ──▶ available ──▶ used ──▶ blocked
--
-- A number is requested under a reference of ours that is stored before the call: if the service repeats
-- the request after silence or a crash, the bank answers with the same number. Only refused requests are
-- deleted.
create table reserved_numbers (
  id             bigint primary key generated always as identity,
  reference      uuid not null,
  bank_code      text collate "C" not null,
  purpose        text collate "C" not null,
  state          text collate "C" not null default 'asked',
  account_number text collate "C",
  account_name   text, -- The name at the reservation. Renaming leaves no personal name here.
  asked_at       timestamptz not null,
  reserved_at    timestamptz,
  -- Numbers that a bank reserves for a customer whom it must identify. The reservation belongs to the
  -- request it was made for, known by a keyed hash, until an account takes the number. Null: of a pool,
  -- or in use.
  request_hash   bytea,

  constraint reserved_numbers_reference_unique unique (reference),
  constraint reserved_numbers_number_unique unique (account_number),
  constraint reserved_numbers_purpose_known check (purpose in ('static', 'dynamic')),
  constraint reserved_numbers_state_known check (state in ('asked', 'available', 'used', 'blocked')),
  constraint reserved_numbers_asked_has_no_number check (
    (state = 'asked') = (account_number is null) and (state = 'asked') = (account_name is null)
    and (state = 'asked') = (reserved_at is null))
);

create index reserved_numbers_available on reserved_numbers (bank_code, purpose, id)
 where state = 'available';
create index reserved_numbers_asked on reserved_numbers (bank_code, purpose, id)
 where state = 'asked';
create unique index reserved_numbers_request_once on reserved_numbers (request_hash);

-- Know your customer: NIN, tier and verified name of a collection account; and limit profiles, which
-- accounts share by name or by tier.
--
--   I20  each limit of an account is the first that is set of its own, its profile's, its tier's and
--        the default of the settings when it was created. Credits look it up when they are judged,
--        so that changing one profile changes the limits of all its accounts at once.
create table limit_profiles (
  id               bigint primary key generated always as identity,
  client_id        bigint not null references clients,
  code             text collate "C" not null,
  name             text not null,
  per_credit_kobo  bigint, -- Null: not limited by this profile.
  per_day_kobo     bigint,
  balance_max_kobo bigint,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,

  constraint limit_profiles_code_unique unique (client_id, code),
  constraint limit_profiles_of_client unique (client_id, id),
  constraint limit_profiles_positive
    check (per_credit_kobo > 0 and per_day_kobo > 0 and balance_max_kobo > 0)
);

-- The profile of a client's accounts of each tier.
create table limit_profile_tiers (
  client_id  bigint not null,
  tier       smallint not null check (tier between 1 and 3),
  profile_id bigint not null,

  constraint limit_profile_tiers_one_profile primary key (client_id, tier),
  constraint limit_profile_tiers_of_same_client
    foreign key (client_id, profile_id) references limit_profiles (client_id, id) on delete cascade
);

create index limit_profile_tiers_by_profile on limit_profile_tiers (profile_id);

create table collection_accounts (
  id                      bigint primary key references ledger_accounts,
  client_id               bigint not null references clients,
  account_number          text collate "C" not null,
  bank_code               text collate "C" not null,
  account_name            text not null,
  bvn_sealed              bytea not null, -- AES-256-GCM, see src/seal.ts.
  bvn_hash                bytea not null, -- Keyed hash, for look-up.
  email                   text not null,
  merchant_id             text not null,
  merchant_code           text not null,
  notification_url        text not null,
  phone_number            text not null,
  channel                 text not null,
  currency_code           text collate "C" not null default 'NGN',
  is_default              boolean not null default false,
  is_active               boolean not null default true,
  -- The payers and the amounts that are accepted. Null: any.
  payer_rules             jsonb,
  created_at              timestamptz not null,
  updated_at              timestamptz not null,
  -- Collection accounts that change: their versions, limits, default, and how they are found.
  --
  --   I19  a client has at most one default account for a merchantId, and it is active;
  --   I20  a credit that breaks a limit of its account is suspended. What came in today is what was
  --        ever credited less `opening_kobo`; rows are written under the lock of the ledger account.
  version                 bigint not null default 1, -- Counts the changes: the ETag.
  default_per_credit_kobo bigint, -- Null: none.
  default_per_day_kobo    bigint,
  -- When personal data was erased. The number is never used again; the money and its history stay.
  erased_at               timestamptz,
  own_per_credit_kobo     bigint,
  own_per_day_kobo        bigint,
  own_balance_max_kobo    bigint,
  limit_profile_id        bigint,
  nin_sealed              bytea, -- AES-256-GCM, see src/seal.ts.
  nin_hash                bytea, -- Keyed hash, for look-up.
  -- An account that is opened with a BVN has tier 3.
  kyc_tier                smallint not null default 3,
  verified_name           text,
  split_id                bigint,

  constraint collection_accounts_number_unique unique (account_number),
  constraint collection_accounts_of_client unique (client_id, id),
  constraint collection_accounts_limits_positive
    check (default_per_credit_kobo > 0 and default_per_day_kobo > 0),
  constraint collection_accounts_default_is_active check (is_active or not is_default),
  constraint collection_accounts_erased_is_empty
    check (erased_at is null
           or not is_active and not is_default and account_name = 'Erased' and email = ''
              and phone_number = '' and bvn_hash = '' and payer_rules is null),
  constraint collection_accounts_own_limits_positive
    check (own_per_credit_kobo > 0 and own_per_day_kobo > 0 and own_balance_max_kobo > 0),
  constraint collection_accounts_limit_profile_of_same_client
    foreign key (client_id, limit_profile_id) references limit_profiles (client_id, id),
  constraint collection_accounts_nin_is_whole
    check ((nin_sealed is null) = (nin_hash is null)),
  constraint collection_accounts_kyc_tier_known check (kyc_tier between 1 and 3),
  constraint collection_accounts_erased_has_no_kyc
    check (erased_at is null
           or nin_sealed is null and nin_hash is null and verified_name is null),
  constraint collection_accounts_split_of_same_client
    foreign key (client_id, split_id) references splits (client_id, id)
);

-- Balances by merchant.
create index collection_accounts_by_merchant
  on collection_accounts (client_id, merchant_id, merchant_code, currency_code);
create unique index collection_accounts_one_default
  on collection_accounts (client_id, merchant_id) where is_default;
-- Look-ups by customer: a BVN by its keyed hash, an email address in any case, a phone number with or
-- without the country code.
create index collection_accounts_by_bvn on collection_accounts (client_id, bvn_hash);
create index collection_accounts_by_email on collection_accounts (client_id, lower(email));
create index collection_accounts_by_phone on collection_accounts (client_id, right(phone_number, 10));
create index collection_accounts_by_nin
  on collection_accounts (client_id, nin_hash) where nin_hash is not null;
create index collection_accounts_by_limit_profile
  on collection_accounts (client_id, limit_profile_id) where limit_profile_id is not null;

-- Every number that was ever issued, and its present holder.
create table numbers (
  account_number        text collate "C" primary key,
  bank_code             text collate "C" not null,
  client_id             bigint not null,
  collection_account_id bigint,
  payment_id            uuid,
  reusable_at           timestamptz,
  -- A collection account's numbers besides its own: one for each other bank.
  added_at              timestamptz,

  constraint numbers_one_owner check ((collection_account_id is null) <> (payment_id is null)),
  constraint numbers_only_dynamic_return check ((payment_id is null) = (reusable_at is null)),
  constraint numbers_account_of_same_client
    foreign key (client_id, collection_account_id) references collection_accounts (client_id, id),
  constraint numbers_added_to_account
    check (added_at is null or collection_account_id is not null)
);

create index numbers_reusable on numbers (bank_code, reusable_at) where payment_id is not null;
create unique index numbers_one_added_per_bank on numbers (collection_account_id, bank_code)
 where added_at is not null;
-- Nearly empty, so the look-up that each credit makes here costs next to nothing.
create index numbers_added on numbers (account_number) where added_at is not null;

-- Only for accounts with a daily limit: the sum credited before this day (West Africa Time) began.
create table collection_days (
  collection_account_id bigint primary key references collection_accounts,
  day                   date not null,
  opening_kobo          bigint not null check (opening_kobo >= 0)
) with (fillfactor = 50);

-- Changes of an account that the issuing bank must learn of, and the bank's answers.
create table bank_account_changes (
  id                    bigint primary key generated always as identity,
  client_id             bigint not null references clients,
  collection_account_id bigint not null,
  bank_code             text collate "C" not null,
  account_number        text collate "C" not null,
  change                text collate "C" not null,
  state                 text collate "C" not null default 'pending',
  attempts              integer not null default 0,
  next_attempt_at       timestamptz not null,
  reason                text, -- The reason of the last failure.
  created_at            timestamptz not null,
  finished_at           timestamptz,

  constraint bank_account_changes_known check (change in ('rename', 'block')),
  constraint bank_account_changes_state_known
    check (state in ('pending', 'done', 'refused', 'dropped')),
  constraint bank_account_changes_finished_has_time
    check ((state = 'pending') = (finished_at is null)),
  constraint bank_account_changes_account_of_same_client
    foreign key (client_id, collection_account_id) references collection_accounts (client_id, id)
);

create index bank_account_changes_due on bank_account_changes (bank_code, next_attempt_at)
 where state = 'pending';
create index bank_account_changes_pending on bank_account_changes (account_number, id)
 where state = 'pending';
create index bank_account_changes_of_account on bank_account_changes (collection_account_id, id);
