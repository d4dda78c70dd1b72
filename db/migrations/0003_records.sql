-- The outbox, the audit log, alerts, and idempotency keys with their stored responses.

-- The number of a client's last event. Every batch with events rewrites this row; in the client's row, it
-- would copy and check all settings of the client each time, and meet the locks of foreign keys.
--
--   I5  a client's events are numbered 1, 2, 3, … in the order they were committed: the number is
--       taken under this row's lock, which is held until commit.
create table event_counters (
  client_id bigint primary key references clients,
  sequence  bigint not null default 0
) with (fillfactor = 50); -- Rewritten once per batch.

-- The outbox: one event per change, written in the transaction of the change.
--
-- An event keeps the facts that change (status, amount paid, balance); its object is joined when the
-- event is shown. Partitioned by its time-ordered id, so that old events go a partition at a
-- time; see db/functions/maintain_partitions.sql.
create table events (
  id                    uuid not null, -- Version 7: begins with its time.
  client_id             bigint not null,
  sequence              bigint not null,
  type                  text collate "C" not null,
  collection_account_id bigint,
  payment_id            uuid,
  credit_id             bigint,
  facts                 json not null,
  created_at            timestamptz not null,
  -- The amounts that the event moved. Null: none, or in another currency than the overview's.
  moved                 json,

  constraint events_pkey primary key (id)
) partition by range (id);

create table events_default partition of events default;

create index events_by_sequence on events (client_id, sequence);
-- Finds events of expiry and assignment for the timeline of a payment, whose row no longer shows them.
--
-- Both are rare, and no incoming credit writes one, so credits cost no entry here.
create index events_turns_of_payment on events (payment_id)
  where type in ('payment.expired', 'credit.assigned') and payment_id is not null;

create trigger events_append_only
  before update or delete on events
  for each statement execute function refuse_change();

create trigger events_not_truncated
  before truncate on events
  for each statement execute function refuse_change();

-- The trace in which an event was written, so that its deliveries belong to the same trace even when
-- another process sends them hours later. Sampled events only; kept for a day.
create table event_traces (
  event_id    uuid primary key,
  traceparent text not null,

  constraint event_traces_are_w3c check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$')
);

-- The audit log of manual actions. Append-only.
create table audit_log (
  id        bigint primary key generated always as identity,
  client_id bigint not null references clients, -- The client that acted …
  action    text collate "C" not null, -- … the action …
  subject   text collate "C" not null, -- … its object …
  detail    jsonb not null, -- … and the stated reason.
  taken_at  timestamptz not null,
  -- `client_id` owns the record; this is the actor: client:<client id>, user:<email>, …
  -- Null: the client itself.
  actor     text collate "C"
);

create index audit_log_by_subject on audit_log (subject, id);
create index audit_log_by_client on audit_log (client_id, id);

create trigger audit_log_append_only
  before update or delete on audit_log
  for each statement execute function refuse_change();

create trigger audit_log_not_truncated
  before truncate on audit_log
  for each statement execute function refuse_change();

-- Alerts for operators, written in the transaction that found the problem.
create table alerts (
  id              bigint primary key generated always as identity,
  kind            text collate "C" not null,
  subject         text not null,
  detail          jsonb not null,
  raised_at       timestamptz not null,
  cleared_at      timestamptz,
  -- The user who acknowledged the alert, and the time.
  acknowledged_at timestamptz,
  acknowledged_by text collate "C",
  logged_at       timestamptz, -- When its line in the log was written.

  constraint alerts_acknowledged_by_somebody
    check ((acknowledged_at is null) = (acknowledged_by is null))
);

-- An alert is not raised again while it is open.
create unique index alerts_standing on alerts (kind, subject) where cleared_at is null;
create index alerts_open on alerts (id) where acknowledged_at is null and cleared_at is null;
create index alerts_unlogged on alerts (id) where logged_at is null;

-- Requests with an idempotency key: a repeated request gets the same response. Uniqueness is held by an
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

-- Stored responses to requests with an idempotency key. Sealed, because a response may hold a secret.
-- Dropped with its key, by the day.
create table stored_responses (
  id              uuid primary key, -- Version 7, of the moment of its key.
  response_sealed bytea not null
) partition by range (id);

create table stored_responses_default partition of stored_responses default;
