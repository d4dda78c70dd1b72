-- Maker-checker: who may approve a request (I53, I93).

-- The operator's command line is a person without a user: the nil uuid.
create function command_line() returns uuid language sql immutable as $$
  select '00000000-0000-0000-0000-000000000000'::uuid
$$;

-- The user; until they count as themselves, also those who set their password. Without password_by, the last
-- user who gave them access stands for it.
create function people_of(account uuid, at timestamptz) returns uuid[] language sql stable as $$
  select coalesce((
    select case when u.own_from <= at then array[u.id]
                else u.id || coalesce(u.password_by,
                                      (select array[g.granted_by] from access_grants g
                                        where g.user_id = u.id order by g.granted_at desc limit 1),
                                      array[command_line()]) end
      from users u where u.id = account), array[account])
$$;

-- Returns the people behind a user, or behind the credentials of a client. A token lives on for some time
-- after its secret retires.
create function people_behind(account uuid, client bigint, at timestamptz) returns uuid[]
language sql stable as $$
  select case when account is not null then people_of(account, at)
              else array(select distinct m.id
                           from client_secrets s cross join unnest(s.made_by) as m (id)
                          where s.client_id = client
                            and (s.retires_at is null or s.retires_at > at - interval '1 day'))
         end
$$;

-- Returns every user id, present or removed, at any client, with the email addresses of these users.
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

-- Returns whether the maker of a request, under any id, gave the checker access, directly or through others.
create function stands_behind(maker uuid, checker uuid) returns boolean language sql stable as $$
  with recursive behind (id) as (
    values (checker)
    union
    select g.granted_by from behind b join access_grants g on g.user_id = b.id
  ), makers (id) as (
    values (maker)
    union
    select s.id
      from (select client_id, email from users where id = maker
            union all
            select client_id, email from removed_users where id = maker) as m
     cross join lateral (select id from users where client_id = m.client_id and email = m.email
                         union all
                         select id from removed_users
                          where client_id = m.client_id and email = m.email) as s
  )
  select exists (select from behind join makers using (id));
$$;

-- Returns whether the checker, or a person behind the checker, is one of the makers.
create function is_same_person(makers uuid[], checker uuid) returns boolean language sql stable as $$
  select all_ids_of(makers) && all_ids_of(people_of(checker, 'infinity'))
$$;

create function is_independent(makers uuid[], checker uuid) returns boolean language sql stable as $$
  select not is_same_person(makers, checker)
         and not exists (select from unnest(makers) as m (id) where stands_behind(m.id, checker))
$$;

-- Returns why a user may not approve any request, or null. `new_since`: a user whose access was changed
-- later does not approve yet.
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

-- Arguments: the columns of the actor, of the user and of the time. Workers count as nobody.
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

create function refuse_other_maker_people() returns trigger language plpgsql as $$
begin
  raise exception 'the people behind a request do not change'
    using errcode = 'check_violation', constraint = tg_table_name || '_keep_maker_people';
end $$;

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
