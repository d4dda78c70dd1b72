-- I109: the transitions of payments. Made by `npm run generate` from states.ts: do not edit.
create or replace function check_payments_transition() returns trigger language plpgsql as $$
begin
  if (case old.status
       when 'Processing' then new.status in ('PartPayment', 'Successful', 'Expired', 'Cancelled')
       when 'PartPayment' then new.status in ('Processing', 'Successful', 'Expired', 'Cancelled')
       when 'Successful' then new.status in ('Reversed')
       when 'Expired' then new.status in ('PartPayment', 'Successful')
       else false
     end) then
    return new;
  end if;
  raise exception 'payments: % does not become %', old.status, new.status
    using errcode = 'MN002', table = 'payments', column = 'status',
          constraint = 'payments_follow_transitions';
end $$;
