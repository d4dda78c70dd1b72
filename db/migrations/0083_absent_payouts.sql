-- What is known of a payout that its bank says it does not know (src/domain/payouts/absent-payouts.ts).
-- `not_found_ms` is the time between such answers that one process has itself measured, by a clock that
-- nobody sets. The previous release leaves all of it as it is.
--
-- works beside: 0060

alter table payouts
  add column is_accepted boolean not null default false, -- The bank said that it has it.
  add column not_found_answers integer not null default 0,
  add column not_found_ms bigint not null default 0,
  add column not_found_by text collate "C", -- The process that had the last such answer, …
  add column not_found_at_ms bigint; -- … and when, by its own monotonic clock.
