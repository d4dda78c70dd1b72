-- Payouts, and the bank accounts that receive them.
--
--   queued ──▶ sending ──▶ confirmed     the bank says that it paid
--     │           ├──────▶ failed        the bank says that it did not, and will not
--     │           └──────▶ unknown ──▶ confirmed | failed
--     └──────▶ cancelled                 while nobody has asked the bank
--
--   I47  a payout is sent at most once. `sending` is committed before the bank is called, and nothing leads
--        back to `queued`: a payout without an answer is `unknown`, and queried by its reference;
--   I48  open payouts are in the ledger: the balances of paying and refunding are their sums;
--   I49  the user who requested a payout does not approve it, nor does a user whose access that user
--        granted; and a payout that waits for approval is not sent;
--   I50  a client's payouts exceed neither its limit per payout nor its limit per day.
create table bank_accounts (
  id                    bigint primary key generated always as identity,
  reference             text collate "C" not null,
  client_id             bigint not null references clients,
  bank_code             text collate "C" not null,
  account_number_sealed bytea not null,
  account_number_hash   bytea not null,
  account_name          text not null, -- The client's spelling.
  name_at_bank          text, -- Null: the bank has not answered yet.
  status                text collate "C" not null,
  is_default            boolean not null default false,
  is_active             boolean not null default true,
  created_by            text collate "C" not null,
  created_at            timestamptz not null,
  enquired_at           timestamptz, -- When the bank last answered.
  -- The users who added a bank account and made it the default, and the times: a user who chose where a
  -- settlement is paid does not approve it alone (I53). Null for older accounts and for client credentials.
  added_by_user         uuid,
  default_by_user       uuid,
  default_at            timestamptz,
  -- When the name enquiry is repeated (src/payouts/name-enquiries.ts).
  enquiries             integer not null default 0, -- Number of repeated enquiries.
  next_enquiry_at       timestamptz, -- Null: not repeated yet.
  added_by_people       uuid[],
  default_by_people     uuid[],

  constraint bank_accounts_reference_unique unique (reference),
  constraint bank_accounts_of_client unique (client_id, id),
  constraint bank_accounts_once_per_client unique (client_id, bank_code, account_number_hash),
  constraint bank_accounts_status_known check (status in ('confirmed', 'mismatch', 'unconfirmed')),
  constraint bank_accounts_name_of_answered
    check ((status = 'unconfirmed') = (name_at_bank is null)),
  constraint bank_accounts_default_is_active check (is_active or not is_default)
);

create unique index bank_accounts_one_default on bank_accounts (client_id) where is_default;
create index bank_accounts_unanswered on bank_accounts (next_enquiry_at)
  where status = 'unconfirmed';

create function keep_account_people() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.added_by_people := people_behind(new.added_by_user, new.client_id, new.created_at);
  end if;
  if tg_op = 'INSERT' or new.default_at is distinct from old.default_at
     or new.default_by_user is distinct from old.default_by_user then
    new.default_by_people := case when new.default_at is not null
      then people_behind(new.default_by_user, new.client_id, new.default_at) end;
  end if;
  return new;
end $$;

create trigger bank_accounts_keep_people before insert or update of default_at on bank_accounts
  for each row execute function keep_account_people();

-- A client's rules for payouts: the amount above which two people are needed (null: never; 0: always), and
-- the operator's limits (null: none).
create table payout_settings (
  client_id                bigint primary key references clients,
  approval_above_kobo      bigint, -- More than this needs approval. Null: nothing does.
  per_payout_kobo          bigint,
  per_day_kobo             bigint,
  -- Requests of client credentials above this amount need two approvers. Null: one is enough.
  two_approvers_above_kobo bigint,
  -- The least reserve of a client's settlements, as the operator sets it. Settlements hold back the greater
  -- of this and the client's own.
  reserve_floor_bps        integer not null default 0,
  reserve_floor_days       integer not null default 0,

  constraint payout_settings_not_negative
    check (approval_above_kobo >= 0 and per_payout_kobo >= 0 and per_day_kobo >= 0),
  constraint payout_settings_reserve_floor_bounded
    check (reserve_floor_bps between 0 and 10000 and reserve_floor_days between 0 and 365
           and (reserve_floor_bps = 0) = (reserve_floor_days = 0))
);

