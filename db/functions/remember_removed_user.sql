-- I220: a removed user leaves the people behind them, so that people_of() answers as before the removal.
create or replace function remember_removed_user() returns trigger language plpgsql as $$
begin
  insert into removed_users (id, client_id, email, own_from, password_by)
  values (old.id, old.client_id, old.email, old.own_from,
          coalesce(old.password_by,
                   (select array[g.granted_by] from access_grants g
                     where g.user_id = old.id order by g.granted_at desc limit 1),
                   array[command_line()]));
  return null;
end $$;
