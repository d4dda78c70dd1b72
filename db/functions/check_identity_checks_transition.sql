-- I109: the transitions of identity_checks. Made by `npm run generate` from states.ts: do not edit.
create or replace function check_identity_checks_transition() returns trigger language plpgsql as $$
begin
  if (case old.status
       when 'queued' then new.status in ('verified', 'name_mismatch', 'not_found', 'unanswered')
       when 'name_mismatch' then new.status in ('queued')
       when 'not_found' then new.status in ('queued')
       when 'unanswered' then new.status in ('queued')
       else false
     end) then
    return new;
  end if;
  raise exception 'identity_checks: % does not become %', old.status, new.status
    using errcode = 'MN002', table = 'identity_checks', column = 'status',
          constraint = 'identity_checks_follow_transitions';
end $$;
