-- Returns the id up to which every transfer is decided: committed or rolled back. Waits for the
-- transactions that are inserting transfers now, and blocks none: a transaction gets its ids under a lock
-- on the table and keeps the lock to its end. A later read by the caller shows all these transfers. Looks
-- less and less often, because a look at all locks takes CPU: a batch ends after milliseconds, a large
-- settlement after many seconds.
create or replace function decided_transfer_id() returns bigint language plpgsql as $$
declare
  pause    double precision := 0.002;
  last_id  bigint := (select case when is_called then last_value else 0 end from transfers_id_seq);
  writers  text[] := array(
    select virtualtransaction || '/' || pid from pg_locks
     where locktype = 'relation' and relation = 'transfers'::regclass
       and database = (select oid from pg_database where datname = current_database())
       and mode = 'RowExclusiveLock' and granted and pid <> pg_backend_pid());
begin
  while exists (
    select from pg_locks
     where locktype = 'relation' and relation = 'transfers'::regclass
       and database = (select oid from pg_database where datname = current_database())
       and mode = 'RowExclusiveLock' and granted
       and virtualtransaction || '/' || pid = any(writers)) loop
    perform pg_sleep(pause);
    pause := least(pause * 1.5, 0.05);
  end loop;
  return last_id;
end $$;
