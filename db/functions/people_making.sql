-- I220: returns the people behind the maker of a request: a user, or a client's credentials. Locks the user,
-- so that none is removed before the commit, and fails if the user is gone. Workers count as nobody.
create or replace function people_making(actor text, account uuid, client bigint, at timestamptz)
returns uuid[] language plpgsql as $$
begin
  if account is not null or actor like 'user:%' then
    perform from users where id = account for key share;
    if not found then
      raise exception 'the maker % is not a user', coalesce(actor, account::text)
        using errcode = 'check_violation', constraint = 'makers_are_users';
    end if;
    return people_of(account, at);
  end if;
  return case when actor like 'client:%' then people_behind(null, client, at) else '{}' end;
end $$;
