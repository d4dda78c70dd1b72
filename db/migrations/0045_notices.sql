-- Notices: which messages a client sends to its payers and gets itself, and how far its events were read for
-- them. Existing clients start at their last event, so that old events cause no messages.
--
-- The previous release knows neither table.
--
-- works beside: 0023

create table notice_settings (
  client_id      bigint not null,
  payer_channels text[] not null, -- Empty: nothing is sent to payers.
  payer_kinds    text[] not null,
  staff_kinds    text[] not null,
  alert_severity text collate "C" not null, -- Minimum severity of alerts, for operators.
  updated_by     text collate "C" not null,
  updated_at     timestamptz not null,
  constraint notice_settings_pkey primary key (client_id),
  constraint notice_settings_client_id_fkey foreign key (client_id) references clients (id),
  constraint notice_settings_channels_known
    check (payer_channels <@ array['email', 'sms', 'whatsapp']),
  constraint notice_settings_severity_known
    check (alert_severity in ('notice', 'warning', 'critical'))
);

create table notice_cursors (
  client_id     bigint not null,
  sequence      bigint not null default 0, -- The last event that was read.
  summarised_on date, -- The last day whose summary was queued.
  constraint notice_cursors_pkey primary key (client_id),
  constraint notice_cursors_client_id_fkey foreign key (client_id) references clients (id)
);

insert into notice_cursors (client_id, sequence)
select client_id, sequence from event_counters;
