-- Requery: what banks are asked about money that may have come unheard, and how each bank is doing.
--
--   open ──▶ found | not_found     the bank answered; what it found is booked as any credit
--     ├────▶ dropped               the money came by itself, or the payment is over
--     └────▶ merged                one wider question asks for it and others (merged_into)
--
-- No answer ends nothing: the question stays open and is asked again.

create table bank_health (
  bank_code     text collate "C" primary key,
  -- Of the last second, for the rate limit: claims are made under the lock of this row.
  calls         timestamptz[] not null default '{}',
  -- The circuit breaker (src/circuit-breaker.ts).
  failures      integer not null default 0,
  failing_since timestamptz,
  paused_until  timestamptz,
  last_heard_at timestamptz, -- By notification, of any credit.
  silent_since  timestamptz
) with (fillfactor = 50);

create table requeries (
  id                    bigint primary key generated always as identity,
  bank_code             text collate "C" not null,
  reason                text collate "C" not null,
  -- What is asked for, as text: the same is not asked twice at a time.
  subject               text collate "C" not null,
  -- One transfer, by what the bank calls it; else all to one number; else all of the bank.
  identifier_kind       text collate "C",
  identifier            text collate "C",
  account_number        text collate "C",
  from_at               timestamptz, -- Null: asked by identifier.
  to_at                 timestamptz, -- Set while pages are read, so that they are of one list.
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
  new_credits           integer not null default 0, -- That it brought to light.
  created_at            timestamptz not null,
  asked_at              timestamptz,
  finished_at           timestamptz,

  constraint requeries_reason_known check (reason in
    ('name_enquiry', 'payer', 'expiry', 'grace', 'demand', 'silence', 'sweep')),
  constraint requeries_state_known check (state in
    ('open', 'found', 'not_found', 'dropped', 'merged')),
  constraint requeries_ask_for_one_thing check (
    (identifier is null) = (identifier_kind is null) and (identifier is null) <> (from_at is null)),
  constraint requeries_finished_has_time check ((state = 'open') = (finished_at is null)),
  constraint requeries_merged_into_one check ((state = 'merged') = (merged_into is not null)),
  constraint requeries_payment_of_same_client
    foreign key (client_id, payment_id) references payments (client_id, id),
  constraint requeries_account_of_same_client
    foreign key (client_id, collection_account_id) references collection_accounts (client_id, id)
);

create unique index requeries_one_open on requeries (bank_code, reason, subject)
 where state = 'open';
-- Planned by the clock, which comes to the same again in every process: never asked twice.
create unique index requeries_planned_once on requeries (bank_code, subject)
 where reason in ('expiry', 'grace', 'silence', 'sweep');
create index requeries_due on requeries (bank_code, due_at) where state = 'open';
create index requeries_by_payment on requeries (payment_id, id) where payment_id is not null;
create index requeries_by_account on requeries (collection_account_id, id)
 where collection_account_id is not null;
create index requeries_finished on requeries (finished_at) where state <> 'open';
create index requeries_merged on requeries (merged_into) where merged_into is not null;

-- Every call that was made, and what came of it.
create table requery_attempts (
  id          bigint primary key generated always as identity,
  requery_id  bigint not null references requeries on delete cascade,
  bank_code   text collate "C" not null,
  asked_at    timestamptz not null,
  answer      text collate "C" not null,
  credits     integer not null default 0, -- In the answer.
  new_credits integer not null default 0, -- Of these, not known before.
  latency_ms  integer not null,
  error       text,

  constraint requery_attempts_answer_known check (answer in
    ('found', 'listed', 'in_progress', 'not_found', 'no_answer')),
  constraint requery_attempts_only_silence_has_error
    check ((answer = 'no_answer') = (error is not null))
);

create index requery_attempts_of_requery on requery_attempts (requery_id, id);
create index requery_attempts_by_bank on requery_attempts (bank_code, asked_at);

-- Which call brought a credit to light.
create table requery_findings (
  credit_id  bigint primary key,
  attempt_id bigint not null references requery_attempts on delete cascade
);

create index requery_findings_of_attempt on requery_findings (attempt_id);

-- How often a bank's notifications took, or stayed away, about so long (bank-measures.ts).
create table bank_measures (
  bank_code text collate "C" not null,
  measure   text collate "C" not null,
  hour      timestamptz not null,
  bucket    smallint not null,
  count     bigint not null,

  primary key (bank_code, measure, hour, bucket),
  constraint bank_measures_known check (measure in ('lag', 'gap'))
) with (fillfactor = 50);
