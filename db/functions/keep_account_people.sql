-- I93: keeps the people behind those who added a bank account or made it the default. Null for a user: a
-- client's credentials.
create or replace function keep_account_people() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.added_by_people := people_making(
      case when new.created_by like 'user:%' then new.created_by else 'client:' end,
      new.added_by_user, new.client_id, new.created_at);
  end if;
  if tg_op = 'INSERT' or new.default_at is distinct from old.default_at
     or new.default_by_user is distinct from old.default_by_user then
    new.default_by_people := case when new.default_at is not null
      then people_making('client:', new.default_by_user, new.client_id, new.default_at) end;
  end if;
  return new;
end $$;
