-- Screening: rules that stop credits and payouts, lists of names, and decisions.
--
-- The previous release screens nothing: replace it before a rule is activated. It cannot send a payout that
-- is held (payouts_held_unsent).
--
-- works beside: 0023

-- A draft has no `effective_from`. From its activation on a rule never changes, and it ends once (I145).
create table screening_rules (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  name text not null, -- The versions of a rule share it.
  version integer not null,
  subject text collate "C" not null,
  kind text collate "C" not null,
  outcome text collate "C" not null,
  client_id bigint, -- Only credits or payouts of this client. Null: of all.
  params jsonb not null,
  created_by text collate "C" not null,
  created_at timestamptz not null,
  tested_at timestamptz,
  test jsonb, -- The result of the last test on history.
  effective_from timestamptz,
  effective_to timestamptz,
  constraint screening_rules_pkey primary key (id),
  constraint screening_rules_reference_unique unique (reference),
  constraint screening_rules_version_once unique (name, version),
  constraint screening_rules_client_id_fkey foreign key (client_id) references clients (id),
  constraint screening_rules_subject_known check (
    subject = 'credit' and outcome = 'hold'
      and kind in ('velocity', 'structuring', 'new_payer', 'many_payers', 'list')
    or subject = 'payout' and outcome in ('hold', 'refuse') and kind = 'list'),
  constraint screening_rules_tested check (
    (tested_at is null) = (test is null) and (effective_from is null or tested_at is not null)),
  constraint screening_rules_period check (effective_to is null or effective_to >= effective_from)
);

create unique index screening_rules_one_active on screening_rules (name)
 where effective_from is not null and effective_to is null;

create function check_screening_rule() returns trigger language plpgsql as $$
declare
  changing text[] := case when old.effective_from is null
                          then array['tested_at', 'test', 'effective_from']
                          when old.effective_to is null then array['effective_to']
                          else array[]::text[] end;
begin
  if to_jsonb(new) - changing is distinct from to_jsonb(old) - changing then
    raise exception 'a rule keeps its terms, and begins and ends once'
      using errcode = 'check_violation', constraint = 'screening_rules_keep_terms';
  end if;
  return null;
end $$;

create trigger screening_rules_checked after update on screening_rules
  for each row execute function check_screening_rule();
create trigger screening_rules_not_deleted before delete on screening_rules
  for each statement execute function refuse_change();
create trigger screening_rules_not_truncated before truncate on screening_rules
  for each statement execute function refuse_change();

-- Versions of lists of names. The newest in force at a time counts. `content` is compressed JSON.
create table screening_lists (
  id bigint not null generated always as identity,
  name text collate "C" not null,
  format text collate "C" not null,
  sha256 bytea not null, -- Hash of the uploaded file.
  entries integer not null,
  names integer not null,
  added integer not null, -- Entries that the version before lacks.
  removed integer not null,
  content bytea not null,
  effective_from timestamptz not null,
  uploaded_by text collate "C" not null,
  constraint screening_lists_pkey primary key (id),
  constraint screening_lists_format_known check (format in ('un_xml', 'ofac_xml', 'ofac_csv', 'csv')),
  constraint screening_lists_counts check (entries > 0 and names >= entries and added >= 0 and removed >= 0)
);

create index screening_lists_by_name on screening_lists (name, id);

create trigger screening_lists_kept before update or delete on screening_lists
  for each statement execute function refuse_change();
create trigger screening_lists_not_truncated before truncate on screening_lists
  for each statement execute function refuse_change();

-- Only hits have a row: a credit or payout without one was allowed by the rules in force.
create table screening_decisions (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  client_id bigint, -- Null: unidentified money.
  credit_id bigint,
  payout_id bigint,
  outcome text collate "C" not null,
  rule_set text collate "C" not null, -- The versions of rules and lists in force.
  hits jsonb not null, -- Matched rules, and the values that they compared.
  decided_at timestamptz not null,
  hold_id bigint,
  unheld_reason text collate "C", -- Why nothing was held, for good.
  constraint screening_decisions_pkey primary key (id),
  constraint screening_decisions_reference_unique unique (reference),
  constraint screening_decisions_client_id_fkey foreign key (client_id) references clients (id),
  constraint screening_decisions_hold_of_same_client foreign key (client_id, hold_id)
    references holds (client_id, id),
  constraint screening_decisions_payout_id_fkey foreign key (payout_id) references payouts (id),
  constraint screening_decisions_one_subject check (num_nonnulls(credit_id, payout_id) = 1),
  constraint screening_decisions_outcome_known check (
    outcome = 'hold' or outcome = 'refuse' and payout_id is not null),
  constraint screening_decisions_held_once check (
    num_nonnulls(hold_id, unheld_reason) <= 1
    and (payout_id is null or num_nonnulls(hold_id, unheld_reason) = 0)),
  constraint screening_decisions_unheld_reason_known check (unheld_reason in ('nothing_left', 'currency'))
);

