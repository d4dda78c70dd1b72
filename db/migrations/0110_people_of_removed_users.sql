-- The people behind a user outlive the user, and those behind a first approver are kept with the approval
-- (I220, I221).
--
--   removed_users         own_from, and password_by as people_of() would have read it. Null in rows of users
--                         who were removed before: then people_of() reads the grants, which outlive users
--   first_approver_people the people behind the first of two approvers, as of that approval
--
-- The functions of db/functions/ that read these columns also serve the previous release: its removals and
-- first approvals are kept too.
--
-- works beside: 0023

alter table removed_users
  add column own_from timestamptz,
  add column password_by uuid[];

alter table payouts add column first_approver_people uuid[];
alter table settlements add column first_approver_people uuid[];

create function keep_first_approver_people() returns trigger language plpgsql as $$
begin
  new.first_approver_people := case
    when new.first_approved_by_user is not distinct from old.first_approved_by_user
      then old.first_approver_people
    else people_of(new.first_approved_by_user, 'infinity') end;
  return new;
end $$;

-- safe: fills the new column only
create trigger payouts_keep_first_approver_people
  before update of first_approved_by_user, first_approver_people on payouts
  for each row execute function keep_first_approver_people();

-- safe: fills the new column only
create trigger settlements_keep_first_approver_people
  before update of first_approved_by_user, first_approver_people on settlements
  for each row execute function keep_first_approver_people();
