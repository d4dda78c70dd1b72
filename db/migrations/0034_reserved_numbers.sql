-- Numbers that a bank reserves for us, one at a time, and collection accounts with numbers at
-- several banks.
--
--   asked ──▶ available ──▶ used ──▶ blocked
--
-- A number is asked for under a reference of ours, before the call: asked again after silence or a
-- crash, the bank gives the same number. Only what the bank refuses is deleted.

create table reserved_numbers (
  id             bigint primary key generated always as identity,
  reference      uuid not null,
  bank_code      text collate "C" not null,
  purpose        text collate "C" not null,
  state          text collate "C" not null default 'asked',
  account_number text collate "C",
  account_name   text, -- As reserved. Renaming leaves no personal name here.
  asked_at       timestamptz not null,
  reserved_at    timestamptz,

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

-- One process at a time refills a bank's pool, and waits longer each time the bank fails it.
create table number_pools (
  bank_code    text collate "C" primary key,
  leased_until timestamptz,
  failures     integer not null default 0,
  retry_at     timestamptz
) with (fillfactor = 50);

-- A collection account's numbers besides its own: one for each other bank.
alter table numbers
  add column added_at timestamptz,
  add constraint numbers_added_to_account
    check (added_at is null or collection_account_id is not null);

create unique index numbers_one_added_per_bank on numbers (collection_account_id, bank_code)
 where added_at is not null;
-- Nearly empty: so a credit, which looks for every number here too, pays nothing for it.
create index numbers_added on numbers (account_number) where added_at is not null;

-- What a bank has still to be told of an account that it issued; or was, and answered.
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
  reason                text, -- Of the last failure.
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
