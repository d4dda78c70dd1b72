-- Returns the cluster and the timeline that the server writes to: "7345…/00000002". A promotion
-- begins another timeline; a dump loaded elsewhere is in another cluster. Null on a standby, and
-- where the server refuses to say.
create or replace function current_database_identity() returns text language plpgsql as $$
begin
  if pg_is_in_recovery() then
    return null;
  end if;
  return (select system_identifier from pg_control_system()) || '/'
         || left(pg_walfile_name(pg_current_wal_lsn()), 8);
exception
  when insufficient_privilege or undefined_function or feature_not_supported
    or object_not_in_prerequisite_state then
    return null;
end $$;
