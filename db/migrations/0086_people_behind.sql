-- The maker of a request is the person who controls the credential (I93). A user counts as whoever set their
-- password, until they have taken the account over; client credentials count as whoever made the secret. The
-- people behind a maker are kept with the request, as of its time.
--
-- works beside: 0060

-- safe: columns without a default
alter table users
  add column password_by uuid[], -- The user who set it, and those behind that user then. Null: see people_of.
  add column link_used_at timestamptz, -- When the user chose a password of their own by a single-use link.
  add column own_from timestamptz; -- From when on they count as themselves. Null: they do not.

-- Before this, nobody had links: whoever has chosen a password and has a second factor counts as themselves.
-- safe: a few rows
update users set link_used_at = password_set_at,
                 own_from = case when totp_sealed is not null
                                   or exists (select from passkeys p where p.user_id = users.id)
                                 then password_set_at end
 where not is_password_temporary;

create function forget_take_over() returns trigger language plpgsql as $$
begin
  new.own_from := null;
  new.link_used_at := null;
  return new;
end $$;

-- safe: a password that somebody else sets ends the take-over, also when the previous release sets it
create trigger users_lose_their_account before update of password_hash on users
  for each row when (new.is_password_temporary) execute function forget_take_over();

-- safe: a column without a default
alter table client_secrets add column made_by uuid[];

-- safe: a few rows
update client_secrets s set made_by = array[u.id]
  from clients c
  join actions a on a.subject = 'client/' || c.client_id and a.action = 'secret.rotate'
  join users u on u.client_id = c.id and a.actor = 'user:' || u.email
 where c.id = s.client_id and a.detail ->> 'keyId' = s.key_id;

-- The operator's command line is a person without a user: the nil uuid.
create function command_line() returns uuid language sql immutable as $$
  select '00000000-0000-0000-0000-000000000000'::uuid
$$;

-- The user; until they count as themselves, also those who set their password. A user whom the previous
-- release made has no password_by: the last user who gave them access stands for it.
create function people_of(account uuid, at timestamptz) returns uuid[] language sql stable as $$
  select coalesce((
    select case when u.own_from <= at then array[u.id]
                else u.id || coalesce(u.password_by,
                                      (select array[g.granted_by] from access_grants g
                                        where g.user_id = u.id order by g.granted_at desc limit 1),
                                      array[command_line()]) end
      from users u where u.id = account), array[account])
$$;

-- Of a user, or of the credentials of a client. A token lives on for some time after its secret retires.
create function people_behind(account uuid, client bigint, at timestamptz) returns uuid[]
language sql stable as $$
  select case when account is not null then people_of(account, at)
              else array(select distinct m.id
                           from client_secrets s cross join unnest(s.made_by) as m (id)
                          where s.client_id = client
                            and (s.retires_at is null or s.retires_at > at - interval '1 day'))
         end
$$;

-- The same people under all ids that they have or had, at any client: by address.
create function all_ids_of(people uuid[]) returns uuid[] language sql stable as $$
  select people || array(
    select s.id
      from (select email from users where id = any(people)
            union all
            select email from removed_users where id = any(people)) as m
     cross join lateral (select id from users where email = m.email
                         union all
                         select id from removed_users where email = m.email) as s)
$$;

-- Whether the checker, or somebody behind the checker, is one of the makers.
create function is_same_person(makers uuid[], checker uuid) returns boolean language sql stable as $$
  select all_ids_of(makers) && all_ids_of(people_of(checker, 'infinity'))
$$;

create function is_independent(makers uuid[], checker uuid) returns boolean language sql stable as $$
  select not is_same_person(makers, checker)
         and not exists (select from unnest(makers) as m (id) where stands_behind(m.id, checker))
$$;

-- Why a user may not approve, whatever it is about. Null: they may. `new_since`: a user whose access was
-- changed later approves nothing yet.
create function approver_unfitness(maker uuid, people uuid[], checker uuid, new_since timestamptz)
returns text language sql stable as $$
  select case
           when v.id is null then 'people_only'
           when v.id = any(all_ids_of(array[maker])) then 'other_person_needed'
           when v.id = any(all_ids_of(m.ids)) then 'maker_counts_as_you'
           when v.access_changed_at > new_since then 'approver_too_new'
           when exists (select from unnest(m.ids) as m (id) where stands_behind(m.id, v.id))
             then 'approver_not_independent'
           when is_same_person(m.ids, v.id) then 'maker_counts_as_you'
         end
    from (select checker, array_remove(coalesce(people, '{}') || maker, null)) as m (checker, ids)
    left join users v on v.id = m.checker
$$;

-- safe: columns without a default
alter table payouts add column maker_people uuid[];
-- safe: columns without a default
alter table settlements add column maker_people uuid[];
-- safe: columns without a default
alter table adjustments add column maker_people uuid[];
-- safe: columns without a default
alter table suspense_requests add column maker_people uuid[];
-- safe: columns without a default
alter table differences add column maker_people uuid[];
-- safe: columns without a default
alter table bank_accounts add column added_by_people uuid[], add column default_by_people uuid[];
-- safe: columns without a default
alter table subaccounts add column account_chosen_by_people uuid[];

-- Arguments: the columns of the actor, of the user and of the time. Workers are nobody.
create function keep_maker_people() returns trigger language plpgsql as $$
declare
  request constant jsonb := to_jsonb(new);
  account constant uuid := request ->> tg_argv[1];
begin
  new.maker_people := case
    when account is null and coalesce(request ->> tg_argv[0] not like 'client:%', true) then '{}'
    else people_behind(
      account, coalesce(request ->> 'requested_by_client', request ->> 'client_id')::bigint,
      (request ->> tg_argv[2])::timestamptz) end;
  return new;
