-- I109: the transitions of settlements. Made by `npm run generate` from states.ts: do not edit.
create or replace function check_settlements_transition() returns trigger language plpgsql as $$
begin
  if (case old.status
       when 'closed' then new.status in ('approved', 'cancelled')
       when 'approved' then new.status in ('sending', 'paid', 'failed')
       when 'sending' then new.status in ('paid', 'part_failed', 'failed')
       else false
     end) then
    return new;
  end if;
  raise exception 'settlements: % does not become %', old.status, new.status
    using errcode = 'MN002', table = 'settlements', column = 'status',
          constraint = 'settlements_follow_transitions';
end $$;