-- The tariffs of banks for payouts, dated like fee rules: a flat fee by amount, VAT on it, and stamp duty.
-- There is one more fee than limits, for amounts above the last limit.
create table payout_tariffs (
  id               bigint primary key generated always as identity,
  bank_code        text collate "C", -- Null: for banks without a tariff of their own.
  band_limits_kobo bigint[] not null,
  band_fees_kobo   bigint[] not null,
  vat_bps          integer not null,
  duty_kobo        bigint not null,
  duty_from_kobo   bigint not null,
  effective_from   timestamptz not null,
  created_by       text collate "C" not null,
  created_at       timestamptz not null,
  withdrawn_at     timestamptz, -- Set in the transaction that withdraws it.

  constraint payout_tariffs_one_at_a_time
    unique nulls not distinct (bank_code, effective_from),
  constraint payout_tariffs_bands_fit
    check (cardinality(band_fees_kobo) = cardinality(band_limits_kobo) + 1
           and 0 <= all (band_fees_kobo) and 0 < all (band_limits_kobo)),
  constraint payout_tariffs_rates_bounded
    check (vat_bps between 0 and 5000 and duty_kobo >= 0 and duty_from_kobo >= 0),
  constraint payout_tariffs_withdrawn_before_they_begin check (withdrawn_at < effective_from)
);

-- The NIP tariff: 10 up to 5,000, 25 up to 50,000, 50 above, VAT, and stamp duty from 10,000.
insert into payout_tariffs
  (band_limits_kobo, band_fees_kobo, vat_bps, duty_kobo, duty_from_kobo, effective_from, created_by,
   created_at)
values ('{500000,5000000}', '{1000,2500,5000}', 750, 5000, 1000000, '2020-03-01', 'manilla', now());

create function refuse_other_than_withdrawing() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.withdrawn_at is not null then
    return old;
  end if;
  if tg_op = 'UPDATE' and new.withdrawn_at is not null
     and to_jsonb(new) - 'withdrawn_at' = to_jsonb(old) - 'withdrawn_at' then
    return new;
  end if;
  raise exception 'a tariff can only be withdrawn before it begins'
    using errcode = 'restrict_violation';
end $$;

create trigger payout_tariffs_only_withdrawn before update or delete on payout_tariffs
  for each row execute function refuse_other_than_withdrawing();

-- Payouts in files, for banks without an API, and what banks report of them.
--
--   I62  a payout is in at most one file, of its own bank, and `sending` from then on. A file is the
--        same bytes for ever. What a bank reported of a payout first counts; a report that
--        contradicts it changes nothing and raises an alert.
create table payout_files (
  id                bigint primary key generated always as identity,
  reference         text collate "C" not null, -- The file's MsgId.
  bank_code         text collate "C" not null,
  format            text collate "C" not null,
  payouts           integer not null,
  amount_kobo       bigint not null,
  execution_date    date not null,
  content_sealed    bytea not null, -- Compressed, in base64.
  content_hash      bytea not null, -- Hash of the downloaded bytes.
  created_by        text collate "C" not null,
  created_at        timestamptz not null,
  downloaded_by     text collate "C", -- First.
  downloaded_at     timestamptz,
  not_delivered_by  text collate "C", -- The bank never got it, or dropped it as a whole, …
  not_delivered_at  timestamptz,
  bank_confirmation text, -- … as it confirmed in these words.

  constraint payout_files_reference_unique unique (reference),
  constraint payout_files_of_bank unique (id, bank_code),
  constraint payout_files_format_known check (format in ('pain.001', 'csv')),
  constraint payout_files_not_empty check (payouts > 0 and amount_kobo > 0),
  constraint payout_files_downloaded_by_somebody
    check ((downloaded_by is null) = (downloaded_at is null)),
  constraint payout_files_not_delivered_is_confirmed
    check (num_nonnulls(not_delivered_by, not_delivered_at, bank_confirmation) in (0, 3))
);

