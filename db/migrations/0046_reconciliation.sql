-- Reconciliation: the books held against the banks' statements.
--
--   I63  what the books say moved a bank's account is the sum of its items (bank_items), to the kobo;
--   I64  a statement adds up, and follows the one before it or the gap is a difference. The same file,
--        and the same line in another file, is taken once;
--   I65  every kobo of a line is matched to items or stands in a difference, and every kobo of an
--        item that a statement covers is matched by lines or stands in a difference. So the
--        statement's balance is always the books' balance, plus items in transit, plus differences.

-- Each upload, also one that failed. Written as it goes on, outside the transaction of the import.
create table statement_imports (
  id          bigint primary key generated always as identity,
  bank_code   text collate "C" not null,
  format      text collate "C" not null,
  profile     text collate "C",
  file_name   text,
  file_hash   bytea, -- SHA-256 of the content, unpacked. Known when all of it is read.
  state       text collate "C" not null default 'reading',
  lines       integer not null default 0, -- So far.
  error_line  integer,
  error       text,
  started_by  text collate "C" not null,
  started_at  timestamptz not null,
  updated_at  timestamptz not null, -- While it goes on, every few seconds: else it was cut off.

  constraint statement_imports_format_known check (format in ('camt053', 'mt940', 'csv')),
  constraint statement_imports_state_known
    check (state in ('reading', 'matching', 'done', 'unchanged', 'failed')),
  constraint statement_imports_failed_has_reason check ((state = 'failed') = (error is not null))
);

create unique index statement_imports_taken_once on statement_imports (bank_code, file_hash)
  where state = 'done';

create table statements (
  id             bigint primary key generated always as identity,
  import_id      bigint not null references statement_imports,
  bank_code      text collate "C" not null,
  currency       text collate "C" not null,
  account_number text collate "C", -- As the bank writes it. Null: the file does not say.
  reference      text collate "C", -- Stmt/Id, or :20:
  sequence       bigint,           -- ElctrncSeqNb, or :28C:
  from_day       date not null,
  to_day         date not null,
  opening_kobo   bigint not null,
  closing_kobo   bigint not null,
  has_balances   boolean not null, -- False: the file has none, and these follow from the one before.
  lines          integer not null, -- In the file, …
  new_lines      integer not null, -- … and of those, in none before.
  imported_at    timestamptz not null,
  matched_at     timestamptz, -- Null: its lines were not held against the books yet.

  constraint statements_days_in_order check (from_day <= to_day)
);

create index statements_of_bank on statements (bank_code, currency, to_day, id);
create index statements_to_match on statements (bank_code, currency) where matched_at is null;

create table statement_lines (
  id                   bigint primary key generated always as identity,
  statement_id         bigint not null,
  bank_code            text collate "C" not null,
  currency             text collate "C" not null,
  line_no              integer not null, -- In the file, from 1: of a text file its line.
  booked_on            date not null,
  value_on             date,
  amount_kobo          bigint not null, -- Above zero: to us.
  is_reversal          boolean not null default false,
  kind                 text collate "C" not null,
  session_id           text collate "C",
  bank_reference       text collate "C",
  end_to_end_id        text collate "C",
  account_number       text collate "C", -- Of ours that it was sent to, where the line tells.
  counterparty_name    text,
  counterparty_sealed  bytea,
  counterparty_bank    text collate "C",
  narration            text,
  hash                 bytea not null, -- Keyed, of its content, and of how many like it stand before it.

  -- Of the bank, the currency and the day too, all of which are hashed. With the day first, new lines
  -- fall into one place of the index.
  constraint statement_lines_taken_once unique (booked_on, hash),
  constraint statement_lines_amount_not_zero check (amount_kobo <> 0),
  constraint statement_lines_kind_known check (kind in
    ('credit', 'fee', 'vat', 'stamp_duty', 'sweep', 'payout', 'return', 'other'))
);

create index statement_lines_of_statement on statement_lines (statement_id, id);
create index statement_lines_sweeps on statement_lines (bank_code, currency, booked_on)
  where kind = 'sweep';
create index statement_lines_of_day on statement_lines (bank_code, currency, booked_on, id);

