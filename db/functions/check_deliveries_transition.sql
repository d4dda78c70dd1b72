-- I109: the transitions of deliveries. Made by `npm run generate` from states.ts: do not edit.
create or replace function check_deliveries_transition() returns trigger language plpgsql as $$
begin
  if (case old.state
       when 'pending' then new.state in ('delivered', 'failed')
       when 'delivered' then new.state in ('pending')
       when 'failed' then new.state in ('pending')
       else false
     end) then
    return new;
  end if;
  raise exception 'deliveries: % does not become %', old.state, new.state
    using errcode = 'MN002', table = 'deliveries', column = 'state',
          constraint = 'deliveries_follow_transitions';
end $$;
