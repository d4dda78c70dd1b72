-- Maker-checker between people who are independent of one another, also for switching it off; and
-- requests that keep the amount they were made for.
--
-- Two people are independent when nobody stands behind both: nobody, themselves included, who gave
-- them access or changed it, directly or through others.

-- When somebody else last gave this user access or changed it: a new user, a new password, another
-- role, enabled again. Whoever is new waits before approving.
alter table users add column access_changed_at timestamptz not null default '-infinity';

-- Who gave whom access. Outlives both: what a removed user passed on still counts. Without those of
-- operators of other clients and of the command line, who stand behind nobody.
create table access_grants (
  client_id  bigint not null references clients,
  user_id    uuid not null,
  granted_by uuid not null,
  granted_at timestamptz not null, -- The first time.

  constraint access_grants_pkey primary key (user_id, granted_by),
  constraint access_grants_by_another check (user_id <> granted_by)
);

insert into access_grants (client_id, user_id, granted_by, granted_at)
select a.client_id, u.id, g.id, min(a.taken_at)
  from actions a
  join users u on u.client_id = a.client_id and a.subject = 'user/' || u.email
  join users g on g.client_id = a.client_id and a.actor = 'user:' || g.email
 where a.action in ('user.create', 'user.reset_password', 'user.change_role', 'user.enable')
   and u.id <> g.id and a.taken_at >= u.created_at
 group by 1, 2, 3;

-- Whether whoever made a request also gave its checker access, however many people are in between.
create function stands_behind(maker uuid, checker uuid) returns boolean language sql stable as $$
  with recursive behind (id) as (
    values (checker)
    union
    select g.granted_by from behind b join access_grants g on g.user_id = b.id
  )
  select exists (select from behind where id = maker);
$$;

alter table suspense_requests
  add column requested_by_user uuid, -- Null of those from before, of somebody removed since.
  add column decided_by_user uuid,
  add column requested_kobo bigint,  -- As it was when it was asked for; null of older ones.
  alter column item_id drop not null,
  drop constraint suspense_requests_action_known,
  drop constraint suspense_requests_state_known,
  add constraint suspense_requests_action_known
    check (action in ('assign', 'return', 'disable_maker_checker')),
  add constraint suspense_requests_state_known
    check (state in ('open', 'approved', 'rejected', 'withdrawn', 'void')),
  add constraint suspense_requests_about_an_item_or_the_setting
    check ((action = 'disable_maker_checker') = (item_id is null)),
  add constraint suspense_requests_amount_of_an_item
    check (requested_kobo > 0 and item_id is not null or requested_kobo is null);

update suspense_requests r set requested_by_user = u.id
  from users u where u.client_id = r.client_id and r.requested_by = 'user:' || u.email;
update suspense_requests r set requested_kobo = i.amount_kobo
  from suspense_items i where i.id = r.item_id;
update suspense_requests r
   set state = 'void', decided_by = 'bank:' || c.bank_code, decided_at = i.closed_at
  from suspense_items i join credits c on c.id = i.credit_id
 where i.id = r.item_id and i.state = 'reversed' and r.state = 'open';

create unique index suspense_requests_one_open_of_setting on suspense_requests (client_id)
  where state = 'open' and item_id is null;

-- What changed the amount of a request while it was open.
create table suspense_request_changes (
  id         bigint primary key generated always as identity,
  request_id bigint not null references suspense_requests,
  changed_by text collate "C" not null,
  changed_at timestamptz not null,
  from_kobo  bigint not null,
  to_kobo    bigint not null,

  constraint suspense_request_changes_change check (from_kobo <> to_kobo)
);

create index suspense_request_changes_by_request on suspense_request_changes (request_id, id);

-- After the constraints, so that they are told first.
create function check_suspense_request() returns trigger language plpgsql as $$
begin
  if new.requested_kobo is distinct from old.requested_kobo
     or new.requested_by_user is distinct from old.requested_by_user then
    raise exception 'what was asked for, and by whom, does not change'
      using errcode = 'check_violation', constraint = 'suspense_requests_keep_what_was_asked';
  end if;
  if new.state = 'approved' and old.state <> 'approved'
     and (new.decided_by_user is null
          or stands_behind(new.requested_by_user, new.decided_by_user)) then
    raise exception 'nobody to whom the maker gave access may approve'
      using errcode = 'check_violation', constraint = 'suspense_requests_independent_checker';
  end if;
  return null;
end
$$;

create trigger suspense_requests_checked after update on suspense_requests
  for each row execute function check_suspense_request();
