-- Closed months, with their checklist and their signed pack.
--
--   I120  nothing posts into a closed month (functions/post_inserted_transfers.sql);
--   I121  the pack of a closing never changes by a byte;
--   I122  a month opens again only by a request that two people made and approved, and every closing
--         and reopening stays for ever.
--
-- The previous release closes no months and posts only at the present time.
--
-- works beside: 0023

create table closed_months (
  id          bigint generated always as identity primary key,
  month       date not null, -- Its first day.
  version     int not null,  -- 1, and one more each time it is closed again.
  ends_at     timestamptz not null,
  checklist   jsonb not null, -- The checklist at the closing.
  reason      text,           -- Why it was closed although a check failed.
  manifest    text not null,  -- Signed.
  closed_by   text collate "C" not null,
  closed_at   timestamptz not null,
  reopened_at timestamptz,

  constraint closed_months_once unique (month, version),
  constraint closed_months_begin_on_first check (month = date_trunc('month', month)::date),
  constraint closed_months_end_at_midnight
    check (ends_at = (month + interval '1 month') at time zone interval '1 hour')
);

create unique index closed_months_closed_once on closed_months (month) where reopened_at is null;

create table closed_month_files (
  closing_id bigint not null references closed_months,
  name       text collate "C" not null,
  content    text not null,

  primary key (closing_id, name)
);

create trigger closed_month_files_append_only before update or delete on closed_month_files
  for each statement execute function refuse_change();
create trigger closed_month_files_not_truncated before truncate on closed_month_files
  for each statement execute function refuse_change();

create table month_reopenings (
  id                bigint generated always as identity primary key,
  closing_id        bigint not null references closed_months,
  reason            text not null,
  state             text collate "C" not null default 'open',
  requested_by      text collate "C" not null,
  requested_by_user uuid not null,
  requested_at      timestamptz not null,
  decided_by        text collate "C",
  decided_by_user   uuid,
  decided_at        timestamptz,
  decision_reason   text,
  maker_people      uuid[],

  constraint month_reopenings_state_known
    check (state in ('open', 'approved', 'rejected', 'withdrawn')),
  constraint month_reopenings_decided_by_somebody
    check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null)
           and (decided_at is null) = (decided_by_user is null)),
  constraint month_reopenings_two_people
    check (state not in ('approved', 'rejected')
           or decided_by_user <> requested_by_user and decided_by <> requested_by)
);

create unique index month_reopenings_one_open on month_reopenings (closing_id)
  where state in ('open', 'approved');

create trigger month_reopenings_checked_by_another after update of state on month_reopenings
  for each row when (new.state = 'approved' and old.state <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');
create trigger month_reopenings_keep_maker_people before insert on month_reopenings
  for each row execute function keep_maker_people('requested_by', 'requested_by_user',
                                                  'requested_at');
create trigger month_reopenings_not_deleted before delete on month_reopenings
  for each statement execute function refuse_change();
create trigger month_reopenings_not_truncated before truncate on month_reopenings
  for each statement execute function refuse_change();

-- Only the time of reopening is ever set, once.
create function refuse_other_than_reopening() returns trigger language plpgsql as $$
begin
  if old.reopened_at is null and new.reopened_at is not null
     and to_jsonb(new) - 'reopened_at' = to_jsonb(old) - 'reopened_at' then return new; end if;
  raise exception 'a closed month stays as it is' using errcode = 'restrict_violation';
end $$;

create trigger closed_months_only_reopened before update on closed_months
  for each row execute function refuse_other_than_reopening();
create trigger closed_months_kept before delete on closed_months
  for each statement execute function refuse_change();
create trigger closed_months_not_truncated before truncate on closed_months
  for each statement execute function refuse_change();

-- At commit, because the request is decided in the transaction that reopens the month.
create function require_approved_reopening() returns trigger language plpgsql as $$
begin
  if not exists (select from month_reopenings
                  where closing_id = new.id and state = 'approved') then
    raise exception 'a month opens again only with the approval of a second person'
      using errcode = 'restrict_violation';
  end if;
  return null;
end $$;

create constraint trigger closed_months_reopened_by_two after update on closed_months
  deferrable initially deferred for each row execute function require_approved_reopening();
