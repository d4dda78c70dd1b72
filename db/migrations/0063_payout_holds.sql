-- Payouts can be held: nothing is sent to any bank until they are released. A restored database holds
-- them by itself, because it no longer knows what was sent after the moment it was restored to.
--
--   I82  while a hold is open, no payout is sent. What was requested before a restore is never sent after
--        it: the bank is asked what became of it.
--
-- works beside: 0060

create table payout_holds (
  id             bigint generated always as identity primary key,
  reason         text not null,
  held_by        text collate "C" not null,
  held_at        timestamptz not null,
  restored_to    timestamptz,      -- Of a restore: the moment whose books these are, …
  last_payout_id bigint,           -- … and the last payout that was known then; 0: none.
  released_by    text collate "C",
  released_at    timestamptz,
  constraint payout_holds_released_by_somebody check ((released_at is null) = (released_by is null)),
  constraint payout_holds_of_restore_know_payouts
    check ((restored_to is null) = (last_payout_id is null))
);

create index payout_holds_open on payout_holds (id) where released_at is null;
create index payout_holds_restored on payout_holds (last_payout_id) where last_payout_id is not null;

create function refuse_other_than_releasing() returns trigger language plpgsql as $$
begin
  if old.released_at is null
     and row (new.id, new.reason, new.held_by, new.held_at, new.restored_to, new.last_payout_id)
         is not distinct from
         row (old.id, old.reason, old.held_by, old.held_at, old.restored_to, old.last_payout_id) then
    return new;
  end if;
  raise exception 'a hold is only released' using errcode = 'restrict_violation';
end $$;

create trigger payout_holds_only_released before update on payout_holds
  for each row execute function refuse_other_than_releasing();
create trigger payout_holds_kept before delete on payout_holds
  for each statement execute function refuse_change();
create trigger payout_holds_not_truncated before truncate on payout_holds
  for each statement execute function refuse_change();
