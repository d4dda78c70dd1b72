-- I109: the transitions of cases. Made by `npm run generate` from states.ts: do not edit.
create or replace function check_cases_transition() returns trigger language plpgsql as $$
begin
  if (case old.state
       when 'open' then new.state in ('investigating', 'closed')
       when 'investigating' then new.state in ('closed')
       when 'closed' then new.state in ('investigating')
       else false
     end) then
    return new;
  end if;
  raise exception 'cases: % does not become %', old.state, new.state
    using errcode = 'MN002', table = 'cases', column = 'state',
          constraint = 'cases_follow_transitions';
end $$;
