-- Data at rest: the data keys, the processes that hold them, and the erasure of personal data.
--
-- Every column that holds sealed values is a bytea whose name ends in _sealed, in a table with a
-- primary key of one column: that is how a rotation finds them all.
create table data_keys (
  id          smallint primary key, -- The first byte of every value that it sealed.
  fingerprint bytea not null, -- Refuses a different key under the same id.
  is_sealing  boolean not null default false,
  added_at    timestamptz not null,
  cleared_at  timestamptz, -- From then on no value was sealed with it.

  constraint data_keys_id_is_one_byte check (id between 1 and 255),
  constraint data_keys_sealing_is_not_cleared check (not is_sealing or cleared_at is null)
);

create unique index data_keys_one_seals on data_keys (is_sealing) where is_sealing;

-- The processes that run: a new key seals only when all of them open with it, and an old one is
-- done with only when none of them seals with it.
create table key_holders (
  process uuid primary key,
  opens   smallint[] not null,
  seals   smallint not null, -- The key that it has used since it was last seen.
  seen_at timestamptz not null
);

-- Erasures that go on after the account or the advice itself is erased, page by page: payers in its credits,
-- then the answers of receivers to its events.
create table erasures (
  id            bigint primary key generated always as identity,
  client_id     bigint not null references clients,
  account_id    bigint,
  advice_id     uuid,
  asked_at      timestamptz not null,
  step          text collate "C" not null default 'credits',
  credits_after bigint not null default 0, -- Credits up to this id are done.
  events_after  bigint not null default 0, -- So are the client's events up to this number.

  constraint erasures_of_account_once unique (account_id),
  constraint erasures_of_advice_once unique (advice_id),
  constraint erasures_of_one_thing check (num_nonnulls(account_id, advice_id) = 1),
  constraint erasures_step_known check (step in ('credits', 'answers', 'done')),
  constraint erasures_account_of_same_client
    foreign key (client_id, account_id) references collection_accounts (client_id, id),
  constraint erasures_advice_of_same_client
    foreign key (client_id, advice_id) references advices (client_id, id)
);

create index erasures_to_do on erasures (id) where step <> 'done';
