-- Credits (money that a bank says arrived), what is in suspense of them, reversals and alerts.
--
-- The parts of a credit tell where its money is: what is booked (amount - suspended - reversed) is
-- with its collection account or payment; the rest is in suspense items, each with its own fate.
--
--   I12  a credit is taken exactly once: its identity is (bank, session id);
--   I13  what is in suspense is an item here with a reason and a way out, and the items that are
--        open sum to the balance of their suspense account.

create sequence credit_ids;

create table credits (
  id                    bigint primary key default nextval('credit_ids'),
  bank_code             text collate "C" not null,
  session_id            text collate "C" not null,
  account_number        text collate "C" not null,
  client_id             bigint,
  collection_account_id bigint,
  payment_id            uuid,
  amount_kobo           bigint not null,
  suspended_kobo        bigint not null default 0, -- Of the amount, what went to suspense,
  reversed_kobo         bigint not null default 0, -- and what of the rest the bank took back.
  currency              text collate "C" not null,
  outcome               text collate "C" not null,
  reason                text collate "C", -- Why it, or the excess of it, is in suspense.
  source_account_sealed bytea,
  source_account_name   text,
  source_bank_code      text collate "C",
  narration             text,
  transacted_at         timestamptz, -- When it happened, as the bank says …
  received_at           timestamptz not null, -- … and when we learned of it.

  constraint credits_taken_once unique (session_id, bank_code),
  constraint credits_amount_positive check (amount_kobo > 0),
  constraint credits_parts_fit check (
    suspended_kobo >= 0 and reversed_kobo >= 0 and suspended_kobo + reversed_kobo <= amount_kobo),
  constraint credits_session_id_shape check (length(session_id) = 30),
  constraint credits_outcome_known check (outcome in
    ('booked', 'suspended', 'assigned', 'returned', 'reversed'))
);

create index credits_by_number on credits (account_number, id);
create index credits_by_client on credits (client_id, id) where client_id is not null;
create index credits_by_payment on credits (payment_id, id) where payment_id is not null;

-- Nearly all credits are booked and stay so: the others are found by what became of them.
create index credits_by_outcome on credits (client_id, outcome, id) where outcome <> 'booked';

create table suspense_items (
  id                       bigint primary key generated always as identity,
  credit_id                bigint not null references credits,
  client_id                bigint references clients, -- Null: nobody's, the operator's to resolve.
  account_id               bigint not null references ledger_accounts,
  amount_kobo              bigint not null check (amount_kobo > 0),
  reason                   text collate "C" not null,
  state                    text collate "C" not null default 'open',
  assigned_account_id      bigint references collection_accounts,
  assigned_payment_id      uuid references payments,
  return_reference         text, -- The bank's own, once it has confirmed the return.
  opened_at                timestamptz not null,
  closed_at                timestamptz,

  constraint suspense_items_state_known
    check (state in ('open', 'assigned', 'returning', 'returned', 'reversed')),
  constraint suspense_items_closed_has_time check ((state = 'open') = (closed_at is null)),
  constraint suspense_items_assigned_to_one check (
    (state = 'assigned') = (num_nonnulls(assigned_account_id, assigned_payment_id) = 1))
);

create index suspense_items_open on suspense_items (client_id, id) where state = 'open';
create index suspense_items_by_client on suspense_items (client_id, state)
  include (amount_kobo, credit_id, account_id);
create index suspense_items_by_credit on suspense_items (credit_id);
create index suspense_items_by_payment on suspense_items (assigned_payment_id)
  where assigned_payment_id is not null;
create index suspense_items_returning on suspense_items (id) where state = 'returning';

-- Credits that a bank took back, whole or in part. Taken exactly once, like the credits.
create table reversals (
  id             bigint primary key generated always as identity,
  bank_code      text collate "C" not null,
  session_id     text collate "C" not null,
  credit_id      bigint not null references credits,
  amount_kobo    bigint not null check (amount_kobo > 0),
  shortfall_kobo bigint not null default 0, -- Of the amount, what had left us already.
  received_at    timestamptz not null,

  constraint reversals_taken_once unique (session_id, bank_code),
  constraint reversals_shortfall_is_part check (shortfall_kobo between 0 and amount_kobo)
);

create index reversals_by_credit on reversals (credit_id);

-- What an operator must look at. Written in the transaction that met it.
create table alerts (
  id         bigint primary key generated always as identity,
  kind       text collate "C" not null,
  subject    text not null,
  detail     jsonb not null,
  raised_at  timestamptz not null,
  cleared_at timestamptz
);

-- The same thing is not raised twice while it stands.
create unique index alerts_standing on alerts (kind, subject) where cleared_at is null;
