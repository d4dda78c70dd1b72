-- I220: the user, present or removed; until they count as themselves, also those who set their password.
-- Without password_by, the last user who gave them access stands for it. An id that no user ever had counts
-- as the command line's as well, so that it is never an independent person.
create or replace function people_of(account uuid, at timestamptz) returns uuid[] language sql stable as $$
  select coalesce((
    select case when u.own_from <= at then array[u.id]
                else u.id || coalesce(u.password_by,
                                      (select array[g.granted_by] from access_grants g
                                        where g.user_id = u.id order by g.granted_at desc limit 1),
                                      array[command_line()]) end
      from (select id, own_from, password_by from users where id = account
            union all
            select id, own_from, password_by from removed_users where id = account) as u
     limit 1), array_remove(array[account, command_line()], null))
$$;
