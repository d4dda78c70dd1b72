-- Data at rest: which key seals, who holds which, and whose personal data is erased.
--
-- Every column that holds sealed values is a bytea whose name ends in _sealed, in a table with a
-- primary key of one column: that is how a rotation finds them all.

create table data_keys (
  id          smallint primary key, -- The first byte of whatever it sealed.
  fingerprint bytea not null,       -- So that two different keys never go by one id.
  is_sealing  boolean not null default false,
  added_at    timestamptz not null,
  cleared_at  timestamptz, -- Nothing was sealed with it any more, then.

  constraint data_keys_id_is_one_byte check (id between 1 and 255),
  constraint data_keys_sealing_is_not_cleared check (not is_sealing or cleared_at is null)
);

create unique index data_keys_one_seals on data_keys (is_sealing) where is_sealing;

-- The processes that run: a new key seals only when all of them open with it, and an old one is
-- done with only when none of them seals with it.
create table key_holders (
  process uuid primary key,
  opens   smallint[] not null,
  seals   smallint not null, -- During the whole time since it was last seen.
  seen_at timestamptz not null
);

alter table collection_accounts add column erased_at timestamptz;

-- Not valid: there is nothing to check, as the column is new, and nobody has to wait for it.
alter table collection_accounts add constraint collection_accounts_erased_is_closed
  check (erased_at is null or not (is_active or is_default)) not valid;

-- What is still to be erased after the account itself, page by page: what its credits tell of their
-- payers, and what receivers answered to its events.
create table erasures (
  account_id    bigint primary key,
  client_id     bigint not null,
  asked_at      timestamptz not null,
  credits_after bigint not null default 0, -- Credits up to this id are done.
  events_after  bigint not null default 0, -- So are the client's events up to this number.
  done_at       timestamptz,

  constraint erasures_account_of_same_client
    foreign key (client_id, account_id) references collection_accounts (client_id, id)
);

create index erasures_to_do on erasures (account_id) where done_at is null;
