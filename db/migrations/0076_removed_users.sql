-- Who was removed, and under which address: whoever is a user of the client under that address again is the
-- same person, and no more independent than before of what they asked for, chose and gave.
--
-- works beside: 0060

create table removed_users (
  id uuid not null,
  client_id bigint not null,
  email text collate "C" not null,
  constraint removed_users_pkey primary key (id),
  constraint removed_users_client_id_fkey foreign key (client_id) references clients (id)
);

create index removed_users_by_email on removed_users (client_id, email);

create function remember_removed_user() returns trigger language plpgsql as $$
begin
  insert into removed_users (id, client_id, email) values (old.id, old.client_id, old.email);
  return null;
end $$;

-- safe: the previous release removes users as before
create trigger users_remembered after delete on users
  for each row execute function remember_removed_user();

-- Whether whoever made a request, or the same person under another id, gave its checker access, however many
-- people are in between.
-- safe: it is asked as before, and refuses more
create or replace function stands_behind(maker uuid, checker uuid) returns boolean language sql stable as $$
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