create unique index screening_decisions_of_credit on screening_decisions (credit_id, rule_set)
 where credit_id is not null;
create index screening_decisions_of_payout on screening_decisions (payout_id, id)
 where payout_id is not null;
create index screening_decisions_to_hold on screening_decisions (id)
 where credit_id is not null and hold_id is null and unheld_reason is null;

create function check_screening_decision() returns trigger language plpgsql as $$
declare
  changing constant text[] := array['hold_id', 'unheld_reason', 'client_id'];
begin
  if to_jsonb(new) - changing is distinct from to_jsonb(old) - changing
     or old.hold_id is not null or old.unheld_reason is not null then
    raise exception 'a decision of screening is kept as it was made'
      using errcode = 'check_violation', constraint = 'screening_decisions_kept';
  end if;
  return null;
end $$;

create trigger screening_decisions_checked after update on screening_decisions
  for each row execute function check_screening_decision();
create trigger screening_decisions_not_deleted before delete on screening_decisions
  for each statement execute function refuse_change();
create trigger screening_decisions_not_truncated before truncate on screening_decisions
  for each statement execute function refuse_change();

-- How far credits were screened. No row: no rule is in force.
create table screening_progress (
  is_only boolean not null default true,
  credit_id bigint not null, -- The last one.
  screened_at timestamptz not null,
  constraint screening_progress_pkey primary key (is_only),
  constraint screening_progress_one_row check (is_only)
);

-- How many were screened, for there is no row for each.
create table screening_days (
  day date not null,
  credits bigint not null,
  decisions bigint not null,
  constraint screening_days_pkey primary key (day),
  constraint screening_days_counts check (credits >= decisions and decisions >= 0)
);

-- Requests to activate or end a rule, and to release or refuse a held payout: two people.
create table screening_requests (
  id bigint not null generated always as identity,
  kind text collate "C" not null,
  rule_id bigint,
  decision_id bigint,
  effective_from timestamptz, -- For an activation. Null: as soon as it is approved.
  reason text not null,
  state text collate "C" not null default 'open',
  requested_by text collate "C" not null,
  requested_by_user uuid not null,
  maker_people uuid[],
  requested_at timestamptz not null,
  decided_by text collate "C",
  decided_by_user uuid,
  decided_at timestamptz,
  decision_reason text,
  constraint screening_requests_pkey primary key (id),
  constraint screening_requests_rule_id_fkey foreign key (rule_id) references screening_rules (id),
  constraint screening_requests_decision_id_fkey foreign key (decision_id)
    references screening_decisions (id),
  constraint screening_requests_subject check (
    kind in ('activate', 'end') and rule_id is not null and decision_id is null
    or kind in ('release', 'refuse') and decision_id is not null and rule_id is null),
  constraint screening_requests_time check (effective_from is null or kind = 'activate'),
  constraint screening_requests_state_known check (state in ('open', 'approved', 'rejected', 'withdrawn')),
  constraint screening_requests_decided_by_somebody
    check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  constraint screening_requests_two_people
    check (state not in ('approved', 'rejected')
           or decided_by_user is not null and decided_by <> requested_by
              and decided_by_user <> requested_by_user)
);

create unique index screening_requests_one_open_of_rule on screening_requests (rule_id)
 where state = 'open' and rule_id is not null;
create unique index screening_requests_one_open_of_decision on screening_requests (decision_id)
 where state = 'open' and decision_id is not null;

create trigger screening_requests_keep_maker_people before insert on screening_requests
  for each row execute function keep_maker_people('requested_by', 'requested_by_user', 'requested_at');

create function check_screening_request() returns trigger language plpgsql as $$
declare
  decided constant text[] := array['state', 'decided_by', 'decided_by_user', 'decided_at',
                                   'decision_reason'];
begin
  if to_jsonb(new) - decided is distinct from to_jsonb(old) - decided or old.state <> 'open' then
    raise exception 'a request about screening is decided once, as it was made'
      using errcode = 'check_violation', constraint = 'screening_requests_keep_what_was_asked';
  end if;
  return null;
end $$;

create trigger screening_requests_checked after update on screening_requests
  for each row execute function check_screening_request();
create trigger screening_requests_checked_by_another after update of state on screening_requests
  for each row when (new.state = 'approved' and old.state <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');
create trigger screening_requests_not_deleted before delete on screening_requests
  for each statement execute function refuse_change();
create trigger screening_requests_not_truncated before truncate on screening_requests
  for each statement execute function refuse_change();

-- Null: not screened. `clear` counts for the rules in force at `screened_at`.
alter table payouts
  add column screening text collate "C",
  add column screened_at timestamptz,
  add constraint payouts_screening_known check (
    (screening is null) = (screened_at is null)
    and (screening is null or screening in ('clear', 'held', 'refused'))) not valid,
  add constraint payouts_held_unsent check (
    screening is distinct from 'held' and screening is distinct from 'refused'
    or status in ('queued', 'cancelled')) not valid;
