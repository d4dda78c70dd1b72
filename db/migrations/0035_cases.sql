-- Cases: reports of fraud with parties, notes, evidence, deadlines and an outcome.
--
--   I131  evidence never changes, and is returned only if its hash is right;
--   I132  notes, parties, evidence and history only grow until the case is erased, and it is erased only
--         after it has been closed;
--   I133  a case is closed once per closing, with an outcome, and only when none of its holds is active.
--
-- The previous release knows no cases. A hold that it places may name one that does not exist.
--
-- works beside: 0023

-- How long each step of a case may take. `kinds`: the cases that have the deadline.
create table case_deadline_rules (
  name         text collate "C" not null,
  kinds        text[] collate "C" not null,
  unit         text collate "C" not null,
  length       integer not null,
  warn_minutes integer not null, -- Alerts begin so long before it.
  source       text not null,
  updated_by   text collate "C", -- Null: supplied.
  updated_at   timestamptz not null default now(),
  constraint case_deadline_rules_pkey primary key (name),
  constraint case_deadline_rules_name_known check (name in ('acknowledge', 'respond', 'resolve')),
  constraint case_deadline_rules_kinds_known
    check (kinds <@ array['bank_report', 'payer_report', 'own_rule']),
  constraint case_deadline_rules_unit_known check (unit in ('minutes', 'business_days')),
  constraint case_deadline_rules_bounded check (
    case unit when 'minutes' then length between 1 and 525600 else length between 1 and 260 end
    and warn_minutes between 0 and 43200)
);

insert into case_deadline_rules (name, kinds, unit, length, warn_minutes, source) values
  ('acknowledge', '{bank_report,payer_report}', 'minutes', 30, 10,
   'CBN draft rules on push-payment fraud, not in force'),
  ('respond', '{bank_report,payer_report}', 'minutes', 2880, 360,
   'CBN draft rules on push-payment fraud, not in force'),
  ('resolve', '{bank_report,payer_report,own_rule}', 'business_days', 14, 2880,
   'CBN draft rules on push-payment fraud, not in force');

create table cases (
  id                 bigint not null generated always as identity,
  reference          text collate "C" not null,
  kind               text collate "C" not null,
  key                text collate "C", -- Set by a rule, which opens one case per key.
  client_id          bigint, -- The client whose money the case concerns, if known.
  amount_kobo        bigint,
  summary_sealed     bytea not null,
  reporter_reference text, -- The reporter's own number of the case.
  state              text collate "C" not null default 'open',
  outcome            text collate "C",
  reported_at        timestamptz not null,
  opened_by          text collate "C" not null,
  opened_at          timestamptz not null,
  closed_at          timestamptz,
  erased_at          timestamptz,
  constraint cases_pkey primary key (id),
  constraint cases_reference_unique unique (reference),
  constraint cases_once_per_key unique (kind, key),
  constraint cases_client_id_fkey foreign key (client_id) references clients (id),
  constraint cases_kind_known check (kind in ('bank_report', 'payer_report', 'own_rule')),
  constraint cases_amount_positive check (amount_kobo > 0),
  constraint cases_state_known check (state in ('open', 'investigating', 'closed')),
  constraint cases_outcome_known
    check (outcome in ('confirmed', 'unfounded', 'referred', 'undetermined')),
  constraint cases_closed_with_outcome
    check ((state = 'closed') = (outcome is not null) and (state = 'closed') = (closed_at is not null)),
  constraint cases_erased_when_closed check (erased_at is null or state = 'closed')
);
create index cases_not_erased on cases (closed_at) where erased_at is null and closed_at is not null;
create index cases_of_client on cases (client_id, id) where client_id is not null;

create function check_case() returns trigger language plpgsql as $$
declare
  changing text[] := array['state', 'outcome', 'closed_at', 'erased_at', 'summary_sealed'];
begin
  -- Sealed again by another data key.
  if old.erased_at is not null then changing := array['summary_sealed']; end if;
  if to_jsonb(new) - changing is distinct from to_jsonb(old) - changing then
    raise exception 'a case keeps what it was opened with, and nothing changes after its erasure'
      using errcode = 'check_violation', constraint = 'cases_keep_terms';
  end if;
  if new.state = 'closed' and old.state <> 'closed'
     and exists (select from holds where case_reference = new.reference and state = 'active') then
    raise exception 'a case with an active hold is not closed'
      using errcode = 'check_violation', constraint = 'cases_closed_without_holds';
  end if;
  return null;
end $$;
create trigger cases_checked after update on cases for each row execute function check_case();
create trigger cases_not_deleted before delete on cases
  for each statement execute function refuse_change();
create trigger cases_not_truncated before truncate on cases
  for each statement execute function refuse_change();

-- safe: new in this migration
create or replace function check_cases_transition() returns trigger language plpgsql as $$
begin
  if (case old.state
       when 'open' then new.state in ('investigating', 'closed')
       when 'investigating' then new.state in ('closed')
       when 'closed' then new.state in ('investigating')
       else false
     end) then
    return new;
  end if;
  raise exception 'cases: % does not become %', old.state, new.state
    using errcode = 'MN002', table = 'cases', column = 'state',
          constraint = 'cases_follow_transitions';
