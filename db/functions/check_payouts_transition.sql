-- I109: the transitions of payouts. Made by `npm run generate` from states.ts: do not edit.
create or replace function check_payouts_transition() returns trigger language plpgsql as $$
begin
  if (case old.status
       when 'queued' then new.status in ('sending', 'cancelled')
       when 'sending' then new.status in ('queued', 'confirmed', 'failed', 'unknown')
       when 'unknown' then new.status in ('confirmed', 'failed')
       else false
     end) then
    return new;
  end if;
  raise exception 'payouts: % does not become %', old.status, new.status
    using errcode = 'MN002', table = 'payouts', column = 'status',
          constraint = 'payouts_follow_transitions';
end $$;
