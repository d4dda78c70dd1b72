-- The times that a case may take, as dated data: each is in force from a day on, and names its source and the
-- source's date. The clock of a deadline begins with the report, or, for the reimbursement, with the end of
-- the investigation. A case that two institutions investigate together has a time of its own.
--
-- The previous release goes on with case_deadline_rules, whose times were wrong: what an operator had set
-- there stays in force.
--
-- works beside: 0023

create table case_deadline_terms (
  name         text collate "C" not null,
  valid_from   date not null, -- For cases that were reported on this day (West Africa Time) or later.
  kinds        text[] collate "C" not null,
  unit         text collate "C" not null,
  length       integer not null,
  warn_minutes integer not null, -- Alerts begin so long before it.
  source       text not null,
  source_date  date, -- The date of the document. Null: the operator gave none.
  updated_by   text collate "C", -- Null: supplied.
  updated_at   timestamptz not null default now(),
  constraint case_deadline_terms_pkey primary key (name, valid_from),
  constraint case_deadline_terms_name_known check (
    name in ('report', 'notify', 'acknowledge', 'respond', 'resolve', 'resolve_joint', 'reimburse')),
  constraint case_deadline_terms_kinds_known
    check (kinds <@ array['bank_report', 'payer_report', 'own_rule']),
  constraint case_deadline_terms_unit_known check (unit in ('minutes', 'business_days')),
  constraint case_deadline_terms_bounded check (
    case unit when 'minutes' then length between 1 and 525600 else length between 1 and 260 end
    and warn_minutes between 0 and 43200)
);

insert into case_deadline_terms
  (name, valid_from, kinds, unit, length, warn_minutes, source, source_date)
select t.*, 'CBN exposure draft, Guidelines for Handling APP Fraud; not in force', '2025-11-26'::date
  from (values
    ('report', '2025-11-26'::date, '{bank_report,payer_report}'::text[], 'minutes', 4320, 0),
    ('notify', '2025-11-26', '{payer_report}', 'minutes', 30, 10),
    ('respond', '2025-11-26', '{bank_report,payer_report}', 'minutes', 1440, 240),
    ('resolve', '2025-11-26', '{bank_report,payer_report,own_rule}', 'business_days', 14, 2880),
    ('resolve_joint', '2025-11-26', '{bank_report,payer_report,own_rule}', 'business_days', 16, 2880),
    ('reimburse', '2025-11-26', '{bank_report,payer_report}', 'minutes', 2880, 360)) as t;

insert into case_deadline_terms
  (name, valid_from, kinds, unit, length, warn_minutes, source, source_date, updated_by, updated_at)
select name, '2025-11-27', kinds, unit, length, warn_minutes, source, null, updated_by, updated_at
  from case_deadline_rules where updated_by is not null;

alter table cases add column is_joint boolean not null default false;

alter table case_deadlines
  add column started_at timestamptz, -- Null: with the report, in cases that the previous release opened.
  add column source_date date;
