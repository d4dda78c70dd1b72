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

-- Which profile a client's accounts of a tier have: one for each tier.
create table limit_profile_tiers (
  client_id  bigint not null,
  tier       smallint not null check (tier between 1 and 3),
  profile_id bigint not null,

  constraint limit_profile_tiers_one_profile primary key (client_id, tier),
  constraint limit_profile_tiers_of_same_client
    foreign key (client_id, profile_id) references limit_profiles (client_id, id) on delete cascade
);

create index limit_profile_tiers_by_profile on limit_profile_tiers (profile_id);

-- Until now the default was copied into the account, and a change overwrote it. Renamed, so that a
-- process of the version before fails rather than judges by half of the limits.
alter table collection_accounts rename column limit_per_credit_kobo to default_per_credit_kobo;
alter table collection_accounts rename column limit_per_day_kobo to default_per_day_kobo;

-- Not valid: the columns are new, so there is nothing to check in the rows that are there.
alter table collection_accounts
  add column own_per_credit_kobo  bigint,
  add column own_per_day_kobo     bigint,
  add column own_balance_max_kobo bigint,
  add column limit_profile_id     bigint,
  add column nin_sealed           bytea, -- AES-256-GCM, see src/seal.ts.
  add column nin_hash             bytea, -- Keyed hash, for look-up.
  -- Every account so far was opened with a BVN.
  add column kyc_tier             smallint not null default 3,
  add column verified_name        text,
  add constraint collection_accounts_own_limits_positive
    check (own_per_credit_kobo > 0 and own_per_day_kobo > 0 and own_balance_max_kobo > 0) not valid,
  add constraint collection_accounts_limit_profile_of_same_client
    foreign key (client_id, limit_profile_id) references limit_profiles (client_id, id) not valid,
  add constraint collection_accounts_nin_is_whole
    check ((nin_sealed is null) = (nin_hash is null)) not valid,
  add constraint collection_accounts_kyc_tier_known check (kyc_tier between 1 and 3) not valid,
  add constraint collection_accounts_erased_has_no_kyc
    check (erased_at is null
           or nin_sealed is null and nin_hash is null and verified_name is null) not valid;

-- Limits that somebody set are the account's own. The audit log tells which: it has every change.
update collection_accounts a
   set own_per_credit_kobo = a.default_per_credit_kobo, own_per_day_kobo = a.default_per_day_kobo,
       default_per_credit_kobo = null, default_per_day_kobo = null
  from (select distinct substr(subject, length('account/') + 1) as account_number
          from actions
         where action = 'account.update' and detail -> 'changes' ? 'limits') as changed
 where a.account_number = changed.account_number;

create index collection_accounts_by_nin
  on collection_accounts (client_id, nin_hash) where nin_hash is not null;
create index collection_accounts_by_limit_profile
  on collection_accounts (client_id, limit_profile_id) where limit_profile_id is not null;
