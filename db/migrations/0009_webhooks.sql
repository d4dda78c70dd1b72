-- Webhooks: where events go, what they are signed with, and every attempt to deliver one.
--
--   I15  every event of a client reaches the queue of each of its targets: the dispatcher goes
--        through a client's events by their number, which has no gaps, and remembers how far it is
--        in the transaction that queues them.
--
-- Deliveries and attempts are partitioned like the events they belong to, and go with them.

create table webhook_endpoints (
  id          uuid primary key,
  client_id   bigint not null references clients,
  url         text not null,
  event_types text[],           -- Null: all.
  is_active   boolean not null default true,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  deleted_at  timestamptz,

  constraint webhook_endpoints_of_client unique (client_id, id)
);

-- What deliveries are signed with: of an endpoint, or (endpoint null) of the client, for what goes
-- to a notificationUrl or callBackUrl. While one is being replaced, both sign.
create table signing_secrets (
  id            bigint primary key generated always as identity,
  client_id     bigint not null references clients,
  endpoint_id   uuid,
  secret_sealed bytea not null,
  created_at    timestamptz not null,
  retires_at    timestamptz, -- Null: the current one.

  constraint signing_secrets_endpoint_of_same_client
    foreign key (client_id, endpoint_id) references webhook_endpoints (client_id, id)
);

create unique index signing_secrets_one_current
  on signing_secrets (client_id, coalesce(endpoint_id, '00000000-0000-0000-0000-000000000000'))
  where retires_at is null;

create index signing_secrets_by_owner
  on signing_secrets (client_id, coalesce(endpoint_id, '00000000-0000-0000-0000-000000000000'));

-- A place that deliveries go to, with its own queue, its own health and its own pause, so that one
-- that is slow or dead never delays another. An endpoint has one, whatever its address.
create table destinations (
  id            bigint primary key generated always as identity,
  client_id     bigint not null references clients,
  endpoint_id   uuid,
  url           text not null,
  is_callback   boolean not null default false, -- An address for payers, called on a final state.
  -- No delivery is due before then: who makes one due moves this in the same transaction, after
  -- the delivery. Null: none is pending.
  due_at        timestamptz,
  failures      int not null default 0,  -- In a row; none are counted during a pause.
  failing_since timestamptz,
  paused_until  timestamptz,             -- The circuit breaker is open until then.
  disabled_at   timestamptz,             -- What is pending then waits.
  disabled_why  text,

  constraint destinations_endpoint_of_same_client
    foreign key (client_id, endpoint_id) references webhook_endpoints (client_id, id)
) with (fillfactor = 50); -- Rewritten by every claim.

create unique index destinations_once
  on destinations (client_id, coalesce(endpoint_id, '00000000-0000-0000-0000-000000000000'),
                   (case when endpoint_id is null then md5(url) else '' end), is_callback);

create index destinations_due on destinations (greatest(due_at, paused_until))
  where disabled_at is null and due_at is not null;

create table dispatch_cursors (
  client_id bigint primary key references clients,
  sequence  bigint not null default 0 -- All events up to this one are queued.
);

create table deliveries (
  event_id        uuid not null,
  destination_id  bigint not null,
  client_id       bigint not null,
  -- Why it goes there. A notificationUrl that is also an endpoint's address is one delivery, to the
  -- endpoint, of the kind notification: signed with the secrets of both.
  kind            text collate "C" not null check (kind in ('endpoint', 'notification', 'callback')),
  url             text, -- Where it differs from the destination's (a callback with its references).
  state           text collate "C" not null default 'pending'
                  check (state in ('pending', 'delivered', 'failed')),
  attempts        int not null default 0,
  ladder_step     int not null default 0, -- Of the attempts, those since it was last asked for.
  next_attempt_at timestamptz not null,
  leased_until    timestamptz,
  created_at      timestamptz not null,
  delivered_at    timestamptz,

  constraint deliveries_pkey primary key (event_id, destination_id)
) partition by range (event_id);

create table deliveries_default partition of deliveries default;

create index deliveries_due on deliveries (destination_id, next_attempt_at)
  where state = 'pending';

create table delivery_attempts (
  event_id       uuid not null,
  destination_id bigint not null,
  attempt        int not null,
  attempted_at   timestamptz not null,
  status         int,           -- Null: no answer.
  latency_ms     int not null,
  error          text,          -- In plain words.
  response_start text,

  constraint delivery_attempts_pkey primary key (event_id, destination_id, attempt)
) partition by range (event_id);

create table delivery_attempts_default partition of delivery_attempts default;