-- Only the state of a file changes later, and its seal when keys are rotated.
create function keep_payout_file() returns trigger language plpgsql as $$
begin
  raise exception 'a payout file does not change'
    using errcode = 'check_violation', constraint = 'payout_files_kept';
end $$;

create trigger payout_files_kept before update on payout_files
  for each row when (
    (new.reference, new.bank_code, new.format, new.payouts, new.amount_kobo, new.execution_date,
     new.content_hash, new.created_by, new.created_at)
    is distinct from
    (old.reference, old.bank_code, old.format, old.payouts, old.amount_kobo, old.execution_date,
     old.content_hash, old.created_by, old.created_at)
    or old.downloaded_at is not null and new.downloaded_at is distinct from old.downloaded_at
    or old.not_delivered_at is not null and new.not_delivered_at is distinct from old.not_delivered_at)
  execute function keep_payout_file();

create trigger payout_files_not_deleted before delete on payout_files
  for each statement execute function refuse_change();

create trigger payout_files_not_truncated before truncate on payout_files
  for each statement execute function refuse_change();

create table payouts (
  id                     bigint primary key generated always as identity,
  reference              text collate "C" not null, -- For ever: the bank pays it once.
  client_id              bigint references clients, -- Null: a return of unidentified money.
  purpose                text collate "C" not null,
  status                 text collate "C" not null default 'queued',
  bank_code              text collate "C" not null, -- The bank that sends it.
  to_bank_code           text collate "C" not null,
  to_account_sealed      bytea not null,
  to_account_name        text not null,
  amount_kobo            bigint not null,
  currency               text collate "C" not null,
  narration              text not null,
  fee_kobo               bigint not null default 0, -- Charged on top; given back unless it is paid.
  vat_kobo               bigint not null default 0,
  fee_rule_id            bigint,
  cost_kobo              bigint not null default 0, -- The bank's charge, once the payout is confirmed: …
  cost_vat_kobo          bigint not null default 0, -- … fee and duty, and the VAT on the fee.
  bank_account_id        bigint,
  subaccount_id          bigint,
  settlement_id          bigint,
  credit_id              bigint references credits, -- Refunds and returns only.
  approval               text collate "C" not null,
  requested_by           text collate "C" not null,
  requested_by_user      uuid,
  requested_at           timestamptz not null,
  decided_by             text collate "C",
  decided_by_user        uuid,
  decided_at             timestamptz,
  decision_reason        text,
  batch_id               bigint, -- The payout file, if it was sent in one.
  sending_at             timestamptz,
  queries                integer not null default 0,
  next_query_at          timestamptz, -- Unknown payouts only.
  bank_reference         text,
  failure_reason         text,
  settled_by             text collate "C",
  settled_at             timestamptz,
  refund_id              bigint,
  -- The assigned suspense item of the credit. Null: the booked part.
  item_id                bigint references suspense_items,
  -- The connection that claimed the payout: a fingerprint of the connector, its address and our identity
  -- there (src/banks/connectors.ts). Only the same connection can report that it never saw the payout.
  -- Null: in a file, by hand, not sent yet, or not recorded.
  sent_over              text collate "C",
  -- Evidence about a payout that its bank does not know (src/payouts/unknown.ts).
  -- `not_found_ms` is the time between such answers that one process has itself measured, by a clock that
  -- nobody sets.
  is_accepted            boolean not null default false, -- The bank said that it has it.
  not_found_answers      integer not null default 0,
  not_found_ms           bigint not null default 0,
  not_found_by           text collate "C", -- The process that got the last such answer, …
  not_found_at_ms        bigint, -- … and when, by its own monotonic clock.
  maker_people           uuid[],
  approvers_needed       smallint not null default 1,
  first_approved_by      text collate "C",
  first_approved_by_user uuid,
  first_approved_at      timestamptz,
  -- Payouts whose order certainly never reached the bank: they are queued again, and sent later (I105).
  send_after             timestamptz,
  unsent_times           integer not null default 0,
  unsent_since           timestamptz,

  constraint payouts_reference_unique unique (reference),
  constraint payouts_of_client unique (client_id, id),
  constraint payouts_purpose_known
    check (purpose in ('payout', 'settlement', 'refund', 'return')),
  constraint payouts_status_known
    check (status in ('queued', 'sending', 'confirmed', 'failed', 'unknown', 'cancelled')),
  constraint payouts_approval_known
    check (approval in ('not_needed', 'needed', 'approved', 'rejected')),
  constraint payouts_amounts_fit
    check (amount_kobo > 0 and fee_kobo >= 0 and vat_kobo >= 0 and cost_kobo >= 0
           and cost_vat_kobo >= 0),
  constraint payouts_of_somebody check (client_id is not null or purpose = 'return'),
  constraint payouts_bank_account_of_same_client
    foreign key (client_id, bank_account_id) references bank_accounts (client_id, id),
  constraint payouts_fee_rule_of_same_client
    foreign key (client_id, fee_rule_id) references fee_rules (client_id, id),
  constraint payouts_only_approved_are_sent check (
    status in ('queued', 'cancelled') or approval in ('not_needed', 'approved')),
  constraint payouts_rejected_are_cancelled check (approval <> 'rejected' or status = 'cancelled'),
  constraint payouts_two_people check (
    approval not in ('approved', 'rejected')
    or decided_by is not null and decided_by <> requested_by and decided_by_user is not null
       and decided_by_user is distinct from requested_by_user and decided_at is not null),
  constraint payouts_sent_has_time
    check ((status in ('queued', 'cancelled')) = (sending_at is null)),
  constraint payouts_unknown_is_asked_for check (status = 'unknown' or next_query_at is null),
  constraint payouts_confirmed_has_reference
    check ((status = 'confirmed') = (bank_reference is not null)),
  constraint payouts_unpaid_has_reason
    check ((status in ('failed', 'cancelled')) = (failure_reason is not null)),
  constraint payouts_settled_by_somebody check (
    (status in ('confirmed', 'failed', 'cancelled')) = (settled_at is not null)
    and (settled_at is null) = (settled_by is null)),
  constraint payouts_settlement_of_same_client
      foreign key (client_id, settlement_id) references settlements (client_id, id),
  constraint payouts_of_settlement_have_one
    check ((purpose = 'settlement') = (settlement_id is not null)),
  constraint payouts_subaccount_of_same_client
      foreign key (client_id, subaccount_id) references subaccounts (client_id, id),
  constraint payouts_refund_of_same_client
    foreign key (client_id, refund_id) references refunds (client_id, id),
  constraint payouts_of_refunds check (refund_id is null or purpose = 'refund'),
  -- Deferred: the payouts are claimed first, and then the file is written.
  constraint payouts_file_of_same_bank foreign key (batch_id, bank_code)
      references payout_files (id, bank_code) deferrable initially deferred,
  constraint payouts_queued_in_no_file
    check (batch_id is null or status not in ('queued', 'cancelled'))
);

