-- Since when the events of a client cannot be read for notices; and how far alerts were posted to the
-- operators' chat, with the least severity that it gets.
--
-- The previous release knows none of the columns: it posts every alert, as before.
--
-- works beside: 0023

alter table notice_cursors add column failing_since timestamptz;

alter table operator_chat
  add column alerts_after bigint not null default 0, -- Each alert up to this id was posted, or is not to be.
  add column alert_severity text collate "C" not null default 'notice'; -- The least.

alter table operator_chat
  add constraint operator_chat_severity_known
    check (alert_severity in ('notice', 'warning', 'critical')) not valid;