-- What a line is for: one item or several; and an item may have several lines. `amount_kobo` is the
-- part of the item that it accounts for, signed as in bank_items.
create table statement_matches (
  line_id     bigint not null,
  item_kind   text collate "C" not null,
  item_id     bigint not null,
  amount_kobo bigint not null,
  bank_code   text collate "C" not null,
  currency    text collate "C" not null,
  line_day    date not null,
  item_day    date not null, -- When it was posted, in West Africa.
  rule        text collate "C" not null,
  matched_at  timestamptz not null,
  matched_by  text collate "C", -- Null: by rule.

  constraint statement_matches_pkey primary key (item_kind, item_id, line_id),
  constraint statement_matches_item_kind_known check (item_kind in
    ('credit', 'charges', 'reversal', 'payout', 'payout_cost', 'return', 'recovery', 'booked')),
  constraint statement_matches_rule_known check (rule in
    ('session_id', 'bank_reference', 'our_reference', 'account_and_amount', 'sweep', 'charge',
     'confirmed', 'booked'))
);

create index statement_matches_of_line on statement_matches (line_id);
-- On its way at the end of a day: matched, but on different days.
create index statement_matches_in_transit on statement_matches (bank_code, currency, line_day, item_day)
  include (amount_kobo) where line_day <> item_day;

create table differences (
  id             bigint primary key generated always as identity,
  bank_code      text collate "C" not null,
  currency       text collate "C" not null,
  day            date not null, -- From which on it counts.
  kind           text collate "C" not null,
  amount_kobo    bigint not null, -- By how much it makes the statement more than the books.
  line_id        bigint,
  item_kind      text collate "C",
  item_id        bigint,
  statement_id   bigint references statements,
  state          text collate "C" not null default 'open',
  suggested_kind text collate "C", -- The item that the line may be for: a person confirms it.
  suggested_id   bigint,
  action         text collate "C",
  reason         text,
  asked_by       text collate "C", -- Who asked for it, when another person approves it.
  asked_by_user  uuid,
  asked_at       timestamptz,
  decided_by     text collate "C",
  decided_at     timestamptz,
  opened_at      timestamptz not null,

  constraint differences_kind_known check (kind in
    ('missing_in_books', 'missing_at_bank', 'amount_differs', 'duplicate_at_bank',
     'duplicate_in_books', 'wrong_account', 'reversed_at_bank', 'fee_differs',
     'unexplained_debit', 'currency_differs', 'sequence_gap', 'balance_gap')),
  constraint differences_about_something
    check (num_nonnulls(line_id, item_id, statement_id) = 1
           and (item_id is null) = (item_kind is null)),
  -- open ──▶ asked ──▶ resolved; cleared: what it was about came, or was matched.
  constraint differences_state_known check (state in ('open', 'asked', 'resolved', 'cleared')),
  constraint differences_action_known check (action in ('book', 'note', 'match')),
  constraint differences_resolved_by_somebody
    check (state <> 'resolved' or num_nonnulls(action, reason, decided_by, decided_at) = 4)
);

-- One for each line and each item, as long as it stands: also one that was noted still counts.
create unique index differences_of_line on differences (line_id)
  where line_id is not null and state <> 'cleared';
create unique index differences_of_item on differences (item_kind, item_id)
  where item_id is not null and state <> 'cleared';
create unique index differences_of_statement on differences (statement_id, kind)
  where statement_id is not null and state <> 'cleared';
create index differences_of_day on differences (bank_code, currency, day, id) where state <> 'cleared';
create index differences_open on differences (bank_code, currency, id)
  where state in ('open', 'asked');

-- What happened to a difference: append-only.
create table difference_changes (
  id            bigint primary key generated always as identity,
  difference_id bigint not null references differences,
  change        text collate "C" not null,
  actor         text collate "C", -- Null: by itself.
  detail        jsonb not null,
  changed_at    timestamptz not null,

  constraint difference_changes_known check (change in
    ('opened', 'asked', 'withdrawn', 'rejected', 'resolved', 'cleared'))
);

create index difference_changes_of_difference on difference_changes (difference_id, id);

create trigger difference_changes_append_only before update or delete on difference_changes
  for each row execute function refuse_change();
create trigger difference_changes_not_truncated before truncate on difference_changes
  for each statement execute function refuse_change();

-- How far a bank's account is reconciled. Locked while matching: one run at a time.
create table reconciled_banks (
  bank_code    text collate "C" not null,
  currency     text collate "C" not null,
  from_day     date,        -- The first day of its first statement, …
  to_day       date,        -- … and the last of its last.
  first_id     bigint,      -- The first statement, …
  opening_kobo bigint,      -- … and its opening balance.
  books_kobo   bigint,      -- The ledger's balance at the beginning of from_day.
  items_until  timestamptz, -- Items posted before are all matched, or stand in differences.
  seen_until   timestamptz, -- Items posted before were all tried with the lines of now.

  constraint reconciled_banks_pkey primary key (bank_code, currency)
);

