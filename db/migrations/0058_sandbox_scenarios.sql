-- The sandbox's scenarios: what its bank reports later or never, how it answers payouts, and what a
-- client does to its own webhooks. Empty in live mode.

-- What the sandbox bank did not report at once. It answers for the credits among them whenever it is
-- asked, reported or not.
create table sandbox_reports (
  id                  bigint generated always as identity primary key,
  client_id           bigint not null references clients,
  step                text collate "C" not null,
  bank_code           text collate "C" not null,
  account_number      text collate "C" not null,
  session_id          text collate "C" not null,
  original_session_id text collate "C", -- Of the credit that a reversal takes back.
  amount_kobo         bigint not null,
  narration           text not null,
  made_at             timestamptz not null,
  due_at              timestamptz, -- Null: lost. It is never reported, only answered.
  reported_at         timestamptz,
  outcome             text collate "C",

  constraint sandbox_reports_made_once unique (session_id),
  constraint sandbox_reports_step_known check (step in ('credit', 'reversal')),
  constraint sandbox_reports_reversal_of_one
    check ((step = 'reversal') = (original_session_id is not null)),
  constraint sandbox_reports_amount_positive check (amount_kobo > 0),
  constraint sandbox_reports_reported_with_outcome check ((reported_at is null) = (outcome is null)),
  constraint sandbox_reports_lost_not_reported check (due_at is not null or reported_at is null)
);
create index sandbox_reports_due on sandbox_reports (due_at) where reported_at is null;
create index sandbox_reports_answered on sandbox_reports (bank_code, id) where step = 'credit';

-- How the sandbox bank answers a client's next payouts: those to one account, or whichever are next.
create table sandbox_payout_outcomes (
  id               bigint generated always as identity primary key,
  client_id        bigint not null references clients,
  outcome          text collate "C" not null,
  account_hash     bytea, -- Of the destination. Null: any.
  created_at       timestamptz not null,
  payout_reference text collate "C", -- The payout that it decided.

  constraint sandbox_payout_outcomes_used_once unique (payout_reference),
  constraint sandbox_payout_outcomes_known
    check (outcome in ('ok', 'failed', 'slow', 'never', 'answer_lost'))
);
create index sandbox_payout_outcomes_waiting on sandbox_payout_outcomes (client_id, id)
  where payout_reference is null;

-- How deliveries to a webhook endpoint are disturbed. `held_event_id` is the delivery that waits for
-- a later one to overtake it, until `is_overtaken`.
create table webhook_chaos (
  endpoint_id   uuid primary key,
  client_id     bigint not null references clients,
  delay_ms      int not null,
  duplicate     int not null,
  reorder       boolean not null,
  drop_next     int not null,
  held_event_id uuid,
  is_overtaken  boolean not null default false,
  updated_at    timestamptz not null,

  constraint webhook_chaos_endpoint_of_same_client
    foreign key (client_id, endpoint_id) references webhook_endpoints (client_id, id),
  constraint webhook_chaos_not_negative check (least(delay_ms, duplicate, drop_next) >= 0)
);

-- What a client's own chaos settings did with an attempt. Null: nothing.
alter table delivery_attempts add column chaos text collate "C";
alter table delivery_attempts add constraint delivery_attempts_chaos_known
  check (chaos in ('delayed', 'reordered', 'dropped', 'repeated'));
