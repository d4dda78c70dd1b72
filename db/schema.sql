-- The schema as the migrations leave it. Made by `npm run generate`: do not edit.

create table access_grants (
  client_id bigint not null,
  user_id uuid not null,
  granted_by uuid not null,
  granted_at timestamp with time zone not null,
  constraint access_grants_pkey PRIMARY KEY (user_id, granted_by),
  constraint access_grants_by_another CHECK (user_id <> granted_by),
  constraint access_grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table adjusting_entries (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  difference_id bigint not null,
  account text collate "C" not null,
  amount_kobo bigint not null,
  reason text not null,
  state text collate "C" not null default 'open'::text,
  requested_by text collate "C" not null,
  requested_by_user uuid not null,
  maker_people uuid[],
  requested_at timestamp with time zone not null,
  decided_by text collate "C",
  decided_by_user uuid,
  decided_at timestamp with time zone,
  decision_reason text,
  constraint adjusting_entries_pkey PRIMARY KEY (id),
  constraint adjusting_entries_reference_unique UNIQUE (reference),
  constraint adjusting_entries_account_known CHECK (account = ANY (ARRAY['shortfall'::text, 'due_to_bank'::text, 'bank_cost'::text, 'stamp_duty'::text, 'input_vat'::text, 'write_off'::text])),
  constraint adjusting_entries_amount_not_zero CHECK (amount_kobo <> 0),
  constraint adjusting_entries_decided_by_somebody CHECK ((state = 'open'::text) = (decided_at IS NULL) AND (decided_at IS NULL) = (decided_by IS NULL)),
  constraint adjusting_entries_state_known CHECK (state = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text])),
  constraint adjusting_entries_two_people CHECK ((state <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR decided_by_user IS NOT NULL AND decided_by <> requested_by AND decided_by_user <> requested_by_user),
  constraint adjusting_entries_difference_id_fkey FOREIGN KEY (difference_id) REFERENCES differences(id)
);
CREATE INDEX adjusting_entries_by_state ON adjusting_entries USING btree (state, id);
CREATE INDEX adjusting_entries_of_difference ON adjusting_entries USING btree (difference_id, id);
CREATE UNIQUE INDEX adjusting_entries_one_open ON adjusting_entries USING btree (difference_id) WHERE state = 'open'::text;
CREATE TRIGGER adjusting_entries_checked AFTER INSERT OR UPDATE ON adjusting_entries FOR EACH ROW EXECUTE FUNCTION check_adjusting_entry();
CREATE TRIGGER adjusting_entries_checked_by_another AFTER UPDATE OF state ON adjusting_entries FOR EACH ROW WHEN (new.state = 'approved'::text AND old.state <> 'approved'::text) EXECUTE FUNCTION check_another_person('requested_by_user', 'decided_by_user');
CREATE TRIGGER adjusting_entries_keep_maker_people BEFORE INSERT ON adjusting_entries FOR EACH ROW EXECUTE FUNCTION keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
CREATE TRIGGER adjusting_entries_not_deleted BEFORE DELETE ON adjusting_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER adjusting_entries_not_truncated BEFORE TRUNCATE ON adjusting_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table adjustments (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  kind text collate "C" not null,
  subject text collate "C" not null,
  client_id bigint,
  bank_code text collate "C",
  amount_kobo bigint not null,
  currency text collate "C" not null,
  reason text not null,
  state text collate "C" not null default 'open'::text,
  requested_by text collate "C" not null,
  requested_by_user uuid not null,
  requested_at timestamp with time zone not null,
  decided_by text collate "C",
  decided_by_user uuid,
  decided_at timestamp with time zone,
  decision_reason text,
  maker_people uuid[],
  document text collate "C",
  constraint adjustments_pkey PRIMARY KEY (id),
  constraint adjustments_reference_unique UNIQUE (reference),
  constraint adjustments_amount_positive CHECK (amount_kobo > 0),
  constraint adjustments_decided_by_somebody CHECK ((state = 'open'::text) = (decided_at IS NULL) AND (decided_at IS NULL) = (decided_by_user IS NULL) AND (decided_at IS NULL) = (decided_by IS NULL)),
  constraint adjustments_kind_known CHECK (kind = ANY (ARRAY['recovery'::text, 'write_off'::text, 'reserve_use'::text, 'provision'::text, 'provision_release'::text, 'withholding'::text, 'withholding_reversal'::text, 'not_withheld'::text, 'wht_credit_note'::text, 'wht_credit_note_reversal'::text, 'wht_write_off'::text])),
  constraint adjustments_of_withholding CHECK ((subject = 'withholding'::text) = (kind = ANY (ARRAY['withholding'::text, 'withholding_reversal'::text, 'not_withheld'::text, 'wht_credit_note'::text, 'wht_credit_note_reversal'::text, 'wht_write_off'::text])) AND (subject = 'withholding'::text) = (document IS NOT NULL)),
  constraint adjustments_owed_by_one CHECK ((subject = ANY (ARRAY['receivable'::text, 'withholding'::text])) AND client_id IS NOT NULL AND bank_code IS NULL OR subject = 'shortfall'::text AND client_id IS NULL AND bank_code IS NOT NULL),
  constraint adjustments_state_known CHECK (state = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text])),
  constraint adjustments_two_people CHECK ((state <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR decided_by_user <> requested_by_user AND decided_by <> requested_by),
  constraint adjustments_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX adjustments_by_document ON adjustments USING btree (document) WHERE document IS NOT NULL;
CREATE INDEX adjustments_by_state ON adjustments USING btree (state, id);
CREATE UNIQUE INDEX adjustments_document_open_once ON adjustments USING btree (kind, document) WHERE document IS NOT NULL AND state = 'open'::text;
CREATE TRIGGER adjustments_checked AFTER UPDATE ON adjustments FOR EACH ROW EXECUTE FUNCTION check_adjustment();
CREATE TRIGGER adjustments_checked_by_another AFTER UPDATE OF state ON adjustments FOR EACH ROW WHEN (new.state = 'approved'::text AND old.state <> 'approved'::text) EXECUTE FUNCTION check_another_person('requested_by_user', 'decided_by_user');
CREATE TRIGGER adjustments_keep_maker_people BEFORE INSERT ON adjustments FOR EACH ROW EXECUTE FUNCTION keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
CREATE TRIGGER adjustments_not_deleted BEFORE DELETE ON adjustments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER adjustments_not_truncated BEFORE TRUNCATE ON adjustments FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table advices (
  id uuid not null,
  client_id bigint not null,
  merchant_ref text collate "C",
  amount_kobo bigint not null,
  currency text collate "C" not null,
  narration text,
  call_back_url text not null,
  notification_url text,
  customer jsonb not null,
  customer_name text not null,
  amount_policy text collate "C" not null,
  expires_in_seconds integer not null,
  grace_seconds integer not null,
  payer_rules jsonb,
  cancelled_at timestamp with time zone,
  created_at timestamp with time zone not null,
  extended_seconds integer not null default 0,
  erased_at timestamp with time zone,
  split_id bigint,
  constraint advices_pkey PRIMARY KEY (id),
  constraint advices_merchant_ref_unique UNIQUE (client_id, merchant_ref),
  constraint advices_of_client UNIQUE (client_id, id),
  constraint advices_amount_kobo_check CHECK (amount_kobo > 0),
  constraint advices_amount_policy_known CHECK (amount_policy = ANY (ARRAY['exact'::text, 'allow_under'::text, 'any'::text])),
  constraint advices_erased_is_empty CHECK (erased_at IS NULL OR customer_name = 'Erased'::text AND jsonb_strip_nulls(customer) = '{}'::jsonb AND narration IS NULL AND payer_rules IS NULL),
  constraint advices_expires_in_seconds_check CHECK (expires_in_seconds >= 60 AND expires_in_seconds <= 172800),
  constraint advices_extended_within_48_hours CHECK (extended_seconds >= 0 AND (expires_in_seconds + extended_seconds) <= 172800),
  constraint advices_grace_seconds_check CHECK (grace_seconds >= 0 AND grace_seconds <= 86400),
  constraint advices_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint advices_split_of_same_client FOREIGN KEY (client_id, split_id) REFERENCES splits(client_id, id)
);
CREATE INDEX advices_cancelled ON advices USING btree (client_id, id) WHERE cancelled_at IS NOT NULL;
CREATE TRIGGER advices_erase_messages AFTER UPDATE OF erased_at ON advices FOR EACH ROW WHEN (new.erased_at IS NOT NULL) EXECUTE FUNCTION erase_messages_of_advice();
CREATE TRIGGER advices_erased_unless_needed BEFORE UPDATE OF erased_at ON advices FOR EACH ROW WHEN (old.erased_at IS NULL AND new.erased_at IS NOT NULL) EXECUTE FUNCTION refuse_barred_erasure();

create table alerts (
  id bigint not null generated always as identity,
  kind text collate "C" not null,
  subject text not null,
  detail jsonb not null,
  raised_at timestamp with time zone not null,
  cleared_at timestamp with time zone,
  acknowledged_at timestamp with time zone,
  acknowledged_by text collate "C",
  logged_at timestamp with time zone,
  constraint alerts_pkey PRIMARY KEY (id),
  constraint alerts_acknowledged_by_somebody CHECK ((acknowledged_at IS NULL) = (acknowledged_by IS NULL))
);
CREATE INDEX alerts_open ON alerts USING btree (id) WHERE acknowledged_at IS NULL AND cleared_at IS NULL;
CREATE UNIQUE INDEX alerts_standing ON alerts USING btree (kind, subject) WHERE cleared_at IS NULL;
CREATE INDEX alerts_unlogged ON alerts USING btree (id) WHERE logged_at IS NULL;

create table audit_log (
  id bigint not null generated always as identity,
  client_id bigint not null,
  action text collate "C" not null,
  subject text collate "C" not null,
  detail jsonb not null,
  taken_at timestamp with time zone not null,
  actor text collate "C",
  constraint audit_log_pkey PRIMARY KEY (id),
  constraint audit_log_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX audit_log_by_client ON audit_log USING btree (client_id, id);
CREATE INDEX audit_log_by_subject ON audit_log USING btree (subject, id);
CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_not_truncated BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table bank_account_changes (
  id bigint not null generated always as identity,
  client_id bigint not null,
  collection_account_id bigint not null,
  bank_code text collate "C" not null,
  account_number text collate "C" not null,
  change text collate "C" not null,
  state text collate "C" not null default 'pending'::text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null,
  reason text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint bank_account_changes_pkey PRIMARY KEY (id),
  constraint bank_account_changes_finished_has_time CHECK ((state = 'pending'::text) = (finished_at IS NULL)),
  constraint bank_account_changes_known CHECK (change = ANY (ARRAY['rename'::text, 'block'::text])),
  constraint bank_account_changes_state_known CHECK (state = ANY (ARRAY['pending'::text, 'done'::text, 'refused'::text, 'dropped'::text])),
  constraint bank_account_changes_account_of_same_client FOREIGN KEY (client_id, collection_account_id) REFERENCES collection_accounts(client_id, id),
  constraint bank_account_changes_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX bank_account_changes_due ON bank_account_changes USING btree (bank_code, next_attempt_at) WHERE state = 'pending'::text;
CREATE INDEX bank_account_changes_of_account ON bank_account_changes USING btree (collection_account_id, id);
CREATE INDEX bank_account_changes_pending ON bank_account_changes USING btree (account_number, id) WHERE state = 'pending'::text;

create table bank_accounts (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  client_id bigint not null,
  bank_code text collate "C" not null,
  account_number_sealed bytea not null,
  account_number_hash bytea not null,
  account_name text not null,
  name_at_bank text,
  status text collate "C" not null,
  is_default boolean not null default false,
  is_active boolean not null default true,
  created_by text collate "C" not null,
  created_at timestamp with time zone not null,
  enquired_at timestamp with time zone,
  added_by_user uuid,
  default_by_user uuid,
  default_at timestamp with time zone,
  enquiries integer not null default 0,
  next_enquiry_at timestamp with time zone,
  added_by_people uuid[],
  default_by_people uuid[],
  constraint bank_accounts_pkey PRIMARY KEY (id),
  constraint bank_accounts_of_client UNIQUE (client_id, id),
  constraint bank_accounts_once_per_client UNIQUE (client_id, bank_code, account_number_hash),
  constraint bank_accounts_reference_unique UNIQUE (reference),
  constraint bank_accounts_default_is_active CHECK (is_active OR NOT is_default),
  constraint bank_accounts_name_of_answered CHECK ((status = 'unconfirmed'::text) = (name_at_bank IS NULL)),
  constraint bank_accounts_status_known CHECK (status = ANY (ARRAY['confirmed'::text, 'mismatch'::text, 'unconfirmed'::text])),
  constraint bank_accounts_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE UNIQUE INDEX bank_accounts_one_default ON bank_accounts USING btree (client_id) WHERE is_default;
CREATE INDEX bank_accounts_unanswered ON bank_accounts USING btree (next_enquiry_at) WHERE status = 'unconfirmed'::text;
CREATE TRIGGER bank_accounts_keep_people BEFORE INSERT OR UPDATE OF default_at ON bank_accounts FOR EACH ROW EXECUTE FUNCTION keep_account_people();

create table bank_health (
  bank_code text collate "C" not null,
  calls timestamp with time zone[] not null default '{}'::timestamp with time zone[],
  failures integer not null default 0,
  failing_since timestamp with time zone,
  paused_until timestamp with time zone,
  last_heard_at timestamp with time zone,
  silent_since timestamp with time zone,
  waiting jsonb not null default '[]'::jsonb,
  constraint bank_health_pkey PRIMARY KEY (bank_code)
) with (fillfactor=50);

create view bank_items as
 SELECT c.bank_code,
    c.currency,
    'credit'::text AS kind,
    c.id,
    c.amount_kobo,
    c.received_at AS posted_at
   FROM credits c
UNION ALL
 SELECT c.bank_code,
    c.currency,
    'charges'::text AS kind,
    c.id,
    - (c.fee_kobo + c.vat_kobo + c.duty_kobo) AS amount_kobo,
    c.received_at AS posted_at
   FROM credits c
  WHERE (c.fee_kobo + c.vat_kobo + c.duty_kobo) > 0
UNION ALL
 SELECT r.bank_code,
    c.currency,
    'reversal'::text AS kind,
    r.id,
    - r.amount_kobo AS amount_kobo,
    r.received_at AS posted_at
   FROM reversals r
     JOIN credits c ON c.id = r.credit_id
UNION ALL
 SELECT p.bank_code,
    p.currency,
    'payout'::text AS kind,
    p.id,
    - p.amount_kobo AS amount_kobo,
    p.settled_at AS posted_at
   FROM payouts p
  WHERE p.status = 'confirmed'::text AND p.purpose <> 'return'::text
UNION ALL
 SELECT p.bank_code,
    p.currency,
    'payout_cost'::text AS kind,
    p.id,
    - (p.cost_kobo + p.cost_vat_kobo) AS amount_kobo,
    p.settled_at AS posted_at
   FROM payouts p
  WHERE p.status = 'confirmed'::text AND (p.cost_kobo + p.cost_vat_kobo) > 0
UNION ALL
 SELECT c.bank_code,
    c.currency,
    'return'::text AS kind,
    r.id,
    - r.amount_kobo AS amount_kobo,
    r.settled_at AS posted_at
   FROM returns r
     JOIN suspense_items i ON i.id = r.item_id
     JOIN credits c ON c.id = i.credit_id
  WHERE r.status = 'confirmed'::text
UNION ALL
 SELECT a.bank_code,
    a.currency,
    'recovery'::text AS kind,
    a.id,
    a.amount_kobo,
    a.decided_at AS posted_at
   FROM adjustments a
  WHERE a.kind = 'recovery'::text AND a.subject = 'shortfall'::text AND a.state = 'approved'::text
UNION ALL
 SELECT substr(l.owner, 6) AS bank_code,
    l.currency,
    'booked'::text AS kind,
    t.id,
        CASE
            WHEN t.debit_account_id = l.id THEN t.amount_kobo
            ELSE - t.amount_kobo
        END AS amount_kobo,
    t.posted_at
   FROM transfers t
     JOIN ledger_accounts l ON l.kind = 'bank'::text AND (l.id = t.debit_account_id OR l.id = t.credit_account_id)
  WHERE t.difference_id IS NOT NULL
UNION ALL
 SELECT p.bank_code,
    p.currency,
    'payout_return'::text AS kind,
    p.id,
    n.amount_kobo,
    n.returned_at AS posted_at
   FROM payout_returns n
     JOIN payouts p ON p.id = n.payout_id;

create table bank_measures (
  bank_code text collate "C" not null,
  measure text collate "C" not null,
  hour timestamp with time zone not null,
  bucket smallint not null,
  count bigint not null,
  constraint bank_measures_pkey PRIMARY KEY (bank_code, measure, hour, bucket),
  constraint bank_measures_known CHECK (measure = ANY (ARRAY['lag'::text, 'gap'::text]))
) with (fillfactor=50);

create table bank_routes (
  bank_code text collate "C" not null,
  direction text collate "C" not null,
  state text collate "C" not null default 'in_use'::text,
  since timestamp with time zone not null,
  reason text collate "C",
  failed_at timestamp with time zone,
  retry_at timestamp with time zone,
  times_left integer not null default 0,
  recent jsonb not null default '[]'::jsonb,
  constraint bank_routes_pkey PRIMARY KEY (bank_code, direction),
  constraint bank_routes_direction_known CHECK (direction = ANY (ARRAY['in'::text, 'out'::text])),
  constraint bank_routes_left_for_a_reason CHECK ((state = 'left'::text) = (reason IS NOT NULL AND retry_at IS NOT NULL)),
  constraint bank_routes_state_known CHECK (state = ANY (ARRAY['in_use'::text, 'returning'::text, 'left'::text]))
) with (fillfactor=50);

create table case_changes (
  id bigint not null generated always as identity,
  case_id bigint not null,
  change text collate "C" not null,
  detail jsonb not null,
  changed_by text collate "C" not null,
  changed_at timestamp with time zone not null,
  constraint case_changes_pkey PRIMARY KEY (id),
  constraint case_changes_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id)
);
CREATE INDEX case_changes_of_case ON case_changes USING btree (case_id, id);
CREATE TRIGGER case_changes_append_only BEFORE DELETE OR UPDATE ON case_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER case_changes_not_truncated BEFORE TRUNCATE ON case_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table case_credits (
  case_id bigint not null,
  credit_id bigint not null,
  constraint case_credits_pkey PRIMARY KEY (case_id, credit_id),
  constraint case_credits_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id)
);
CREATE INDEX case_credits_of_credit ON case_credits USING btree (credit_id);
CREATE TRIGGER case_credits_lock_out_erasures BEFORE INSERT ON case_credits FOR EACH STATEMENT EXECUTE FUNCTION lock_out_erasures();

create table case_deadline_rules (
  name text collate "C" not null,
  kinds text[] collate "C" not null,
  unit text collate "C" not null,
  length integer not null,
  warn_minutes integer not null,
  source text not null,
  updated_by text collate "C",
  updated_at timestamp with time zone not null default now(),
  constraint case_deadline_rules_pkey PRIMARY KEY (name),
  constraint case_deadline_rules_bounded CHECK (
CASE unit
    WHEN 'minutes'::text THEN length >= 1 AND length <= 525600
    ELSE length >= 1 AND length <= 260
END AND warn_minutes >= 0 AND warn_minutes <= 43200),
  constraint case_deadline_rules_kinds_known CHECK (kinds <@ ARRAY['bank_report'::text, 'payer_report'::text, 'own_rule'::text]),
  constraint case_deadline_rules_name_known CHECK (name = ANY (ARRAY['acknowledge'::text, 'respond'::text, 'resolve'::text])),
  constraint case_deadline_rules_unit_known CHECK (unit = ANY (ARRAY['minutes'::text, 'business_days'::text]))
);

create table case_deadline_terms (
  name text collate "C" not null,
  valid_from date not null,
  kinds text[] collate "C" not null,
  unit text collate "C" not null,
  length integer not null,
  warn_minutes integer not null,
  source text not null,
  source_date date,
  updated_by text collate "C",
  updated_at timestamp with time zone not null default now(),
  constraint case_deadline_terms_pkey PRIMARY KEY (name, valid_from),
  constraint case_deadline_terms_bounded CHECK (
CASE unit
    WHEN 'minutes'::text THEN length >= 1 AND length <= 525600
    ELSE length >= 1 AND length <= 260
END AND warn_minutes >= 0 AND warn_minutes <= 43200),
  constraint case_deadline_terms_kinds_known CHECK (kinds <@ ARRAY['bank_report'::text, 'payer_report'::text, 'own_rule'::text]),
  constraint case_deadline_terms_name_known CHECK (name = ANY (ARRAY['report'::text, 'notify'::text, 'acknowledge'::text, 'respond'::text, 'resolve'::text, 'resolve_joint'::text, 'reimburse'::text])),
  constraint case_deadline_terms_unit_known CHECK (unit = ANY (ARRAY['minutes'::text, 'business_days'::text]))
);

create table case_deadlines (
  id bigint not null generated always as identity,
  case_id bigint not null,
  name text collate "C" not null,
  due_at timestamp with time zone not null,
  warn_at timestamp with time zone not null,
  source text not null,
  met_at timestamp with time zone,
  met_by text collate "C",
  started_at timestamp with time zone,
  source_date date,
  constraint case_deadlines_pkey PRIMARY KEY (id),
  constraint case_deadlines_once UNIQUE (case_id, name),
  constraint case_deadlines_met_by_somebody CHECK ((met_at IS NULL) = (met_by IS NULL)),
  constraint case_deadlines_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id)
);
CREATE INDEX case_deadlines_open ON case_deadlines USING btree (warn_at) WHERE met_at IS NULL;

create table case_evidence (
  id bigint not null generated always as identity,
  case_id bigint not null,
  name_sealed bytea not null,
  media_type text collate "C" not null,
  size_bytes integer not null,
  sha256 text collate "C" not null,
  added_by text collate "C" not null,
  added_at timestamp with time zone not null,
  constraint case_evidence_pkey PRIMARY KEY (id),
  constraint case_evidence_once_per_case UNIQUE (case_id, sha256),
  constraint case_evidence_size CHECK (size_bytes >= 1 AND size_bytes <= 10485760),
  constraint case_evidence_type_known CHECK (media_type = ANY (ARRAY['application/pdf'::text, 'image/png'::text, 'image/jpeg'::text, 'image/webp'::text, 'text/plain'::text])),
  constraint case_evidence_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id)
);
CREATE TRIGGER case_evidence_kept BEFORE UPDATE ON case_evidence FOR EACH ROW EXECUTE FUNCTION check_case_file();
CREATE TRIGGER case_evidence_not_deleted BEFORE DELETE ON case_evidence FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER case_evidence_not_truncated BEFORE TRUNCATE ON case_evidence FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table case_evidence_chunks (
  id bigint not null generated always as identity,
  evidence_id bigint not null,
  number integer not null,
  bytes_sealed bytea not null,
  constraint case_evidence_chunks_pkey PRIMARY KEY (id),
  constraint case_evidence_chunks_once UNIQUE (evidence_id, number),
  constraint case_evidence_chunks_evidence_id_fkey FOREIGN KEY (evidence_id) REFERENCES case_evidence(id)
);
CREATE TRIGGER case_evidence_chunks_kept BEFORE DELETE OR UPDATE ON case_evidence_chunks FOR EACH ROW EXECUTE FUNCTION check_case_file();
CREATE TRIGGER case_evidence_chunks_not_truncated BEFORE TRUNCATE ON case_evidence_chunks FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table case_notes (
  id bigint not null generated always as identity,
  case_id bigint not null,
  note_sealed bytea not null,
  written_by text collate "C" not null,
  written_at timestamp with time zone not null,
  constraint case_notes_pkey PRIMARY KEY (id),
  constraint case_notes_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id)
);
CREATE INDEX case_notes_of_case ON case_notes USING btree (case_id);
CREATE TRIGGER case_notes_kept BEFORE DELETE OR UPDATE ON case_notes FOR EACH ROW EXECUTE FUNCTION check_case_file();
CREATE TRIGGER case_notes_not_truncated BEFORE TRUNCATE ON case_notes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table case_parties (
  id bigint not null generated always as identity,
  case_id bigint not null,
  role text collate "C" not null,
  details_sealed bytea not null,
  added_by text collate "C" not null,
  added_at timestamp with time zone not null,
  constraint case_parties_pkey PRIMARY KEY (id),
  constraint case_parties_role_known CHECK (role = ANY (ARRAY['reporter'::text, 'payer'::text, 'payee'::text, 'bank'::text, 'other'::text])),
  constraint case_parties_case_id_fkey FOREIGN KEY (case_id) REFERENCES cases(id)
);
CREATE INDEX case_parties_of_case ON case_parties USING btree (case_id);
CREATE TRIGGER case_parties_kept BEFORE DELETE OR UPDATE ON case_parties FOR EACH ROW EXECUTE FUNCTION check_case_file();
CREATE TRIGGER case_parties_not_truncated BEFORE TRUNCATE ON case_parties FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table cases (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  kind text collate "C" not null,
  key text collate "C",
  client_id bigint,
  amount_kobo bigint,
  summary_sealed bytea not null,
  reporter_reference text,
  state text collate "C" not null default 'open'::text,
  outcome text collate "C",
  reported_at timestamp with time zone not null,
  opened_by text collate "C" not null,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  erased_at timestamp with time zone,
  is_joint boolean not null default false,
  constraint cases_pkey PRIMARY KEY (id),
  constraint cases_once_per_key UNIQUE (kind, key),
  constraint cases_reference_unique UNIQUE (reference),
  constraint cases_amount_positive CHECK (amount_kobo > 0),
  constraint cases_closed_with_outcome CHECK ((state = 'closed'::text) = (outcome IS NOT NULL) AND (state = 'closed'::text) = (closed_at IS NOT NULL)),
  constraint cases_erased_when_closed CHECK (erased_at IS NULL OR state = 'closed'::text),
  constraint cases_kind_known CHECK (kind = ANY (ARRAY['bank_report'::text, 'payer_report'::text, 'own_rule'::text])),
  constraint cases_outcome_known CHECK (outcome = ANY (ARRAY['confirmed'::text, 'unfounded'::text, 'referred'::text, 'undetermined'::text])),
  constraint cases_state_known CHECK (state = ANY (ARRAY['open'::text, 'investigating'::text, 'closed'::text])),
  constraint cases_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX cases_not_erased ON cases USING btree (closed_at) WHERE erased_at IS NULL AND closed_at IS NOT NULL;
CREATE INDEX cases_of_client ON cases USING btree (client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX cases_open ON cases USING btree (client_id) WHERE state <> 'closed'::text;
CREATE TRIGGER cases_checked AFTER UPDATE ON cases FOR EACH ROW EXECUTE FUNCTION check_case();
CREATE TRIGGER cases_follow_transitions BEFORE UPDATE OF state ON cases FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION check_cases_transition();
CREATE TRIGGER cases_lock_out_erasures BEFORE INSERT OR UPDATE OF state ON cases FOR EACH STATEMENT EXECUTE FUNCTION lock_out_erasures();
CREATE TRIGGER cases_not_deleted BEFORE DELETE ON cases FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER cases_not_truncated BEFORE TRUNCATE ON cases FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table chat_posts (
  id bigint not null generated always as identity,
  subject text collate "C" not null,
  text text not null,
  created_at timestamp with time zone not null,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone,
  posted_at timestamp with time zone,
  problem text,
  constraint chat_posts_pkey PRIMARY KEY (id),
  constraint chat_posts_subject_once UNIQUE (subject)
);
CREATE INDEX chat_posts_due ON chat_posts USING btree (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

create table client_logos (
  client_id bigint not null,
  sha256 text collate "C" not null,
  media_type text collate "C" not null,
  width integer not null,
  height integer not null,
  bytes bytea not null,
  updated_at timestamp with time zone not null,
  constraint client_logos_pkey PRIMARY KEY (client_id),
  constraint client_logos_media_type_known CHECK (media_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text])),
  constraint client_logos_sha256_is_hex CHECK (sha256 ~ '^[0-9a-f]{64}$'::text),
  constraint client_logos_small CHECK (octet_length(bytes) >= 1 AND octet_length(bytes) <= 32768),
  constraint client_logos_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX client_logos_by_sha256 ON client_logos USING btree (sha256);

create view client_movements as
 SELECT t.id,
    t.credit_id,
    t.reason,
    t.posted_at,
    m.client_id,
    t.currency,
        CASE
            WHEN m.place_from = 'outside'::text AND (t.reason <> ALL (ARRAY['fee'::text, 'fee_vat'::text])) THEN t.amount_kobo
            ELSE 0::bigint
        END AS gross_kobo,
        CASE
            WHEN m.place_to = 'outside'::text AND t.reason = 'reversal'::text THEN t.amount_kobo
            ELSE 0::bigint
        END AS reversed_kobo,
        CASE
            WHEN m.place_to = 'outside'::text AND t.reason = 'returned'::text THEN t.amount_kobo
            ELSE 0::bigint
        END AS returned_kobo,
        CASE
            WHEN m.place_to = 'suspended'::text THEN t.amount_kobo
            WHEN m.place_from = 'suspended'::text THEN - t.amount_kobo
            ELSE 0::bigint
        END AS suspended_kobo,
        CASE
            WHEN t.reason <> ALL (ARRAY['fee'::text, 'fee_vat'::text]) THEN 0::bigint
            WHEN m.place_to = 'outside'::text THEN t.amount_kobo
            ELSE - t.amount_kobo
        END AS fees_kobo
   FROM ( SELECT t_1.id,
            t_1.debit_account_id,
            t_1.credit_account_id,
            t_1.amount_kobo,
            t_1.credit_id,
            t_1.reason,
            t_1.posted_at,
            d.currency,
            d.kind AS debit_kind,
            c.kind AS credit_kind,
            COALESCE(da.client_id, substr(d.owner, 8)::bigint) AS debit_client,
            COALESCE(ca.client_id, substr(c.owner, 8)::bigint) AS credit_client
           FROM transfers t_1
             JOIN ( SELECT ledger_accounts.id,
                    ledger_accounts.kind,
                    ledger_accounts.currency,
                        CASE
                            WHEN ledger_accounts.owner ~~ 'client:%'::text THEN ledger_accounts.owner
                            ELSE NULL::text
                        END AS owner
                   FROM ledger_accounts) d ON d.id = t_1.debit_account_id
             JOIN ( SELECT ledger_accounts.id,
                    ledger_accounts.kind,
                        CASE
                            WHEN ledger_accounts.owner ~~ 'client:%'::text THEN ledger_accounts.owner
                            ELSE NULL::text
                        END AS owner
                   FROM ledger_accounts) c ON c.id = t_1.credit_account_id
             LEFT JOIN collection_accounts da ON da.id = t_1.debit_account_id
             LEFT JOIN collection_accounts ca ON ca.id = t_1.credit_account_id
          WHERE t_1.credit_id IS NOT NULL AND t_1.reason <> 'split'::text) t
     CROSS JOIN LATERAL ( SELECT
                CASE
                    WHEN t.debit_kind = 'returning'::text THEN ( SELECT substr(l.owner, 8)::bigint AS substr
                       FROM transfers r
                         JOIN ledger_accounts l ON l.id = r.debit_account_id
                      WHERE r.credit_id = t.credit_id AND r.reason = 'return'::text AND r.id < t.id AND l.owner ~~ 'client:%'::text AND r.id = (( SELECT max(transfers.id) AS max
                               FROM transfers
                              WHERE transfers.credit_id = t.credit_id AND transfers.reason = 'return'::text AND transfers.id < t.id)))
                    ELSE NULL::bigint
                END AS client_id) sent
     CROSS JOIN LATERAL ( SELECT COALESCE(t.debit_client, t.credit_client, sent.client_id) AS client_id,
                CASE
                    WHEN t.debit_kind = 'suspense'::text AND t.debit_client IS NOT NULL OR sent.client_id IS NOT NULL THEN 'suspended'::text
                    WHEN t.debit_client IS NOT NULL THEN 'booked'::text
                    ELSE 'outside'::text
                END AS place_from,
                CASE
                    WHEN t.credit_kind = 'suspense'::text AND t.credit_client IS NOT NULL OR t.credit_kind = 'returning'::text THEN 'suspended'::text
                    WHEN t.credit_client IS NOT NULL THEN 'booked'::text
                    ELSE 'outside'::text
                END AS place_to) m
  WHERE m.client_id IS NOT NULL AND m.place_from <> m.place_to;

create table client_secrets (
  client_id bigint not null,
  key_id text collate "C" not null,
  secret_hash text not null,
  created_at timestamp with time zone not null,
  retires_at timestamp with time zone,
  used_at timestamp with time zone,
  made_by uuid[],
  constraint client_secrets_pkey PRIMARY KEY (client_id, key_id),
  constraint client_secrets_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE UNIQUE INDEX client_secrets_one_current ON client_secrets USING btree (client_id) WHERE retires_at IS NULL;

create table clients (
  id bigint not null generated always as identity,
  client_id text collate "C" not null,
  name text not null,
  is_active boolean not null default true,
  is_operator boolean not null default false,
  created_at timestamp with time zone not null,
  scopes text[] collate "C" not null default ARRAY['accounts:read'::text, 'accounts:write'::text, 'payments:read'::text, 'payments:write'::text, 'credits:read'::text, 'webhooks:read'::text, 'webhooks:write'::text, 'suspense:read'::text, 'suspense:write'::text, 'actions:read'::text, 'payouts:read'::text, 'payouts:write'::text, 'refunds:write'::text],
  merchant_codes text[],
  allowed_addresses text[] collate "C",
  token_generation integer not null default 0,
  brand_name text,
  brand_colour text collate "C",
  has_maker_checker boolean not null default false,
  brand_account_name text,
  brand_support_email text,
  brand_support_phone text collate "C",
  brand_support_url text,
  suspended_at timestamp with time zone,
  suspension_reason text,
  pending_account_name text,
  archived_at timestamp with time zone,
  user_addresses text[],
  constraint clients_pkey PRIMARY KEY (id),
  constraint clients_client_id_unique UNIQUE (client_id),
  constraint clients_brand_colour_is_hex CHECK (brand_colour ~ '^#[0-9a-f]{6}$'::text),
  constraint clients_operator_scopes_are_operators CHECK (is_operator OR NOT scopes && ARRAY['returns:read'::text, 'returns:write'::text, 'accounting:read'::text, 'accounting:write'::text, 'operator'::text]),
  constraint clients_scopes_known CHECK (scopes <@ ARRAY['accounts:read'::text, 'accounts:write'::text, 'payments:read'::text, 'payments:write'::text, 'credits:read'::text, 'webhooks:read'::text, 'webhooks:write'::text, 'suspense:read'::text, 'suspense:write'::text, 'actions:read'::text, 'payouts:read'::text, 'payouts:write'::text, 'refunds:write'::text, 'returns:read'::text, 'returns:write'::text, 'accounting:read'::text, 'accounting:write'::text, 'operator'::text])
) with (fillfactor=50);
CREATE TRIGGER clients_count_events AFTER INSERT ON clients FOR EACH ROW EXECUTE FUNCTION open_event_counter();
CREATE TRIGGER clients_require_two_people AFTER INSERT ON clients FOR EACH ROW EXECUTE FUNCTION require_two_people();

create table closed_day_balances (
  day date not null,
  kind text collate "C" not null,
  currency text collate "C" not null,
  debits_kobo bigint not null,
  credits_kobo bigint not null,
  constraint closed_day_balances_pkey PRIMARY KEY (day, kind, currency),
  constraint closed_day_balances_day_fkey FOREIGN KEY (day) REFERENCES closed_days(day)
);
CREATE TRIGGER closed_day_balances_append_only BEFORE DELETE OR UPDATE ON closed_day_balances FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_day_balances_before_completion BEFORE INSERT ON closed_day_balances FOR EACH ROW EXECUTE FUNCTION refuse_to_complete_twice();
CREATE TRIGGER closed_day_balances_not_truncated BEFORE TRUNCATE ON closed_day_balances FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table closed_day_lines (
  day date not null,
  kind text collate "C" not null,
  client_id bigint,
  bank_code text collate "C",
  currency text collate "C" not null,
  reason text collate "C" not null,
  debit_kobo bigint not null,
  credit_kobo bigint not null,
  constraint closed_day_lines_once UNIQUE NULLS NOT DISTINCT (day, kind, client_id, bank_code, currency, reason),
  constraint closed_day_lines_not_negative CHECK (debit_kobo >= 0 AND credit_kobo >= 0),
  constraint closed_day_lines_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint closed_day_lines_day_fkey FOREIGN KEY (day) REFERENCES closed_days(day)
);
CREATE TRIGGER closed_day_lines_append_only BEFORE DELETE OR UPDATE ON closed_day_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_day_lines_before_completion BEFORE INSERT ON closed_day_lines FOR EACH ROW EXECUTE FUNCTION refuse_to_complete_twice();
CREATE TRIGGER closed_day_lines_not_truncated BEFORE TRUNCATE ON closed_day_lines FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table closed_days (
  day date not null,
  previous date,
  ends_at timestamp with time zone not null,
  chart jsonb not null,
  reason text,
  unbalanced jsonb not null,
  closed_by text collate "C" not null,
  closed_at timestamp with time zone not null,
  transfers bigint,
  journal_hash bytea,
  completed_at timestamp with time zone,
  constraint closed_days_pkey PRIMARY KEY (day),
  constraint closed_days_follow_one_another UNIQUE NULLS NOT DISTINCT (previous),
  constraint closed_days_completed_whole CHECK (num_nonnulls(transfers, journal_hash, completed_at) = ANY (ARRAY[0, 3])),
  constraint closed_days_end_at_midnight CHECK (ends_at = ((day + 1)::timestamp without time zone AT TIME ZONE '01:00:00'::interval)),
  constraint closed_days_unbalanced_has_reason CHECK (unbalanced = '[]'::jsonb OR reason IS NOT NULL),
  constraint closed_days_without_gaps CHECK (previous = (day - 1)),
  constraint closed_days_previous_closed FOREIGN KEY (previous) REFERENCES closed_days(day)
);
CREATE TRIGGER closed_days_kept BEFORE DELETE ON closed_days FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_days_not_truncated BEFORE TRUNCATE ON closed_days FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_days_only_completed BEFORE UPDATE ON closed_days FOR EACH ROW EXECUTE FUNCTION refuse_other_than_completing();

create table closed_month_files (
  closing_id bigint not null,
  name text collate "C" not null,
  content text not null,
  constraint closed_month_files_pkey PRIMARY KEY (closing_id, name),
  constraint closed_month_files_closing_id_fkey FOREIGN KEY (closing_id) REFERENCES closed_months(id)
);
CREATE TRIGGER closed_month_files_append_only BEFORE DELETE OR UPDATE ON closed_month_files FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_month_files_not_truncated BEFORE TRUNCATE ON closed_month_files FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table closed_months (
  id bigint not null generated always as identity,
  month date not null,
  version integer not null,
  ends_at timestamp with time zone not null,
  checklist jsonb not null,
  reason text,
  manifest text not null,
  closed_by text collate "C" not null,
  closed_at timestamp with time zone not null,
  reopened_at timestamp with time zone,
  constraint closed_months_pkey PRIMARY KEY (id),
  constraint closed_months_once UNIQUE (month, version),
  constraint closed_months_begin_on_first CHECK (month = date_trunc('month'::text, month::timestamp with time zone)::date),
  constraint closed_months_end_at_midnight CHECK (ends_at = ((month + '1 mon'::interval) AT TIME ZONE '01:00:00'::interval))
);
CREATE UNIQUE INDEX closed_months_closed_once ON closed_months USING btree (month) WHERE reopened_at IS NULL;
CREATE TRIGGER closed_months_in_order BEFORE INSERT ON closed_months FOR EACH ROW EXECUTE FUNCTION refuse_month_after_open_one();
CREATE TRIGGER closed_months_kept BEFORE DELETE ON closed_months FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_months_not_truncated BEFORE TRUNCATE ON closed_months FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER closed_months_only_reopened BEFORE UPDATE ON closed_months FOR EACH ROW EXECUTE FUNCTION refuse_other_than_reopening();
CREATE CONSTRAINT TRIGGER closed_months_reopened_by_two AFTER UPDATE ON closed_months DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION require_approved_reopening();

create table collection_accounts (
  id bigint not null,
  client_id bigint not null,
  account_number text collate "C" not null,
  bank_code text collate "C" not null,
  account_name text not null,
  bvn_sealed bytea not null,
  bvn_hash bytea not null,
  email text not null,
  merchant_id text not null,
  merchant_code text not null,
  notification_url text not null,
  phone_number text not null,
  channel text not null,
  currency_code text collate "C" not null default 'NGN'::text,
  is_default boolean not null default false,
  is_active boolean not null default true,
  payer_rules jsonb,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  version bigint not null default 1,
  default_per_credit_kobo bigint,
  default_per_day_kobo bigint,
  erased_at timestamp with time zone,
  own_per_credit_kobo bigint,
  own_per_day_kobo bigint,
  own_balance_max_kobo bigint,
  limit_profile_id bigint,
  nin_sealed bytea,
  nin_hash bytea,
  kyc_tier smallint not null default 3,
  verified_name text,
  split_id bigint,
  tier_in_force smallint,
  constraint collection_accounts_pkey PRIMARY KEY (id),
  constraint collection_accounts_number_unique UNIQUE (account_number),
  constraint collection_accounts_of_client UNIQUE (client_id, id),
  constraint collection_accounts_default_is_active CHECK (is_active OR NOT is_default),
  constraint collection_accounts_erased_has_no_kyc CHECK (erased_at IS NULL OR nin_sealed IS NULL AND nin_hash IS NULL AND verified_name IS NULL),
  constraint collection_accounts_erased_is_empty CHECK (erased_at IS NULL OR NOT is_active AND NOT is_default AND account_name = 'Erased'::text AND email = ''::text AND phone_number = ''::text AND bvn_hash = '\x'::bytea AND payer_rules IS NULL),
  constraint collection_accounts_kyc_tier_known CHECK (kyc_tier >= 1 AND kyc_tier <= 3),
  constraint collection_accounts_limits_positive CHECK (default_per_credit_kobo > 0 AND default_per_day_kobo > 0),
  constraint collection_accounts_nin_is_whole CHECK ((nin_sealed IS NULL) = (nin_hash IS NULL)),
  constraint collection_accounts_own_limits_positive CHECK (own_per_credit_kobo > 0 AND own_per_day_kobo > 0 AND own_balance_max_kobo > 0),
  constraint collection_accounts_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint collection_accounts_id_fkey FOREIGN KEY (id) REFERENCES ledger_accounts(id),
  constraint collection_accounts_limit_profile_of_same_client FOREIGN KEY (client_id, limit_profile_id) REFERENCES limit_profiles(client_id, id),
  constraint collection_accounts_split_of_same_client FOREIGN KEY (client_id, split_id) REFERENCES splits(client_id, id)
);
CREATE INDEX collection_accounts_by_bvn ON collection_accounts USING btree (client_id, bvn_hash);
CREATE INDEX collection_accounts_by_email ON collection_accounts USING btree (client_id, lower(email));
CREATE INDEX collection_accounts_by_limit_profile ON collection_accounts USING btree (client_id, limit_profile_id) WHERE limit_profile_id IS NOT NULL;
CREATE INDEX collection_accounts_by_merchant ON collection_accounts USING btree (client_id, merchant_id, merchant_code, currency_code);
CREATE INDEX collection_accounts_by_nin ON collection_accounts USING btree (client_id, nin_hash) WHERE nin_hash IS NOT NULL;
CREATE INDEX collection_accounts_by_phone ON collection_accounts USING btree (client_id, "right"(phone_number, 10));
CREATE UNIQUE INDEX collection_accounts_one_default ON collection_accounts USING btree (client_id, merchant_id) WHERE is_default;
CREATE TRIGGER collection_accounts_erase_messages AFTER UPDATE OF erased_at ON collection_accounts FOR EACH ROW WHEN (new.erased_at IS NOT NULL) EXECUTE FUNCTION erase_messages_of_account();
CREATE TRIGGER collection_accounts_erased_unless_needed BEFORE UPDATE OF erased_at ON collection_accounts FOR EACH ROW WHEN (old.erased_at IS NULL AND new.erased_at IS NOT NULL) EXECUTE FUNCTION refuse_barred_erasure();
CREATE TRIGGER collection_accounts_notice_held_people AFTER INSERT ON collection_accounts REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION notice_held_people();
CREATE TRIGGER collection_accounts_notice_held_person AFTER UPDATE OF bvn_hash ON collection_accounts FOR EACH ROW WHEN (new.bvn_hash <> old.bvn_hash AND new.bvn_hash <> '\x'::bytea) EXECUTE FUNCTION notice_held_person();
CREATE TRIGGER collection_accounts_tier_verified BEFORE UPDATE OF bvn_hash, nin_hash, account_name, tier_in_force ON collection_accounts FOR EACH ROW EXECUTE FUNCTION keep_tier_verified();
CREATE TRIGGER collection_accounts_tier_verified_first BEFORE INSERT ON collection_accounts FOR EACH ROW WHEN (new.tier_in_force > 1) EXECUTE FUNCTION keep_tier_verified();

create table collection_ceilings (
  client_id bigint not null,
  tier smallint not null,
  per_credit_kobo bigint,
  per_day_kobo bigint,
  balance_max_kobo bigint,
  constraint collection_ceilings_pkey PRIMARY KEY (client_id, tier),
  constraint collection_ceilings_positive CHECK (per_credit_kobo > 0 AND per_day_kobo > 0 AND balance_max_kobo > 0),
  constraint collection_ceilings_tier_known CHECK (tier >= 1 AND tier <= 3),
  constraint collection_ceilings_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table collection_days (
  collection_account_id bigint not null,
  day date not null,
  opening_kobo bigint not null,
  constraint collection_days_pkey PRIMARY KEY (collection_account_id),
  constraint collection_days_opening_kobo_check CHECK (opening_kobo >= 0),
  constraint collection_days_collection_account_id_fkey FOREIGN KEY (collection_account_id) REFERENCES collection_accounts(id)
) with (fillfactor=50);

create table credit_blocks (
  block bigint not null,
  first_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  constraint credit_blocks_pkey PRIMARY KEY (block),
  constraint credit_blocks_in_order CHECK (first_at <= last_at)
);

create table credit_fees (
  id bigint not null generated always as identity,
  credit_id bigint not null,
  item_id bigint,
  client_id bigint not null,
  rule_id bigint not null,
  account_id bigint not null,
  base_kobo bigint not null,
  fee_kobo bigint not null,
  vat_kobo bigint not null,
  fee_returned_kobo bigint not null default 0,
  vat_returned_kobo bigint not null default 0,
  is_later boolean not null,
  charged_at timestamp with time zone not null,
  constraint credit_fees_pkey PRIMARY KEY (id),
  constraint credit_fees_fit CHECK (fee_kobo >= 0 AND vat_kobo >= 0 AND (fee_kobo + vat_kobo) >= 1 AND (fee_kobo + vat_kobo) <= base_kobo AND fee_returned_kobo >= 0 AND fee_returned_kobo <= fee_kobo AND vat_returned_kobo >= 0 AND vat_returned_kobo <= vat_kobo),
  constraint credit_fees_account_id_fkey FOREIGN KEY (account_id) REFERENCES ledger_accounts(id),
  constraint credit_fees_credit_id_fkey FOREIGN KEY (credit_id) REFERENCES credits(id),
  constraint credit_fees_item_id_fkey FOREIGN KEY (item_id) REFERENCES suspense_items(id),
  constraint credit_fees_rule_of_same_client FOREIGN KEY (client_id, rule_id) REFERENCES fee_rules(client_id, id)
);
CREATE INDEX credit_fees_by_account ON credit_fees USING btree (account_id);
CREATE UNIQUE INDEX credit_fees_charged_once ON credit_fees USING btree (credit_id, COALESCE(item_id, 0::bigint));
CREATE INDEX credit_fees_later ON credit_fees USING btree (charged_at) WHERE is_later;

create table credit_identifiers (
  credit_id bigint not null,
  is_first boolean not null,
  value text collate "C" not null,
  bank_code text collate "C" not null,
  kind text collate "C" not null,
  constraint credits_taken_once PRIMARY KEY (value, bank_code, kind),
  constraint credit_identifiers_kind_known CHECK (kind = ANY ('{session_id,settlement_id,bank_reference,clearing_reference,uetr}'::text[])),
  constraint credit_identifiers_value_length CHECK (length(value) >= 1 AND length(value) <= 64)
);
CREATE INDEX credit_identifiers_further ON credit_identifiers USING btree (credit_id) WHERE NOT is_first;
CREATE TRIGGER credit_identifiers_append_only BEFORE DELETE OR UPDATE ON credit_identifiers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER credit_identifiers_not_truncated BEFORE TRUNCATE ON credit_identifiers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create sequence credit_ids;

create table credit_splits (
  id bigint not null generated always as identity,
  credit_id bigint not null,
  item_id bigint,
  client_id bigint not null,
  split_id bigint not null,
  subaccount_id bigint not null,
  account_id bigint not null,
  base_kobo bigint not null,
  share_kobo bigint not null,
  returned_kobo bigint not null default 0,
  lost_kobo bigint not null default 0,
  split_at timestamp with time zone not null,
  constraint credit_splits_pkey PRIMARY KEY (id),
  constraint credit_splits_fit CHECK (share_kobo >= 1 AND share_kobo <= base_kobo AND returned_kobo >= 0 AND lost_kobo >= 0 AND (returned_kobo + lost_kobo) <= share_kobo),
  constraint credit_splits_account_id_fkey FOREIGN KEY (account_id) REFERENCES ledger_accounts(id),
  constraint credit_splits_credit_id_fkey FOREIGN KEY (credit_id) REFERENCES credits(id),
  constraint credit_splits_item_id_fkey FOREIGN KEY (item_id) REFERENCES suspense_items(id),
  constraint credit_splits_split_of_same_client FOREIGN KEY (client_id, split_id) REFERENCES splits(client_id, id),
  constraint credit_splits_subaccount_of_same_client FOREIGN KEY (client_id, subaccount_id) REFERENCES subaccounts(client_id, id)
);
CREATE INDEX credit_splits_by_account ON credit_splits USING btree (account_id);
CREATE INDEX credit_splits_by_subaccount ON credit_splits USING btree (subaccount_id);
CREATE UNIQUE INDEX credit_splits_posted_once ON credit_splits USING btree (credit_id, COALESCE(item_id, 0::bigint), subaccount_id);

create table credits (
  id bigint not null default nextval('credit_ids'::regclass),
  bank_code text collate "C" not null,
  session_id text collate "C" not null,
  account_number text collate "C" not null,
  client_id bigint,
  collection_account_id bigint,
  payment_id uuid,
  amount_kobo bigint not null,
  suspended_kobo bigint not null default 0,
  reversed_kobo bigint not null default 0,
  currency text collate "C" not null,
  outcome text collate "C" not null,
  reason text collate "C",
  source_account_sealed bytea,
  source_account_name text,
  source_bank_code text collate "C",
  narration text,
  transacted_at timestamp with time zone,
  received_at timestamp with time zone not null,
  judged_by text collate "C",
  transacted_on date,
  identified_by text collate "C" not null,
  source text collate "C" not null default 'notification'::text,
  fee_kobo bigint not null default 0,
  vat_kobo bigint not null default 0,
  duty_kobo bigint not null default 0,
  constraint credits_pkey PRIMARY KEY (id),
  constraint credits_amount_positive CHECK (amount_kobo > 0),
  constraint credits_charges_fit CHECK (fee_kobo >= 0 AND vat_kobo >= 0 AND duty_kobo >= 0 AND (fee_kobo + vat_kobo + duty_kobo) < amount_kobo),
  constraint credits_identified_by_known CHECK (identified_by = ANY ('{session_id,settlement_id,bank_reference,clearing_reference,uetr}'::text[])),
  constraint credits_judged_by_known CHECK (judged_by = ANY ('{bank_time,arrival}'::text[])),
  constraint credits_outcome_known CHECK (outcome = ANY ('{booked,suspended,assigned,returned,reversed}'::text[])),
  constraint credits_parts_fit CHECK (suspended_kobo >= 0 AND reversed_kobo >= 0 AND (suspended_kobo + reversed_kobo) <= amount_kobo),
  constraint credits_session_id_length CHECK (length(session_id) >= 1 AND length(session_id) <= 64),
  constraint credits_source_known CHECK (source = ANY ('{notification,requery,statement,sandbox}'::text[])),
  constraint credits_transacted_once CHECK (transacted_at IS NULL OR transacted_on IS NULL)
);
CREATE INDEX credits_by_client ON credits USING btree (client_id, id) WHERE client_id IS NOT NULL;
CREATE INDEX credits_by_number ON credits USING btree (account_number, id);
CREATE INDEX credits_by_outcome ON credits USING btree (client_id, outcome, id) WHERE outcome <> 'booked'::text;
CREATE INDEX credits_by_payment ON credits USING btree (payment_id, id) WHERE payment_id IS NOT NULL;
CREATE TRIGGER credits_erased_unless_needed BEFORE UPDATE OF source_account_sealed, source_account_name, narration ON credits FOR EACH ROW WHEN (num_nonnulls(new.source_account_sealed, new.source_account_name, new.narration) < num_nonnulls(old.source_account_sealed, old.source_account_name, old.narration)) EXECUTE FUNCTION refuse_barred_erasure();
CREATE TRIGGER credits_kept BEFORE DELETE ON credits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table daily_breakdowns (
  client_id bigint not null,
  day date not null,
  bank_code text collate "C" not null,
  merchant_code text collate "C" not null,
  credits bigint not null,
  gross_kobo bigint not null,
  reversed_kobo bigint not null,
  returned_kobo bigint not null,
  suspended_kobo bigint not null,
  fees_kobo bigint not null,
  constraint daily_breakdowns_pkey PRIMARY KEY (client_id, day, bank_code, merchant_code),
  constraint daily_breakdowns_not_negative CHECK (LEAST(credits, gross_kobo, reversed_kobo, returned_kobo) >= 0),
  constraint daily_breakdowns_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
) with (fillfactor=50);

create table data_keys (
  id smallint not null,
  fingerprint bytea not null,
  is_sealing boolean not null default false,
  added_at timestamp with time zone not null,
  cleared_at timestamp with time zone,
  constraint data_keys_pkey PRIMARY KEY (id),
  constraint data_keys_id_is_one_byte CHECK (id >= 1 AND id <= 255),
  constraint data_keys_sealing_is_not_cleared CHECK (NOT is_sealing OR cleared_at IS NULL)
);
CREATE UNIQUE INDEX data_keys_one_seals ON data_keys USING btree (is_sealing) WHERE is_sealing;

create table database_mode (
  mode text collate "C" not null,
  since timestamp with time zone not null,
  is_only boolean not null default true,
  constraint database_mode_pkey PRIMARY KEY (is_only),
  constraint database_mode_is_one CHECK (is_only),
  constraint database_mode_known CHECK (mode = ANY (ARRAY['sandbox'::text, 'live'::text]))
);

create table deliveries (
  event_id uuid not null,
  destination_id bigint not null,
  client_id bigint not null,
  kind text collate "C" not null,
  url text,
  state text collate "C" not null default 'pending'::text,
  attempts integer not null default 0,
  ladder_step integer not null default 0,
  next_attempt_at timestamp with time zone not null,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  delivered_at timestamp with time zone,
  constraint deliveries_pkey PRIMARY KEY (event_id, destination_id),
  constraint deliveries_kind_check CHECK (kind = ANY (ARRAY['endpoint'::text, 'notification'::text, 'callback'::text])),
  constraint deliveries_state_check CHECK (state = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text]))
) partition by RANGE (event_id);
CREATE INDEX deliveries_due ON ONLY deliveries USING btree (destination_id, next_attempt_at) WHERE state = 'pending'::text;
CREATE INDEX deliveries_given_up ON ONLY deliveries USING btree (destination_id, event_id) WHERE state = 'failed'::text;
CREATE TRIGGER deliveries_follow_transitions BEFORE UPDATE OF state ON deliveries FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION check_deliveries_transition();

create table deliveries_default partition of deliveries DEFAULT;

create table delivery_attempts (
  event_id uuid not null,
  destination_id bigint not null,
  attempt integer not null,
  attempted_at timestamp with time zone not null,
  status integer,
  latency_ms integer not null,
  error text,
  response_start text,
  signature text,
  chaos text collate "C",
  constraint delivery_attempts_pkey PRIMARY KEY (event_id, destination_id, attempt),
  constraint delivery_attempts_chaos_known CHECK (chaos = ANY (ARRAY['delayed'::text, 'reordered'::text, 'dropped'::text, 'repeated'::text]))
) partition by RANGE (event_id);

create table delivery_attempts_default partition of delivery_attempts DEFAULT;

create table destinations (
  id bigint not null generated always as identity,
  client_id bigint not null,
  endpoint_id uuid,
  url text not null,
  is_callback boolean not null default false,
  due_at timestamp with time zone,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  paused_until timestamp with time zone,
  disabled_at timestamp with time zone,
  disabled_why text,
  constraint destinations_pkey PRIMARY KEY (id),
  constraint destinations_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint destinations_endpoint_of_same_client FOREIGN KEY (client_id, endpoint_id) REFERENCES webhook_endpoints(client_id, id)
) with (fillfactor=50);
CREATE INDEX destinations_due ON destinations USING btree (GREATEST(due_at, paused_until)) WHERE disabled_at IS NULL AND due_at IS NOT NULL;
CREATE INDEX destinations_failing ON destinations USING btree (client_id) WHERE failing_since IS NOT NULL;
CREATE UNIQUE INDEX destinations_once ON destinations USING btree (client_id, COALESCE(endpoint_id, '00000000-0000-0000-0000-000000000000'::uuid), (
CASE
    WHEN endpoint_id IS NULL THEN md5(url)
    ELSE ''::text
END), is_callback);

create table difference_changes (
  id bigint not null generated always as identity,
  difference_id bigint not null,
  change text collate "C" not null,
  actor text collate "C",
  detail jsonb not null,
  changed_at timestamp with time zone not null,
  constraint difference_changes_pkey PRIMARY KEY (id),
  constraint difference_changes_known CHECK (change = ANY (ARRAY['opened'::text, 'assigned'::text, 'asked'::text, 'withdrawn'::text, 'rejected'::text, 'resolved'::text, 'failed'::text, 'cleared'::text])),
  constraint difference_changes_difference_id_fkey FOREIGN KEY (difference_id) REFERENCES differences(id)
);
CREATE INDEX difference_changes_of_difference ON difference_changes USING btree (difference_id, id);
CREATE TRIGGER difference_changes_append_only BEFORE DELETE OR UPDATE ON difference_changes FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER difference_changes_not_truncated BEFORE TRUNCATE ON difference_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table differences (
  id bigint not null generated always as identity,
  bank_code text collate "C" not null,
  currency text collate "C" not null,
  day date not null,
  kind text collate "C" not null,
  amount_kobo bigint not null,
  line_id bigint,
  item_kind text collate "C",
  item_id bigint,
  statement_id bigint,
  state text collate "C" not null default 'open'::text,
  suggested_kind text collate "C",
  suggested_id bigint,
  action text collate "C",
  reason text,
  asked_by text collate "C",
  asked_by_user uuid,
  asked_at timestamp with time zone,
  decided_by text collate "C",
  decided_at timestamp with time zone,
  opened_at timestamp with time zone not null,
  decided_by_user uuid,
  owner_id uuid,
  owned_at timestamp with time zone,
  payout_id bigint,
  maker_people uuid[],
  constraint differences_pkey PRIMARY KEY (id),
  constraint differences_about_something CHECK (num_nonnulls(line_id, item_id, statement_id) = 1 AND (item_id IS NULL) = (item_kind IS NULL)),
  constraint differences_action_known CHECK (action = ANY (ARRAY['book'::text, 'note'::text, 'match'::text, 'adjust'::text])) NOT VALID,
  constraint differences_asked_by_somebody CHECK (state <> 'asked'::text OR num_nonnulls(action, reason, asked_by, asked_by_user, asked_at) = 5),
  constraint differences_decided_as_something CHECK (decided_by IS NULL OR num_nonnulls(action, reason, decided_at) = 3),
  constraint differences_kind_known CHECK (kind = ANY (ARRAY['missing_in_books'::text, 'missing_at_bank'::text, 'amount_differs'::text, 'duplicate_at_bank'::text, 'duplicate_in_books'::text, 'wrong_account'::text, 'late_at_bank'::text, 'reversed_at_bank'::text, 'payout_paid'::text, 'payout_returned'::text, 'fee_differs'::text, 'unexplained_debit'::text, 'currency_differs'::text, 'sequence_gap'::text, 'balance_gap'::text])),
  constraint differences_owned_since CHECK ((owner_id IS NULL) = (owned_at IS NULL)),
  constraint differences_resolved_by_somebody CHECK (state <> 'resolved'::text OR num_nonnulls(action, reason, decided_by, decided_at) = 4),
  constraint differences_state_known CHECK (state = ANY (ARRAY['open'::text, 'asked'::text, 'resolved'::text, 'cleared'::text])),
  constraint differences_two_people CHECK (asked_by IS NULL OR decided_by IS NULL OR decided_by <> asked_by AND decided_by_user IS DISTINCT FROM asked_by_user),
  constraint differences_statement_id_fkey FOREIGN KEY (statement_id) REFERENCES statements(id)
);
CREATE INDEX differences_adjusted_gaps ON differences USING btree (bank_code, currency, day) WHERE statement_id IS NOT NULL AND state = 'cleared'::text AND action = 'adjust'::text;
CREATE INDEX differences_being_booked ON differences USING btree (decided_at) WHERE state = 'open'::text AND action IS NOT NULL;
CREATE INDEX differences_of_day ON differences USING btree (bank_code, currency, day, id) WHERE state <> 'cleared'::text;
CREATE UNIQUE INDEX differences_of_item ON differences USING btree (item_kind, item_id) WHERE item_id IS NOT NULL AND state <> 'cleared'::text;
CREATE UNIQUE INDEX differences_of_line ON differences USING btree (line_id) WHERE line_id IS NOT NULL AND state <> 'cleared'::text;
CREATE INDEX differences_of_payout ON differences USING btree (payout_id) WHERE payout_id IS NOT NULL;
CREATE UNIQUE INDEX differences_of_statement ON differences USING btree (statement_id, kind) WHERE statement_id IS NOT NULL AND state <> 'cleared'::text;
CREATE INDEX differences_open ON differences USING btree (bank_code, currency, id) WHERE state = ANY (ARRAY['open'::text, 'asked'::text]);
CREATE TRIGGER differences_checked AFTER UPDATE OF state, decided_by ON differences FOR EACH ROW EXECUTE FUNCTION check_resolution();
CREATE TRIGGER differences_checked_by_another AFTER UPDATE OF decided_by ON differences FOR EACH ROW WHEN (new.asked_by IS NOT NULL AND new.decided_by IS NOT NULL AND old.decided_by IS NULL) EXECUTE FUNCTION check_another_person('asked_by_user', 'decided_by_user');
CREATE TRIGGER differences_follow_transitions BEFORE UPDATE OF state ON differences FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION check_differences_transition();
CREATE TRIGGER differences_keep_maker_people BEFORE UPDATE OF asked_by ON differences FOR EACH ROW EXECUTE FUNCTION keep_maker_people('asked_by', 'asked_by_user', 'asked_at');

create table dispatch_cursors (
  client_id bigint not null,
  sequence bigint not null default 0,
  constraint dispatch_cursors_pkey PRIMARY KEY (client_id),
  constraint dispatch_cursors_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table erasures (
  id bigint not null generated always as identity,
  client_id bigint not null,
  account_id bigint,
  advice_id uuid,
  asked_at timestamp with time zone not null,
  step text collate "C" not null default 'credits'::text,
  credits_after bigint not null default 0,
  events_after bigint not null default 0,
  constraint erasures_pkey PRIMARY KEY (id),
  constraint erasures_of_account_once UNIQUE (account_id),
  constraint erasures_of_advice_once UNIQUE (advice_id),
  constraint erasures_of_one_thing CHECK (num_nonnulls(account_id, advice_id) = 1),
  constraint erasures_step_known CHECK (step = ANY (ARRAY['credits'::text, 'answers'::text, 'done'::text])),
  constraint erasures_account_of_same_client FOREIGN KEY (client_id, account_id) REFERENCES collection_accounts(client_id, id),
  constraint erasures_advice_of_same_client FOREIGN KEY (client_id, advice_id) REFERENCES advices(client_id, id),
  constraint erasures_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX erasures_to_do ON erasures USING btree (id) WHERE step <> 'done'::text;

create table event_counters (
  client_id bigint not null,
  sequence bigint not null default 0,
  constraint event_counters_pkey PRIMARY KEY (client_id),
  constraint event_counters_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
) with (fillfactor=50);

create table event_traces (
  event_id uuid not null,
  traceparent text not null,
  constraint event_traces_pkey PRIMARY KEY (event_id),
  constraint event_traces_are_w3c CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$'::text)
);

create table events (
  id uuid not null,
  client_id bigint not null,
  sequence bigint not null,
  type text collate "C" not null,
  collection_account_id bigint,
  payment_id uuid,
  credit_id bigint,
  facts json not null,
  created_at timestamp with time zone not null,
  moved json,
  constraint events_pkey PRIMARY KEY (id)
) partition by RANGE (id);
CREATE INDEX events_by_sequence ON ONLY events USING btree (client_id, sequence);
CREATE INDEX events_turns_of_payment ON ONLY events USING btree (payment_id) WHERE (type = ANY (ARRAY['payment.expired'::text, 'credit.assigned'::text])) AND payment_id IS NOT NULL;
CREATE TRIGGER events_append_only BEFORE DELETE OR UPDATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER events_not_truncated BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table events_default partition of events DEFAULT;

create table fee_rules (
  id bigint not null generated always as identity,
  client_id bigint not null,
  merchant_code text collate "C",
  code text collate "C" not null,
  basis text collate "C" not null,
  flat_kobo bigint not null,
  bps integer not null,
  min_kobo bigint not null,
  cap_kobo bigint,
  waive_flat_below_kobo bigint not null,
  vat_bps integer not null,
  vat_included boolean not null,
  bearer text collate "C" not null,
  effective_from timestamp with time zone not null,
  effective_to timestamp with time zone,
  created_by text not null,
  created_at timestamp with time zone not null,
  withdrawn_at timestamp with time zone,
  constraint fee_rules_pkey PRIMARY KEY (id),
  constraint fee_rules_of_client UNIQUE (client_id, id),
  constraint fee_rules_do_not_overlap EXCLUDE USING gist (int8range(client_id, client_id, '[]'::text) WITH &&, int8range(hashtextextended((basis || '/'::text) || COALESCE(merchant_code, ''::text), 0::bigint), hashtextextended((basis || '/'::text) || COALESCE(merchant_code, ''::text), 0::bigint), '[]'::text) WITH &&, tstzrange(effective_from, effective_to) WITH &&),
  constraint fee_rules_basis_known CHECK (basis = ANY (ARRAY['credit'::text, 'payout'::text])),
  constraint fee_rules_bearer_known CHECK (bearer = ANY (ARRAY['merchant'::text, 'customer'::text, 'subaccount'::text])),
  constraint fee_rules_begin_before_they_end CHECK (
CASE
    WHEN withdrawn_at IS NULL THEN effective_from < effective_to
    ELSE NOT effective_to IS DISTINCT FROM effective_from AND withdrawn_at < effective_from
END),
  constraint fee_rules_merchant_code_length CHECK (length(merchant_code) >= 1 AND length(merchant_code) <= 100),
  constraint fee_rules_not_negative CHECK (flat_kobo >= 0 AND min_kobo >= 0 AND waive_flat_below_kobo >= 0 AND (cap_kobo IS NULL OR cap_kobo >= min_kobo)),
  constraint fee_rules_rates_bounded CHECK (bps >= 0 AND bps <= 5000 AND vat_bps >= 0 AND vat_bps <= 5000),
  constraint fee_rules_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX fee_rules_in_force ON fee_rules USING btree (client_id, effective_from);
CREATE TRIGGER fee_rules_not_deleted BEFORE DELETE ON fee_rules FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER fee_rules_not_truncated BEFORE TRUNCATE ON fee_rules FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER fee_rules_only_end BEFORE UPDATE ON fee_rules FOR EACH ROW EXECUTE FUNCTION refuse_other_than_ending();

create table held_people (
  hold_id bigint not null,
  bvn_hash bytea not null,
  bvn_masked text collate "C" not null,
  constraint held_people_pkey PRIMARY KEY (hold_id),
  constraint held_people_masked CHECK (bvn_masked ~ '^[0-9]{3}\*{5}[0-9]{3}$'::text),
  constraint held_people_hold_id_fkey FOREIGN KEY (hold_id) REFERENCES holds(id)
);
CREATE INDEX held_people_by_bvn ON held_people USING btree (bvn_hash);
CREATE TRIGGER held_people_kept BEFORE DELETE OR UPDATE ON held_people FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER held_people_not_truncated BEFORE TRUNCATE ON held_people FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table held_person_accounts (
  hold_id bigint not null,
  account_id bigint not null,
  client_id bigint not null,
  is_later boolean not null,
  account_hold_id bigint,
  is_announced boolean not null default false,
  constraint held_person_accounts_pkey PRIMARY KEY (hold_id, account_id),
  constraint held_person_accounts_one_hold UNIQUE (account_hold_id),
  constraint held_person_accounts_announced_once_held CHECK (NOT is_announced OR account_hold_id IS NOT NULL),
  constraint held_person_accounts_account_hold_id_fkey FOREIGN KEY (account_hold_id) REFERENCES holds(id),
  constraint held_person_accounts_account_of_same_client FOREIGN KEY (client_id, account_id) REFERENCES collection_accounts(client_id, id),
  constraint held_person_accounts_hold_id_fkey FOREIGN KEY (hold_id) REFERENCES holds(id)
);
CREATE INDEX held_person_accounts_of_account ON held_person_accounts USING btree (account_id);
CREATE INDEX held_person_accounts_to_announce ON held_person_accounts USING btree (hold_id) WHERE NOT is_announced;
CREATE INDEX held_person_accounts_to_hold ON held_person_accounts USING btree (client_id) WHERE account_hold_id IS NULL;

create table hold_requests (
  id bigint not null generated always as identity,
  hold_id bigint not null,
  kind text collate "C" not null,
  amount_kobo bigint,
  reason text not null,
  state text collate "C" not null default 'open'::text,
  requested_by text collate "C" not null,
  requested_by_user uuid not null,
  maker_people uuid[],
  requested_at timestamp with time zone not null,
  decided_by text collate "C",
  decided_by_user uuid,
  decided_at timestamp with time zone,
  decision_reason text,
  constraint hold_requests_pkey PRIMARY KEY (id),
  constraint hold_requests_amount_positive CHECK (amount_kobo > 0 AND kind = 'forfeiture'::text OR amount_kobo IS NULL),
  constraint hold_requests_decided_by_somebody CHECK ((state = 'open'::text) = (decided_at IS NULL) AND (decided_at IS NULL) = (decided_by IS NULL)),
  constraint hold_requests_kind_known CHECK (kind = ANY (ARRAY['release'::text, 'forfeiture'::text])),
  constraint hold_requests_state_known CHECK (state = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text])),
  constraint hold_requests_two_people CHECK ((state <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR decided_by_user IS NOT NULL AND decided_by <> requested_by AND decided_by_user <> requested_by_user),
  constraint hold_requests_hold_id_fkey FOREIGN KEY (hold_id) REFERENCES holds(id)
);
CREATE UNIQUE INDEX hold_requests_one_open ON hold_requests USING btree (hold_id) WHERE state = 'open'::text;
CREATE TRIGGER hold_requests_checked AFTER UPDATE ON hold_requests FOR EACH ROW EXECUTE FUNCTION check_hold_request();
CREATE TRIGGER hold_requests_checked_by_another AFTER UPDATE OF state ON hold_requests FOR EACH ROW WHEN (new.state = 'approved'::text AND old.state <> 'approved'::text) EXECUTE FUNCTION check_another_person('requested_by_user', 'decided_by_user');
CREATE TRIGGER hold_requests_keep_maker_people BEFORE INSERT ON hold_requests FOR EACH ROW EXECUTE FUNCTION keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
CREATE TRIGGER hold_requests_not_deleted BEFORE DELETE ON hold_requests FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER hold_requests_not_truncated BEFORE TRUNCATE ON hold_requests FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table holds (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  client_id bigint not null,
  target text collate "C" not null,
  credit_id bigint,
  account_id bigint,
  merchant_code text,
  currency text collate "C" not null,
  amount_kobo bigint,
  held_kobo bigint not null default 0,
  forfeited_kobo bigint not null default 0,
  held_account_id bigint not null,
  reason text not null,
  case_reference text,
  deadline_at timestamp with time zone,
  state text collate "C" not null default 'active'::text,
  placed_by text collate "C" not null,
  placed_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint holds_pkey PRIMARY KEY (id),
  constraint holds_of_one_client UNIQUE (client_id, id),
  constraint holds_reference_unique UNIQUE (reference),
  constraint holds_amounts_fit CHECK (held_kobo >= 0 AND forfeited_kobo >= 0 AND (amount_kobo IS NULL OR amount_kobo > 0 AND (held_kobo + forfeited_kobo) <= amount_kobo)),
  constraint holds_end_empty CHECK ((state = 'active'::text) = (ended_at IS NULL) AND (state = 'active'::text OR held_kobo = 0)),
  constraint holds_have_one_target CHECK ((target = 'credit'::text) = (credit_id IS NOT NULL) AND (target = 'merchant'::text) = (merchant_code IS NOT NULL) AND (target = 'account'::text) = (account_id IS NOT NULL) AND (target <> 'credit'::text OR amount_kobo IS NOT NULL)),
  constraint holds_of_person_are_empty CHECK (target <> 'person'::text OR amount_kobo IS NULL AND held_kobo = 0 AND forfeited_kobo = 0),
  constraint holds_state_known CHECK (state = ANY (ARRAY['active'::text, 'released'::text, 'forfeited'::text])),
  constraint holds_target_known CHECK (target = ANY (ARRAY['credit'::text, 'account'::text, 'merchant'::text, 'client'::text, 'person'::text])),
  constraint holds_account_id_fkey FOREIGN KEY (account_id) REFERENCES ledger_accounts(id),
  constraint holds_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint holds_held_account_id_fkey FOREIGN KEY (held_account_id) REFERENCES ledger_accounts(id)
);
CREATE INDEX holds_by_deadline ON holds USING btree (deadline_at) WHERE state = 'active'::text AND deadline_at IS NOT NULL;
CREATE INDEX holds_of_client ON holds USING btree (client_id, id) WHERE state = 'active'::text;
CREATE INDEX holds_of_credit ON holds USING btree (credit_id) WHERE credit_id IS NOT NULL;
CREATE TRIGGER holds_checked AFTER UPDATE ON holds FOR EACH ROW EXECUTE FUNCTION check_hold();
CREATE TRIGGER holds_follow_transitions BEFORE UPDATE OF state ON holds FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION check_holds_transition();
CREATE TRIGGER holds_lock_out_erasures BEFORE INSERT ON holds FOR EACH STATEMENT EXECUTE FUNCTION lock_out_erasures();
CREATE TRIGGER holds_not_deleted BEFORE DELETE ON holds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER holds_not_truncated BEFORE TRUNCATE ON holds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table holidays (
  day date not null,
  name text not null,
  is_confirmed boolean not null,
  source text not null,
  updated_by text collate "C",
  updated_at timestamp with time zone not null default now(),
  constraint holidays_pkey PRIMARY KEY (day)
);

create table hourly_totals (
  client_id bigint not null,
  hour timestamp with time zone not null,
  credits bigint not null,
  gross_kobo bigint not null,
  reversed_kobo bigint not null,
  successful bigint not null,
  expired bigint not null,
  cancelled bigint not null,
  returned_kobo bigint not null default 0,
  suspended_kobo bigint not null default 0,
  fees_kobo bigint not null default 0,
  constraint hourly_totals_pkey PRIMARY KEY (client_id, hour),
  constraint hourly_totals_not_negative CHECK (LEAST(credits, gross_kobo, reversed_kobo, returned_kobo, successful, expired, cancelled) >= 0),
  constraint hourly_totals_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
) with (fillfactor=50);

create table idempotency_keys (
  client_id bigint not null,
  key text collate "C" not null,
  operation text collate "C" not null,
  request_hash bytea not null,
  resource text collate "C" not null,
  created_at timestamp with time zone not null,
  constraint idempotency_keys_pkey PRIMARY KEY (client_id, key, created_at),
  constraint idempotency_keys_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
) partition by RANGE (created_at);

create table idempotency_keys_default partition of idempotency_keys DEFAULT;

create table identity_checks (
  id bigint not null generated always as identity,
  client_id bigint not null,
  account_id bigint not null,
  identifier text collate "C" not null,
  number_hash bytea not null,
  reference uuid not null,
  status text collate "C" not null default 'queued'::text,
  name_score smallint,
  attempts integer not null default 0,
  failure text,
  requested_at timestamp with time zone not null,
  due_at timestamp with time zone,
  checked_at timestamp with time zone,
  constraint identity_checks_pkey PRIMARY KEY (id),
  constraint identity_checks_one_per_identifier UNIQUE (account_id, identifier),
  constraint identity_checks_reference_unique UNIQUE (reference),
  constraint identity_checks_answered_at CHECK (checked_at IS NOT NULL OR (status = ANY (ARRAY['queued'::text, 'unanswered'::text]))),
  constraint identity_checks_due_while_queued CHECK ((status = 'queued'::text) = (due_at IS NOT NULL)),
  constraint identity_checks_identifier_known CHECK (identifier = ANY (ARRAY['bvn'::text, 'nin'::text])),
  constraint identity_checks_scored CHECK (name_score >= 0 AND name_score <= 100),
  constraint identity_checks_status_known CHECK (status = ANY (ARRAY['queued'::text, 'verified'::text, 'name_mismatch'::text, 'not_found'::text, 'unanswered'::text])),
  constraint identity_checks_of_same_client FOREIGN KEY (client_id, account_id) REFERENCES collection_accounts(client_id, id)
);
CREATE INDEX identity_checks_due ON identity_checks USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE TRIGGER identity_checks_follow_transitions BEFORE UPDATE OF status ON identity_checks FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION check_identity_checks_transition();

create table identity_service (
  is_only boolean not null default true,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  paused_until timestamp with time zone,
  constraint identity_service_pkey PRIMARY KEY (is_only),
  constraint identity_service_only CHECK (is_only)
);

create table integrity_checks (
  id bigint not null generated always as identity,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  findings jsonb,
  ok boolean,
  constraint integrity_checks_pkey PRIMARY KEY (id),
  constraint integrity_checks_finished_has_result CHECK ((finished_at IS NULL) = (findings IS NULL) AND (finished_at IS NULL) = (ok IS NULL)),
  constraint integrity_checks_ok_has_no_findings CHECK (ok = (findings = '[]'::jsonb))
);

create table invitations (
  user_id uuid not null,
  client_id bigint not null,
  token_hash bytea not null,
  created_by text collate "C" not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint invitations_pkey PRIMARY KEY (user_id),
  constraint invitations_token_once UNIQUE (token_hash),
  constraint invitations_user_of_same_client FOREIGN KEY (client_id, user_id) REFERENCES users(client_id, id) ON DELETE CASCADE
);

create table key_holders (
  process uuid not null,
  opens smallint[] not null,
  seals smallint not null,
  seen_at timestamp with time zone not null,
  constraint key_holders_pkey PRIMARY KEY (process)
);

create table known_database (
  is_only boolean not null default true,
  identity text collate "C" not null,
  is_synchronous boolean not null,
  noted_at timestamp with time zone not null,
  server_started_at timestamp with time zone,
  constraint known_database_pkey PRIMARY KEY (is_only),
  constraint known_database_is_one CHECK (is_only)
);

create table known_devices (
  user_id uuid not null,
  client_id bigint not null,
  token_hash bytea not null,
  first_seen_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  constraint known_devices_pkey PRIMARY KEY (user_id, token_hash),
  constraint known_devices_user_of_same_client FOREIGN KEY (client_id, user_id) REFERENCES users(client_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX known_devices_by_seen_at ON known_devices USING btree (seen_at);

create sequence ledger_account_ids;

create table ledger_accounts (
  id bigint not null default nextval('ledger_account_ids'::regclass),
  kind text collate "C" not null,
  owner text collate "C" not null default ''::text,
  currency text collate "C" not null default 'NGN'::text,
  debits_kobo bigint not null default 0,
  credits_kobo bigint not null default 0,
  opened_at timestamp with time zone not null default now(),
  constraint ledger_accounts_pkey PRIMARY KEY (id),
  constraint ledger_accounts_kind_known CHECK (kind = ANY ('{bank,shortfall,bank_cost,stamp_duty,input_vat,receivable,write_off,wht_receivable,wht_credit,doubtful_debt,collection,pending,available,subaccount,settling,reserve,paying,refunding,held,forfeited,suspense,returning,due_to_bank,fee_income,vat_payable,provision}'::text[])),
  constraint ledger_accounts_not_overdrawn CHECK (debits_kobo >= 0 AND credits_kobo >= 0 AND
CASE
    WHEN kind = 'bank'::text THEN true
    WHEN kind = ANY ('{shortfall,bank_cost,stamp_duty,input_vat,receivable,write_off,wht_receivable,wht_credit,doubtful_debt}'::text[]) THEN debits_kobo >= credits_kobo
    ELSE credits_kobo >= debits_kobo
END)
) with (fillfactor=70);
CREATE UNIQUE INDEX ledger_accounts_one_per_owner ON ledger_accounts USING btree (kind, owner, currency) WHERE kind <> 'collection'::text;
CREATE TRIGGER ledger_accounts_change_by_transfer_only BEFORE UPDATE ON ledger_accounts FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_accounts_kept BEFORE DELETE ON ledger_accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_accounts_not_truncated BEFORE TRUNCATE ON ledger_accounts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER ledger_accounts_open_empty AFTER INSERT ON ledger_accounts REFERENCING NEW TABLE AS opened FOR EACH STATEMENT EXECUTE FUNCTION refuse_opening_balance();

create table ledger_hours (
  hour timestamp with time zone not null,
  kind text collate "C" not null,
  currency text collate "C" not null,
  client_id bigint,
  bank_code text collate "C",
  reason text collate "C" not null,
  cause text collate "C" not null,
  debit_kobo bigint not null,
  credit_kobo bigint not null,
  debits bigint not null,
  credits bigint not null,
  constraint ledger_hours_once UNIQUE NULLS NOT DISTINCT (client_id, currency, hour, kind, bank_code, reason, cause),
  constraint ledger_hours_cause_known CHECK (cause = ANY (ARRAY['credit'::text, 'adjustment'::text, 'settlement'::text, 'other'::text])),
  constraint ledger_hours_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
) with (fillfactor=50);
CREATE INDEX ledger_hours_by_hour ON ledger_hours USING btree (hour);

create table ledger_hours_cursor (
  is_only boolean not null default true,
  to_id bigint not null,
  constraint ledger_hours_cursor_pkey PRIMARY KEY (is_only),
  constraint ledger_hours_cursor_is_one_row CHECK (is_only)
);

create table limit_profile_tiers (
  client_id bigint not null,
  tier smallint not null,
  profile_id bigint not null,
  constraint limit_profile_tiers_one_profile PRIMARY KEY (client_id, tier),
  constraint limit_profile_tiers_tier_check CHECK (tier >= 1 AND tier <= 3),
  constraint limit_profile_tiers_of_same_client FOREIGN KEY (client_id, profile_id) REFERENCES limit_profiles(client_id, id) ON DELETE CASCADE
);
CREATE INDEX limit_profile_tiers_by_profile ON limit_profile_tiers USING btree (profile_id);

create table limit_profiles (
  id bigint not null generated always as identity,
  client_id bigint not null,
  code text collate "C" not null,
  name text not null,
  per_credit_kobo bigint,
  per_day_kobo bigint,
  balance_max_kobo bigint,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint limit_profiles_pkey PRIMARY KEY (id),
  constraint limit_profiles_code_unique UNIQUE (client_id, code),
  constraint limit_profiles_of_client UNIQUE (client_id, id),
  constraint limit_profiles_positive CHECK (per_credit_kobo > 0 AND per_day_kobo > 0 AND balance_max_kobo > 0),
  constraint limit_profiles_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table login_attempts (
  kind text collate "C" not null,
  key_hash bytea not null,
  attempts integer not null,
  ends_at timestamp with time zone not null,
  constraint login_attempts_pkey PRIMARY KEY (kind, key_hash)
);
CREATE INDEX login_attempts_by_end ON login_attempts USING btree (ends_at);

create table merchant_totals (
  client_id bigint not null,
  merchant_id text not null,
  merchant_code text not null,
  currency text collate "C" not null,
  balance_kobo bigint not null,
  collected_kobo bigint not null,
  reversed_kobo bigint not null,
  suspended_kobo bigint not null,
  constraint merchant_totals_pkey PRIMARY KEY (client_id, merchant_id, merchant_code, currency),
  constraint merchant_totals_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
) with (fillfactor=50);

create table merchant_totals_cursor (
  is_only boolean not null default true,
  to_id bigint not null,
  constraint merchant_totals_cursor_pkey PRIMARY KEY (is_only),
  constraint merchant_totals_cursor_is_one_row CHECK (is_only)
);

create table message_suppressions (
  id bigint not null generated always as identity,
  client_id bigint not null,
  recipient bytea not null,
  address_sealed bytea not null,
  reason text collate "C" not null,
  detail text,
  created_by text collate "C" not null,
  created_at timestamp with time zone not null,
  constraint message_suppressions_pkey PRIMARY KEY (id),
  constraint message_suppressions_once UNIQUE (client_id, recipient),
  constraint message_suppressions_reason_known CHECK (reason = ANY (ARRAY['bounced'::text, 'manual'::text])),
  constraint message_suppressions_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX message_suppressions_of_client ON message_suppressions USING btree (client_id, id);

create table message_transports (
  name text collate "C" not null,
  failures integer not null default 0,
  failing_since timestamp with time zone,
  paused_until timestamp with time zone,
  problem text,
  constraint message_transports_pkey PRIMARY KEY (name),
  constraint message_transports_known CHECK (name = ANY (ARRAY['smtp'::text, 'gateway'::text]))
);

create table messages (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  client_id bigint not null,
  key text collate "C" not null,
  channel text collate "C" not null,
  kind text collate "C" not null,
  recipient bytea,
  address_sealed bytea,
  facts_sealed bytea,
  advice_id uuid,
  account_id bigint,
  priority integer not null,
  waits_for_day boolean not null,
  state text collate "C" not null default 'queued'::text,
  problem text,
  attempts integer not null default 0,
  next_attempt_at timestamp with time zone not null,
  claimed_until timestamp with time zone,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  user_id uuid,
  constraint messages_pkey PRIMARY KEY (id),
  constraint messages_queued_once UNIQUE (client_id, key),
  constraint messages_reference_unique UNIQUE (reference),
  constraint messages_channel_known CHECK (channel = ANY (ARRAY['email'::text, 'sms'::text, 'whatsapp'::text])),
  constraint messages_end_when_over CHECK ((ended_at IS NULL) = (state = ANY (ARRAY['queued'::text, 'sending'::text]))),
  constraint messages_facts_while_needed CHECK ((state <> 'queued'::text OR facts_sealed IS NOT NULL AND address_sealed IS NOT NULL) AND (facts_sealed IS NULL OR (state = ANY (ARRAY['queued'::text, 'sending'::text, 'caught'::text])))),
  constraint messages_sending_is_claimed CHECK (state <> 'sending'::text OR claimed_until IS NOT NULL),
  constraint messages_state_known CHECK (state = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'caught'::text, 'unknown'::text, 'failed'::text, 'suppressed'::text, 'cancelled'::text])),
  constraint messages_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX messages_due ON messages USING btree (channel, priority, next_attempt_at) WHERE state = ANY (ARRAY['queued'::text, 'sending'::text]);
CREATE INDEX messages_ended ON messages USING btree (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX messages_of_account ON messages USING btree (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX messages_of_advice ON messages USING btree (advice_id) WHERE advice_id IS NOT NULL;
CREATE INDEX messages_of_client ON messages USING btree (client_id, id);
CREATE INDEX messages_of_recipient ON messages USING btree (client_id, recipient, id);
CREATE INDEX messages_of_user ON messages USING btree (user_id, id) WHERE user_id IS NOT NULL;
CREATE TRIGGER messages_follow_transitions BEFORE UPDATE OF state ON messages FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION check_messages_transition();

create table month_reopenings (
  id bigint not null generated always as identity,
  closing_id bigint not null,
  reason text not null,
  state text collate "C" not null default 'open'::text,
  requested_by text collate "C" not null,
  requested_by_user uuid not null,
  requested_at timestamp with time zone not null,
  decided_by text collate "C",
  decided_by_user uuid,
  decided_at timestamp with time zone,
  decision_reason text,
  maker_people uuid[],
  constraint month_reopenings_pkey PRIMARY KEY (id),
  constraint month_reopenings_decided_by_somebody CHECK ((state = 'open'::text) = (decided_at IS NULL) AND (decided_at IS NULL) = (decided_by IS NULL) AND (decided_at IS NULL) = (decided_by_user IS NULL)),
  constraint month_reopenings_state_known CHECK (state = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text])),
  constraint month_reopenings_two_people CHECK ((state <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR decided_by_user <> requested_by_user AND decided_by <> requested_by),
  constraint month_reopenings_closing_id_fkey FOREIGN KEY (closing_id) REFERENCES closed_months(id)
);
CREATE UNIQUE INDEX month_reopenings_one_open ON month_reopenings USING btree (closing_id) WHERE state = ANY (ARRAY['open'::text, 'approved'::text]);
CREATE TRIGGER month_reopenings_checked_by_another AFTER UPDATE OF state ON month_reopenings FOR EACH ROW WHEN (new.state = 'approved'::text AND old.state <> 'approved'::text) EXECUTE FUNCTION check_another_person('requested_by_user', 'decided_by_user');
CREATE TRIGGER month_reopenings_keep_maker_people BEFORE INSERT ON month_reopenings FOR EACH ROW EXECUTE FUNCTION keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
CREATE TRIGGER month_reopenings_not_deleted BEFORE DELETE ON month_reopenings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER month_reopenings_not_truncated BEFORE TRUNCATE ON month_reopenings FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table notice_cursors (
  client_id bigint not null,
  sequence bigint not null default 0,
  summarised_on date,
  failing_since timestamp with time zone,
  constraint notice_cursors_pkey PRIMARY KEY (client_id),
  constraint notice_cursors_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table notice_settings (
  client_id bigint not null,
  payer_channels text[] not null,
  payer_kinds text[] not null,
  staff_kinds text[] not null,
  alert_severity text collate "C" not null,
  updated_by text collate "C" not null,
  updated_at timestamp with time zone not null,
  constraint notice_settings_pkey PRIMARY KEY (client_id),
  constraint notice_settings_channels_known CHECK (payer_channels <@ ARRAY['email'::text, 'sms'::text, 'whatsapp'::text]),
  constraint notice_settings_severity_known CHECK (alert_severity = ANY (ARRAY['notice'::text, 'warning'::text, 'critical'::text])),
  constraint notice_settings_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table number_pools (
  bank_code text collate "C" not null,
  leased_until timestamp with time zone,
  failures integer not null default 0,
  retry_at timestamp with time zone,
  constraint number_pools_pkey PRIMARY KEY (bank_code)
) with (fillfactor=50);

create table number_ranges (
  id bigint not null generated always as identity,
  bank_code text collate "C" not null,
  purpose text collate "C" not null,
  first_serial bigint not null,
  last_serial bigint not null,
  key bytea not null,
  next_index bigint not null default 0,
  gap_from bigint,
  gap_until bigint,
  is_gap_free boolean not null default false,
  constraint number_ranges_pkey PRIMARY KEY (id),
  constraint number_ranges_once UNIQUE (bank_code, purpose, first_serial, last_serial),
  constraint number_ranges_gap_before_next CHECK ((gap_from IS NULL) = (gap_until IS NULL) AND gap_from >= 0 AND gap_from <= gap_until AND gap_until <= next_index),
  constraint number_ranges_in_order CHECK (first_serial >= 0 AND first_serial <= last_serial AND last_serial <= 999999999),
  constraint number_ranges_not_overrun CHECK (next_index <= (last_serial - first_serial + 1)),
  constraint number_ranges_purpose_check CHECK (purpose = ANY (ARRAY['static'::text, 'dynamic'::text]))
) with (fillfactor=50);

create table number_shares (
  client_id bigint not null,
  bank_code text collate "C" not null,
  purpose text collate "C" not null,
  ceiling integer,
  held integer not null,
  counted_at timestamp with time zone not null,
  constraint number_shares_pkey PRIMARY KEY (client_id, bank_code, purpose),
  constraint number_shares_not_negative CHECK (held >= 0 AND ceiling >= 0),
  constraint number_shares_purpose_known CHECK (purpose = ANY (ARRAY['static'::text, 'dynamic'::text])),
  constraint number_shares_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
) with (fillfactor=50);
CREATE INDEX number_shares_counted ON number_shares USING btree (counted_at);

create table numbers (
  account_number text collate "C" not null,
  bank_code text collate "C" not null,
  client_id bigint not null,
  collection_account_id bigint,
  payment_id uuid,
  reusable_at timestamp with time zone,
  added_at timestamp with time zone,
  constraint numbers_pkey PRIMARY KEY (account_number),
  constraint numbers_added_to_account CHECK (added_at IS NULL OR collection_account_id IS NOT NULL),
  constraint numbers_one_owner CHECK ((collection_account_id IS NULL) <> (payment_id IS NULL)),
  constraint numbers_only_dynamic_return CHECK ((payment_id IS NULL) = (reusable_at IS NULL)),
  constraint numbers_account_of_same_client FOREIGN KEY (client_id, collection_account_id) REFERENCES collection_accounts(client_id, id),
  constraint numbers_payment_of_same_client FOREIGN KEY (client_id, payment_id) REFERENCES payments(client_id, id)
);
CREATE INDEX numbers_added ON numbers USING btree (account_number) WHERE added_at IS NOT NULL;
CREATE INDEX numbers_of_client ON numbers USING btree (client_id, bank_code, reusable_at);
CREATE UNIQUE INDEX numbers_one_added_per_bank ON numbers USING btree (collection_account_id, bank_code) WHERE added_at IS NOT NULL;
CREATE INDEX numbers_reusable ON numbers USING btree (bank_code, reusable_at) WHERE payment_id IS NOT NULL;

create table operator_chat (
  is_only boolean not null default true,
  url_sealed bytea not null,
  host text not null,
  set_by text collate "C" not null,
  set_at timestamp with time zone not null,
  alerts_after bigint not null default 0,
  alert_severity text collate "C" not null default 'notice'::text,
  constraint operator_chat_pkey PRIMARY KEY (is_only),
  constraint operator_chat_is_one CHECK (is_only),
  constraint operator_chat_severity_known CHECK (alert_severity = ANY (ARRAY['notice'::text, 'warning'::text, 'critical'::text]))
);

create table passkey_challenges (
  challenge_hash bytea not null,
  purpose text collate "C" not null,
  session_id uuid,
  expires_at timestamp with time zone not null,
  constraint passkey_challenges_pkey PRIMARY KEY (challenge_hash),
  constraint passkey_challenges_bound_to_session CHECK ((session_id IS NULL) = (purpose = 'sign_in'::text)),
  constraint passkey_challenges_purpose_known CHECK (purpose = ANY (ARRAY['register'::text, 'confirm'::text, 'sign_in'::text])),
  constraint passkey_challenges_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);
CREATE INDEX passkey_challenges_by_expiry ON passkey_challenges USING btree (expires_at);
CREATE INDEX passkey_challenges_by_session ON passkey_challenges USING btree (session_id);

create table passkeys (
  id uuid not null,
  client_id bigint not null,
  user_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] collate "C" not null,
  name text not null,
  created_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_credential_once UNIQUE (credential_id),
  constraint passkeys_user_of_same_client FOREIGN KEY (client_id, user_id) REFERENCES users(client_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX passkeys_by_user ON passkeys USING btree (user_id);

create table password_reset_requests (
  id bigint not null generated always as identity,
  email text collate "C" not null,
  address text collate "C" not null,
  requested_at timestamp with time zone not null,
  constraint password_reset_requests_pkey PRIMARY KEY (id)
);

create table password_resets (
  user_id uuid not null,
  client_id bigint not null,
  token_hash bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint password_resets_pkey PRIMARY KEY (user_id),
  constraint password_resets_token_once UNIQUE (token_hash),
  constraint password_resets_user_of_same_client FOREIGN KEY (client_id, user_id) REFERENCES users(client_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);

create table payment_numbers (
  payment_id uuid not null,
  bank_code text collate "C" not null,
  account_number text collate "C" not null,
  issued_at timestamp with time zone not null,
  routing jsonb,
  constraint payment_numbers_one_per_bank PRIMARY KEY (payment_id, bank_code),
  constraint payment_numbers_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id)
);
CREATE INDEX payment_numbers_by_number ON payment_numbers USING btree (account_number);

create table payments (
  id uuid not null,
  advice_id uuid not null,
  client_id bigint not null,
  amount_kobo bigint not null,
  amount_paid_kobo bigint not null default 0,
  amount_policy text collate "C" not null,
  status text collate "C" not null default 'Processing'::text,
  expires_at timestamp with time zone not null,
  closes_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  fee_rule_id bigint,
  quoted_fee_kobo bigint,
  quoted_vat_kobo bigint,
  charged_fee_kobo bigint not null default 0,
  charged_vat_kobo bigint not null default 0,
  constraint payments_pkey PRIMARY KEY (id),
  constraint payments_of_client UNIQUE (client_id, id),
  constraint payments_one_per_advice UNIQUE (advice_id),
  constraint payments_amount_kobo_check CHECK (amount_kobo > 0),
  constraint payments_amount_paid_kobo_check CHECK (amount_paid_kobo >= 0),
  constraint payments_grace_follows_expiry CHECK (closes_at >= expires_at),
  constraint payments_part_is_less CHECK (status <> 'PartPayment'::text OR amount_paid_kobo > 0 AND amount_paid_kobo < amount_kobo),
  constraint payments_quote_is_whole CHECK ((fee_rule_id IS NULL) = (quoted_fee_kobo IS NULL) AND (fee_rule_id IS NULL) = (quoted_vat_kobo IS NULL)),
  constraint payments_status_known CHECK (status = ANY (ARRAY['Processing'::text, 'PartPayment'::text, 'Successful'::text, 'Expired'::text, 'Cancelled'::text, 'Reversed'::text])),
  constraint payments_successful_is_paid CHECK (status <> 'Successful'::text OR amount_policy = 'any'::text OR amount_paid_kobo = amount_kobo),
  constraint payments_advice_of_same_client FOREIGN KEY (client_id, advice_id) REFERENCES advices(client_id, id),
  constraint payments_fee_rule_of_same_client FOREIGN KEY (client_id, fee_rule_id) REFERENCES fee_rules(client_id, id)
) with (fillfactor=80);
CREATE INDEX payments_by_rare_status ON payments USING btree (client_id, status, id) WHERE status = ANY (ARRAY['PartPayment'::text, 'Cancelled'::text, 'Reversed'::text]);
CREATE INDEX payments_to_close ON payments USING btree (closes_at) WHERE status = ANY (ARRAY['Processing'::text, 'PartPayment'::text]);
CREATE TRIGGER payments_follow_transitions BEFORE UPDATE OF status ON payments FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION check_payments_transition();

create table payout_changes (
  id bigint not null generated always as identity,
  payout_id bigint not null,
  change text collate "C" not null,
  changed_by text collate "C" not null,
  changed_at timestamp with time zone not null,
  detail text,
  constraint payout_changes_pkey PRIMARY KEY (id),
  constraint payout_changes_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id)
);
CREATE INDEX payout_changes_by_payout ON payout_changes USING btree (payout_id, id);

create table payout_failures (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  requested_by_client bigint not null,
  payout_id bigint,
  file_id bigint,
  reason text,
  evidence text not null,
  state text collate "C" not null default 'open'::text,
  requested_by text collate "C" not null,
  requested_by_user uuid,
  maker_people uuid[],
  requested_at timestamp with time zone not null,
  decided_by text collate "C",
  decided_by_user uuid,
  decided_at timestamp with time zone,
  decision_reason text,
  constraint payout_failures_pkey PRIMARY KEY (id),
  constraint payout_failures_reference_unique UNIQUE (reference),
  constraint payout_failures_decided_by_somebody CHECK ((state = 'open'::text) = (decided_at IS NULL) AND (decided_at IS NULL) = (decided_by IS NULL)),
  constraint payout_failures_have_evidence CHECK (evidence <> ''::text),
  constraint payout_failures_of_one CHECK (num_nonnulls(payout_id, file_id) = 1 AND (payout_id IS NULL) = (reason IS NULL)),
  constraint payout_failures_state_known CHECK (state = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text])),
  constraint payout_failures_two_people CHECK ((state <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR decided_by_user IS NOT NULL AND decided_by <> requested_by AND decided_by_user IS DISTINCT FROM requested_by_user),
  constraint payout_failures_file_id_fkey FOREIGN KEY (file_id) REFERENCES payout_files(id),
  constraint payout_failures_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id),
  constraint payout_failures_requested_by_client_fkey FOREIGN KEY (requested_by_client) REFERENCES clients(id)
);
CREATE INDEX payout_failures_by_state ON payout_failures USING btree (state, id);
CREATE UNIQUE INDEX payout_failures_one_open ON payout_failures USING btree (payout_id) WHERE state = 'open'::text;
CREATE UNIQUE INDEX payout_failures_one_open_of_file ON payout_failures USING btree (file_id) WHERE state = 'open'::text;
CREATE TRIGGER payout_failures_checked AFTER UPDATE ON payout_failures FOR EACH ROW EXECUTE FUNCTION check_payout_failure();
CREATE TRIGGER payout_failures_checked_by_another AFTER UPDATE OF state ON payout_failures FOR EACH ROW WHEN (new.state = 'approved'::text AND old.state <> 'approved'::text) EXECUTE FUNCTION check_another_person('requested_by_user', 'decided_by_user');
CREATE TRIGGER payout_failures_keep_maker_people BEFORE INSERT ON payout_failures FOR EACH ROW EXECUTE FUNCTION keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
CREATE TRIGGER payout_failures_not_deleted BEFORE DELETE ON payout_failures FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_failures_not_truncated BEFORE TRUNCATE ON payout_failures FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table payout_files (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  bank_code text collate "C" not null,
  format text collate "C" not null,
  payouts integer not null,
  amount_kobo bigint not null,
  execution_date date not null,
  content_sealed bytea not null,
  content_hash bytea not null,
  created_by text collate "C" not null,
  created_at timestamp with time zone not null,
  downloaded_by text collate "C",
  downloaded_at timestamp with time zone,
  not_delivered_by text collate "C",
  not_delivered_at timestamp with time zone,
  bank_confirmation text,
  constraint payout_files_pkey PRIMARY KEY (id),
  constraint payout_files_of_bank UNIQUE (id, bank_code),
  constraint payout_files_reference_unique UNIQUE (reference),
  constraint payout_files_downloaded_by_somebody CHECK ((downloaded_by IS NULL) = (downloaded_at IS NULL)),
  constraint payout_files_format_known CHECK (format = ANY (ARRAY['pain.001'::text, 'csv'::text])),
  constraint payout_files_not_delivered_is_confirmed CHECK (num_nonnulls(not_delivered_by, not_delivered_at, bank_confirmation) = ANY (ARRAY[0, 3])),
  constraint payout_files_not_empty CHECK (payouts > 0 AND amount_kobo > 0)
);
CREATE TRIGGER payout_files_kept BEFORE UPDATE ON payout_files FOR EACH ROW WHEN (new.reference IS DISTINCT FROM old.reference OR new.bank_code IS DISTINCT FROM old.bank_code OR new.format IS DISTINCT FROM old.format OR new.payouts IS DISTINCT FROM old.payouts OR new.amount_kobo IS DISTINCT FROM old.amount_kobo OR new.execution_date IS DISTINCT FROM old.execution_date OR new.content_hash IS DISTINCT FROM old.content_hash OR new.created_by IS DISTINCT FROM old.created_by OR new.created_at IS DISTINCT FROM old.created_at OR old.downloaded_at IS NOT NULL AND new.downloaded_at IS DISTINCT FROM old.downloaded_at OR old.not_delivered_at IS NOT NULL AND new.not_delivered_at IS DISTINCT FROM old.not_delivered_at) EXECUTE FUNCTION keep_payout_file();
CREATE TRIGGER payout_files_not_deleted BEFORE DELETE ON payout_files FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_files_not_truncated BEFORE TRUNCATE ON payout_files FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table payout_holds (
  id bigint not null generated always as identity,
  reason text not null,
  held_by text collate "C" not null,
  held_at timestamp with time zone not null,
  restored_to timestamp with time zone,
  last_payout_id bigint,
  released_by text collate "C",
  released_at timestamp with time zone,
  may_lack_nothing boolean not null default false,
  lacks_nothing boolean not null default false,
  constraint payout_holds_pkey PRIMARY KEY (id),
  constraint payout_holds_lack_nothing_if_possible CHECK (NOT lacks_nothing OR may_lack_nothing AND released_at IS NOT NULL),
  constraint payout_holds_of_move_know_payouts CHECK (NOT may_lack_nothing OR restored_to IS NOT NULL),
  constraint payout_holds_of_restore_know_payouts CHECK ((restored_to IS NULL) = (last_payout_id IS NULL)),
  constraint payout_holds_released_by_somebody CHECK ((released_at IS NULL) = (released_by IS NULL))
);
CREATE INDEX payout_holds_open ON payout_holds USING btree (id) WHERE released_at IS NULL;
CREATE INDEX payout_holds_restored ON payout_holds USING btree (last_payout_id) WHERE last_payout_id IS NOT NULL;
CREATE TRIGGER payout_holds_kept BEFORE DELETE ON payout_holds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_holds_not_truncated BEFORE TRUNCATE ON payout_holds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_holds_only_released BEFORE UPDATE ON payout_holds FOR EACH ROW EXECUTE FUNCTION refuse_other_than_releasing();

create table payout_results (
  payout_id bigint not null,
  status text collate "C" not null,
  bank_reference text,
  reason text,
  reported_by text collate "C" not null,
  reported_at timestamp with time zone not null,
  constraint payout_results_pkey PRIMARY KEY (payout_id),
  constraint payout_results_final CHECK (status = 'confirmed'::text AND bank_reference IS NOT NULL OR status = 'failed'::text AND reason IS NOT NULL),
  constraint payout_results_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id)
);
CREATE TRIGGER payout_results_kept BEFORE DELETE OR UPDATE ON payout_results FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payout_results_not_truncated BEFORE TRUNCATE ON payout_results FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table payout_returns (
  payout_id bigint not null,
  amount_kobo bigint not null,
  told_by text collate "C" not null,
  returned_at timestamp with time zone not null,
  constraint payout_returns_pkey PRIMARY KEY (payout_id),
  constraint payout_returns_of_money CHECK (amount_kobo > 0),
  constraint payout_returns_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id)
);
CREATE INDEX payout_returns_by_time ON payout_returns USING btree (returned_at);

create table payout_reviews (
  payout_id bigint not null,
  says text collate "C" not null,
  reported_at timestamp with time zone not null,
  queries integer not null default 0,
  next_query_at timestamp with time zone,
  reversed_answers integer not null default 0,
  reversed_ms bigint not null default 0,
  reversed_by text collate "C",
  reversed_at_ms bigint,
  constraint payout_reviews_pkey PRIMARY KEY (payout_id),
  constraint payout_reviews_says_known CHECK (says = ANY (ARRAY['confirmed'::text, 'failed'::text, 'reversed'::text])),
  constraint payout_reviews_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id)
);
CREATE INDEX payout_reviews_due ON payout_reviews USING btree (next_query_at) WHERE next_query_at IS NOT NULL;

create table payout_settings (
  client_id bigint not null,
  approval_above_kobo bigint,
  per_payout_kobo bigint,
  per_day_kobo bigint,
  two_approvers_above_kobo bigint,
  reserve_floor_bps integer not null default 0,
  reserve_floor_days integer not null default 0,
  strict_approvers boolean not null default false,
  constraint payout_settings_pkey PRIMARY KEY (client_id),
  constraint payout_settings_not_negative CHECK (approval_above_kobo >= 0 AND per_payout_kobo >= 0 AND per_day_kobo >= 0),
  constraint payout_settings_reserve_floor_bounded CHECK (reserve_floor_bps >= 0 AND reserve_floor_bps <= 10000 AND reserve_floor_days >= 0 AND reserve_floor_days <= 365 AND (reserve_floor_bps = 0) = (reserve_floor_days = 0)),
  constraint payout_settings_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table payout_tariffs (
  id bigint not null generated always as identity,
  bank_code text collate "C",
  band_limits_kobo bigint[] not null,
  band_fees_kobo bigint[] not null,
  vat_bps integer not null,
  duty_kobo bigint not null,
  duty_from_kobo bigint not null,
  effective_from timestamp with time zone not null,
  created_by text collate "C" not null,
  created_at timestamp with time zone not null,
  withdrawn_at timestamp with time zone,
  constraint payout_tariffs_pkey PRIMARY KEY (id),
  constraint payout_tariffs_one_at_a_time UNIQUE NULLS NOT DISTINCT (bank_code, effective_from),
  constraint payout_tariffs_bands_fit CHECK (cardinality(band_fees_kobo) = (cardinality(band_limits_kobo) + 1) AND (0 <= ALL (band_fees_kobo)) AND (0 < ALL (band_limits_kobo))),
  constraint payout_tariffs_rates_bounded CHECK (vat_bps >= 0 AND vat_bps <= 5000 AND duty_kobo >= 0 AND duty_from_kobo >= 0),
  constraint payout_tariffs_withdrawn_before_they_begin CHECK (withdrawn_at < effective_from)
);
CREATE TRIGGER payout_tariffs_only_withdrawn BEFORE DELETE OR UPDATE ON payout_tariffs FOR EACH ROW EXECUTE FUNCTION refuse_other_than_withdrawing();

create table payouts (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  client_id bigint,
  purpose text collate "C" not null,
  status text collate "C" not null default 'queued'::text,
  bank_code text collate "C" not null,
  to_bank_code text collate "C" not null,
  to_account_sealed bytea not null,
  to_account_name text not null,
  amount_kobo bigint not null,
  currency text collate "C" not null,
  narration text not null,
  fee_kobo bigint not null default 0,
  vat_kobo bigint not null default 0,
  fee_rule_id bigint,
  cost_kobo bigint not null default 0,
  cost_vat_kobo bigint not null default 0,
  bank_account_id bigint,
  subaccount_id bigint,
  settlement_id bigint,
  credit_id bigint,
  approval text collate "C" not null,
  requested_by text collate "C" not null,
  requested_by_user uuid,
  requested_at timestamp with time zone not null,
  decided_by text collate "C",
  decided_by_user uuid,
  decided_at timestamp with time zone,
  decision_reason text,
  batch_id bigint,
  sending_at timestamp with time zone,
  queries integer not null default 0,
  next_query_at timestamp with time zone,
  bank_reference text,
  failure_reason text,
  settled_by text collate "C",
  settled_at timestamp with time zone,
  refund_id bigint,
  item_id bigint,
  sent_over text collate "C",
  is_accepted boolean not null default false,
  not_found_answers integer not null default 0,
  not_found_ms bigint not null default 0,
  not_found_by text collate "C",
  not_found_at_ms bigint,
  maker_people uuid[],
  approvers_needed smallint not null default 1,
  first_approved_by text collate "C",
  first_approved_by_user uuid,
  first_approved_at timestamp with time zone,
  send_after timestamp with time zone,
  unsent_times integer not null default 0,
  unsent_since timestamp with time zone,
  screening text collate "C",
  screened_at timestamp with time zone,
  first_approver_people uuid[],
  constraint payouts_pkey PRIMARY KEY (id),
  constraint payouts_of_client UNIQUE (client_id, id),
  constraint payouts_reference_unique UNIQUE (reference),
  constraint payouts_amounts_fit CHECK (amount_kobo > 0 AND fee_kobo >= 0 AND vat_kobo >= 0 AND cost_kobo >= 0 AND cost_vat_kobo >= 0),
  constraint payouts_approval_known CHECK (approval = ANY (ARRAY['not_needed'::text, 'needed'::text, 'approved'::text, 'rejected'::text])),
  constraint payouts_confirmed_has_reference CHECK ((status = 'confirmed'::text) = (bank_reference IS NOT NULL)),
  constraint payouts_held_unsent CHECK (screening IS DISTINCT FROM 'held'::text AND screening IS DISTINCT FROM 'refused'::text OR (status = ANY (ARRAY['queued'::text, 'cancelled'::text])) OR batch_id IS NOT NULL AND screened_at > sending_at),
  constraint payouts_of_refunds CHECK (refund_id IS NULL OR purpose = 'refund'::text),
  constraint payouts_of_settlement_have_one CHECK ((purpose = 'settlement'::text) = (settlement_id IS NOT NULL)),
  constraint payouts_of_somebody CHECK (client_id IS NOT NULL OR purpose = 'return'::text),
  constraint payouts_only_approved_are_sent CHECK ((status = ANY (ARRAY['queued'::text, 'cancelled'::text])) OR (approval = ANY (ARRAY['not_needed'::text, 'approved'::text]))),
  constraint payouts_purpose_known CHECK (purpose = ANY (ARRAY['payout'::text, 'settlement'::text, 'refund'::text, 'return'::text])),
  constraint payouts_queued_in_no_file CHECK (batch_id IS NULL OR (status <> ALL (ARRAY['queued'::text, 'cancelled'::text]))),
  constraint payouts_rejected_are_cancelled CHECK (approval <> 'rejected'::text OR status = 'cancelled'::text),
  constraint payouts_screening_known CHECK ((screening IS NULL) = (screened_at IS NULL) AND (screening IS NULL OR (screening = ANY (ARRAY['clear'::text, 'held'::text, 'refused'::text])))),
  constraint payouts_sent_has_time CHECK ((status = ANY (ARRAY['queued'::text, 'cancelled'::text])) = (sending_at IS NULL)),
  constraint payouts_settled_by_somebody CHECK ((status = ANY (ARRAY['confirmed'::text, 'failed'::text, 'cancelled'::text])) = (settled_at IS NOT NULL) AND (settled_at IS NULL) = (settled_by IS NULL)),
  constraint payouts_status_known CHECK (status = ANY (ARRAY['queued'::text, 'sending'::text, 'confirmed'::text, 'failed'::text, 'unknown'::text, 'cancelled'::text])),
  constraint payouts_two_people CHECK ((approval <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR decided_by IS NOT NULL AND decided_by <> requested_by AND decided_by_user IS NOT NULL AND decided_by_user IS DISTINCT FROM requested_by_user AND decided_at IS NOT NULL),
  constraint payouts_unknown_is_asked_for CHECK (status = 'unknown'::text OR next_query_at IS NULL),
  constraint payouts_unpaid_has_reason CHECK ((status = ANY (ARRAY['failed'::text, 'cancelled'::text])) = (failure_reason IS NOT NULL)),
  constraint payouts_bank_account_of_same_client FOREIGN KEY (client_id, bank_account_id) REFERENCES bank_accounts(client_id, id),
  constraint payouts_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint payouts_credit_id_fkey FOREIGN KEY (credit_id) REFERENCES credits(id),
  constraint payouts_fee_rule_of_same_client FOREIGN KEY (client_id, fee_rule_id) REFERENCES fee_rules(client_id, id),
  constraint payouts_file_of_same_bank FOREIGN KEY (batch_id, bank_code) REFERENCES payout_files(id, bank_code) DEFERRABLE INITIALLY DEFERRED,
  constraint payouts_item_id_fkey FOREIGN KEY (item_id) REFERENCES suspense_items(id),
  constraint payouts_refund_of_same_client FOREIGN KEY (client_id, refund_id) REFERENCES refunds(client_id, id),
  constraint payouts_settlement_of_same_client FOREIGN KEY (client_id, settlement_id) REFERENCES settlements(client_id, id),
  constraint payouts_subaccount_of_same_client FOREIGN KEY (client_id, subaccount_id) REFERENCES subaccounts(client_id, id)
);
CREATE INDEX payouts_by_bank_reference ON payouts USING btree (bank_reference) WHERE bank_reference IS NOT NULL;
CREATE INDEX payouts_by_client ON payouts USING btree (client_id, id);
CREATE INDEX payouts_confirmed ON payouts USING btree (bank_code, settled_at) WHERE status = 'confirmed'::text;
CREATE INDEX payouts_of_batch ON payouts USING btree (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX payouts_of_credit ON payouts USING btree (credit_id) WHERE credit_id IS NOT NULL;
CREATE INDEX payouts_of_day ON payouts USING btree (client_id, requested_at);
CREATE INDEX payouts_of_refund ON payouts USING btree (refund_id) WHERE refund_id IS NOT NULL;
CREATE INDEX payouts_of_settlement ON payouts USING btree (settlement_id) WHERE settlement_id IS NOT NULL;
CREATE INDEX payouts_open ON payouts USING btree (status, id) WHERE status = ANY (ARRAY['queued'::text, 'sending'::text, 'unknown'::text]);
CREATE INDEX payouts_to_send ON payouts USING btree (bank_code, id) WHERE status = 'queued'::text AND (approval = ANY (ARRAY['not_needed'::text, 'approved'::text]));
CREATE TRIGGER payouts_checked AFTER UPDATE ON payouts FOR EACH ROW EXECUTE FUNCTION check_payout();
CREATE TRIGGER payouts_checked_by_another AFTER UPDATE OF approval ON payouts FOR EACH ROW WHEN (new.approval = 'approved'::text AND old.approval <> 'approved'::text) EXECUTE FUNCTION check_another_person('requested_by_user', 'decided_by_user');
CREATE TRIGGER payouts_follow_transitions BEFORE UPDATE OF status ON payouts FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION check_payouts_transition();
CREATE TRIGGER payouts_in_one_file BEFORE UPDATE OF batch_id ON payouts FOR EACH ROW WHEN (new.batch_id IS DISTINCT FROM old.batch_id AND old.status <> 'queued'::text) EXECUTE FUNCTION check_payout_file();
CREATE TRIGGER payouts_keep_first_approver_people BEFORE UPDATE OF first_approved_by_user, first_approver_people ON payouts FOR EACH ROW EXECUTE FUNCTION keep_first_approver_people();
CREATE TRIGGER payouts_keep_maker_people BEFORE INSERT ON payouts FOR EACH ROW WHEN (new.approval = 'needed'::text) EXECUTE FUNCTION keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
CREATE TRIGGER payouts_not_deleted BEFORE DELETE ON payouts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payouts_not_truncated BEFORE TRUNCATE ON payouts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payouts_same_maker_people BEFORE UPDATE OF maker_people ON payouts FOR EACH ROW WHEN (new.maker_people IS DISTINCT FROM old.maker_people) EXECUTE FUNCTION refuse_other_maker_people();

create table provider_identities (
  user_id uuid not null,
  client_id bigint not null,
  issuer text not null,
  subject text not null,
  linked_at timestamp with time zone not null,
  constraint provider_identities_pkey PRIMARY KEY (user_id),
  constraint provider_identities_once UNIQUE (client_id, issuer, subject),
  constraint provider_identities_user_of_same_client FOREIGN KEY (client_id, user_id) REFERENCES users(client_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);

create table provider_sign_ins (
  browser_hash bytea not null,
  client_id bigint not null,
  provider_set_at timestamp with time zone not null,
  state_hash bytea,
  nonce text collate "C" not null,
  verifier_sealed bytea not null,
  is_fresh boolean not null,
  user_id uuid,
  expires_at timestamp with time zone not null,
  constraint provider_sign_ins_pkey PRIMARY KEY (browser_hash),
  constraint provider_sign_ins_state_once UNIQUE (state_hash),
  constraint provider_sign_ins_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint provider_sign_ins_user_of_same_client FOREIGN KEY (client_id, user_id) REFERENCES users(client_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX provider_sign_ins_by_expiry ON provider_sign_ins USING btree (expires_at);
CREATE INDEX provider_sign_ins_by_user ON provider_sign_ins USING btree (user_id);

create table rail_items (
  id bigint not null generated always as identity,
  bank_code text collate "C" not null,
  call text collate "C" not null,
  outcome text collate "C" not null,
  reason text collate "C" not null,
  response_code text collate "C" not null,
  session_id text,
  amount_text text,
  item_hash bytea not null,
  body_sealed bytea not null,
  received_at timestamp with time zone not null,
  taken_at timestamp with time zone,
  originals text[] collate "C",
  constraint rail_items_pkey PRIMARY KEY (id),
  constraint rail_items_kept_once UNIQUE (bank_code, item_hash),
  constraint rail_items_call_known CHECK (call = ANY (ARRAY['credits'::text, 'reversals'::text])),
  constraint rail_items_outcome_known CHECK (outcome = ANY (ARRAY['rejected'::text, 'unreadable'::text]))
);
CREATE INDEX rail_items_by_outcome ON rail_items USING btree (outcome, id);
CREATE INDEX rail_items_untaken ON rail_items USING btree (bank_code, session_id) WHERE call = 'reversals'::text AND taken_at IS NULL;

create table receivables (
  id bigint not null generated always as identity,
  reversal_id bigint not null,
  client_id bigint not null,
  account_id bigint not null,
  amount_kobo bigint not null,
  constraint receivables_pkey PRIMARY KEY (id),
  constraint receivables_amount_positive CHECK (amount_kobo > 0),
  constraint receivables_account_id_fkey FOREIGN KEY (account_id) REFERENCES ledger_accounts(id),
  constraint receivables_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint receivables_reversal_id_fkey FOREIGN KEY (reversal_id) REFERENCES reversals(id)
);
CREATE INDEX receivables_by_account ON receivables USING btree (account_id);
CREATE INDEX receivables_by_reversal ON receivables USING btree (reversal_id);

create table reconciled_banks (
  bank_code text collate "C" not null,
  currency text collate "C" not null,
  from_day date,
  to_day date,
  first_id bigint,
  opening_kobo bigint,
  books_kobo bigint,
  items_until timestamp with time zone,
  seen_until timestamp with time zone,
  moved_kobo bigint,
  last_change_id bigint,
  constraint reconciled_banks_pkey PRIMARY KEY (bank_code, currency)
);

create table reconciled_days (
  bank_code text collate "C" not null,
  currency text collate "C" not null,
  day date not null,
  lines_kobo bigint not null default 0,
  matched_lines_kobo bigint not null default 0,
  matched_items_kobo bigint not null default 0,
  constraint reconciled_days_pkey PRIMARY KEY (bank_code, currency, day)
);

create table recovery_codes (
  user_id uuid not null,
  code_hash bytea not null,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id) ON DELETE CASCADE
);

create table refunds (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  client_id bigint not null,
  payment_id uuid,
  credit_id bigint,
  amount_kobo bigint not null,
  currency text collate "C" not null,
  reason text not null,
  requested_by text collate "C" not null,
  requested_at timestamp with time zone not null,
  constraint refunds_pkey PRIMARY KEY (id),
  constraint refunds_of_client UNIQUE (client_id, id),
  constraint refunds_reference_unique UNIQUE (reference),
  constraint refunds_amount_positive CHECK (amount_kobo > 0),
  constraint refunds_of_payment_or_credit CHECK (num_nonnulls(payment_id, credit_id) = 1),
  constraint refunds_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint refunds_credit_id_fkey FOREIGN KEY (credit_id) REFERENCES credits(id),
  constraint refunds_payment_of_same_client FOREIGN KEY (client_id, payment_id) REFERENCES payments(client_id, id)
);
CREATE INDEX refunds_by_credit ON refunds USING btree (credit_id) WHERE credit_id IS NOT NULL;
CREATE INDEX refunds_by_payment ON refunds USING btree (payment_id) WHERE payment_id IS NOT NULL;
CREATE TRIGGER refunds_not_changed BEFORE DELETE OR UPDATE ON refunds FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER refunds_not_truncated BEFORE TRUNCATE ON refunds FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table removed_users (
  id uuid not null,
  client_id bigint not null,
  email text collate "C" not null,
  own_from timestamp with time zone,
  password_by uuid[],
  constraint removed_users_pkey PRIMARY KEY (id),
  constraint removed_users_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX removed_users_by_email ON removed_users USING btree (client_id, email);

create table report_recipients (
  schedule_id bigint not null,
  client_id bigint not null,
  user_id uuid not null,
  constraint report_recipients_pkey PRIMARY KEY (schedule_id, user_id),
  constraint report_recipients_schedule_of_same_client FOREIGN KEY (client_id, schedule_id) REFERENCES report_schedules(client_id, id) ON UPDATE CASCADE ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  constraint report_recipients_user_of_same_client FOREIGN KEY (client_id, user_id) REFERENCES users(client_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX report_recipients_of_schedule ON report_recipients USING btree (client_id, schedule_id);
CREATE INDEX report_recipients_of_user ON report_recipients USING btree (client_id, user_id);

create table report_runs (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  schedule_id bigint not null,
  client_id bigint not null,
  from_day date not null,
  to_day date not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint report_runs_pkey PRIMARY KEY (id),
  constraint report_runs_once_per_period UNIQUE (schedule_id, from_day),
  constraint report_runs_reference_unique UNIQUE (reference),
  constraint report_runs_schedule_of_same_client FOREIGN KEY (client_id, schedule_id) REFERENCES report_schedules(client_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX report_runs_of_schedule ON report_runs USING btree (client_id, schedule_id);

create table report_schedules (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  client_id bigint not null,
  user_id uuid,
  created_by text collate "C" not null,
  name text not null,
  operation text collate "C" not null,
  filters_sealed bytea not null,
  frequency text collate "C" not null,
  hour integer not null,
  format text collate "C" not null,
  next_from date not null,
  next_due_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint report_schedules_pkey PRIMARY KEY (id),
  constraint report_schedules_of_client UNIQUE (client_id, id),
  constraint report_schedules_reference_unique UNIQUE (reference),
  constraint report_schedules_format_known CHECK (format = ANY (ARRAY['csv'::text, 'xlsx'::text])),
  constraint report_schedules_frequency_known CHECK (frequency = ANY (ARRAY['daily'::text, 'weekly'::text, 'monthly'::text])),
  constraint report_schedules_hour_of_day CHECK (hour >= 0 AND hour <= 23),
  constraint report_schedules_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint report_schedules_user_of_same_client FOREIGN KEY (client_id, user_id) REFERENCES users(client_id, id) ON UPDATE CASCADE ON DELETE SET NULL (user_id)
);
CREATE INDEX report_schedules_due ON report_schedules USING btree (next_due_at);
CREATE INDEX report_schedules_of_user ON report_schedules USING btree (client_id, user_id);

create table requeries (
  id bigint not null generated always as identity,
  bank_code text collate "C" not null,
  reason text collate "C" not null,
  subject text collate "C" not null,
  identifier_kind text collate "C",
  identifier text collate "C",
  account_number text collate "C",
  from_at timestamp with time zone,
  to_at timestamp with time zone,
  cursor text,
  client_id bigint,
  payment_id uuid,
  collection_account_id bigint,
  state text collate "C" not null default 'open'::text,
  merged_into bigint,
  due_at timestamp with time zone not null,
  repeat_until timestamp with time zone,
  leased_until timestamp with time zone,
  attempts integer not null default 0,
  repeats integer not null default 0,
  new_credits integer not null default 0,
  created_at timestamp with time zone not null,
  asked_at timestamp with time zone,
  finished_at timestamp with time zone,
  constraint requeries_pkey PRIMARY KEY (id),
  constraint requeries_ask_for_one_thing CHECK ((identifier IS NULL) = (identifier_kind IS NULL) AND (identifier IS NULL) <> (from_at IS NULL)),
  constraint requeries_finished_has_time CHECK ((state = 'open'::text) = (finished_at IS NULL)),
  constraint requeries_merged_into_one CHECK ((state = 'merged'::text) = (merged_into IS NOT NULL)),
  constraint requeries_reason_known CHECK (reason = ANY (ARRAY['notification'::text, 'name_enquiry'::text, 'payer'::text, 'expiry'::text, 'grace'::text, 'demand'::text, 'silence'::text, 'sweep'::text])),
  constraint requeries_state_known CHECK (state = ANY (ARRAY['open'::text, 'found'::text, 'not_found'::text, 'dropped'::text, 'merged'::text])),
  constraint requeries_account_of_same_client FOREIGN KEY (client_id, collection_account_id) REFERENCES collection_accounts(client_id, id),
  constraint requeries_merged_into_fkey FOREIGN KEY (merged_into) REFERENCES requeries(id),
  constraint requeries_payment_of_same_client FOREIGN KEY (client_id, payment_id) REFERENCES payments(client_id, id)
);
CREATE INDEX requeries_by_account ON requeries USING btree (collection_account_id, id) WHERE collection_account_id IS NOT NULL;
CREATE INDEX requeries_by_payment ON requeries USING btree (payment_id, id) WHERE payment_id IS NOT NULL;
CREATE INDEX requeries_due ON requeries USING btree (bank_code, due_at) WHERE state = 'open'::text;
CREATE INDEX requeries_finished ON requeries USING btree (finished_at) WHERE state <> 'open'::text;
CREATE INDEX requeries_merged ON requeries USING btree (merged_into) WHERE merged_into IS NOT NULL;
CREATE UNIQUE INDEX requeries_one_open ON requeries USING btree (bank_code, reason, subject) WHERE state = 'open'::text;
CREATE UNIQUE INDEX requeries_planned_once ON requeries USING btree (bank_code, subject) WHERE reason = ANY (ARRAY['expiry'::text, 'grace'::text, 'silence'::text, 'sweep'::text]);

create table requery_attempts (
  id bigint not null generated always as identity,
  requery_id bigint not null,
  bank_code text collate "C" not null,
  asked_at timestamp with time zone not null,
  answer text collate "C" not null,
  credits integer not null default 0,
  new_credits integer not null default 0,
  latency_ms integer not null,
  error text,
  constraint requery_attempts_pkey PRIMARY KEY (id),
  constraint requery_attempts_answer_known CHECK (answer = ANY (ARRAY['found'::text, 'listed'::text, 'in_progress'::text, 'not_found'::text, 'no_answer'::text])),
  constraint requery_attempts_only_silence_has_error CHECK ((answer = 'no_answer'::text) = (error IS NOT NULL)),
  constraint requery_attempts_requery_id_fkey FOREIGN KEY (requery_id) REFERENCES requeries(id) ON DELETE CASCADE
);
CREATE INDEX requery_attempts_by_bank ON requery_attempts USING btree (bank_code, asked_at);
CREATE INDEX requery_attempts_of_requery ON requery_attempts USING btree (requery_id, id);

create table requery_findings (
  credit_id bigint not null,
  attempt_id bigint not null,
  constraint requery_findings_pkey PRIMARY KEY (credit_id),
  constraint requery_findings_attempt_id_fkey FOREIGN KEY (attempt_id) REFERENCES requery_attempts(id) ON DELETE CASCADE
);
CREATE INDEX requery_findings_of_attempt ON requery_findings USING btree (attempt_id);

create table reserved_numbers (
  id bigint not null generated always as identity,
  reference uuid not null,
  bank_code text collate "C" not null,
  purpose text collate "C" not null,
  state text collate "C" not null default 'asked'::text,
  account_number text collate "C",
  account_name text,
  asked_at timestamp with time zone not null,
  reserved_at timestamp with time zone,
  request_hash bytea,
  constraint reserved_numbers_pkey PRIMARY KEY (id),
  constraint reserved_numbers_number_unique UNIQUE (account_number),
  constraint reserved_numbers_reference_unique UNIQUE (reference),
  constraint reserved_numbers_asked_has_no_number CHECK ((state = 'asked'::text) = (account_number IS NULL) AND (state = 'asked'::text) = (account_name IS NULL) AND (state = 'asked'::text) = (reserved_at IS NULL)),
  constraint reserved_numbers_purpose_known CHECK (purpose = ANY (ARRAY['static'::text, 'dynamic'::text])),
  constraint reserved_numbers_state_known CHECK (state = ANY (ARRAY['asked'::text, 'available'::text, 'used'::text, 'blocked'::text]))
);
CREATE INDEX reserved_numbers_asked ON reserved_numbers USING btree (bank_code, purpose, id) WHERE state = 'asked'::text;
CREATE INDEX reserved_numbers_available ON reserved_numbers USING btree (bank_code, purpose, id) WHERE state = 'available'::text;
CREATE UNIQUE INDEX reserved_numbers_request_once ON reserved_numbers USING btree (request_hash);

create table returns (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  item_id bigint not null,
  amount_kobo bigint not null,
  status text collate "C" not null default 'pending'::text,
  bank_reference text,
  failure_reason text,
  requested_by text collate "C",
  requested_at timestamp with time zone not null,
  settled_by text collate "C",
  settled_at timestamp with time zone,
  constraint returns_pkey PRIMARY KEY (id),
  constraint returns_reference_unique UNIQUE (reference),
  constraint returns_amount_positive CHECK (amount_kobo > 0),
  constraint returns_confirmed_has_reference CHECK ((status = 'confirmed'::text) = (bank_reference IS NOT NULL)),
  constraint returns_only_failed_has_reason CHECK (status = 'failed'::text OR failure_reason IS NULL),
  constraint returns_settled_has_time CHECK ((status = 'pending'::text) = (settled_at IS NULL)),
  constraint returns_status_known CHECK (status = ANY (ARRAY['pending'::text, 'confirmed'::text, 'failed'::text])),
  constraint returns_item_id_fkey FOREIGN KEY (item_id) REFERENCES suspense_items(id)
);
CREATE INDEX returns_by_bank_reference ON returns USING btree (bank_reference) WHERE bank_reference IS NOT NULL;
CREATE INDEX returns_by_item ON returns USING btree (item_id, id);
CREATE INDEX returns_by_status ON returns USING btree (status, id);
CREATE INDEX returns_confirmed ON returns USING btree (settled_at) WHERE status = 'confirmed'::text;
CREATE UNIQUE INDEX returns_one_pending ON returns USING btree (item_id) WHERE status = 'pending'::text;
CREATE TRIGGER returns_follow_transitions BEFORE UPDATE OF status ON returns FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION check_returns_transition();

create table reversals (
  id bigint not null generated always as identity,
  bank_code text collate "C" not null,
  session_id text collate "C" not null,
  credit_id bigint not null,
  amount_kobo bigint not null,
  shortfall_kobo bigint not null default 0,
  received_at timestamp with time zone not null,
  receivable_kobo bigint not null default 0,
  place text collate "C",
  constraint reversals_pkey PRIMARY KEY (id),
  constraint reversals_taken_once UNIQUE (session_id, bank_code),
  constraint reversals_amount_kobo_check CHECK (amount_kobo > 0),
  constraint reversals_parts_fit CHECK (shortfall_kobo >= 0 AND receivable_kobo >= 0 AND (shortfall_kobo + receivable_kobo) <= amount_kobo),
  constraint reversals_credit_id_fkey FOREIGN KEY (credit_id) REFERENCES credits(id)
);
CREATE INDEX reversals_by_credit ON reversals USING btree (credit_id);
CREATE INDEX reversals_by_time ON reversals USING btree (bank_code, received_at);

create table sandbox_clock (
  is_only boolean not null default true,
  frozen_at timestamp with time zone,
  version bigint not null,
  constraint sandbox_clock_pkey PRIMARY KEY (is_only),
  constraint sandbox_clock_once CHECK (is_only)
);

create table sandbox_payout_outcomes (
  id bigint not null generated always as identity,
  client_id bigint not null,
  outcome text collate "C" not null,
  account_hash bytea,
  created_at timestamp with time zone not null,
  payout_reference text collate "C",
  constraint sandbox_payout_outcomes_pkey PRIMARY KEY (id),
  constraint sandbox_payout_outcomes_used_once UNIQUE (payout_reference),
  constraint sandbox_payout_outcomes_known CHECK (outcome = ANY (ARRAY['ok'::text, 'failed'::text, 'slow'::text, 'never'::text, 'answer_lost'::text])),
  constraint sandbox_payout_outcomes_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX sandbox_payout_outcomes_waiting ON sandbox_payout_outcomes USING btree (client_id, id) WHERE payout_reference IS NULL;

create table sandbox_payouts (
  reference text collate "C" not null,
  bank_reference text collate "C" not null,
  status text collate "C" not null,
  reason text,
  due_at timestamp with time zone not null,
  constraint sandbox_payouts_pkey PRIMARY KEY (reference),
  constraint sandbox_payouts_status_known CHECK (status = ANY (ARRAY['confirmed'::text, 'failed'::text, 'silent'::text]))
);

create table sandbox_reports (
  id bigint not null generated always as identity,
  client_id bigint not null,
  step text collate "C" not null,
  bank_code text collate "C" not null,
  account_number text collate "C" not null,
  session_id text collate "C" not null,
  original_session_id text collate "C",
  amount_kobo bigint not null,
  narration text not null,
  made_at timestamp with time zone not null,
  due_at timestamp with time zone,
  reported_at timestamp with time zone,
  outcome text collate "C",
  constraint sandbox_reports_pkey PRIMARY KEY (id),
  constraint sandbox_reports_made_once UNIQUE (session_id),
  constraint sandbox_reports_amount_positive CHECK (amount_kobo > 0),
  constraint sandbox_reports_lost_not_reported CHECK (due_at IS NOT NULL OR reported_at IS NULL),
  constraint sandbox_reports_reported_with_outcome CHECK ((reported_at IS NULL) = (outcome IS NULL)),
  constraint sandbox_reports_reversal_of_one CHECK ((step = 'reversal'::text) = (original_session_id IS NOT NULL)),
  constraint sandbox_reports_step_known CHECK (step = ANY (ARRAY['credit'::text, 'reversal'::text])),
  constraint sandbox_reports_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX sandbox_reports_answered ON sandbox_reports USING btree (bank_code, id) WHERE step = 'credit'::text;
CREATE INDEX sandbox_reports_due ON sandbox_reports USING btree (due_at) WHERE reported_at IS NULL;

create table sandbox_seeds (
  id bigint not null generated always as identity,
  client_id bigint not null,
  seed integer not null,
  accounts integer not null,
  days integer not null,
  ends_at timestamp with time zone not null,
  steps integer not null,
  done integer not null default 0,
  begun_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  problem text,
  constraint sandbox_seeds_pkey PRIMARY KEY (id),
  constraint sandbox_seeds_finish_whole CHECK (finished_at IS NULL OR problem IS NOT NULL OR done = steps),
  constraint sandbox_seeds_within CHECK (done >= 0 AND done <= steps),
  constraint sandbox_seeds_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX sandbox_seeds_of_client ON sandbox_seeds USING btree (client_id, id);
CREATE UNIQUE INDEX sandbox_seeds_one_running ON sandbox_seeds USING btree (client_id) WHERE finished_at IS NULL;

create table saved_views (
  id uuid not null,
  client_id bigint not null,
  user_id uuid not null,
  list text collate "C" not null,
  name text not null,
  content_sealed bytea not null,
  is_default boolean not null,
  created_at timestamp with time zone not null,
  constraint saved_views_pkey PRIMARY KEY (id),
  constraint saved_views_name_unique UNIQUE (user_id, list, name),
  constraint saved_views_user_of_same_client FOREIGN KEY (client_id, user_id) REFERENCES users(client_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX saved_views_of_user ON saved_views USING btree (client_id, user_id);
CREATE UNIQUE INDEX saved_views_one_default ON saved_views USING btree (user_id, list) WHERE is_default;

create table schema_functions (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  constraint schema_functions_pkey PRIMARY KEY (name)
);

create table schema_migrations (
  name text not null,
  checksum text not null,
  applied_at timestamp with time zone not null default now(),
  works_beside text,
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table screening_days (
  day date not null,
  credits bigint not null,
  decisions bigint not null,
  constraint screening_days_pkey PRIMARY KEY (day),
  constraint screening_days_counts CHECK (credits >= decisions AND decisions >= 0)
);

create table screening_decisions (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  client_id bigint,
  credit_id bigint,
  payout_id bigint,
  outcome text collate "C" not null,
  rule_set text collate "C" not null,
  hits jsonb not null,
  decided_at timestamp with time zone not null,
  hold_id bigint,
  unheld_reason text collate "C",
  constraint screening_decisions_pkey PRIMARY KEY (id),
  constraint screening_decisions_reference_unique UNIQUE (reference),
  constraint screening_decisions_held_once CHECK (num_nonnulls(hold_id, unheld_reason) <= 1 AND (payout_id IS NULL OR num_nonnulls(hold_id, unheld_reason) = 0)),
  constraint screening_decisions_one_subject CHECK (num_nonnulls(credit_id, payout_id) = 1),
  constraint screening_decisions_outcome_known CHECK (outcome = 'hold'::text OR outcome = 'refuse'::text AND payout_id IS NOT NULL),
  constraint screening_decisions_unheld_reason_known CHECK (unheld_reason = ANY (ARRAY['nothing_left'::text, 'currency'::text, 'released'::text])),
  constraint screening_decisions_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint screening_decisions_hold_of_same_client FOREIGN KEY (client_id, hold_id) REFERENCES holds(client_id, id),
  constraint screening_decisions_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id)
);
CREATE UNIQUE INDEX screening_decisions_of_credit ON screening_decisions USING btree (credit_id, rule_set) WHERE credit_id IS NOT NULL;
CREATE INDEX screening_decisions_of_payout ON screening_decisions USING btree (payout_id, id) WHERE payout_id IS NOT NULL;
CREATE INDEX screening_decisions_to_hold ON screening_decisions USING btree (id) WHERE credit_id IS NOT NULL AND hold_id IS NULL AND unheld_reason IS NULL;
CREATE TRIGGER screening_decisions_checked AFTER UPDATE ON screening_decisions FOR EACH ROW EXECUTE FUNCTION check_screening_decision();
CREATE TRIGGER screening_decisions_not_deleted BEFORE DELETE ON screening_decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER screening_decisions_not_truncated BEFORE TRUNCATE ON screening_decisions FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table screening_lists (
  id bigint not null generated always as identity,
  name text collate "C" not null,
  format text collate "C" not null,
  sha256 bytea not null,
  entries integer not null,
  names integer not null,
  added integer not null,
  removed integer not null,
  content bytea not null,
  effective_from timestamp with time zone,
  uploaded_by text collate "C" not null,
  replaces bigint,
  constraint screening_lists_pkey PRIMARY KEY (id),
  constraint screening_lists_counts CHECK (entries > 0 AND names >= entries AND added >= 0 AND removed >= 0),
  constraint screening_lists_format_known CHECK (format = ANY (ARRAY['un_xml'::text, 'ofac_xml'::text, 'ofac_csv'::text, 'csv'::text]))
);
CREATE INDEX screening_lists_by_name ON screening_lists USING btree (name, id);
CREATE TRIGGER screening_lists_checked AFTER UPDATE ON screening_lists FOR EACH ROW EXECUTE FUNCTION check_screening_list();
CREATE TRIGGER screening_lists_kept BEFORE DELETE ON screening_lists FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER screening_lists_not_truncated BEFORE TRUNCATE ON screening_lists FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table screening_progress (
  is_only boolean not null default true,
  credit_id bigint not null,
  screened_at timestamp with time zone not null,
  constraint screening_progress_pkey PRIMARY KEY (is_only),
  constraint screening_progress_one_row CHECK (is_only)
);

create table screening_requests (
  id bigint not null generated always as identity,
  kind text collate "C" not null,
  rule_id bigint,
  decision_id bigint,
  effective_from timestamp with time zone,
  reason text not null,
  state text collate "C" not null default 'open'::text,
  requested_by text collate "C" not null,
  requested_by_user uuid not null,
  maker_people uuid[],
  requested_at timestamp with time zone not null,
  decided_by text collate "C",
  decided_by_user uuid,
  decided_at timestamp with time zone,
  decision_reason text,
  list_id bigint,
  constraint screening_requests_pkey PRIMARY KEY (id),
  constraint screening_requests_decided_by_somebody CHECK ((state = 'open'::text) = (decided_at IS NULL) AND (decided_at IS NULL) = (decided_by IS NULL)),
  constraint screening_requests_state_known CHECK (state = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text])),
  constraint screening_requests_subject CHECK (num_nonnulls(rule_id, list_id, decision_id) = 1 AND
CASE kind
    WHEN 'activate'::text THEN decision_id IS NULL
    WHEN 'end'::text THEN rule_id IS NOT NULL
    ELSE (kind = ANY (ARRAY['release'::text, 'refuse'::text])) AND decision_id IS NOT NULL
END),
  constraint screening_requests_time CHECK (effective_from IS NULL OR kind = 'activate'::text),
  constraint screening_requests_two_people CHECK ((state <> ALL (ARRAY['approved'::text, 'rejected'::text])) OR decided_by_user IS NOT NULL AND decided_by <> requested_by AND decided_by_user <> requested_by_user),
  constraint screening_requests_decision_id_fkey FOREIGN KEY (decision_id) REFERENCES screening_decisions(id),
  constraint screening_requests_list_id_fkey FOREIGN KEY (list_id) REFERENCES screening_lists(id),
  constraint screening_requests_rule_id_fkey FOREIGN KEY (rule_id) REFERENCES screening_rules(id)
);
CREATE UNIQUE INDEX screening_requests_one_open_of_decision ON screening_requests USING btree (decision_id) WHERE state = 'open'::text AND decision_id IS NOT NULL;
CREATE UNIQUE INDEX screening_requests_one_open_of_list ON screening_requests USING btree (list_id) WHERE state = 'open'::text AND list_id IS NOT NULL;
CREATE UNIQUE INDEX screening_requests_one_open_of_rule ON screening_requests USING btree (rule_id) WHERE state = 'open'::text AND rule_id IS NOT NULL;
CREATE TRIGGER screening_requests_checked AFTER UPDATE ON screening_requests FOR EACH ROW EXECUTE FUNCTION check_screening_request();
CREATE TRIGGER screening_requests_checked_by_another AFTER UPDATE OF state ON screening_requests FOR EACH ROW WHEN (new.state = 'approved'::text AND old.state <> 'approved'::text) EXECUTE FUNCTION check_another_person('requested_by_user', 'decided_by_user');
CREATE TRIGGER screening_requests_keep_maker_people BEFORE INSERT ON screening_requests FOR EACH ROW EXECUTE FUNCTION keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
CREATE TRIGGER screening_requests_not_deleted BEFORE DELETE ON screening_requests FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER screening_requests_not_truncated BEFORE TRUNCATE ON screening_requests FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table screening_rules (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  name text not null,
  version integer not null,
  subject text collate "C" not null,
  kind text collate "C" not null,
  outcome text collate "C" not null,
  client_id bigint,
  params jsonb not null,
  created_by text collate "C" not null,
  created_at timestamp with time zone not null,
  tested_at timestamp with time zone,
  test jsonb,
  effective_from timestamp with time zone,
  effective_to timestamp with time zone,
  constraint screening_rules_pkey PRIMARY KEY (id),
  constraint screening_rules_reference_unique UNIQUE (reference),
  constraint screening_rules_version_once UNIQUE (name, version),
  constraint screening_rules_period CHECK (effective_to IS NULL OR effective_to >= effective_from),
  constraint screening_rules_subject_known CHECK (subject = 'credit'::text AND outcome = 'hold'::text AND (kind = ANY (ARRAY['velocity'::text, 'structuring'::text, 'new_payer'::text, 'many_payers'::text, 'list'::text])) OR subject = 'payout'::text AND (outcome = ANY (ARRAY['hold'::text, 'refuse'::text])) AND kind = 'list'::text),
  constraint screening_rules_tested CHECK ((tested_at IS NULL) = (test IS NULL) AND (effective_from IS NULL OR tested_at IS NOT NULL)),
  constraint screening_rules_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE UNIQUE INDEX screening_rules_one_active ON screening_rules USING btree (name) WHERE effective_from IS NOT NULL AND effective_to IS NULL;
CREATE TRIGGER screening_rules_checked AFTER UPDATE ON screening_rules FOR EACH ROW EXECUTE FUNCTION check_screening_rule();
CREATE TRIGGER screening_rules_not_deleted BEFORE DELETE ON screening_rules FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER screening_rules_not_truncated BEFORE TRUNCATE ON screening_rules FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table sessions (
  id uuid not null,
  client_id bigint not null,
  user_id uuid not null,
  token_hash bytea not null,
  address text not null,
  user_agent text not null,
  created_at timestamp with time zone not null,
  seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  through_provider boolean not null default false,
  proven_at timestamp with time zone,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_once UNIQUE (token_hash),
  constraint sessions_user_of_same_client FOREIGN KEY (client_id, user_id) REFERENCES users(client_id, id) ON UPDATE CASCADE ON DELETE CASCADE
);
CREATE INDEX sessions_by_expiry ON sessions USING btree (expires_at);
CREATE INDEX sessions_by_user ON sessions USING btree (user_id);

create view settlement_accounts as
 SELECT a.client_id,
    NULL::bigint AS subaccount_id,
    l.id AS account_id,
    l.currency
   FROM collection_accounts a
     JOIN ledger_accounts l ON l.id = a.id
UNION ALL
 SELECT substr(l.owner, 8)::bigint AS client_id,
    NULL::bigint AS subaccount_id,
    l.id AS account_id,
    l.currency
   FROM ledger_accounts l
  WHERE l.kind = 'available'::text
UNION ALL
 SELECT s.client_id,
    s.id AS subaccount_id,
    l.id AS account_id,
    l.currency
   FROM subaccounts s
     JOIN ledger_accounts l ON l.kind = 'subaccount'::text AND l.owner = ('subaccount:'::text || s.id);

create table settlement_holidays (
  day date not null,
  name text not null,
  constraint settlement_holidays_pkey PRIMARY KEY (day)
);

create table settlement_lines (
  settlement_id bigint not null,
  id bigint not null generated always as identity,
  kind text collate "C" not null,
  subaccount_id bigint,
  account_id bigint,
  credit_id bigint,
  payout_id bigint,
  adjustment_id bigint,
  brought_id bigint,
  posted_at timestamp with time zone not null,
  gross_kobo bigint not null default 0,
  fee_kobo bigint not null default 0,
  vat_kobo bigint not null default 0,
  split_kobo bigint not null default 0,
  reversed_kobo bigint not null default 0,
  other_kobo bigint not null default 0,
  net_kobo bigint not null generated always as ((((((gross_kobo - fee_kobo) - vat_kobo) - split_kobo) - reversed_kobo) + other_kobo)) stored,
  constraint settlement_lines_pkey PRIMARY KEY (settlement_id, id),
  constraint settlement_lines_kind_known CHECK (kind = ANY (ARRAY['credit'::text, 'payout'::text, 'refund'::text, 'adjustment'::text, 'recovery'::text, 'reserve'::text, 'release'::text, 'carried'::text]))
);
CREATE UNIQUE INDEX settlement_lines_credit_settled_once ON settlement_lines USING btree (brought_id) WHERE brought_id IS NOT NULL;

create view settlement_payees as
 SELECT bank_accounts.client_id,
    NULL::bigint AS subaccount_id,
    NULL::text AS subaccount_code,
    bank_accounts.id AS bank_account_id
   FROM bank_accounts
  WHERE bank_accounts.is_default
UNION ALL
 SELECT subaccounts.client_id,
    subaccounts.id AS subaccount_id,
    subaccounts.code AS subaccount_code,
    subaccounts.bank_account_id
   FROM subaccounts;

create table settlement_reserves (
  settlement_id bigint not null,
  client_id bigint not null,
  amount_kobo bigint not null,
  release_at timestamp with time zone not null,
  released_by bigint,
  constraint settlement_reserves_pkey PRIMARY KEY (settlement_id),
  constraint settlement_reserves_positive CHECK (amount_kobo > 0),
  constraint settlement_reserves_released_later CHECK (released_by > settlement_id),
  constraint settlement_reserves_release_of_same_client FOREIGN KEY (client_id, released_by) REFERENCES settlements(client_id, id),
  constraint settlement_reserves_settlement_of_same_client FOREIGN KEY (client_id, settlement_id) REFERENCES settlements(client_id, id)
);
CREATE INDEX settlement_reserves_held ON settlement_reserves USING btree (client_id, release_at) WHERE released_by IS NULL;
CREATE INDEX settlement_reserves_released ON settlement_reserves USING btree (released_by) WHERE released_by IS NOT NULL;

create table settlement_settings (
  client_id bigint not null,
  schedule text collate "C" not null,
  minimum_kobo bigint not null,
  reserve_bps integer not null,
  reserve_days integer not null,
  handled_to timestamp with time zone not null,
  updated_by text collate "C" not null,
  updated_at timestamp with time zone not null,
  constraint settlement_settings_pkey PRIMARY KEY (client_id),
  constraint settlement_settings_bounded CHECK (minimum_kobo >= 0 AND reserve_bps >= 0 AND reserve_bps <= 10000 AND reserve_days >= 0 AND reserve_days <= 365 AND (reserve_bps = 0) = (reserve_days = 0)),
  constraint settlement_settings_schedule_known CHECK (schedule ~ '^(manual|(daily|T\+1|weekly@(Mon|Tue|Wed|Thu|Fri))@([01][0-9]|2[0-3]):[0-5][0-9])$'::text),
  constraint settlement_settings_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table settlement_shares (
  settlement_id bigint not null,
  client_id bigint not null,
  subaccount_id bigint,
  account_id bigint not null,
  net_kobo bigint not null,
  constraint settlement_shares_one_per_party UNIQUE NULLS NOT DISTINCT (settlement_id, subaccount_id),
  constraint settlement_shares_not_negative CHECK (net_kobo >= 0),
  constraint settlement_shares_account_id_fkey FOREIGN KEY (account_id) REFERENCES ledger_accounts(id),
  constraint settlement_shares_settlement_of_same_client FOREIGN KEY (client_id, settlement_id) REFERENCES settlements(client_id, id)
);

create table settlements (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  client_id bigint not null,
  previous_id bigint,
  currency text collate "C" not null,
  status text collate "C" not null,
  period_from timestamp with time zone,
  cut_off timestamp with time zone not null,
  to_id bigint not null,
  next_from_id bigint not null,
  lines bigint not null default 0,
  gross_kobo bigint not null default 0,
  fees_kobo bigint not null default 0,
  vat_kobo bigint not null default 0,
  reversed_kobo bigint not null default 0,
  refunds_kobo bigint not null default 0,
  paid_out_kobo bigint not null default 0,
  recovered_kobo bigint not null default 0,
  reserved_kobo bigint not null default 0,
  released_kobo bigint not null default 0,
  carried_kobo bigint not null default 0,
  net_kobo bigint not null default 0,
  needs_approval boolean not null,
  held_reason text collate "C",
  closed_by text collate "C" not null,
  closed_by_user uuid,
  closed_at timestamp with time zone not null,
  approved_by text collate "C",
  approved_by_user uuid,
  approved_at timestamp with time zone,
  cancelled_by text collate "C",
  cancelled_at timestamp with time zone,
  finished_at timestamp with time zone,
  maker_people uuid[],
  approvers_needed smallint not null default 1,
  first_approved_by text collate "C",
  first_approved_by_user uuid,
  first_approved_at timestamp with time zone,
  payouts_to_id bigint,
  first_approver_people uuid[],
  constraint settlements_pkey PRIMARY KEY (id),
  constraint settlements_of_client UNIQUE (client_id, id),
  constraint settlements_reference_unique UNIQUE (reference),
  constraint settlements_add_up CHECK (net_kobo = (gross_kobo - fees_kobo - vat_kobo - reversed_kobo - refunds_kobo - paid_out_kobo - recovered_kobo - reserved_kobo + released_kobo + carried_kobo) AND net_kobo >= 0),
  constraint settlements_approved_has_time CHECK ((status = ANY (ARRAY['closed'::text, 'cancelled'::text])) = (approved_at IS NULL) AND (approved_at IS NULL) = (approved_by IS NULL)),
  constraint settlements_cancelled_has_time CHECK ((status = 'cancelled'::text) = (cancelled_at IS NOT NULL) AND (cancelled_at IS NULL) = (cancelled_by IS NULL)),
  constraint settlements_cut_off_grows CHECK (period_from < cut_off),
  constraint settlements_finished_has_time CHECK ((status = ANY (ARRAY['paid'::text, 'part_failed'::text, 'failed'::text])) = (finished_at IS NOT NULL)),
  constraint settlements_status_known CHECK (status = ANY (ARRAY['closed'::text, 'approved'::text, 'sending'::text, 'paid'::text, 'part_failed'::text, 'failed'::text, 'cancelled'::text])),
  constraint settlements_two_people CHECK (NOT needs_approval OR approved_at IS NULL OR approved_by_user IS NOT NULL AND approved_by_user IS DISTINCT FROM closed_by_user AND approved_by <> closed_by),
  constraint settlements_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint settlements_previous_of_same_client FOREIGN KEY (client_id, previous_id) REFERENCES settlements(client_id, id)
);
CREATE INDEX settlements_by_client ON settlements USING btree (client_id, id);
CREATE UNIQUE INDEX settlements_follow_one_another ON settlements USING btree (client_id, currency, COALESCE(previous_id, 0::bigint)) WHERE status <> 'cancelled'::text;
CREATE TRIGGER settlements_checked AFTER UPDATE ON settlements FOR EACH ROW EXECUTE FUNCTION check_settlement();
CREATE TRIGGER settlements_checked_by_another AFTER UPDATE OF status ON settlements FOR EACH ROW WHEN (new.status = 'approved'::text AND old.status <> 'approved'::text AND new.needs_approval) EXECUTE FUNCTION check_another_person('closed_by_user', 'approved_by_user');
CREATE TRIGGER settlements_follow_transitions BEFORE UPDATE OF status ON settlements FOR EACH ROW WHEN (old.status IS DISTINCT FROM new.status) EXECUTE FUNCTION check_settlements_transition();
CREATE TRIGGER settlements_keep_first_approver_people BEFORE UPDATE OF first_approved_by_user, first_approver_people ON settlements FOR EACH ROW EXECUTE FUNCTION keep_first_approver_people();
CREATE TRIGGER settlements_keep_maker_people BEFORE INSERT ON settlements FOR EACH ROW EXECUTE FUNCTION keep_maker_people('closed_by', 'closed_by_user', 'closed_at');
CREATE TRIGGER settlements_same_maker_people BEFORE UPDATE OF maker_people ON settlements FOR EACH ROW WHEN (new.maker_people IS DISTINCT FROM old.maker_people) EXECUTE FUNCTION refuse_other_maker_people();

create sequence shared_account_ids;

create table sign_in_providers (
  client_id bigint not null,
  issuer text not null,
  provider_client_id text not null,
  client_secret_sealed bytea not null,
  role_claim text,
  roles jsonb not null,
  creates_users boolean not null,
  trusts_email boolean not null,
  is_enforced boolean not null,
  set_by_user uuid not null,
  set_by_people uuid[] not null,
  updated_at timestamp with time zone not null,
  constraint sign_in_providers_pkey PRIMARY KEY (client_id),
  constraint sign_in_providers_roles_need_claim CHECK ((role_claim IS NULL) = (roles = '[]'::jsonb)),
  constraint sign_in_providers_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table signing_secrets (
  id bigint not null generated always as identity,
  client_id bigint not null,
  endpoint_id uuid,
  secret_sealed bytea not null,
  created_at timestamp with time zone not null,
  retires_at timestamp with time zone,
  constraint signing_secrets_pkey PRIMARY KEY (id),
  constraint signing_secrets_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint signing_secrets_endpoint_of_same_client FOREIGN KEY (client_id, endpoint_id) REFERENCES webhook_endpoints(client_id, id)
);
CREATE INDEX signing_secrets_by_owner ON signing_secrets USING btree (client_id, COALESCE(endpoint_id, '00000000-0000-0000-0000-000000000000'::uuid));
CREATE UNIQUE INDEX signing_secrets_one_current ON signing_secrets USING btree (client_id, COALESCE(endpoint_id, '00000000-0000-0000-0000-000000000000'::uuid)) WHERE retires_at IS NULL;

create table split_parts (
  client_id bigint not null,
  split_id bigint not null,
  "position" smallint not null,
  subaccount_id bigint not null,
  share bigint not null,
  bears_fee boolean not null,
  constraint split_parts_pkey PRIMARY KEY (split_id, "position"),
  constraint split_parts_name_a_subaccount_once UNIQUE (split_id, subaccount_id),
  constraint split_parts_at_most_ten CHECK ("position" >= 1 AND "position" <= 10),
  constraint split_parts_share_positive CHECK (share > 0),
  constraint split_parts_split_of_same_client FOREIGN KEY (client_id, split_id) REFERENCES splits(client_id, id),
  constraint split_parts_subaccount_of_same_client FOREIGN KEY (client_id, subaccount_id) REFERENCES subaccounts(client_id, id)
);
CREATE INDEX split_parts_of_subaccount ON split_parts USING btree (client_id, subaccount_id);
CREATE TRIGGER split_parts_append_only BEFORE DELETE OR UPDATE ON split_parts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER split_parts_at_most_the_whole AFTER INSERT ON split_parts REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION refuse_more_than_the_whole();
CREATE TRIGGER split_parts_not_truncated BEFORE TRUNCATE ON split_parts FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table splits (
  id bigint not null generated always as identity,
  client_id bigint not null,
  code text collate "C" not null,
  name text not null,
  type text collate "C" not null,
  created_at timestamp with time zone not null,
  deactivated_at timestamp with time zone,
  constraint splits_pkey PRIMARY KEY (id),
  constraint splits_code_unique UNIQUE (client_id, code),
  constraint splits_of_client UNIQUE (client_id, id),
  constraint splits_code_valid CHECK (code ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$'::text),
  constraint splits_type_known CHECK (type = ANY (ARRAY['percentage'::text, 'flat'::text])),
  constraint splits_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE TRIGGER splits_not_deleted BEFORE DELETE ON splits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER splits_not_truncated BEFORE TRUNCATE ON splits FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER splits_only_deactivated BEFORE UPDATE ON splits FOR EACH ROW EXECUTE FUNCTION refuse_other_than_deactivation();

create table statement_imports (
  id bigint not null generated always as identity,
  bank_code text collate "C" not null,
  format text collate "C" not null,
  profile text collate "C",
  file_name text,
  file_hash bytea,
  state text collate "C" not null default 'reading'::text,
  lines integer not null default 0,
  error_line integer,
  error text,
  started_by text collate "C" not null,
  started_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint statement_imports_pkey PRIMARY KEY (id),
  constraint statement_imports_failed_has_reason CHECK ((state = 'failed'::text) = (error IS NOT NULL)),
  constraint statement_imports_format_known CHECK (format = ANY (ARRAY['camt053'::text, 'mt940'::text, 'csv'::text])),
  constraint statement_imports_state_known CHECK (state = ANY (ARRAY['reading'::text, 'matching'::text, 'done'::text, 'unchanged'::text, 'failed'::text]))
);
CREATE UNIQUE INDEX statement_imports_taken_once ON statement_imports USING btree (bank_code, file_hash) WHERE state = 'done'::text;

create table statement_lines (
  id bigint not null generated always as identity,
  statement_id bigint not null,
  bank_code text collate "C" not null,
  currency text collate "C" not null,
  line_no integer not null,
  booked_on date not null,
  value_on date,
  amount_kobo bigint not null,
  is_reversal boolean not null default false,
  kind text collate "C" not null,
  session_id text collate "C",
  bank_reference text collate "C",
  end_to_end_id text collate "C",
  account_number text collate "C",
  counterparty_name text,
  counterparty_sealed bytea,
  counterparty_bank text collate "C",
  narration text,
  hash bytea not null,
  constraint statement_lines_pkey PRIMARY KEY (id),
  constraint statement_lines_taken_once UNIQUE (booked_on, hash),
  constraint statement_lines_amount_not_zero CHECK (amount_kobo <> 0),
  constraint statement_lines_kind_known CHECK (kind = ANY (ARRAY['credit'::text, 'fee'::text, 'vat'::text, 'stamp_duty'::text, 'sweep'::text, 'payout'::text, 'return'::text, 'other'::text]))
);
CREATE INDEX statement_lines_of_day ON statement_lines USING btree (statement_id, booked_on, id);
CREATE INDEX statement_lines_sweeps ON statement_lines USING btree (bank_code, currency, booked_on) WHERE kind = 'sweep'::text;

create table statement_matches (
  line_id bigint not null,
  item_kind text collate "C" not null,
  item_id bigint not null,
  amount_kobo bigint not null,
  bank_code text collate "C" not null,
  currency text collate "C" not null,
  line_day date not null,
  item_day date not null,
  rule text collate "C" not null,
  matched_at timestamp with time zone not null,
  matched_by text collate "C",
  constraint statement_matches_pkey PRIMARY KEY (item_kind, item_id, line_id),
  constraint statement_matches_item_kind_known CHECK (item_kind = ANY (ARRAY['credit'::text, 'charges'::text, 'reversal'::text, 'payout'::text, 'payout_cost'::text, 'payout_return'::text, 'return'::text, 'recovery'::text, 'booked'::text])),
  constraint statement_matches_rule_known CHECK (rule = ANY (ARRAY['session_id'::text, 'bank_reference'::text, 'our_reference'::text, 'account_and_amount'::text, 'sweep'::text, 'charge'::text, 'confirmed'::text, 'booked'::text, 'adjusted'::text])) NOT VALID
);
CREATE INDEX statement_matches_by_account ON statement_matches USING btree (bank_code, currency, line_day) WHERE rule = 'account_and_amount'::text;
CREATE INDEX statement_matches_in_transit ON statement_matches USING btree (bank_code, currency, line_day, item_day) INCLUDE (amount_kobo) WHERE line_day <> item_day;
CREATE INDEX statement_matches_of_line ON statement_matches USING btree (line_id);
CREATE TRIGGER statement_matches_append_only BEFORE DELETE OR UPDATE ON statement_matches FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER statement_matches_counted AFTER INSERT ON statement_matches REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION count_matches();
CREATE TRIGGER statement_matches_not_truncated BEFORE TRUNCATE ON statement_matches FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table statements (
  id bigint not null generated always as identity,
  import_id bigint not null,
  bank_code text collate "C" not null,
  currency text collate "C" not null,
  account_number text collate "C",
  reference text collate "C",
  sequence bigint,
  from_day date not null,
  to_day date not null,
  opening_kobo bigint not null,
  closing_kobo bigint not null,
  has_balances boolean not null,
  lines integer not null,
  new_lines integer not null,
  imported_at timestamp with time zone not null,
  matched_at timestamp with time zone,
  covers_from date,
  constraint statements_pkey PRIMARY KEY (id),
  constraint statements_days_in_order CHECK (from_day <= to_day),
  constraint statements_import_id_fkey FOREIGN KEY (import_id) REFERENCES statement_imports(id)
);
CREATE INDEX statements_of_bank ON statements USING btree (bank_code, currency, to_day, id);
CREATE INDEX statements_to_match ON statements USING btree (bank_code, currency) WHERE matched_at IS NULL;

create table stored_responses (
  id uuid not null,
  response_sealed bytea not null,
  constraint stored_responses_pkey PRIMARY KEY (id)
) partition by RANGE (id);

create table stored_responses_default partition of stored_responses DEFAULT;

create table subaccounts (
  id bigint not null generated always as identity,
  client_id bigint not null,
  code text collate "C" not null,
  name text not null,
  bank_account_id bigint not null,
  is_active boolean not null default true,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  account_chosen_by_user uuid,
  account_chosen_at timestamp with time zone,
  account_chosen_by_people uuid[],
  constraint subaccounts_pkey PRIMARY KEY (id),
  constraint subaccounts_code_unique UNIQUE (client_id, code),
  constraint subaccounts_of_client UNIQUE (client_id, id),
  constraint subaccounts_code_valid CHECK (code ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$'::text),
  constraint subaccounts_bank_account_of_same_client FOREIGN KEY (client_id, bank_account_id) REFERENCES bank_accounts(client_id, id),
  constraint subaccounts_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE TRIGGER subaccounts_keep_people BEFORE INSERT OR UPDATE OF account_chosen_at ON subaccounts FOR EACH ROW EXECUTE FUNCTION keep_subaccount_people();

create table suspense_changes (
  id bigint not null generated always as identity,
  item_id bigint not null,
  client_id bigint,
  change text collate "C" not null,
  from_state text collate "C" not null,
  amount_kobo bigint not null,
  left_kobo bigint not null,
  reference text,
  changed_at timestamp with time zone not null,
  constraint suspense_changes_pkey PRIMARY KEY (id),
  constraint suspense_changes_amount_kobo_check CHECK (amount_kobo > 0),
  constraint suspense_changes_known CHECK (change = ANY (ARRAY['assigned'::text, 'suspended_again'::text, 'return_requested'::text, 'returned'::text, 'return_failed'::text, 'reversed'::text])),
  constraint suspense_changes_left_kobo_check CHECK (left_kobo >= 0),
  constraint suspense_changes_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint suspense_changes_item_id_fkey FOREIGN KEY (item_id) REFERENCES suspense_items(id)
);
CREATE INDEX suspense_changes_by_item ON suspense_changes USING btree (item_id, id);
CREATE INDEX suspense_changes_of_returns ON suspense_changes USING btree (client_id) INCLUDE (item_id, amount_kobo) WHERE change = 'reversed'::text AND from_state = 'returning'::text;
CREATE TRIGGER suspense_changes_append_only BEFORE DELETE OR UPDATE ON suspense_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER suspense_changes_not_truncated BEFORE TRUNCATE ON suspense_changes FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table suspense_escalation (
  is_only boolean not null default true,
  days integer not null,
  constraint suspense_escalation_pkey PRIMARY KEY (is_only),
  constraint suspense_escalation_bounded CHECK (days >= 1 AND days <= 3650),
  constraint suspense_escalation_once CHECK (is_only)
);

create table suspense_items (
  id bigint not null generated always as identity,
  credit_id bigint not null,
  client_id bigint,
  account_id bigint not null,
  amount_kobo bigint not null,
  reason text collate "C" not null,
  state text collate "C" not null default 'open'::text,
  assigned_account_id bigint,
  assigned_payment_id uuid,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  given_client_id bigint,
  constraint suspense_items_pkey PRIMARY KEY (id),
  constraint suspense_items_amount_kobo_check CHECK (amount_kobo > 0),
  constraint suspense_items_assigned_to_one CHECK ((state = 'assigned'::text) = (num_nonnulls(assigned_account_id, assigned_payment_id) = 1)),
  constraint suspense_items_closed_has_time CHECK ((state = 'open'::text) = (closed_at IS NULL)),
  constraint suspense_items_state_known CHECK (state = ANY (ARRAY['open'::text, 'assigned'::text, 'returning'::text, 'returned'::text, 'reversed'::text])),
  constraint suspense_items_account_id_fkey FOREIGN KEY (account_id) REFERENCES ledger_accounts(id),
  constraint suspense_items_account_of_same_client FOREIGN KEY (client_id, assigned_account_id) REFERENCES collection_accounts(client_id, id),
  constraint suspense_items_assigned_account_id_fkey FOREIGN KEY (assigned_account_id) REFERENCES collection_accounts(id),
  constraint suspense_items_assigned_payment_id_fkey FOREIGN KEY (assigned_payment_id) REFERENCES payments(id),
  constraint suspense_items_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint suspense_items_credit_id_fkey FOREIGN KEY (credit_id) REFERENCES credits(id),
  constraint suspense_items_given_client_id_fkey FOREIGN KEY (given_client_id) REFERENCES clients(id),
  constraint suspense_items_payment_of_same_client FOREIGN KEY (client_id, assigned_payment_id) REFERENCES payments(client_id, id)
);
CREATE INDEX suspense_items_by_amount ON suspense_items USING btree (client_id, amount_kobo, id) WHERE state = 'open'::text;
CREATE INDEX suspense_items_by_client ON suspense_items USING btree (client_id, state) INCLUDE (amount_kobo, credit_id, account_id);
CREATE INDEX suspense_items_by_credit ON suspense_items USING btree (credit_id);
CREATE INDEX suspense_items_by_payment ON suspense_items USING btree (assigned_payment_id) WHERE assigned_payment_id IS NOT NULL;
CREATE INDEX suspense_items_by_time ON suspense_items USING btree (opened_at, id);
CREATE INDEX suspense_items_given ON suspense_items USING btree (given_client_id, credit_id) WHERE given_client_id IS NOT NULL;
CREATE INDEX suspense_items_open ON suspense_items USING btree (client_id, id) WHERE state = 'open'::text;
CREATE INDEX suspense_items_open_by_time ON suspense_items USING btree (client_id, opened_at, id) INCLUDE (credit_id, account_id, amount_kobo, reason) WHERE state = 'open'::text;
CREATE INDEX suspense_items_returning ON suspense_items USING btree (id) WHERE state = 'returning'::text;
CREATE TRIGGER suspense_items_follow_transitions BEFORE UPDATE OF state ON suspense_items FOR EACH ROW WHEN (old.state IS DISTINCT FROM new.state) EXECUTE FUNCTION check_suspense_items_transition();

create table suspense_request_changes (
  id bigint not null generated always as identity,
  request_id bigint not null,
  changed_by text collate "C" not null,
  changed_at timestamp with time zone not null,
  from_kobo bigint not null,
  to_kobo bigint not null,
  constraint suspense_request_changes_pkey PRIMARY KEY (id),
  constraint suspense_request_changes_change CHECK (from_kobo <> to_kobo),
  constraint suspense_request_changes_request_id_fkey FOREIGN KEY (request_id) REFERENCES suspense_requests(id)
);
CREATE INDEX suspense_request_changes_by_request ON suspense_request_changes USING btree (request_id, id);

create table suspense_requests (
  id bigint not null generated always as identity,
  client_id bigint not null,
  item_id bigint,
  action text collate "C" not null,
  to_account text collate "C",
  to_payment_id uuid,
  reason text not null,
  state text collate "C" not null default 'open'::text,
  requested_by text collate "C" not null,
  requested_at timestamp with time zone not null,
  decided_by text collate "C",
  decided_at timestamp with time zone,
  decision_reason text,
  requested_by_user uuid,
  decided_by_user uuid,
  requested_kobo bigint,
  maker_people uuid[],
  constraint suspense_requests_pkey PRIMARY KEY (id),
  constraint suspense_requests_about_an_item_or_the_setting CHECK ((action = 'disable_maker_checker'::text) = (item_id IS NULL)),
  constraint suspense_requests_action_known CHECK (action = ANY (ARRAY['assign'::text, 'return'::text, 'disable_maker_checker'::text])),
  constraint suspense_requests_amount_of_an_item CHECK (requested_kobo > 0 AND item_id IS NOT NULL OR requested_kobo IS NULL),
  constraint suspense_requests_assign_to_one CHECK (num_nonnulls(to_account, to_payment_id) =
CASE action
    WHEN 'assign'::text THEN 1
    ELSE 0
END),
  constraint suspense_requests_decided_by_somebody CHECK ((state = 'open'::text) = (decided_by IS NULL) AND (state = 'open'::text) = (decided_at IS NULL)),
  constraint suspense_requests_rejected_has_reason CHECK (state <> 'rejected'::text OR decision_reason IS NOT NULL),
  constraint suspense_requests_state_known CHECK (state = ANY (ARRAY['open'::text, 'approved'::text, 'rejected'::text, 'withdrawn'::text, 'void'::text])),
  constraint suspense_requests_two_people CHECK (
CASE
    WHEN state = ANY (ARRAY['approved'::text, 'rejected'::text]) THEN decided_by <> requested_by
    WHEN state = 'withdrawn'::text THEN decided_by = requested_by
    ELSE true
END),
  constraint suspense_requests_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint suspense_requests_item_id_fkey FOREIGN KEY (item_id) REFERENCES suspense_items(id)
);
CREATE INDEX suspense_requests_by_client ON suspense_requests USING btree (client_id, id);
CREATE INDEX suspense_requests_by_item ON suspense_requests USING btree (item_id, id);
CREATE UNIQUE INDEX suspense_requests_one_open ON suspense_requests USING btree (item_id) WHERE state = 'open'::text;
CREATE UNIQUE INDEX suspense_requests_one_open_of_setting ON suspense_requests USING btree (client_id) WHERE state = 'open'::text AND item_id IS NULL;
CREATE TRIGGER suspense_requests_checked AFTER UPDATE ON suspense_requests FOR EACH ROW EXECUTE FUNCTION check_suspense_request();
CREATE TRIGGER suspense_requests_checked_by_another AFTER UPDATE OF state ON suspense_requests FOR EACH ROW WHEN (new.state = 'approved'::text AND old.state <> 'approved'::text) EXECUTE FUNCTION check_another_person('requested_by_user', 'decided_by_user');
CREATE TRIGGER suspense_requests_keep_maker_people BEFORE INSERT ON suspense_requests FOR EACH ROW EXECUTE FUNCTION keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
CREATE TRIGGER suspense_requests_same_maker_people BEFORE UPDATE OF maker_people ON suspense_requests FOR EACH ROW WHEN (new.maker_people IS DISTINCT FROM old.maker_people) EXECUTE FUNCTION refuse_other_maker_people();

create table tax_details (
  client_id bigint not null,
  legal_name text not null,
  address text not null,
  tin text collate "C" not null,
  updated_by text collate "C" not null,
  updated_at timestamp with time zone not null,
  constraint tax_details_pkey PRIMARY KEY (client_id),
  constraint tax_details_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table tax_rates (
  id bigint not null generated always as identity,
  tax text collate "C" not null,
  client_id bigint,
  bps integer,
  amount_kobo bigint,
  threshold_kobo bigint,
  bearer text collate "C",
  effective_from date not null,
  source text not null,
  created_by text collate "C",
  created_at timestamp with time zone not null default now(),
  constraint tax_rates_pkey PRIMARY KEY (id),
  constraint tax_rates_known CHECK (
CASE tax
    WHEN 'vat'::text THEN client_id IS NULL AND bps >= 0 AND bps <= 5000 AND num_nonnulls(amount_kobo, threshold_kobo, bearer) = 0
    WHEN 'withholding'::text THEN client_id IS NOT NULL AND bps >= 0 AND bps <= 5000 AND num_nonnulls(amount_kobo, threshold_kobo, bearer) = 0
    WHEN 'stamp_duty'::text THEN client_id IS NULL AND bps IS NULL AND amount_kobo >= 0 AND threshold_kobo >= 0 AND (bearer = ANY (ARRAY['sender'::text, 'recipient'::text]))
    ELSE false
END),
  constraint tax_rates_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE TRIGGER tax_rates_kept BEFORE DELETE OR UPDATE ON tax_rates FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER tax_rates_not_truncated BEFORE TRUNCATE ON tax_rates FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table totals_cursors (
  client_id bigint not null,
  sequence bigint not null default 0,
  constraint totals_cursors_pkey PRIMARY KEY (client_id),
  constraint totals_cursors_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table transfers (
  id bigint not null generated always as identity,
  debit_account_id bigint not null,
  credit_account_id bigint not null,
  amount_kobo bigint not null,
  credit_id bigint,
  reason text collate "C" not null,
  posted_at timestamp with time zone not null,
  payout_id bigint,
  settlement_id bigint,
  adjustment_id bigint,
  difference_id bigint,
  hold_id bigint,
  constraint transfers_of_credit UNIQUE (credit_id, id),
  constraint transfers_amount_positive CHECK (amount_kobo > 0),
  constraint transfers_have_one_cause CHECK (num_nonnulls(credit_id, payout_id, settlement_id, adjustment_id, difference_id, hold_id) = 1) NOT VALID,
  constraint transfers_two_accounts CHECK (debit_account_id <> credit_account_id)
);
CREATE INDEX transfers_by_credit_account ON transfers USING btree (credit_account_id, id);
CREATE INDEX transfers_by_debit_account ON transfers USING btree (debit_account_id, id) WHERE reason <> 'credit'::text;
CREATE INDEX transfers_in_order ON transfers USING brin (posted_at, id) WITH (pages_per_range='32', autosummarize='on');
CREATE INDEX transfers_in_without_credit ON transfers USING btree (credit_account_id) INCLUDE (amount_kobo, reason, posted_at) WHERE credit_id IS NULL;
CREATE INDEX transfers_later ON transfers USING btree (posted_at) WHERE reason = ANY (ARRAY['assign'::text, 'suspend'::text, 'returned'::text, 'reversal'::text]);
CREATE INDEX transfers_of_adjustment ON transfers USING btree (adjustment_id) WHERE adjustment_id IS NOT NULL;
CREATE UNIQUE INDEX transfers_of_difference_once ON transfers USING btree (difference_id) WHERE difference_id IS NOT NULL;
CREATE INDEX transfers_of_hold ON transfers USING btree (hold_id) WHERE hold_id IS NOT NULL;
CREATE INDEX transfers_of_payout ON transfers USING btree (payout_id) WHERE payout_id IS NOT NULL;
CREATE INDEX transfers_of_settlement ON transfers USING btree (settlement_id) WHERE settlement_id IS NOT NULL;
CREATE INDEX transfers_out_without_credit ON transfers USING btree (debit_account_id) INCLUDE (amount_kobo, reason, posted_at) WHERE credit_id IS NULL;
CREATE INDEX transfers_refunded ON transfers USING btree (posted_at) WHERE reason = 'refunded'::text;
CREATE INDEX transfers_reversed ON transfers USING btree (debit_account_id) INCLUDE (amount_kobo) WHERE reason = 'reversal'::text;
CREATE TRIGGER transfers_append_only BEFORE DELETE OR UPDATE ON transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_not_truncated BEFORE TRUNCATE ON transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfers_post AFTER INSERT ON transfers REFERENCING NEW TABLE AS inserted FOR EACH STATEMENT EXECUTE FUNCTION post_inserted_transfers();

create table users (
  id uuid not null,
  client_id bigint not null,
  email text collate "C" not null,
  role text collate "C" not null,
  password_hash text not null,
  password_set_at timestamp with time zone not null,
  is_password_temporary boolean not null,
  totp_sealed bytea,
  totp_pending_sealed bytea,
  totp_step bigint,
  is_active boolean not null default true,
  created_at timestamp with time zone not null,
  signed_in_at timestamp with time zone,
  access_changed_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  totp_pending_session_id uuid,
  totp_pending_until timestamp with time zone,
  password_by uuid[],
  link_used_at timestamp with time zone,
  own_from timestamp with time zone,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_once_per_client UNIQUE (client_id, email),
  constraint users_of_client UNIQUE (client_id, id),
  constraint users_email_in_lower_case CHECK (email = lower(email)),
  constraint users_role_known CHECK (role = ANY (ARRAY['owner'::text, 'developer'::text, 'finance'::text, 'support'::text, 'operator'::text])),
  constraint users_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);
CREATE INDEX users_by_email ON users USING btree (email);
CREATE TRIGGER users_lose_their_account BEFORE UPDATE OF password_hash ON users FOR EACH ROW WHEN (new.is_password_temporary) EXECUTE FUNCTION forget_take_over();
CREATE TRIGGER users_remembered AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION remember_removed_user();

create table vat_documents (
  id bigint not null generated always as identity,
  kind text collate "C" not null,
  number bigint not null,
  previous bigint,
  client_id bigint not null,
  month date not null,
  currency text collate "C" not null,
  fees_kobo bigint not null,
  vat_kobo bigint not null,
  wht_kobo bigint not null,
  parties jsonb not null,
  issued_by text collate "C" not null,
  issued_at timestamp with time zone not null,
  constraint vat_documents_pkey PRIMARY KEY (id),
  constraint vat_documents_numbered_once UNIQUE (kind, number),
  constraint vat_documents_one_per_month UNIQUE (kind, client_id, month, currency),
  constraint vat_documents_amounts CHECK (fees_kobo >= 0 AND vat_kobo >= 0 AND wht_kobo >= 0 AND (fees_kobo + vat_kobo) > 0),
  constraint vat_documents_kind_known CHECK (kind = ANY (ARRAY['invoice'::text, 'credit_note'::text])),
  constraint vat_documents_whole_months CHECK (EXTRACT(day FROM month) = 1::numeric),
  constraint vat_documents_without_gaps CHECK (number > 0 AND NOT previous IS DISTINCT FROM NULLIF(number - 1, 0)),
  constraint vat_documents_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint vat_documents_follow_one_another FOREIGN KEY (kind, previous) REFERENCES vat_documents(kind, number)
);
CREATE INDEX vat_documents_of_client ON vat_documents USING btree (client_id, id);
CREATE TRIGGER vat_documents_append_only BEFORE DELETE OR UPDATE ON vat_documents FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER vat_documents_not_truncated BEFORE TRUNCATE ON vat_documents FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table webhook_chaos (
  endpoint_id uuid not null,
  client_id bigint not null,
  delay_ms integer not null,
  duplicate integer not null,
  reorder boolean not null,
  drop_next integer not null,
  held_event_id uuid,
  is_overtaken boolean not null default false,
  updated_at timestamp with time zone not null,
  constraint webhook_chaos_pkey PRIMARY KEY (endpoint_id),
  constraint webhook_chaos_not_negative CHECK (LEAST(delay_ms, duplicate, drop_next) >= 0),
  constraint webhook_chaos_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint webhook_chaos_endpoint_of_same_client FOREIGN KEY (client_id, endpoint_id) REFERENCES webhook_endpoints(client_id, id)
);

create table webhook_endpoints (
  id uuid not null,
  client_id bigint not null,
  url text not null,
  event_types text[],
  is_active boolean not null default true,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_of_client UNIQUE (client_id, id),
  constraint webhook_endpoints_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id)
);

create table webhook_replays (
  id uuid not null,
  client_id bigint not null,
  endpoint_id uuid not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  has_alerts boolean not null,
  first_sequence bigint not null,
  next_sequence bigint not null,
  past_sequence bigint not null,
  queued integer not null default 0,
  created_at timestamp with time zone not null,
  stepped_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint webhook_replays_pkey PRIMARY KEY (id),
  constraint webhook_replays_in_order CHECK (next_sequence >= first_sequence AND next_sequence <= past_sequence),
  constraint webhook_replays_client_id_fkey FOREIGN KEY (client_id) REFERENCES clients(id),
  constraint webhook_replays_endpoint_of_same_client FOREIGN KEY (client_id, endpoint_id) REFERENCES webhook_endpoints(client_id, id)
);
CREATE INDEX webhook_replays_of_client ON webhook_replays USING btree (client_id, created_at);
CREATE INDEX webhook_replays_of_endpoint ON webhook_replays USING btree (endpoint_id, id);
CREATE UNIQUE INDEX webhook_replays_one_of_client ON webhook_replays USING btree (client_id) WHERE ended_at IS NULL;
CREATE INDEX webhook_replays_waiting ON webhook_replays USING btree (stepped_at) WHERE ended_at IS NULL;

create function all_ids_of(people uuid[]) returns uuid[];
create function approver_unfitness(maker uuid, people uuid[], checker uuid, new_since timestamp with time zone) returns text;
create function check_adjusting_entry() returns trigger;
create function check_adjustment() returns trigger;
create function check_another_person() returns trigger;
create function check_case() returns trigger;
create function check_case_file() returns trigger;
create function check_cases_transition() returns trigger;
create function check_deliveries_transition() returns trigger;
create function check_differences_transition() returns trigger;
create function check_hold() returns trigger;
create function check_hold_request() returns trigger;
create function check_holds_transition() returns trigger;
create function check_identity_checks_transition() returns trigger;
create function check_messages_transition() returns trigger;
create function check_payments_transition() returns trigger;
create function check_payout() returns trigger;
create function check_payout_failure() returns trigger;
create function check_payout_file() returns trigger;
create function check_payouts_transition() returns trigger;
create function check_resolution() returns trigger;
create function check_returns_transition() returns trigger;
create function check_screening_decision() returns trigger;
create function check_screening_list() returns trigger;
create function check_screening_request() returns trigger;
create function check_screening_rule() returns trigger;
create function check_settlement() returns trigger;
create function check_settlements_transition() returns trigger;
create function check_suspense_items_transition() returns trigger;
create function check_suspense_request() returns trigger;
create function command_line() returns uuid;
create function count_matches() returns trigger;
create function current_database_identity() returns text;
create function decided_transfer_id() returns bigint;
create function doubtful_until() returns timestamp with time zone;
create function erase_messages(of_advice uuid, of_account bigint, at timestamp with time zone) returns void;
create function erase_messages_of_account() returns trigger;
create function erase_messages_of_advice() returns trigger;
create function erasure_bars(of_client bigint, of_account bigint, of_advice uuid, of_credit bigint) returns TABLE(kind text, reference text);
create function forget_take_over() returns trigger;
create function is_database_moved() returns boolean;
create function is_independent(makers uuid[], checker uuid) returns boolean;
create function is_same_person(makers uuid[], checker uuid) returns boolean;
create function keep_account_people() returns trigger;
create function keep_first_approver_people() returns trigger;
create function keep_maker_people() returns trigger;
create function keep_payout_file() returns trigger;
create function keep_subaccount_people() returns trigger;
create function keep_tier_verified() returns trigger;
create function last_doubtful_payout() returns bigint;
create function lock_out_erasures() returns trigger;
create function maintain_partitions(at timestamp with time zone, event_days integer, key_days integer) returns SETOF text;
create function notice_held_people() returns trigger;
create function notice_held_person() returns trigger;
create function open_event_counter() returns trigger;
create function people_behind(account uuid, client bigint, at timestamp with time zone) returns uuid[];
create function people_making(actor text, account uuid, client bigint, at timestamp with time zone) returns uuid[];
create function people_of(account uuid, at timestamp with time zone) returns uuid[];
create function post_inserted_transfers() returns trigger;
create function refuse_barred_erasure() returns trigger;
create function refuse_change() returns trigger;
create function refuse_month_after_open_one() returns trigger;
create function refuse_more_than_the_whole() returns trigger;
create function refuse_opening_balance() returns trigger;
create function refuse_other_maker_people() returns trigger;
create function refuse_other_than_completing() returns trigger;
create function refuse_other_than_deactivation() returns trigger;
create function refuse_other_than_ending() returns trigger;
create function refuse_other_than_releasing() returns trigger;
create function refuse_other_than_reopening() returns trigger;
create function refuse_other_than_withdrawing() returns trigger;
create function refuse_to_complete_twice() returns trigger;
create function remember_removed_user() returns trigger;
create function require_approved_reopening() returns trigger;
create function require_disk_space() returns void;
create function require_known_database() returns void;
create function require_two_people() returns trigger;
create function settle_lost_changes(reason text, held_by text, at timestamp with time zone, restored_to timestamp with time zone, may_lack_nothing boolean, numbers_skipped bigint) returns void;
create function settle_moved_database() returns void;
create function stands_behind(maker uuid, checker uuid) returns boolean;
create function uuid_floor(day date) returns uuid;
create function was_independent(makers uuid[], checker uuid, at timestamp with time zone) returns boolean;
