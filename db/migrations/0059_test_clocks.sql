-- Test clocks (sandbox): a client with a row lives at `now_at`, which only its own requests move, and
-- only forward (I76). What falls due for it is taken by whoever moves its clock, never by the rounds of
-- everybody else (I77).

create table test_clocks (
  client_id bigint primary key references clients,
  now_at    timestamptz not null,
  set_at    timestamptz not null -- In real time.
);