create index payouts_by_client on payouts (client_id, id);
create index payouts_of_day on payouts (client_id, requested_at);
create index payouts_to_send on payouts (bank_code, id)
  where status = 'queued' and approval in ('not_needed', 'approved');
create index payouts_open on payouts (status, id)
  where status in ('queued', 'sending', 'unknown');
create index payouts_of_settlement on payouts (settlement_id) where settlement_id is not null;
create index payouts_of_credit on payouts (credit_id) where credit_id is not null;
create index payouts_of_batch on payouts (batch_id) where batch_id is not null;
create index payouts_of_refund on payouts (refund_id) where refund_id is not null;
-- Matching reads these indexes. Credits need none: their ids are in the order of time.
create index payouts_confirmed on payouts (bank_code, settled_at) where status = 'confirmed';
create index payouts_by_bank_reference on payouts (bank_reference) where bank_reference is not null;

-- I106: a payout changes its bank only while no bank can have seen the order, and only if the request named
-- no bank. Refunds and returns are sent by the bank that has the money.
create function check_payout() returns trigger language plpgsql as $$
begin
  if (new.reference, new.client_id, new.purpose, new.to_bank_code,
      new.amount_kobo, new.currency, new.narration, new.fee_kobo, new.vat_kobo,
      new.requested_by, new.requested_by_user, new.requested_at)
     is distinct from
     (old.reference, old.client_id, old.purpose, old.to_bank_code,
      old.amount_kobo, old.currency, old.narration, old.fee_kobo, old.vat_kobo,
      old.requested_by, old.requested_by_user, old.requested_at) then
    raise exception 'what was asked of a payout does not change'
      using errcode = 'check_violation', constraint = 'payouts_keep_what_was_asked';
  end if;
  if new.bank_code <> old.bank_code
     and not (old.status = 'queued' and new.status = 'queued' and old.sending_at is null
              and old.batch_id is null and new.purpose in ('payout', 'settlement')) then
    raise exception 'payout % keeps its bank', old.reference
      using errcode = 'check_violation', constraint = 'payouts_keep_bank';
  end if;
  if new.to_account_name <> old.to_account_name
     and not (old.status = 'cancelled' and new.purpose in ('refund', 'return')
              and new.to_account_name = 'Erased') then
    raise exception 'what was asked of a payout does not change'
      using errcode = 'check_violation', constraint = 'payouts_keep_what_was_asked';
  end if;
  if old.status = 'sending' and new.status = 'queued'
     and (old.batch_id is not null or new.unsent_times <> old.unsent_times + 1) then
    raise exception 'payout % may have been sent', old.reference
      using errcode = 'check_violation', constraint = 'payouts_are_sent_once';
  end if;
  if new.approval <> old.approval and old.approval <> 'needed' then
    raise exception 'a payout is decided once'
      using errcode = 'check_violation', constraint = 'payouts_are_decided_once';
  end if;
  if new.approval = 'approved' and old.approval <> 'approved'
     and stands_behind(new.requested_by_user, new.decided_by_user) then
    raise exception 'nobody to whom the maker gave access may approve'
      using errcode = 'check_violation', constraint = 'payouts_independent_checker';
  end if;
  return null;
