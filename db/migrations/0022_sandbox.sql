-- The sandbox: its clock, its bank and its seeds; and whether this database is a sandbox.

-- The mode of the database (src/sandbox/setup.ts). It cannot change once there is money.
create table database_mode (
  mode    text collate "C" not null,
  since   timestamptz not null,
  is_only boolean not null default true,

  constraint database_mode_pkey primary key (is_only),
  constraint database_mode_is_one check (is_only),
  constraint database_mode_known check (mode in ('sandbox', 'live'))
);

-- The test clock of a sandbox is one for all clients (I76): a row with a time freezes it, a row without
-- one says that a clock was set once. The furthest clock of a client becomes the clock of the sandbox.
-- `version` counts the changes, so that no process takes an earlier answer for a later one.
create table sandbox_clock (
  is_only   boolean not null default true,
  frozen_at timestamptz,
  version   bigint not null,

  constraint sandbox_clock_pkey primary key (is_only),
  constraint sandbox_clock_once check (is_only)
);

-- One at a time for a client. Each step is written in the transaction that counts it, so a seed goes on
-- after a crash exactly where it was.
create table sandbox_seeds (
  id          bigint generated always as identity primary key,
  client_id   bigint not null references clients,
  seed        int not null, -- The same seed makes the same names, amounts and outcomes.
  accounts    int not null,
  days        int not null,
  ends_at     timestamptz not null, -- The time of the request by the sandbox's clock. The history ends there.
  steps       int not null,
  done        int not null default 0,
  begun_at    timestamptz not null, -- In real time, as is the end.
  finished_at timestamptz,
  problem     text, -- Why it ended early.

  constraint sandbox_seeds_within check (done between 0 and steps),
  constraint sandbox_seeds_finish_whole
    check (finished_at is null or problem is not null or done = steps)
);

create index sandbox_seeds_of_client on sandbox_seeds (client_id, id);
create unique index sandbox_seeds_one_running on sandbox_seeds (client_id) where finished_at is null;

-- The payout orders that the sandbox bank received, one row per reference.
create table sandbox_payouts (
  reference      text collate "C" primary key,
  bank_reference text collate "C" not null,
  status         text collate "C" not null,
  reason         text,
  due_at         timestamptz not null, -- Until then a confirmed payout reads as pending.

  constraint sandbox_payouts_status_known check (status in ('confirmed', 'failed', 'silent'))
);

-- How the sandbox bank answers a client's next payouts: those to one account, or whichever are next.
create table sandbox_payout_outcomes (
  id               bigint generated always as identity primary key,
  client_id        bigint not null references clients,
  outcome          text collate "C" not null,
  account_hash     bytea, -- Hash of the destination. Null: any.
  created_at       timestamptz not null,
  payout_reference text collate "C", -- The payout that it decided.

  constraint sandbox_payout_outcomes_used_once unique (payout_reference),
  constraint sandbox_payout_outcomes_known
    check (outcome in ('ok', 'failed', 'slow', 'never', 'answer_lost'))
);

create index sandbox_payout_outcomes_waiting on sandbox_payout_outcomes (client_id, id)
  where payout_reference is null;

-- Transfers that the sandbox bank does not report at once. It answers requeries about the credits among them,
-- reported or not.
create table sandbox_reports (
  id                  bigint generated always as identity primary key,
  client_id           bigint not null references clients,
  step                text collate "C" not null,
  bank_code           text collate "C" not null,
  account_number      text collate "C" not null,
  session_id          text collate "C" not null,
  original_session_id text collate "C", -- The credit that a reversal takes back.
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
