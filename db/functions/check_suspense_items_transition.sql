-- I109: the transitions of suspense_items. Made by `npm run generate` from states.ts: do not edit.
create or replace function check_suspense_items_transition() returns trigger language plpgsql as $$
begin
  if (case old.state
       when 'open' then new.state in ('assigned', 'returning', 'reversed')
       when 'assigned' then new.state in ('open', 'reversed')
       when 'returning' then new.state in ('open', 'returned', 'reversed')
       else false
     end) then
    return new;
  end if;
  raise exception 'suspense_items: % does not become %', old.state, new.state
    using errcode = 'MN002', table = 'suspense_items', column = 'state',
          constraint = 'suspense_items_follow_transitions';
end $$;
