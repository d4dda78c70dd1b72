-- I93: keeps the people behind the maker with a request. Arguments: the columns of the actor, of the user and
-- of the time.
create or replace function keep_maker_people() returns trigger language plpgsql as $$
declare
  request constant jsonb := to_jsonb(new);
begin
  new.maker_people := people_making(
    request ->> tg_argv[0], (request ->> tg_argv[1])::uuid,
    coalesce(request ->> 'requested_by_client', request ->> 'client_id')::bigint,
    (request ->> tg_argv[2])::timestamptz);
  return new;
end $$;
