-- The outbox: what happened, written in the transaction that made it happen.
--
-- An event keeps the facts that change (status, amount paid, balance); what it is about is joined
-- when it is shown. Partitioned by its time-ordered id, so that old events go a partition at a
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

  constraint events_pkey primary key (id)
) partition by range (id);

create table events_default partition of events default;

create index events_by_sequence on events (client_id, sequence);

create trigger events_append_only
  before update or delete or truncate on events
  for each statement execute function refuse_change();
