-- I109: the transitions of messages. Made by `npm run generate` from states.ts: do not edit.
create or replace function check_messages_transition() returns trigger language plpgsql as $$
begin
  if (case old.state
       when 'queued' then new.state in ('sending', 'caught', 'failed', 'suppressed', 'cancelled')
       when 'sending' then new.state in ('queued', 'sent', 'unknown', 'failed', 'cancelled')
       when 'unknown' then new.state in ('sent', 'failed')
       else false
     end) then
    return new;
  end if;
  raise exception 'messages: % does not become %', old.state, new.state
    using errcode = 'MN002', table = 'messages', column = 'state',
          constraint = 'messages_follow_transitions';
end $$;
