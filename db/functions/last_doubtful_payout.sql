-- Returns the id of the last payout that may have been sent although the database says that it was not: the
-- last one from before a restore or a move, or 0. On a server that is not the noted one, every payout may
-- have been sent.
create or replace function last_doubtful_payout() returns bigint stable language plpgsql as $$
begin
  if is_database_moved() then
    return 9223372036854775807;
  end if;
  return coalesce((select max(last_payout_id) from payout_holds where not lacks_nothing), 0);
end $$;
