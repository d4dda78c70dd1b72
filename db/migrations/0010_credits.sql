-- Credits (money that a bank reported), their suspense items, reversals and rail items.
--
-- The parts of a credit show where its money is: the booked part (amount - suspended - reversed) belongs to
-- its collection account or payment; the rest is in suspense items, each with a state of its own.
--
--   I12  a credit is taken exactly once: its identity is (bank, session id);
--   I13  all money in suspense belongs to an item with a reason and a way out, and the open items sum to
--        the balance of their suspense account.
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
  suspended_kobo        bigint not null default 0, -- The part of the amount that went to suspense,
  reversed_kobo         bigint not null default 0, -- and the part of the rest that the bank reversed.
  currency              text collate "C" not null,
  outcome               text collate "C" not null,
  reason                text collate "C", -- Why the credit, or its excess, is in suspense.
  source_account_sealed bytea,
  source_account_name   text,
  source_bank_code      text collate "C",
  narration             text,
  transacted_at         timestamptz, -- The bank's time of the transfer …
  received_at           timestamptz not null, -- … and the time of its report.
  -- NIP's session ids have 30 digits; other rails name a transfer as they like.
  judged_by             text collate "C", -- Null: no time decided, or the credit is older than this column.
  -- The day of a transfer if the bank reports no time of day, because a midnight would be taken for a time.
  transacted_on         date, -- Null where there is a time, or the bank gave neither.
  identified_by         text collate "C" not null, -- Kind of the session_id.
  source                text collate "C" not null default 'notification',
  fee_kobo              bigint not null default 0,
  vat_kobo              bigint not null default 0,
  duty_kobo             bigint not null default 0,

  constraint credits_amount_positive check (amount_kobo > 0),
  constraint credits_parts_fit check (
    suspended_kobo >= 0 and reversed_kobo >= 0 and suspended_kobo + reversed_kobo <= amount_kobo),
  constraint credits_outcome_known check (outcome in
    ('booked', 'suspended', 'assigned', 'returned', 'reversed')),
  constraint credits_session_id_length check (length(session_id) between 1 and 64),
  constraint credits_judged_by_known check (judged_by in ('bank_time', 'arrival')),
  constraint credits_transacted_once check (transacted_at is null or transacted_on is null),
  constraint credits_source_known
    check (source in ('notification', 'requery', 'statement', 'sandbox')),
  constraint credits_charges_fit check (
    fee_kobo >= 0 and vat_kobo >= 0 and duty_kobo >= 0
    and fee_kobo + vat_kobo + duty_kobo < amount_kobo),
  constraint credits_identified_by_known
    check (identified_by in ('session_id', 'settlement_id', 'bank_reference', 'clearing_reference',
                             'uetr'))
);

create index credits_by_number on credits (account_number, id);
create index credits_by_client on credits (client_id, id) where client_id is not null;
create index credits_by_payment on credits (payment_id, id) where payment_id is not null;
-- Nearly all credits are booked and stay booked. This index finds the others.
create index credits_by_outcome on credits (client_id, outcome, id) where outcome <> 'booked';

create trigger credits_kept before delete on credits
  for each statement execute function refuse_change();

-- Every identifier of every credit in one table, so that one key decides between two routes that race. The
-- value is the first column, because nearly every look-up has it, and search has nothing else.
create table credit_identifiers (
  credit_id bigint not null,
  is_first  boolean not null, -- The credit shows this one as its session_id.
  value     text collate "C" not null,
  bank_code text collate "C" not null,
  kind      text collate "C" not null,

  constraint credits_taken_once primary key (value, bank_code, kind),
  constraint credit_identifiers_value_length check (length(value) between 1 and 64),
  -- Identifiers of ISO 20022 besides the session id and the bank's reference: ClrSysRef and UETR.
  constraint credit_identifiers_kind_known
    check (kind in ('session_id', 'settlement_id', 'bank_reference', 'clearing_reference', 'uetr'))
);

-- Most credits have only the first one, which has no entry here.
create index credit_identifiers_further on credit_identifiers (credit_id) where not is_first;

create trigger credit_identifiers_append_only
  before update or delete on credit_identifiers
  for each statement execute function refuse_change();

create trigger credit_identifiers_not_truncated
  before truncate on credit_identifiers
  for each statement execute function refuse_change();

-- The times at which the credits of each block of ids were received, written once the block is complete
-- (src/db/bounds.ts). Blocks are written in order, from the first credit on; one
-- without credits has no row.
create table credit_blocks (
  block    bigint primary key,
  first_at timestamptz not null,
  last_at  timestamptz not null,

  constraint credit_blocks_in_order check (first_at <= last_at)
);

-- The register of signed reports that could not be booked.
--
--   I28  every signed report of an amount is booked, in suspense, or in this register.
create table rail_items (
  id            bigint primary key generated always as identity,
  bank_code     text collate "C" not null,
  call          text collate "C" not null, -- The endpoint that the bank called: credits or reversals.
  outcome       text collate "C" not null,
  reason        text collate "C" not null,
  response_code text collate "C" not null, -- Our response to the bank.
  session_id    text, -- The bank's text, shortened. It need not be a session id.
  amount_text   text, -- The bank's text, shortened. It need not be a number.
  item_hash     bytea not null, -- Keyed hash that identifies a repeated item.
  body_sealed   bytea not null,
  received_at   timestamptz not null,
  -- A reversal that arrives before its credit is stored as a rail item, and taken when the bank repeats it.
  -- These columns find reversals that the bank never repeated.
  taken_at      timestamptz,
  -- The identifiers of the credit that a reversal names. Null for older items.
  originals     text[] collate "C",

  constraint rail_items_kept_once unique (bank_code, item_hash),
  constraint rail_items_call_known check (call in ('credits', 'reversals')),
  constraint rail_items_outcome_known check (outcome in ('rejected', 'unreadable'))
);

