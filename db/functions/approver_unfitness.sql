-- Returns why a user may not approve any request, or null. `new_since`: a user whose access was changed later
-- does not approve yet. I233: where the checker's client is strict, nobody approves what somebody requested
-- whom they gave access, directly or through others.
create or replace function approver_unfitness(
  maker uuid, people uuid[], checker uuid, new_since timestamptz
) returns text language sql stable as $$
  select case
           when v.id is null then 'people_only'
           when v.id = any(all_ids_of(array[maker])) then 'other_person_needed'
           when v.id = any(all_ids_of(m.ids)) then 'maker_counts_as_you'
           when v.access_changed_at > new_since then 'approver_too_new'
           when exists (select from unnest(m.ids) as m (id) where stands_behind(m.id, v.id))
             then 'approver_not_independent'
           when is_same_person(m.ids, v.id) then 'maker_counts_as_you'
           when exists (select from payout_settings s
                         where s.client_id = v.client_id and s.strict_approvers)
                and exists (select from unnest(m.ids) as m (id) where stands_behind(v.id, m.id))
             then 'approver_gave_access'
         end
    from (select checker, array_remove(coalesce(people, '{}') || maker, null)) as m (checker, ids)
    left join users v on v.id = m.checker
$$;
