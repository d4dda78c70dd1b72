-- Screening may stop a payout in a file that nobody has downloaded. Such a payout was claimed before.
--
-- works beside: 0023

-- safe: it allows more, so every row there fits
alter table payouts
  drop constraint payouts_held_unsent,
  add constraint payouts_held_unsent check (
    screening is distinct from 'held' and screening is distinct from 'refused'
    or status in ('queued', 'cancelled')
    or batch_id is not null and screened_at > sending_at) not valid;
