-- I93, I221: another person approves. Arguments: the columns of the maker's and of the checker's user. The
-- first of two approvers is judged by the people kept with the approval; only older approvals have none.
create or replace function check_another_person() returns trigger language plpgsql as $$
declare
  request constant jsonb := to_jsonb(new);
  checker constant uuid := request ->> tg_argv[1];
  first_checker constant uuid := request ->> 'first_approved_by_user';
  makers constant uuid[] := array_remove(
    coalesce(new.maker_people, '{}') || (request ->> tg_argv[0])::uuid, null);
  first_people uuid[];
begin
  perform from users where id = checker for key share;
  if not found or not is_independent(makers, checker) then
    raise exception 'nobody may approve what the same person, or whoever gave them access, requested'
      using errcode = 'check_violation', constraint = tg_table_name || '_another_person';
  end if;
  if (request ->> 'approvers_needed')::int > 1 then
    first_people := case jsonb_typeof(request -> 'first_approver_people')
      when 'array' then array(select jsonb_array_elements_text(request -> 'first_approver_people')::uuid)
      else people_of(first_checker, 'infinity') end;
    if first_checker is null
       or all_ids_of(makers) && all_ids_of(first_people)
       or not is_independent(makers, first_checker)
       or not is_independent(first_people, checker) then
      raise exception 'it takes two approvers'
        using errcode = 'check_violation', constraint = tg_table_name || '_two_approvers';
    end if;
  end if;
  return null;
end $$;
