-- Payouts whose order certainly never reached the bank: they are queued again, and sent later (I105).
-- The previous release does not wait for send_after: it sends them earlier, once all the same.
--
-- works beside: 0060

alter table payouts
  add column send_after timestamptz,
  add column unsent_times integer not null default 0,
  add column unsent_since timestamptz;
