-- Scheduled reports: an export that a user wants daily, weekly or monthly, the users who get its link, and a
-- run for each period. No file is kept: the link leads to the export itself, with its period.
--
-- Filters are sealed, because they may name a payer.
--
-- The previous release knows none of the tables.
--
-- works beside: 0023

alter table operator_chat validate constraint operator_chat_severity_known;

create table report_schedules (
  id             bigint not null generated always as identity,
  reference      text collate "C" not null,
  client_id      bigint not null,
  user_id        uuid, -- Null: the user who set it up was deleted.
  created_by     text collate "C" not null,
  name           text not null,
  operation      text collate "C" not null,
  filters_sealed bytea not null,
  frequency      text collate "C" not null,
  hour           int not null, -- In Lagos.
  format         text collate "C" not null,
  next_from      date not null, -- The first day of the next period.
  next_due_at    timestamptz not null,
  created_at     timestamptz not null,
  constraint report_schedules_pkey primary key (id),
  constraint report_schedules_reference_unique unique (reference),
  constraint report_schedules_of_client unique (client_id, id),
  constraint report_schedules_frequency_known check (frequency in ('daily', 'weekly', 'monthly')),
  constraint report_schedules_hour_of_day check (hour between 0 and 23),
  constraint report_schedules_format_known check (format in ('csv', 'xlsx')),
  constraint report_schedules_client_id_fkey foreign key (client_id) references clients (id),
  constraint report_schedules_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on update cascade on delete set null (user_id)
);

create index report_schedules_due on report_schedules (next_due_at);
create index report_schedules_of_user on report_schedules (client_id, user_id);

create table report_recipients (
  schedule_id bigint not null,
  client_id   bigint not null,
  user_id     uuid not null,
  constraint report_recipients_pkey primary key (schedule_id, user_id),
  -- Deferred: a reset of the sandbox moves users one after the other, the owner of a schedule perhaps last.
  constraint report_recipients_schedule_of_same_client foreign key (client_id, schedule_id)
    references report_schedules (client_id, id) on update cascade on delete cascade
    deferrable initially deferred,
  constraint report_recipients_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on update cascade on delete cascade
);

create index report_recipients_of_schedule on report_recipients (client_id, schedule_id);
create index report_recipients_of_user on report_recipients (client_id, user_id);

create table report_runs (
  id          bigint not null generated always as identity,
  reference   text collate "C" not null,
  schedule_id bigint not null,
  client_id   bigint not null,
  from_day    date not null,
  to_day      date not null, -- Exclusive.
  expires_at  timestamptz not null,
  created_at  timestamptz not null,
  constraint report_runs_pkey primary key (id),
  constraint report_runs_reference_unique unique (reference),
  constraint report_runs_once_per_period unique (schedule_id, from_day),
  constraint report_runs_schedule_of_same_client foreign key (client_id, schedule_id)
    references report_schedules (client_id, id) on update cascade on delete cascade
);

create index report_runs_of_schedule on report_runs (client_id, schedule_id);
