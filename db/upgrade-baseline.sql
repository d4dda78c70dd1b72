-- Turns a database at 0111_delivery_transitions.sql, the last migration before the baseline, into one at
-- 0023_foreign_keys.sql. `npx manilla admin upgrade-baseline` runs it, in one transaction
-- (docs/decisions/0028-baseline.md).

alter table clients rename column has_four_eyes to has_maker_checker;
alter table remembered_answers rename column answer_sealed to response_sealed;
update idempotency_keys set resource = replace(resource, '"answerId":', '"responseId":')
 where resource like '{%"answerId":%';

-- Renames the tables with their partitions, sequences, indexes, constraints and triggers.
do $$
declare
  old_name text;
  new_name text;
  item     record;
begin
  for old_name, new_name in
    values ('actions', 'audit_log'), ('audits', 'integrity_checks'),
           ('remembered_answers', 'stored_responses')
  loop
    -- Not-null constraints have names since PostgreSQL 18. An index renames its own constraint.
    for item in
      select conrelid::regclass as of_table, conname as name from pg_constraint
       where conrelid = old_name::regclass and contype in ('c', 'f', 'n')
         and starts_with(conname, old_name || '_')
    loop
      execute format('alter table %s rename constraint %I to %I', item.of_table, item.name,
                     new_name || substr(item.name, length(old_name) + 1));
    end loop;
    for item in
      select tgrelid::regclass as of_table, tgname as name from pg_trigger
       where tgrelid = old_name::regclass and not tgisinternal
         and starts_with(tgname, old_name || '_')
    loop
      execute format('alter trigger %I on %s rename to %I', item.name, item.of_table,
                     new_name || substr(item.name, length(old_name) + 1));
    end loop;
    for item in
      select relname as name,
             case relkind when 'i' then 'index' when 'I' then 'index' when 'S' then 'sequence'
                          else 'table' end as kind
        from pg_class
       where relnamespace = (select relnamespace from pg_class where oid = old_name::regclass)
         and relkind in ('r', 'p', 'i', 'I', 'S')
         and (relname = old_name or starts_with(relname, old_name || '_'))
       order by relkind in ('r', 'p')
    loop
      execute format('alter %s %I rename to %I', item.kind, item.name,
                     new_name || substr(item.name, length(old_name) + 1));
    end loop;
  end loop;
end $$;

-- Gives not-null constraints of renamed columns, of this and earlier renames, the name of their column.
do $$
declare
  item record;
begin
  for item in
    select c.oid::regclass as of_table, n.conname as old_name,
           format('%s_%s_not_null', c.relname, a.attname) as new_name
      from pg_constraint n
      join pg_class c on c.oid = n.conrelid and not c.relispartition
      join pg_attribute a on a.attrelid = c.oid and a.attnum = n.conkey[1]
     where n.contype = 'n' and n.connamespace = current_schema()::regnamespace
  loop
    if item.old_name <> item.new_name and length(item.new_name) < 64 then
      execute format('alter table %s rename constraint %I to %I', item.of_table, item.old_name,
                     item.new_name);
    end if;
  end loop;
end $$;

-- Nothing has read the clocks of single clients since 0104.
drop table test_clocks;

-- Every constraint that was added as not valid holds for all rows by now.
do $$
declare
  item record;
begin
  for item in
    select conrelid::regclass as of_table, conname as name from pg_constraint
     where not convalidated and connamespace = current_schema()::regnamespace order by 1, 2
  loop
    execute format('alter table %s validate constraint %I', item.of_table, item.name);
  end loop;
end $$;

-- Protects every column of a request but its decision, like check_payout_failure.
create or replace function check_suspense_request() returns trigger language plpgsql as $$
declare
  decided constant text[] := array['state', 'decided_by', 'decided_by_user', 'decided_at',
                                   'decision_reason'];
begin
  if to_jsonb(new) - decided is distinct from to_jsonb(old) - decided or old.state <> 'open' then
    raise exception 'a request about suspended money is decided once, as it was asked for'
      using errcode = 'check_violation', constraint = 'suspense_requests_keep_what_was_asked';
  end if;
  if new.state = 'approved'
     and (new.decided_by_user is null
          or stands_behind(new.requested_by_user, new.decided_by_user)) then
    raise exception 'nobody to whom the maker gave access may approve'
      using errcode = 'check_violation', constraint = 'suspense_requests_independent_checker';
  end if;
  return null;
end $$;
