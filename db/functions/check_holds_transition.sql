-- I109: the transitions of holds. Made by `npm run generate` from states.ts: do not edit.
create or replace function check_holds_transition() returns trigger language plpgsql as $$
begin
  if (case old.state
       when 'active' then new.state in ('released', 'forfeited')
       else false
     end) then
    return new;
  end if;
  raise exception 'holds: % does not become %', old.state, new.state
    using errcode = 'MN002', table = 'holds', column = 'state',
          constraint = 'holds_follow_transitions';
end $$;
