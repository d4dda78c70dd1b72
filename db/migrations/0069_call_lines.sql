-- Kinds of calls that found no room in a bank's rate, in the order in which they are served
-- (src/domain/records/call-rates.ts). The previous release knows no line, and keeps the rate.
--
-- works beside: 0060

alter table bank_health
  add column waiting jsonb not null default '[]';