end $$;
create trigger cases_follow_transitions before update of state on cases
  for each row when (old.state is distinct from new.state)
  execute function check_cases_transition();

create table case_credits (
  case_id   bigint not null references cases,
  credit_id bigint not null,
  constraint case_credits_pkey primary key (case_id, credit_id)
);
create index case_credits_of_credit on case_credits (credit_id);

create table case_parties (
  id             bigint not null generated always as identity,
  case_id        bigint not null references cases,
  role           text collate "C" not null,
  details_sealed bytea not null, -- JSON: name, account number, bank, contact.
  added_by       text collate "C" not null,
  added_at       timestamptz not null,
  constraint case_parties_pkey primary key (id),
  constraint case_parties_role_known check (role in ('reporter', 'payer', 'payee', 'bank', 'other'))
);
create index case_parties_of_case on case_parties (case_id);

create table case_notes (
  id          bigint not null generated always as identity,
  case_id     bigint not null references cases,
  note_sealed bytea not null,
  written_by  text collate "C" not null,
  written_at  timestamptz not null,
  constraint case_notes_pkey primary key (id)
);
create index case_notes_of_case on case_notes (case_id);

create table case_evidence (
  id          bigint not null generated always as identity,
  case_id     bigint not null references cases,
  name_sealed bytea not null,
  media_type  text collate "C" not null,
  size_bytes  integer not null,
  sha256      text collate "C" not null,
  added_by    text collate "C" not null,
  added_at    timestamptz not null,
  constraint case_evidence_pkey primary key (id),
  constraint case_evidence_once_per_case unique (case_id, sha256),
  constraint case_evidence_type_known check (media_type in
    ('application/pdf', 'image/png', 'image/jpeg', 'image/webp', 'text/plain')),
  constraint case_evidence_size check (size_bytes between 1 and 10485760)
);

create table case_evidence_chunks (
  id           bigint not null generated always as identity,
  evidence_id  bigint not null references case_evidence,
  number       integer not null,
  bytes_sealed bytea not null, -- 48 KiB of the file in base64.
  constraint case_evidence_chunks_pkey primary key (id),
  constraint case_evidence_chunks_once unique (evidence_id, number)
);

create table case_deadlines (
  id      bigint not null generated always as identity,
  case_id bigint not null references cases,
  name    text collate "C" not null,
  due_at  timestamptz not null,
  warn_at timestamptz not null,
  source  text not null, -- The rule at the time the case was opened.
  met_at  timestamptz,
  met_by  text collate "C",
  constraint case_deadlines_pkey primary key (id),
  constraint case_deadlines_once unique (case_id, name),
  constraint case_deadlines_met_by_somebody check ((met_at is null) = (met_by is null))
);
create index case_deadlines_open on case_deadlines (warn_at) where met_at is null;

-- The history of a case, without personal data of parties.
create table case_changes (
  id         bigint not null generated always as identity,
  case_id    bigint not null references cases,
  change     text collate "C" not null,
  detail     jsonb not null,
  changed_by text collate "C" not null,
  changed_at timestamptz not null,
  constraint case_changes_pkey primary key (id)
);
create index case_changes_of_case on case_changes (case_id, id);
create trigger case_changes_append_only before update or delete on case_changes
  for each statement execute function refuse_change();
create trigger case_changes_not_truncated before truncate on case_changes
  for each statement execute function refuse_change();

-- Only sealed columns change (another data key), and rows go only when their case is erased.
create function check_case_file() returns trigger language plpgsql as $$
declare
  changing constant text[] := array['details_sealed', 'note_sealed', 'name_sealed', 'bytes_sealed'];
  owner bigint;
begin
  if tg_op = 'UPDATE' then
    if to_jsonb(new) - changing is distinct from to_jsonb(old) - changing then
      raise exception '% of a case never change', tg_table_name using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if tg_table_name = 'case_evidence_chunks' then
    select case_id into owner from case_evidence where id = old.evidence_id;
  else
    owner := (to_jsonb(old) ->> 'case_id')::bigint;
  end if;
  if not exists (select from cases where id = owner and erased_at is not null) then
    raise exception '% stay until the case is erased', tg_table_name
      using errcode = 'restrict_violation';
  end if;
  return old;
end $$;

create trigger case_parties_kept before update or delete on case_parties
  for each row execute function check_case_file();
create trigger case_notes_kept before update or delete on case_notes
  for each row execute function check_case_file();
create trigger case_evidence_kept before update on case_evidence
  for each row execute function check_case_file();
create trigger case_evidence_chunks_kept before update or delete on case_evidence_chunks
  for each row execute function check_case_file();
create trigger case_evidence_not_deleted before delete on case_evidence
  for each statement execute function refuse_change();
create trigger case_parties_not_truncated before truncate on case_parties
  for each statement execute function refuse_change();
create trigger case_notes_not_truncated before truncate on case_notes
  for each statement execute function refuse_change();
create trigger case_evidence_not_truncated before truncate on case_evidence
  for each statement execute function refuse_change();
create trigger case_evidence_chunks_not_truncated before truncate on case_evidence_chunks
  for each statement execute function refuse_change();
