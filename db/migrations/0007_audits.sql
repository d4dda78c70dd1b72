-- Audits: when the books were last added up, and what did not add up.
--
-- A row is made when an audit begins, so that others see that somebody is at it. One that never
-- finished was killed; it counts for nothing.

create table audits (
  id          bigint primary key generated always as identity,
  started_at  timestamptz not null,
  finished_at timestamptz,
  findings    jsonb,
  ok          boolean,

  constraint audits_finished_has_result check (
    (finished_at is null) = (findings is null) and (finished_at is null) = (ok is null)),
  constraint audits_ok_has_no_findings check (ok = (findings = '[]'))
);
