-- After every move to another server payouts are held, the ids and numbers that the lost server may have
-- given away are skipped, and nothing is written before that (db/functions/settle_moved_database.sql). An
-- operator who knows that the new server lacks nothing says so at the release.
--
-- works beside: 0023
--
-- A previous release knows nothing of what an operator says, and treats the payouts of that hold as possibly
-- sent: it asks the banks, and sends none of them. It skips nothing when it notices a move itself.

alter table payout_holds
  -- Commits waited for a standby before the move, so an operator may say that nothing is missing, …
  add column may_lack_nothing boolean not null default false,
  -- … and has said so at the release: the payouts that existed then were not sent without the record.
  add column lacks_nothing boolean not null default false;

-- safe: the columns have defaults, which fit
alter table payout_holds
  add constraint payout_holds_lack_nothing_if_possible
    check (not lacks_nothing or may_lack_nothing and released_at is not null) not valid,
  add constraint payout_holds_of_move_know_payouts
    check (not may_lack_nothing or restored_to is not null) not valid;

-- safe: it refuses only a change of a column that the previous release does not know
create or replace function refuse_other_than_releasing() returns trigger language plpgsql as $$
begin
  if old.released_at is null
     and row (new.id, new.reason, new.held_by, new.held_at, new.restored_to, new.last_payout_id,
              new.may_lack_nothing)
         is not distinct from
         row (old.id, old.reason, old.held_by, old.held_at, old.restored_to, old.last_payout_id,
              old.may_lack_nothing) then
    return new;
  end if;
  raise exception 'a hold is only released' using errcode = 'restrict_violation';
end $$;

-- When the noted server was started: the same start and timeline are the same server, without a look at its
-- control file.
alter table known_database add column server_started_at timestamptz;

-- The indexes of the range that the last move skipped: from `gap_from` to before `gap_until`. They are drawn
-- again once an operator has said that nothing was missing.
alter table number_ranges
  add column gap_from bigint,
  add column gap_until bigint,
  add column is_gap_free boolean not null default false;

-- safe: the previous release leaves them null
alter table number_ranges
  add constraint number_ranges_gap_before_next check (
    (gap_from is null) = (gap_until is null) and gap_from >= 0 and gap_from <= gap_until
    and gap_until <= next_index) not valid;
