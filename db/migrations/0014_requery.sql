-- Requery: questions to banks about money that may have arrived without a report; and the health of banks.
--
--   open ──▶ found | not_found     the bank answered; what it found is booked as any credit
--     ├────▶ dropped               the money came by itself, or the payment is over
--     └────▶ merged                one wider requery asks for it and others (merged_into)
--
-- No answer ends nothing: the requery stays open and the bank is asked again.
create table bank_health (
  bank_code     text collate "C" primary key,
  -- Calls of the last second, for the rate limit. Claims are made under the lock of this row.
  calls         timestamptz[] not null default '{}',
  -- The circuit breaker (src/requery/bank-health.ts).
  failures      integer not null default 0,
  failing_since timestamptz,
  paused_until  timestamptz,
  last_heard_at timestamptz, -- When the bank last sent any notification.
  silent_since  timestamptz,
  -- Kinds of calls that wait for room in the bank's rate, in the order in which they are served
  -- (src/records/call-rates.ts).
  waiting       jsonb not null default '[]'
) with (fillfactor = 50);

-- A histogram of the delays of a bank's notifications and of its silences (bank-measures.ts).
create table bank_measures (
  bank_code text collate "C" not null,
  measure   text collate "C" not null,
  hour      timestamptz not null,
  bucket    smallint not null,
  count     bigint not null,

  primary key (bank_code, measure, hour, bucket),
  constraint bank_measures_known check (measure in ('lag', 'gap'))
) with (fillfactor = 50);

create table requeries (
  id                    bigint primary key generated always as identity,
  bank_code             text collate "C" not null,
  reason                text collate "C" not null,
  -- The question as text: the same question is not open twice.
  subject               text collate "C" not null,
  -- One transfer by its identifier at the bank; else all transfers to one number; else all of the bank.
  identifier_kind       text collate "C",
  identifier            text collate "C",
  account_number        text collate "C",
  from_at               timestamptz, -- Null: asked by identifier.
  to_at                 timestamptz, -- Set while pages are read, so that all pages belong to one list.
  cursor                text,
  client_id             bigint,
  payment_id            uuid,
  collection_account_id bigint,
  state                 text collate "C" not null default 'open',
  merged_into           bigint references requeries,
  due_at                timestamptz not null,
  repeat_until          timestamptz, -- "Not found" is final after this. Null: at once.
  leased_until          timestamptz,
  attempts              integer not null default 0,
  repeats               integer not null default 0, -- In a row: each waits longer.
  new_credits           integer not null default 0, -- Credits that the requery found first.
  created_at            timestamptz not null,
  asked_at              timestamptz,
  finished_at           timestamptz,

  constraint requeries_state_known check (state in
    ('open', 'found', 'not_found', 'dropped', 'merged')),
  constraint requeries_ask_for_one_thing check (
    (identifier is null) = (identifier_kind is null) and (identifier is null) <> (from_at is null)),
  constraint requeries_finished_has_time check ((state = 'open') = (finished_at is null)),
  constraint requeries_merged_into_one check ((state = 'merged') = (merged_into is not null)),
  constraint requeries_payment_of_same_client
    foreign key (client_id, payment_id) references payments (client_id, id),
  constraint requeries_account_of_same_client
    foreign key (client_id, collection_account_id) references collection_accounts (client_id, id),
  -- A bank that does not sign its reports is queried for each report.
  constraint requeries_reason_known
    check (reason in ('notification', 'name_enquiry', 'payer', 'expiry', 'grace', 'demand', 'silence',
                      'sweep'))
);

create unique index requeries_one_open on requeries (bank_code, reason, subject)
 where state = 'open';
-- Planned by the clock, to the same times in every process, so no sweep runs twice.
create unique index requeries_planned_once on requeries (bank_code, subject)
 where reason in ('expiry', 'grace', 'silence', 'sweep');
create index requeries_due on requeries (bank_code, due_at) where state = 'open';
create index requeries_by_payment on requeries (payment_id, id) where payment_id is not null;
create index requeries_by_account on requeries (collection_account_id, id)
 where collection_account_id is not null;
create index requeries_finished on requeries (finished_at) where state <> 'open';
create index requeries_merged on requeries (merged_into) where merged_into is not null;

-- Every call to a bank, and its result.
create table requery_attempts (
  id          bigint primary key generated always as identity,
  requery_id  bigint not null references requeries on delete cascade,
  bank_code   text collate "C" not null,
  asked_at    timestamptz not null,
  answer      text collate "C" not null,
  credits     integer not null default 0, -- In the answer.
  new_credits integer not null default 0, -- Among them, those not known before.
  latency_ms  integer not null,
  error       text,

  constraint requery_attempts_answer_known check (answer in
    ('found', 'listed', 'in_progress', 'not_found', 'no_answer')),
  constraint requery_attempts_only_silence_has_error
    check ((answer = 'no_answer') = (error is not null))
);

create index requery_attempts_of_requery on requery_attempts (requery_id, id);
create index requery_attempts_by_bank on requery_attempts (bank_code, asked_at);

-- The call that found a credit.
create table requery_findings (
  credit_id  bigint primary key,
  attempt_id bigint not null references requery_attempts on delete cascade
);

create index requery_findings_of_attempt on requery_findings (attempt_id);
