-- A version of a list of names is a draft until two people activate it.
--
-- works beside: 0023

-- Null: a draft.
alter table screening_lists alter column effective_from drop not null;
-- The version in force, or about to be, when this one was uploaded: `added` and `removed` compare with it.
alter table screening_lists add column replaces bigint;

create function check_screening_list() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'effective_from' is distinct from to_jsonb(old) - 'effective_from'
     or old.effective_from is not null then
    raise exception 'a version of a list never changes, and begins once'
      using errcode = 'check_violation', constraint = 'screening_lists_keep_content';
  end if;
  return null;
end $$;

-- safe: the previous release has no lists
drop trigger screening_lists_kept on screening_lists;
create trigger screening_lists_kept before delete on screening_lists
  for each statement execute function refuse_change();
create trigger screening_lists_checked after update on screening_lists
  for each row execute function check_screening_list();

alter table screening_requests
  add column list_id bigint,
  add constraint screening_requests_list_id_fkey foreign key (list_id)
    references screening_lists (id) not valid;

-- safe: it allows one more, so every row there fits
alter table screening_requests
  drop constraint screening_requests_subject,
  add constraint screening_requests_subject check (
    num_nonnulls(rule_id, list_id, decision_id) = 1
    and case kind when 'activate' then decision_id is null
                  when 'end' then rule_id is not null
                  else kind in ('release', 'refuse') and decision_id is not null end) not valid;

create unique index screening_requests_one_open_of_list on screening_requests (list_id)
 where state = 'open' and list_id is not null;
