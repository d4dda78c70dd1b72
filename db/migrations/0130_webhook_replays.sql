-- Replays: all events of a period again to one endpoint (src/webhooks/replays.ts). A worker goes through the
-- client's events by their number, a limited number in each transaction.
--
--   I240 a client has at most one replay that has not ended.
--
-- The previous release does not know the table. It still queues a whole replay in one call.
--
-- works beside: 0023

create table webhook_replays (
  id             uuid primary key,
  client_id      bigint not null references clients,
  endpoint_id    uuid not null,
  from_at        timestamptz not null,
  to_at          timestamptz not null,
  has_alerts     boolean not null, -- Whether the caller may see alerts.
  first_sequence bigint not null,
  next_sequence  bigint not null, -- All events before this one are done.
  past_sequence  bigint not null,
  queued         int not null default 0,
  created_at     timestamptz not null,
  stepped_at     timestamptz not null,
  ended_at       timestamptz,

  constraint webhook_replays_endpoint_of_same_client
    foreign key (client_id, endpoint_id) references webhook_endpoints (client_id, id),
  constraint webhook_replays_in_order
    check (next_sequence between first_sequence and past_sequence)
);

create unique index webhook_replays_one_of_client on webhook_replays (client_id)
  where ended_at is null;
create index webhook_replays_waiting on webhook_replays (stepped_at) where ended_at is null;
create index webhook_replays_of_client on webhook_replays (client_id, created_at);
create index webhook_replays_of_endpoint on webhook_replays (endpoint_id, id);
