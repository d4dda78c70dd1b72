-- What people do with differences.
--
--   I66  a difference is resolved once: by one person, or, under maker-checker, by two who are
--        independent of one another;
--   I67  what a statement's line brings into the books is booked once, and matched to that line.

alter table differences
  add column decided_by_user uuid,
  -- While it is asked for, it is known by whom; that is kept when another person decides.
  add constraint differences_asked_by_somebody
    check (state <> 'asked' or num_nonnulls(action, reason, asked_by, asked_by_user, asked_at) = 5),
  add constraint differences_decided_as_something
    check (decided_by is null or num_nonnulls(action, reason, decided_at) = 3),
  add constraint differences_two_people
    check (asked_by is null or decided_by is null
           or decided_by <> asked_by and decided_by_user is distinct from asked_by_user);

-- Decided, and the credit of the line not taken yet: it is open until it is, and if the process
-- dies in between, a worker takes it.
create index differences_being_booked on differences (decided_at)
  where state = 'open' and action is not null;

alter table difference_changes
  drop constraint difference_changes_known,
  -- failed: decided, but the books refused it; it is open again.
  add constraint difference_changes_known check (change in
    ('opened', 'asked', 'withdrawn', 'rejected', 'resolved', 'failed', 'cleared'));

create function check_resolution() returns trigger language plpgsql as $$
begin
  if new.asked_by is not null and new.decided_by is not null and old.decided_by is null
     and stands_behind(new.asked_by_user, new.decided_by_user) then
    raise exception 'nobody to whom the maker gave access may approve'
      using errcode = 'check_violation', constraint = 'differences_independent_checker';
  end if;
  if old.state in ('resolved', 'cleared') and new.state in ('open', 'asked') then
    raise exception 'a difference is resolved once'
      using errcode = 'check_violation', constraint = 'differences_resolved_once';
  end if;
  return null;
end $$;

-- After the constraints, so that they are told first.
create trigger differences_checked after update of state, decided_by on differences
  for each row execute function check_resolution();

drop index transfers_of_difference;
create unique index transfers_of_difference_once on transfers (difference_id)
  where difference_id is not null;
