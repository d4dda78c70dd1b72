-- Clients: who logs in, and owns what it creates.
--
--   I5  a client's events are numbered 1, 2, 3, … in the order they were committed: the number is
--       taken from `event_sequence` under this row's lock, which is held until commit.

create table clients (
  id             bigint primary key generated always as identity,
  client_id      text collate "C" not null, -- What the client logs in with, e.g. MAN0000001.
  name           text not null,
  secret_hash    text not null,             -- scrypt, with its parameters and salt.
  is_active      boolean not null default true,
  is_operator    boolean not null default false, -- May resolve money that is nobody's.
  event_sequence bigint not null default 0,
  created_at     timestamptz not null,

  constraint clients_client_id_unique unique (client_id)
) with (fillfactor = 50); -- Rewritten once per batch.

-- Answers already given, so that a request sent again gets the same one. Uniqueness is held by an
-- advisory lock on (client, key) taken before the look-up, because a unique index cannot span
-- partitions; whole days are dropped when they are old enough.
create table idempotency_keys (
  client_id    bigint not null references clients,
  key          text collate "C" not null,
  operation    text collate "C" not null,
  request_hash bytea not null, -- Keyed: the request holds a BVN.
  resource     text collate "C" not null,
  created_at   timestamptz not null,

  constraint idempotency_keys_pkey primary key (client_id, key, created_at)
) partition by range (created_at);

create table idempotency_keys_default partition of idempotency_keys default;
