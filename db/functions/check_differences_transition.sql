-- I109: the transitions of differences. Made by `npm run generate` from states.ts: do not edit.
create or replace function check_differences_transition() returns trigger language plpgsql as $$
begin
  if (case old.state
       when 'open' then new.state in ('asked', 'resolved', 'cleared')
       when 'asked' then new.state in ('open', 'resolved', 'cleared')
       when 'resolved' then new.state in ('cleared')
       else false
     end) then
    return new;
  end if;
  raise exception 'differences: % does not become %', old.state, new.state
    using errcode = 'MN002', table = 'differences', column = 'state',
          constraint = 'differences_follow_transitions';
end $$;
