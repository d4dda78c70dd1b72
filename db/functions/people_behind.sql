-- Returns the people behind a user, or behind the credentials of a client. A token lives on for some time
-- after its secret retires.
--
-- I231: a secret that no user of the client made was handed to one of them, and nobody knows to whom. Until a
-- user of the client has rotated it, it counts as all of them who may manage secrets, and as those who were
-- removed. In the sandbox, the command line counts as a person of its own.
create or replace function people_behind(account uuid, client bigint, at timestamptz) returns uuid[]
language sql stable as $$
  select case when account is not null then people_of(account, at)
              else array(
                with secrets as (
                  select coalesce(made_by, '{}') as made_by from client_secrets
                   where client_id = client
                     and (retires_at is null or retires_at > at - interval '1 day')
                ), present as (
                  select u.id,
                         case when c.is_operator then u.role = 'operator'
                              else u.role in ('owner', 'developer') end as manages_secrets
                    from users u join clients c on c.id = u.client_id where u.client_id = client
                ), removed as (
                  select id from removed_users where client_id = client
                ), own as (
                  select array(select id from present union all select id from removed) as ids
                ), handed_over as (
                  select from secrets s cross join own
                   where not s.made_by && own.ids
                     and not (s.made_by = array[command_line()]
                              and exists (select from database_mode where mode = 'sandbox'))
                )
                select unnest(made_by) from secrets
                union
                select id from present where manages_secrets and exists (select from handed_over)
                union
                select id from removed where exists (select from handed_over))
         end
$$;
