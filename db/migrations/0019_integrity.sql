-- The runs of the integrity checks, and their findings.
--
-- A run inserts its row when it begins, so that no other process begins one. A run that never finished was
-- killed; it counts for nothing.
create table integrity_checks (
  id          bigint primary key generated always as identity,
  started_at  timestamptz not null,
  finished_at timestamptz,
  findings    jsonb,
  ok          boolean,

  constraint integrity_checks_finished_has_result check (
    (finished_at is null) = (findings is null) and (finished_at is null) = (ok is null)),
  constraint integrity_checks_ok_has_no_findings check (ok = (findings = '[]'))
);
