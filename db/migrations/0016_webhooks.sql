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
  event_types text[], -- Null: all.
  is_active   boolean not null default true,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  deleted_at  timestamptz,

  constraint webhook_endpoints_of_client unique (client_id, id)
);

-- Signing secrets: of an endpoint or, with a null endpoint, of the client for deliveries to a notificationUrl
-- or callBackUrl. While a secret is being replaced, both sign.
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

-- A destination of deliveries, with its own queue, health and pause, so that a slow or dead destination never
-- delays another. Each endpoint has one.
create table destinations (
  id            bigint primary key generated always as identity,
  client_id     bigint not null references clients,
  endpoint_id   uuid,
  url           text not null,
  is_callback   boolean not null default false, -- An address for payers, called on a final state.
  -- No delivery is due before then. A transaction that makes a delivery due also moves this time, after
  -- writing the delivery. Null: none is pending.
  due_at        timestamptz,
  failures      int not null default 0, -- In a row; none are counted during a pause.
  failing_since timestamptz,
  paused_until  timestamptz, -- The circuit breaker is open until then.
  disabled_at   timestamptz, -- Pending deliveries wait while it is set.
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
  -- The reason for the delivery. If a notificationUrl is also the address of an endpoint, one delivery of
  -- the kind notification goes to the endpoint, signed with the secrets of both.
  kind            text collate "C" not null check (kind in ('endpoint', 'notification', 'callback')),
  url             text, -- Set if it differs from the destination's address (a callback with its references).
  state           text collate "C" not null default 'pending'
                  check (state in ('pending', 'delivered', 'failed')),
  attempts        int not null default 0,
  ladder_step     int not null default 0, -- Attempts since the last request to send it.
  next_attempt_at timestamptz not null,
  leased_until    timestamptz,
  created_at      timestamptz not null,
  delivered_at    timestamptz,

  constraint deliveries_pkey primary key (event_id, destination_id)
) partition by range (event_id);

create table deliveries_default partition of deliveries default;

create index deliveries_due on deliveries (destination_id, next_attempt_at)
  where state = 'pending';
-- Deliveries that were given up, newest first: the page of a failing endpoint shows its last attempts,
-- however many events came since. Only these deliveries have an entry.
create index deliveries_given_up on deliveries (destination_id, event_id)
  where state = 'failed';

-- The body is in db/functions/check_deliveries_transition.sql. Until it is applied, every row is refused.
create function check_deliveries_transition() returns trigger language plpgsql as $$ begin end $$;

create trigger deliveries_follow_transitions before update of state on deliveries
  for each row when (old.state is distinct from new.state)
  execute function check_deliveries_transition();

create table delivery_attempts (
  event_id       uuid not null,
  destination_id bigint not null,
  attempt        int not null,
  attempted_at   timestamptz not null,
  status         int, -- Null: no answer.
  latency_ms     int not null,
  error          text, -- In plain English.
  response_start text,
  -- The signature of the attempt, so that the request can be shown as sent. The other headers follow from the
  -- event and the time. Null: nothing was sent, or the attempt is older than this column.
  signature      text,
  -- The effect of the client's chaos settings on the attempt. Null: none.
  chaos          text collate "C",

  constraint delivery_attempts_pkey primary key (event_id, destination_id, attempt),
  constraint delivery_attempts_chaos_known
    check (chaos in ('delayed', 'reordered', 'dropped', 'repeated'))
) partition by range (event_id);

create table delivery_attempts_default partition of delivery_attempts default;

-- How deliveries to a webhook endpoint are disturbed. `held_event_id` is the delivery that waits for
-- a later one to overtake it, until `is_overtaken`.
create table webhook_chaos (
  endpoint_id   uuid primary key,
  client_id     bigint not null references clients,
  delay_ms      int not null,
  duplicate     int not null,
  reorder       boolean not null,
  drop_next     int not null,
  held_event_id uuid,
  is_overtaken  boolean not null default false,
  updated_at    timestamptz not null,

  constraint webhook_chaos_endpoint_of_same_client
    foreign key (client_id, endpoint_id) references webhook_endpoints (client_id, id),
  constraint webhook_chaos_not_negative check (least(delay_ms, duplicate, drop_next) >= 0)
);