end $$;

-- Runs after the constraints, so that their errors come first.
create trigger payouts_checked after update on payouts
  for each row execute function check_payout();

create trigger payouts_not_deleted before delete on payouts
  for each statement execute function refuse_change();

create trigger payouts_not_truncated before truncate on payouts
  for each statement execute function refuse_change();

create function check_payout_file() returns trigger language plpgsql as $$
begin
  raise exception 'only a queued payout is put into a file, and into one'
    using errcode = 'check_violation', constraint = 'payouts_in_one_file';
end $$;

create trigger payouts_in_one_file before update of batch_id on payouts
  for each row when (new.batch_id is distinct from old.batch_id and old.status <> 'queued')
  execute function check_payout_file();

create trigger payouts_keep_maker_people before insert on payouts
  for each row when (new.approval = 'needed')
  execute function keep_maker_people('requested_by', 'requested_by_user', 'requested_at');

create trigger payouts_same_maker_people before update of maker_people on payouts
  for each row when (new.maker_people is distinct from old.maker_people)
  execute function refuse_other_maker_people();

create trigger payouts_checked_by_another after update of approval on payouts
  for each row when (new.approval = 'approved' and old.approval <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');

-- The body is in db/functions/check_payouts_transition.sql. Until it is applied, every row is refused.
create function check_payouts_transition() returns trigger language plpgsql as $$ begin end $$;

create trigger payouts_follow_transitions before update of status on payouts
  for each row when (old.status is distinct from new.status)
  execute function check_payouts_transition();

-- The history of each payout.
create table payout_changes (
  id         bigint primary key generated always as identity,
  payout_id  bigint not null references payouts,
  change     text collate "C" not null, -- The new status, or approved.
  changed_by text collate "C" not null,
  changed_at timestamptz not null,
  detail     text
);

create index payout_changes_by_payout on payout_changes (payout_id, id);

-- Payouts can be held: nothing is sent to any bank until they are released. A restored database holds
-- them by itself, because it no longer knows what was sent after the moment it was restored to.
--
--   I82  while a hold is open, no payout is sent. A payout that was requested before a restore is never sent
--        after it: the service queries the bank.
create table payout_holds (
  id             bigint generated always as identity primary key,
  reason         text not null,
  held_by        text collate "C" not null,
  held_at        timestamptz not null,
  restored_to    timestamptz, -- After a restore: the moment to which the books were restored, …
  last_payout_id bigint, -- … and the last payout that was known then; 0: none.
  released_by    text collate "C",
  released_at    timestamptz,

  constraint payout_holds_released_by_somebody check ((released_at is null) = (released_by is null)),
  constraint payout_holds_of_restore_know_payouts
    check ((restored_to is null) = (last_payout_id is null))
);

create index payout_holds_open on payout_holds (id) where released_at is null;
create index payout_holds_restored on payout_holds (last_payout_id) where last_payout_id is not null;

create function refuse_other_than_releasing() returns trigger language plpgsql as $$
begin
  if old.released_at is null
     and row (new.id, new.reason, new.held_by, new.held_at, new.restored_to, new.last_payout_id)
         is not distinct from
         row (old.id, old.reason, old.held_by, old.held_at, old.restored_to, old.last_payout_id) then
    return new;
  end if;
  raise exception 'a hold is only released' using errcode = 'restrict_violation';
end $$;

create trigger payout_holds_only_released before update on payout_holds
  for each row execute function refuse_other_than_releasing();

create trigger payout_holds_kept before delete on payout_holds
  for each statement execute function refuse_change();

create trigger payout_holds_not_truncated before truncate on payout_holds
  for each statement execute function refuse_change();

-- A bank's final report about a payout, committed before the payout is settled accordingly.
create table payout_results (
  payout_id      bigint primary key references payouts,
  status         text collate "C" not null,
  bank_reference text,
  reason         text,
  reported_by    text collate "C" not null,
  reported_at    timestamptz not null,

  constraint payout_results_final check (
    status = 'confirmed' and bank_reference is not null
    or status = 'failed' and reason is not null)
);

create trigger payout_results_kept before update or delete on payout_results
  for each statement execute function refuse_change();

create trigger payout_results_not_truncated before truncate on payout_results
  for each statement execute function refuse_change();

-- Confirmed payouts that a bank gave back, by its own answers and before any statement shows it (I104),
-- and settled payouts that a bank reported about, which are queried again.
create table payout_returns (
  payout_id   bigint primary key references payouts (id),
  amount_kobo bigint not null constraint payout_returns_of_money check (amount_kobo > 0),
  told_by     text collate "C" not null,
  returned_at timestamptz not null
);

create index payout_returns_by_time on payout_returns (returned_at);

-- Requests to fail a payout that a bank may have: one that is unknown, or in a file; or all open ones of a
-- file that the bank does not have. Failing frees the money: it takes evidence and a second person (I94).
create table payout_failures (
  id                  bigint not null generated always as identity,
  reference           text collate "C" not null,
  requested_by_client bigint not null, -- A client that is an operator.
  payout_id           bigint,
  file_id             bigint,
  reason              text, -- Shown to the client if it is about one payout.
  evidence            text not null,
  state               text collate "C" not null default 'open',
  requested_by        text collate "C" not null,
  requested_by_user   uuid, -- Null: client credentials.
  maker_people        uuid[],
  requested_at        timestamptz not null,
  decided_by          text collate "C",
  decided_by_user     uuid,
  decided_at          timestamptz,
  decision_reason     text,

  constraint payout_failures_pkey primary key (id),
  constraint payout_failures_reference_unique unique (reference),
  constraint payout_failures_requested_by_client_fkey foreign key (requested_by_client)
    references clients (id),
  constraint payout_failures_payout_id_fkey foreign key (payout_id) references payouts (id),
  constraint payout_failures_file_id_fkey foreign key (file_id) references payout_files (id),
  constraint payout_failures_of_one
    check (num_nonnulls(payout_id, file_id) = 1 and (payout_id is null) = (reason is null)),
  constraint payout_failures_have_evidence check (evidence <> ''),
  constraint payout_failures_state_known check (state in ('open', 'approved', 'rejected', 'withdrawn')),
  constraint payout_failures_decided_by_somebody
    check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  constraint payout_failures_two_people
    check (state not in ('approved', 'rejected')
           or decided_by_user is not null and decided_by <> requested_by
              and decided_by_user is distinct from requested_by_user)
);

create index payout_failures_by_state on payout_failures (state, id);
create unique index payout_failures_one_open on payout_failures (payout_id) where state = 'open';
create unique index payout_failures_one_open_of_file on payout_failures (file_id) where state = 'open';

create trigger payout_failures_keep_maker_people before insert on payout_failures
  for each row execute function keep_maker_people('requested_by', 'requested_by_user', 'requested_at');

create function check_payout_failure() returns trigger language plpgsql as $$
declare
  decided constant text[] := array['state', 'decided_by', 'decided_by_user', 'decided_at',
                                   'decision_reason'];
begin
  if to_jsonb(new) - decided is distinct from to_jsonb(old) - decided or old.state <> 'open' then
    raise exception 'a request to fail a payout is decided once, as it was asked for'
      using errcode = 'check_violation', constraint = 'payout_failures_keep_what_was_asked';
  end if;
  return null;
end $$;

create trigger payout_failures_checked after update on payout_failures
  for each row execute function check_payout_failure();

create trigger payout_failures_checked_by_another after update of state on payout_failures
  for each row when (new.state = 'approved' and old.state <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');

create trigger payout_failures_not_deleted before delete on payout_failures
  for each statement execute function refuse_change();

create trigger payout_failures_not_truncated before truncate on payout_failures
  for each statement execute function refuse_change();

-- `reversed_…`: the number of consecutive answers that say so, and the time between them, like not_found_…
-- of payouts. next_query_at null: no more queries.
create table payout_reviews (
  payout_id        bigint primary key references payouts (id),
  says             text collate "C" not null
    constraint payout_reviews_says_known check (says in ('confirmed', 'failed', 'reversed')),
  reported_at      timestamptz not null,
  queries          integer not null default 0,
  next_query_at    timestamptz,
  reversed_answers integer not null default 0,
  reversed_ms      bigint not null default 0,
  reversed_by      text collate "C",
  reversed_at_ms   bigint
);

create index payout_reviews_due on payout_reviews (next_query_at) where next_query_at is not null;

-- The database that sent the payouts known here: a cluster, and a timeline of its log
-- (db/functions/current_database_identity.sql). Where the server says otherwise, this is a standby that
-- was promoted or a copy that was restored, and may lack the last payouts
-- (src/payouts/holds.ts).
create table known_database (
  is_only        boolean primary key default true,
  identity       text collate "C" not null,
  is_synchronous boolean not null, -- Commits waited for a standby.
  noted_at       timestamptz not null,

  constraint known_database_is_one check (is_only)
);

-- The bank account of each party of a client's settlements: the client's default one, and each
-- subaccount's own.
create view settlement_payees as
select client_id, null::bigint as subaccount_id, null::text as subaccount_code,
       id as bank_account_id
  from bank_accounts where is_default
union all
select client_id, id, code, bank_account_id from subaccounts;