-- Per day: the sum of the lines booked on it, what was matched of them, and what was matched of the
-- items posted on it. Sums of a day's many lines and items are then never made again; and what is
-- matched on different days, up to any day, is the difference of two sums.
create table reconciled_days (
  bank_code          text collate "C" not null,
  currency           text collate "C" not null,
  day                date not null,
  lines_kobo         bigint not null default 0,
  matched_lines_kobo bigint not null default 0,
  matched_items_kobo bigint not null default 0,

  constraint reconciled_days_pkey primary key (bank_code, currency, day)
);

create function count_matches() returns trigger language plpgsql as $$
begin
  insert into reconciled_days (bank_code, currency, day, matched_lines_kobo, matched_items_kobo)
  select bank_code, currency, d.day, sum(d.line_kobo), sum(d.item_kobo)
    from (select bank_code, currency, line_day, item_day, sum(amount_kobo) as kobo
            from inserted group by 1, 2, 3, 4) as i
   cross join lateral (values (line_day, kobo, 0), (item_day, 0, kobo)) as d (day, line_kobo, item_kobo)
   group by 1, 2, 3 order by 1, 2, 3
  on conflict (bank_code, currency, day) do update
    set matched_lines_kobo = reconciled_days.matched_lines_kobo + excluded.matched_lines_kobo,
        matched_items_kobo = reconciled_days.matched_items_kobo + excluded.matched_items_kobo;
  return null;
end
$$;

create trigger statement_matches_counted after insert on statement_matches
  referencing new table as inserted for each statement execute function count_matches();
create trigger statement_matches_append_only before update or delete on statement_matches
  for each statement execute function refuse_change();
create trigger statement_matches_not_truncated before truncate on statement_matches
  for each statement execute function refuse_change();

-- What matching looks up. Credits need none of this: their ids are in the order of time.
create index payouts_confirmed on payouts (bank_code, settled_at) where status = 'confirmed';
create index payouts_by_bank_reference on payouts (bank_reference) where bank_reference is not null;
create index returns_confirmed on returns (settled_at) where status = 'confirmed';
create index returns_by_bank_reference on returns (bank_reference) where bank_reference is not null;
create index reversals_by_time on reversals (bank_code, received_at);

-- I46. What a statement told us of a bank's charges is booked with its difference as the cause.
alter table transfers
  add column difference_id bigint,
  drop constraint transfers_have_one_cause,
  add constraint transfers_have_one_cause
    check (num_nonnulls(credit_id, payout_id, settlement_id, adjustment_id, difference_id) = 1)
    not valid;
create index transfers_of_difference on transfers (difference_id) where difference_id is not null;

-- What moved a bank's account, in the books: above zero to us.
create view bank_items as
select c.bank_code, c.currency, 'credit' as kind, c.id, c.amount_kobo, c.received_at as posted_at
  from credits c
union all
select c.bank_code, c.currency, 'charges', c.id, -(c.fee_kobo + c.vat_kobo + c.duty_kobo),
       c.received_at
  from credits c where c.fee_kobo + c.vat_kobo + c.duty_kobo > 0
union all
select r.bank_code, c.currency, 'reversal', r.id, -r.amount_kobo, r.received_at
  from reversals r join credits c on c.id = r.credit_id
union all
select p.bank_code, p.currency, 'payout', p.id, -p.amount_kobo, p.settled_at
  from payouts p where p.status = 'confirmed' and p.purpose <> 'return'
union all
select p.bank_code, p.currency, 'payout_cost', p.id, -(p.cost_kobo + p.cost_vat_kobo), p.settled_at
  from payouts p where p.status = 'confirmed' and p.cost_kobo + p.cost_vat_kobo > 0
union all
select c.bank_code, c.currency, 'return', r.id, -r.amount_kobo, r.settled_at
  from returns r
  join suspense_items i on i.id = r.item_id
  join credits c on c.id = i.credit_id
 where r.status = 'confirmed'
union all
select a.bank_code, a.currency, 'recovery', a.id, a.amount_kobo, a.decided_at
  from adjustments a
 where a.kind = 'recovery' and a.subject = 'shortfall' and a.state = 'approved'
union all
select substr(l.owner, 6), l.currency, 'booked', t.id,
       case when t.debit_account_id = l.id then t.amount_kobo else -t.amount_kobo end, t.posted_at
  from transfers t
  join ledger_accounts l on l.kind = 'bank' and l.id in (t.debit_account_id, t.credit_account_id)
 where t.difference_id is not null;
