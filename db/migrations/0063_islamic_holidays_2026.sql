-- The Islamic holidays of 2026 that 0029 lacks, as expected: an operator confirms each day when the federal
-- government announces it, and until then it counts as a business day (I115). A day that an operator has set
-- stays as it is.
--
-- The previous release does not know the table.
--
-- works beside: 0023

insert into holidays (day, name, is_confirmed, source)
select day, name, false, 'Astronomical expectation; the federal government announces the day'
  from (values (date '2026-05-27', 'Eid-ul-Adha'), ('2026-05-28', 'Eid-ul-Adha, second day'),
               ('2026-08-26', 'Eid-ul-Maulud')) as expected (day, name)
    on conflict (day) do nothing;
