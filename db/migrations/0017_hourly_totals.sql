-- What a client collected, hour by hour: what the dashboard's first page and its chart are read
-- from, so that they cost the same whether a day had ten credits or a million.
--
-- Counted from the outbox by a worker, off the path of money: a client's events are numbered
-- without gaps in the order of commits (I5), so each is counted once, and whatever is not counted
-- yet is what comes after the cursor. Hours are of UTC, which begin with those of West Africa.

create table hourly_totals (
  client_id      bigint not null references clients (id),
  hour           timestamptz not null,
  credits        bigint not null, -- Booked when they came, or assigned from suspense.
  collected_kobo bigint not null, -- What these brought. Not lessened by what went later.
  reversed_kobo  bigint not null, -- Taken back by banks from what was collected.
  successful     bigint not null, -- Payments that came to this end.
  expired        bigint not null,
  cancelled      bigint not null,

  constraint hourly_totals_pkey primary key (client_id, hour),
  -- Not of what was collected: a round may end between a booking and its excess, and what the next
  -- one adds is looked at by itself before it is added.
  constraint hourly_totals_not_negative check (
    least(credits, reversed_kobo, successful, expired, cancelled) >= 0)
) with (fillfactor = 50); -- The current hour is rewritten in place.

create table totals_cursors (
  client_id bigint primary key references clients (id),
  sequence  bigint not null default 0
);
