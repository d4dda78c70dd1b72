-- Creates the partitions that will be needed soon and drops expired ones. Events, deliveries and delivery
-- attempts have weekly partitions (kept for `event_days`). Idempotency keys and stored responses have daily
-- ones (kept for `key_days`).
--
-- Returns one line for each change. Any number of processes may run it at any time: one works, the others
-- find nothing to do. A row that is older than its partition lies in the default partition; such a week or
-- day keeps using the default. A week stays, with its deliveries, until all its events are queued (I15) and
-- counted into the totals.

create or replace function maintain_partitions(at timestamptz, event_days int, key_days int)
returns setof text language plpgsql as $$
declare
  tables text[][] := array[ -- Name, the column it is partitioned by, settings of a partition.
    ['events', 'id', ''],
    ['deliveries', 'event_id', 'with (fillfactor = 70)'], -- A claim then rewrites in place.
    ['delivery_attempts', 'event_id', '']];
  weekly text[];
  first  date;
  name   text;
  taken  boolean;
  part   record;
begin
  perform pg_advisory_xact_lock(hashtext('maintain_partitions'));

  for first in
    select generate_series(date_trunc('week', at at time zone 'UTC'),
                           at at time zone 'UTC' + interval '2 weeks', interval '1 week')::date
  loop
    foreach weekly slice 1 in array tables loop
      name := format('%s_%s', weekly[1], to_char(first, 'YYYYMMDD'));
      continue when to_regclass(name) is not null;
      execute format('select exists (select from %1$I where %2$I >= %3$L and %2$I < %4$L)',
                     weekly[1] || '_default', weekly[2], uuid_floor(first), uuid_floor(first + 7))
        into taken;
      continue when taken;
      execute format('create table %I partition of %I for values from (%L) to (%L) %s',
                     name, weekly[1], uuid_floor(first), uuid_floor(first + 7), weekly[3]);
      return next format('made %s', name);
    end loop;
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
    if to_regclass(format('stored_responses_%s', to_char(first, 'YYYYMMDD'))) is null
       and not exists (select from stored_responses_default
                        where id >= uuid_floor(first) and id < uuid_floor(first + 1)) then
      execute format('create table stored_responses_%s partition of stored_responses
                        for values from (%L) to (%L)', to_char(first, 'YYYYMMDD'),
                     uuid_floor(first), uuid_floor(first + 1));
      return next format('made stored_responses_%s', to_char(first, 'YYYYMMDD'));
    end if;
  end loop;

  for part in
    select c.relname::text,
           to_date(right(c.relname, 8), 'YYYYMMDD')
             + case when i.inhparent in ('idempotency_keys'::regclass,
                                         'stored_responses'::regclass) then 1 + key_days
                    else 7 + event_days end as over
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent in ('events'::regclass, 'deliveries'::regclass,
                           'delivery_attempts'::regclass, 'idempotency_keys'::regclass,
                           'stored_responses'::regclass)
       and c.relname ~ '_[0-9]{8}$'
     order by 1
  loop
    continue when part.over > (at at time zone 'UTC')::date;
    name := regexp_replace(part.relname, '^(deliveries|delivery_attempts)', 'events');
    if name like 'events%' and to_regclass(name) is not null then
      execute format('select exists (select from event_counters k
                                       left join dispatch_cursors c on c.client_id = k.client_id
                                       left join totals_cursors t on t.client_id = k.client_id
                                      where exists (select from %I e
                                                     where e.client_id = k.client_id
                                                       and e.sequence > least(
                                                             coalesce(c.sequence, 0),
                                                             coalesce(t.sequence, 0))))',
                     name) into taken;
      continue when taken;
    end if;
    execute format('drop table %I', part.relname);
    return next format('dropped %s', part.relname);
  end loop;
end $$;

-- The smallest version 7 id of a day: its first 48 bits are the milliseconds since 1970.
create or replace function uuid_floor(day date) returns uuid immutable language sql as $$
  select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0')
          || repeat('0', 20))::uuid
$$;