end $$;

-- safe: it writes a column that the previous release does not know
create trigger payouts_keep_maker_people before insert on payouts
  for each row when (new.approval = 'needed')
  execute function keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
-- safe: it writes a column that the previous release does not know
create trigger settlements_keep_maker_people before insert on settlements
  for each row execute function keep_maker_people('closed_by', 'closed_by_user', 'closed_at');
-- safe: it writes a column that the previous release does not know
create trigger adjustments_keep_maker_people before insert on adjustments
  for each row execute function keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
-- safe: it writes a column that the previous release does not know
create trigger suspense_requests_keep_maker_people before insert on suspense_requests
  for each row execute function keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
-- safe: it writes a column that the previous release does not know
create trigger differences_keep_maker_people before update of asked_by on differences
  for each row execute function keep_maker_people('asked_by', 'asked_by_user', 'asked_at');

create function refuse_other_maker_people() returns trigger language plpgsql as $$
begin
  raise exception 'the people behind a request do not change'
    using errcode = 'check_violation', constraint = tg_table_name || '_keep_maker_people';
end $$;

-- safe: the previous release does not know the column
create trigger payouts_same_maker_people before update of maker_people on payouts
  for each row when (new.maker_people is distinct from old.maker_people)
  execute function refuse_other_maker_people();
-- safe: the previous release does not know the column
create trigger settlements_same_maker_people before update of maker_people on settlements
  for each row when (new.maker_people is distinct from old.maker_people)
  execute function refuse_other_maker_people();
-- safe: the previous release does not know the column
create trigger suspense_requests_same_maker_people before update of maker_people on suspense_requests
  for each row when (new.maker_people is distinct from old.maker_people)
  execute function refuse_other_maker_people();

create function keep_account_people() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.added_by_people := people_behind(new.added_by_user, new.client_id, new.created_at);
  end if;
  if tg_op = 'INSERT' or new.default_at is distinct from old.default_at
     or new.default_by_user is distinct from old.default_by_user then
    new.default_by_people := case when new.default_at is not null
      then people_behind(new.default_by_user, new.client_id, new.default_at) end;
  end if;
  return new;
end $$;

-- safe: it writes columns that the previous release does not know
create trigger bank_accounts_keep_people before insert or update of default_at on bank_accounts
  for each row execute function keep_account_people();

create function keep_subaccount_people() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.account_chosen_at is distinct from old.account_chosen_at
     or new.bank_account_id <> old.bank_account_id then
    new.account_chosen_by_people :=
      people_behind(new.account_chosen_by_user, new.client_id, new.account_chosen_at);
  end if;
  return new;
end $$;

-- safe: it writes a column that the previous release does not know
create trigger subaccounts_keep_people before insert or update of account_chosen_at on subaccounts
  for each row execute function keep_subaccount_people();

-- Requests of a client's credentials above an amount take two approvers; null: one is enough.
-- safe: a column without a default
alter table payout_settings add column two_approvers_above_kobo bigint;
-- safe: columns without a default, or with a constant one
alter table payouts
  add column approvers_needed smallint not null default 1,
  add column first_approved_by text collate "C",
  add column first_approved_by_user uuid,
  add column first_approved_at timestamptz;
-- safe: columns without a default, or with a constant one
alter table settlements
  add column approvers_needed smallint not null default 1,
  add column first_approved_by text collate "C",
  add column first_approved_by_user uuid,
  add column first_approved_at timestamptz;

-- Arguments: the columns of the maker's and of the checker's user.
create function check_another_person() returns trigger language plpgsql as $$
declare
  request constant jsonb := to_jsonb(new);
  checker constant uuid := request ->> tg_argv[1];
  first_checker constant uuid := request ->> 'first_approved_by_user';
  makers constant uuid[] := array_remove(
    coalesce(new.maker_people, '{}') || (request ->> tg_argv[0])::uuid, null);
begin
  if not is_independent(makers, checker) then
    raise exception 'nobody may approve what the same person, or whoever gave them access, requested'
      using errcode = 'check_violation', constraint = tg_table_name || '_another_person';
  end if;
  if (request ->> 'approvers_needed')::int > 1
     and (first_checker is null or not is_independent(makers, first_checker)
          or not is_independent(people_of(first_checker, 'infinity'), checker)) then
    raise exception 'it takes two approvers'
      using errcode = 'check_violation', constraint = tg_table_name || '_two_approvers';
  end if;
  return null;
end $$;

-- safe: it refuses what the previous release must not approve either
create trigger payouts_checked_by_another after update of approval on payouts
  for each row when (new.approval = 'approved' and old.approval <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');
-- safe: it refuses what the previous release must not approve either
create trigger settlements_checked_by_another after update of status on settlements
  for each row when (new.status = 'approved' and old.status <> 'approved' and new.needs_approval)
  execute function check_another_person('closed_by_user', 'approved_by_user');
-- safe: it refuses what the previous release must not approve either
create trigger adjustments_checked_by_another after update of state on adjustments
  for each row when (new.state = 'approved' and old.state <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');
-- safe: it refuses what the previous release must not approve either
create trigger suspense_requests_checked_by_another after update of state on suspense_requests
  for each row when (new.state = 'approved' and old.state <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');
-- safe: it refuses what the previous release must not approve either
create trigger differences_checked_by_another after update of decided_by on differences
  for each row when (new.asked_by is not null and new.decided_by is not null and old.decided_by is null)
  execute function check_another_person('asked_by_user', 'decided_by_user');
