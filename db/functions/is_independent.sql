-- Returns whether nobody behind the checker, as of the time, is one of the makers, and no maker gave the
-- checker access. Without a checker there is nobody who could be independent.
create or replace function was_independent(makers uuid[], checker uuid, at timestamptz)
returns boolean language sql stable as $$
  select checker is not null
         and not all_ids_of(makers) && all_ids_of(people_of(checker, at))
         and not exists (select from unnest(makers) as m (id) where stands_behind(m.id, checker))
$$;

create or replace function is_independent(makers uuid[], checker uuid) returns boolean
language sql stable as $$
  select was_independent(makers, checker, 'infinity')
$$;