create index rail_items_by_outcome on rail_items (outcome, id);
create index rail_items_untaken on rail_items (bank_code, session_id)
  where call = 'reversals' and taken_at is null;

-- Credits that a bank took back, whole or in part. Taken exactly once, like the credits.
create table reversals (
  id              bigint primary key generated always as identity,
  bank_code       text collate "C" not null,
  session_id      text collate "C" not null,
  credit_id       bigint not null references credits,
  amount_kobo     bigint not null check (amount_kobo > 0),
  shortfall_kobo  bigint not null default 0, -- The part of the amount that was paid out before.
  received_at     timestamptz not null,
  -- Reversals of money that has left.
  --
  --   I57  a reversal is taken from the ledger account of the credit as far as its balance allows, and the
  --        rest is the client's debt: nobody else pays for it, and no part is taken twice.
  receivable_kobo bigint not null default 0, -- The part of the amount that the client owes.
  -- The message in which a bank reported the reversal, and the position in it. It distinguishes two reversals
  -- of one amount and one id. Null: not recorded, or the reversal has an id of its own.
  place           text collate "C",

  constraint reversals_taken_once unique (session_id, bank_code),
  constraint reversals_parts_fit check (
    shortfall_kobo >= 0 and receivable_kobo >= 0 and shortfall_kobo + receivable_kobo <= amount_kobo)
);

create index reversals_by_credit on reversals (credit_id);
create index reversals_by_time on reversals (bank_code, received_at);

create table suspense_items (
  id                  bigint primary key generated always as identity,
  credit_id           bigint not null references credits,
  client_id           bigint references clients, -- Null: unidentified money, which the operator resolves.
  account_id          bigint not null references ledger_accounts,
  amount_kobo         bigint not null check (amount_kobo > 0),
  reason              text collate "C" not null,
  state               text collate "C" not null default 'open',
  assigned_account_id bigint references collection_accounts,
  assigned_payment_id uuid references payments,
  opened_at           timestamptz not null,
  closed_at           timestamptz,
  -- The client to which unidentified money was assigned. It stays when the money returns to suspense.
  given_client_id     bigint references clients,

  constraint suspense_items_state_known
    check (state in ('open', 'assigned', 'returning', 'returned', 'reversed')),
  constraint suspense_items_closed_has_time check ((state = 'open') = (closed_at is null)),
  constraint suspense_items_assigned_to_one check (
    (state = 'assigned') = (num_nonnulls(assigned_account_id, assigned_payment_id) = 1)),
  -- I11 as foreign keys, which cost credits nothing: only people write these columns. An operator may assign
  -- unidentified money (client_id null) to any client.
  constraint suspense_items_account_of_same_client
      foreign key (client_id, assigned_account_id) references collection_accounts (client_id, id),
  constraint suspense_items_payment_of_same_client
    foreign key (client_id, assigned_payment_id) references payments (client_id, id)
);

create index suspense_items_open on suspense_items (client_id, id) where state = 'open';
create index suspense_items_by_client on suspense_items (client_id, state)
  include (amount_kobo, credit_id, account_id);
create index suspense_items_by_credit on suspense_items (credit_id);
create index suspense_items_by_payment on suspense_items (assigned_payment_id)
  where assigned_payment_id is not null;
create index suspense_items_returning on suspense_items (id) where state = 'returning';
create index suspense_items_given on suspense_items (given_client_id, credit_id)
  where given_client_id is not null;
create index suspense_items_by_amount on suspense_items (client_id, amount_kobo, id)
  where state = 'open';
create index suspense_items_by_time on suspense_items (opened_at, id);

-- The body is in db/functions/check_suspense_items_transition.sql. Until it is applied, every row is refused.
create function check_suspense_items_transition() returns trigger language plpgsql as $$ begin end $$;

create trigger suspense_items_follow_transitions before update of state on suspense_items
  for each row when (old.state is distinct from new.state)
  execute function check_suspense_items_transition();

-- The history of each item. Append-only.
create table suspense_changes (
  id          bigint primary key generated always as identity,
  item_id     bigint not null references suspense_items,
  client_id   bigint references clients, -- The owner at the time. Null: unidentified.
  change      text collate "C" not null,
  from_state  text collate "C" not null,
  amount_kobo bigint not null check (amount_kobo > 0), -- The amount concerned …
  left_kobo   bigint not null check (left_kobo >= 0), -- … and the rest of the item.
  reference   text, -- Payment, account number, or the bank's reference.
  changed_at  timestamptz not null,

  constraint suspense_changes_known check (change in
    ('assigned', 'suspended_again', 'return_requested', 'returned', 'return_failed', 'reversed'))
);

create index suspense_changes_by_item on suspense_changes (item_id, id);
create index suspense_changes_of_returns on suspense_changes (client_id)
  include (item_id, amount_kobo) where change = 'reversed' and from_state = 'returning';

create trigger suspense_changes_append_only
  before update or delete on suspense_changes
  for each statement execute function refuse_change();

create trigger suspense_changes_not_truncated
  before truncate on suspense_changes
  for each statement execute function refuse_change();

-- The amounts that a reversal found missing, by ledger account.
create table receivables (
  id          bigint primary key generated always as identity,
  reversal_id bigint not null references reversals,
  client_id   bigint not null references clients,
  account_id  bigint not null references ledger_accounts,
  amount_kobo bigint not null,

  constraint receivables_amount_positive check (amount_kobo > 0)
);

create index receivables_by_reversal on receivables (reversal_id);
create index receivables_by_account on receivables (account_id);
