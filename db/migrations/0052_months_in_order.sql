-- Months close in order (I176): none closes while an earlier one with transfers is open or reopened.
--
-- works beside: 0023

-- All days with transfers before the end of a closed month are closed (0018_accounting.sql).
create function refuse_month_after_open_one() returns trigger language plpgsql as $$
declare
  open_month date := (
    select min(e.month)
      from (select date_trunc('month', day)::date as month from closed_days
             where day < new.month and transfers > 0
             union
            select month from closed_months where month < new.month) as e
     where not exists (select from closed_months c
                        where c.month = e.month and c.reopened_at is null));
begin
  if open_month is not null then
    raise exception 'a month closes after the months before it' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger closed_months_in_order before insert on closed_months
  for each row execute function refuse_month_after_open_one();
