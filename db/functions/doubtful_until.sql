-- Returns the end of the time of which changes may be missing: when the database was last restored or moved,
-- 'infinity' on a server that is not the noted one, or null if it never was.
create or replace function doubtful_until() returns timestamptz stable language plpgsql as $$
begin
  if is_database_moved() then
    return 'infinity';
  end if;
  return (select max(held_at) from payout_holds where restored_to is not null and not lacks_nothing);
end $$;
