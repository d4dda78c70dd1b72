-- I109: the transitions of returns. Made by `npm run generate` from states.ts: do not edit.
create or replace function check_returns_transition() returns trigger language plpgsql as $$
begin
  if (case old.status
       when 'pending' then new.status in ('confirmed', 'failed')
       else false
     end) then
    return new;
  end if;
  raise exception 'returns: % does not become %', old.status, new.status
    using errcode = 'MN002', table = 'returns', column = 'status',
          constraint = 'returns_follow_transitions';
end $$;
