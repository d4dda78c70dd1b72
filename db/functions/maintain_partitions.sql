-- maintain_partitions: makes the partitions that are about to be needed and drops those whose time
-- is over. Events live in weeks (kept `event_days`), idempotency keys in days (kept `key_days`).
--
-- Returns what it did, one line each. Safe to run at any time by any number of processes: one
-- works, the others find nothing to do. Rows that came before their partition was made are in
-- the default partition; such a day is left to it.

create or replace function maintain_partitions(at timestamptz, event_days int, key_days int)
returns setof text language plpgsql as $$
declare
  first date;
  part  record;
begin
  perform pg_advisory_xact_lock(hashtext('maintain_partitions'));

  for first in
    select generate_series(date_trunc('week', at at time zone 'UTC'),
                           at at time zone 'UTC' + interval '2 weeks', interval '1 week')::date
  loop
    if to_regclass(format('events_%s', to_char(first, 'YYYYMMDD'))) is null
       and not exists (select from events_default
                        where id >= uuid_floor(first) and id < uuid_floor(first + 7)) then
      execute format('create table events_%s partition of events for values from (%L) to (%L)',
                     to_char(first, 'YYYYMMDD'), uuid_floor(first), uuid_floor(first + 7));
      return next format('made events_%s', to_char(first, 'YYYYMMDD'));
    end if;
  end loop;

  for first in
    select generate_series(date_trunc('day', at at time zone 'UTC'),
                           at at time zone 'UTC' + interval '3 days', interval '1 day')::date
  loop
    if to_regclass(format('idempotency_keys_%s', to_char(first, 'YYYYMMDD'))) is null
       and not exists (select from idempotency_keys_default
                        where created_at >= first::timestamp at time zone 'UTC'
                          and created_at < (first + 1)::timestamp at time zone 'UTC') then
      execute format('create table idempotency_keys_%s partition of idempotency_keys
                        for values from (%L) to (%L)', to_char(first, 'YYYYMMDD'),
                     first::timestamp at time zone 'UTC', (first + 1)::timestamp at time zone 'UTC');
      return next format('made idempotency_keys_%s', to_char(first, 'YYYYMMDD'));
    end if;
  end loop;

  for part in
    select c.relname,
           to_date(right(c.relname, 8), 'YYYYMMDD')
             + case when c.relname like 'events%' then 7 + event_days else 1 + key_days end as over
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent in ('events'::regclass, 'idempotency_keys'::regclass)
       and c.relname ~ '_[0-9]{8}$'
  loop
    if part.over <= (at at time zone 'UTC')::date then
      execute format('drop table %I', part.relname);
      return next format('dropped %s', part.relname);
    end if;
  end loop;
end $$;

-- The smallest version 7 id of a day: its first 48 bits are the milliseconds since 1970.
create or replace function uuid_floor(day date) returns uuid immutable language sql as $$
  select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0')
          || repeat('0', 20))::uuid
$$;
