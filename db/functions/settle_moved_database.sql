-- Refuses to write on a server that is not the noted one. Every transaction of the service that writes begins
-- with it, and the service then calls settle_moved_database() (src/db/transaction.ts).
create or replace function require_known_database() returns void language plpgsql as $$
begin
  if is_database_moved() then
    raise exception 'the database was moved to another server' using errcode = 'MN003';
  end if;
end $$;

-- Settles a move to another server, once, in one transaction: skips what the lost server may have given
-- away, holds payouts, and notes the present server. No server can know that it lacks nothing: a standby
-- that was synchronous once may have stopped following since. If commits waited for a standby, an operator
-- may know it. A server of another cluster comes from a copy or a dump, and never has everything.
create or replace function settle_moved_database() returns void language plpgsql as $$
declare
  known   known_database;
  present text := current_database_identity();
begin
  select * into known from known_database for update;
  if known.identity is null or present is null or known.identity = present then
    return; -- Another process has settled it meanwhile.
  end if;
  perform settle_lost_changes(
    'The database was moved to another server: it may lack the last changes.', 'service', now(), now(),
    known.is_synchronous and split_part(known.identity, '/', 1) = split_part(present, '/', 1), null);
end $$;
