-- The calendar of holidays, with the source of each. Settlement and all arithmetic of business days use the
-- confirmed ones. The federal government announces Islamic holidays days before they begin: until an operator
-- confirms one, it is expected and counts as a business day.
--
-- Supplied: the holidays that the Public Holidays Act fixes and those that follow from Easter, for 2026 to
-- 2028, and expected dates of the Islamic ones. Holidays that an operator has set before are confirmed.
--
-- The previous release reads and writes settlement_holidays until it is replaced. A later migration drops it.
--
-- works beside: 0023

create table holidays (
  day          date not null,
  name         text not null,
  is_confirmed boolean not null,
  source       text not null,
  updated_by   text collate "C", -- Null: supplied.
  updated_at   timestamptz not null default now(),
  constraint holidays_pkey primary key (day)
);

insert into holidays (day, name, is_confirmed, source)
select make_date(year, month, day), name, true, 'Public Holidays Act (Cap. P40, LFN 2004), as amended'
  from generate_series(2026, 2028) as year,
       (values (1, 1, 'New Year’s Day'), (5, 1, 'Workers’ Day'), (6, 12, 'Democracy Day'),
               (10, 1, 'Independence Day'), (12, 25, 'Christmas Day'), (12, 26, 'Boxing Day'))
         as fixed (month, day, name);

insert into holidays (day, name, is_confirmed, source)
select easter + days, name, true, 'Public Holidays Act (Cap. P40, LFN 2004); date of Easter computed'
  from (values (date '2026-04-05'), (date '2027-03-28'), (date '2028-04-16')) as years (easter),
       (values (-2, 'Good Friday'), (1, 'Easter Monday')) as around (days, name);

insert into holidays (day, name, is_confirmed, source) values
  ('2026-03-19', 'Eid-ul-Fitr', true, 'Announced by the Ministry of Interior, March 2026'),
  ('2026-03-20', 'Eid-ul-Fitr, second day', true, 'Announced by the Ministry of Interior, March 2026');

insert into holidays (day, name, is_confirmed, source)
select day, name, false, 'Expected; to be announced by the Ministry of Interior'
  from (values (date '2027-03-10', 'Eid-ul-Fitr'), ('2027-03-11', 'Eid-ul-Fitr, second day'),
               ('2027-05-17', 'Eid-ul-Adha'), ('2027-05-18', 'Eid-ul-Adha, second day'),
               ('2027-08-15', 'Eid-ul-Maulud'),
               ('2028-02-27', 'Eid-ul-Fitr'), ('2028-02-28', 'Eid-ul-Fitr, second day'),
               ('2028-05-05', 'Eid-ul-Adha'), ('2028-05-06', 'Eid-ul-Adha, second day'),
               ('2028-08-03', 'Eid-ul-Maulud')) as expected (day, name)
    on conflict (day) do nothing;

insert into holidays (day, name, is_confirmed, source)
select day, name, true, 'Set by an operator' from settlement_holidays
    on conflict (day) do update
       set name = excluded.name, is_confirmed = true, source = excluded.source;
