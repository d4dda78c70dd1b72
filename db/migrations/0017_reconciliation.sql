-- Reconciliation: the books held against the banks' statements.
--
--   I63  the movements of a bank's account in the books are the sum of its items (bank_items), to the kobo;
--   I64  a statement adds up, and follows the one before it or the gap is a difference. The same file,
--        and the same line in another file, is taken once;
--   I65  every kobo of a line is matched to items or stands in a difference, and every kobo of an
--        item that a statement covers is matched by lines or stands in a difference. So the
--        statement's balance is always the books' balance, plus items in transit, plus differences.

-- Each upload, also a failed one. Its progress is written outside the transaction of the import.
create table statement_imports (
  id         bigint primary key generated always as identity,
  bank_code  text collate "C" not null,
  format     text collate "C" not null,
  profile    text collate "C",
  file_name  text,
  file_hash  bytea, -- SHA-256 of the content, unpacked. Known when all of it is read.
  state      text collate "C" not null default 'reading',
  lines      integer not null default 0, -- So far.
  error_line integer,
  error      text,
  started_by text collate "C" not null,
  started_at timestamptz not null,
  -- Every few seconds during the import. An older time means that the import was cut off.
  updated_at timestamptz not null,

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
  account_number text collate "C", -- The bank's spelling. Null: the file does not say.
  reference      text collate "C", -- Stmt/Id, or :20:
  sequence       bigint, -- ElctrncSeqNb, or :28C:
  from_day       date not null,
  to_day         date not null,
  opening_kobo   bigint not null,
  closing_kobo   bigint not null,
  has_balances   boolean not null, -- False: the file has none, and these follow from the one before.
  lines          integer not null, -- In the file, …
  new_lines      integer not null, -- … and of those, in none before.
  imported_at    timestamptz not null,
  matched_at     timestamptz, -- Null: its lines were not matched with the books yet.
  -- The first day that the statement covers completely. `from_day` is the day of its first line, which a
  -- bank may date back by weeks. Null: from `from_day` on.
  covers_from    date,

  constraint statements_days_in_order check (from_day <= to_day)
);

create index statements_of_bank on statements (bank_code, currency, to_day, id);
create index statements_to_match on statements (bank_code, currency) where matched_at is null;

create table statement_lines (
  id                  bigint primary key generated always as identity,
  statement_id        bigint not null,
  bank_code           text collate "C" not null,
  currency            text collate "C" not null,
  line_no             integer not null, -- Position in the file, from 1. In a text file, the line number.
  booked_on           date not null,
  value_on            date,
  amount_kobo         bigint not null, -- Positive: money to us.
  is_reversal         boolean not null default false,
  kind                text collate "C" not null,
  session_id          text collate "C",
  bank_reference      text collate "C",
  end_to_end_id       text collate "C",
  account_number      text collate "C", -- Our number that received it, if the line names it.
  counterparty_name   text,
  counterparty_sealed bytea,
  counterparty_bank   text collate "C",
  narration           text,
  hash                bytea not null, -- Keyed hash of the content and of the number of equal lines before it.

  -- The bank and the currency are hashed too. The day comes first, so that new lines fall into one place of
  -- the index.
  constraint statement_lines_taken_once unique (booked_on, hash),
  constraint statement_lines_amount_not_zero check (amount_kobo <> 0),
  constraint statement_lines_kind_known check (kind in
    ('credit', 'fee', 'vat', 'stamp_duty', 'sweep', 'payout', 'return', 'other'))
);

create index statement_lines_sweeps on statement_lines (bank_code, currency, booked_on)
  where kind = 'sweep';
create index statement_lines_of_day on statement_lines (statement_id, booked_on, id);

-- Matches of lines and items, many to many. `amount_kobo` is the matched part of the item, signed as in
-- bank_items.
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
  constraint statement_matches_rule_known check (rule in
    ('session_id', 'bank_reference', 'our_reference', 'account_and_amount', 'sweep', 'charge',
     'confirmed', 'booked')),
  constraint statement_matches_item_kind_known
    check (item_kind in ('credit', 'charges', 'reversal', 'payout', 'payout_cost', 'payout_return',
                         'return', 'recovery', 'booked'))
);

create index statement_matches_of_line on statement_matches (line_id);
-- In transit at the end of a day: matched, but on different days.
create index statement_matches_in_transit on statement_matches (bank_code, currency, line_day, item_day)
  include (amount_kobo) where line_day <> item_day;
create index statement_matches_by_account
  on statement_matches (bank_code, currency, line_day)
  where rule = 'account_and_amount';

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

create table differences (
  id              bigint primary key generated always as identity,
  bank_code       text collate "C" not null,
  currency        text collate "C" not null,
  day             date not null, -- The first day on which it counts.
  kind            text collate "C" not null,
  amount_kobo     bigint not null, -- The excess of the statement over the books.
  line_id         bigint,
  item_kind       text collate "C",
  item_id         bigint,
  statement_id    bigint references statements,
  state           text collate "C" not null default 'open',
  suggested_kind  text collate "C", -- A suggested match, which a person confirms.
  suggested_id    bigint,
  action          text collate "C",
  reason          text,
  asked_by        text collate "C", -- The user who requested the resolution, if another person approves it.
  asked_by_user   uuid,
  asked_at        timestamptz,
  decided_by      text collate "C",
  decided_at      timestamptz,
  opened_at       timestamptz not null,
  -- Resolution by people.
  --
  --   I66  a difference is resolved once: by one person, or, under maker-checker, by two who are
  --        independent of one another;
  --   I67  a booking from a statement line is made once, and matched to that line.
  decided_by_user uuid,
  -- The user who works on the difference, and since when (src/reconciliation/owners.ts). No foreign key: the
  -- differences of a removed user have no owner, and the history names the former one.
  owner_id        uuid,
  owned_at        timestamptz,
  -- Lines of a statement that name a payout (src/reconciliation/find-differences.ts): one that the
  -- bank paid and the books do not show as paid, or one that came back. No foreign key, as for items.
  payout_id       bigint,
  maker_people    uuid[],

  constraint differences_about_something
    check (num_nonnulls(line_id, item_id, statement_id) = 1
           and (item_id is null) = (item_kind is null)),
  -- open ──▶ asked ──▶ resolved; cleared: the missing side arrived, or was matched.
  constraint differences_state_known check (state in ('open', 'asked', 'resolved', 'cleared')),
  constraint differences_action_known check (action in ('book', 'note', 'match')),
  constraint differences_resolved_by_somebody
    check (state <> 'resolved' or num_nonnulls(action, reason, decided_by, decided_at) = 4),
  -- A requested resolution names its maker, also after another person decided.
  constraint differences_asked_by_somebody
    check (state <> 'asked' or num_nonnulls(action, reason, asked_by, asked_by_user, asked_at) = 5),
  constraint differences_decided_as_something
    check (decided_by is null or num_nonnulls(action, reason, decided_at) = 3),
  constraint differences_two_people
    check (asked_by is null or decided_by is null
           or decided_by <> asked_by and decided_by_user is distinct from asked_by_user),
  constraint differences_owned_since
    check ((owner_id is null) = (owned_at is null)),
  constraint differences_kind_known
    check (kind in ('missing_in_books', 'missing_at_bank', 'amount_differs', 'duplicate_at_bank',
                    'duplicate_in_books', 'wrong_account', 'reversed_at_bank', 'payout_paid',
                    'payout_returned', 'fee_differs', 'unexplained_debit', 'currency_differs',
                    'sequence_gap', 'balance_gap'))
);

-- One open or noted difference for each line and each item.
create unique index differences_of_line on differences (line_id)
  where line_id is not null and state <> 'cleared';
create unique index differences_of_item on differences (item_kind, item_id)
  where item_id is not null and state <> 'cleared';
create unique index differences_of_statement on differences (statement_id, kind)
  where statement_id is not null and state <> 'cleared';
create index differences_of_day on differences (bank_code, currency, day, id) where state <> 'cleared';
create index differences_open on differences (bank_code, currency, id)
  where state in ('open', 'asked');
-- Decided, but the credit of the line is not booked yet. It stays open until then; if the process dies in
-- between, a worker books it.
create index differences_being_booked on differences (decided_at)
  where state = 'open' and action is not null;
create index differences_of_payout on differences (payout_id)
  where payout_id is not null;

create function check_resolution() returns trigger language plpgsql as $$
begin
  if new.asked_by is not null and new.decided_by is not null and old.decided_by is null
     and stands_behind(new.asked_by_user, new.decided_by_user) then
    raise exception 'nobody to whom the maker gave access may approve'
      using errcode = 'check_violation', constraint = 'differences_independent_checker';
  end if;
  return null;
end $$;

-- Runs after the constraints, so that their errors come first.
create trigger differences_checked after update of state, decided_by on differences
  for each row execute function check_resolution();

create trigger differences_keep_maker_people before update of asked_by on differences
  for each row execute function keep_maker_people('asked_by', 'asked_by_user', 'asked_at');

create trigger differences_checked_by_another after update of decided_by on differences
  for each row when (new.asked_by is not null and new.decided_by is not null and old.decided_by is null)
  execute function check_another_person('asked_by_user', 'decided_by_user');

-- The body is in db/functions/check_differences_transition.sql. Until it is applied, every row is refused.
create function check_differences_transition() returns trigger language plpgsql as $$ begin end $$;

create trigger differences_follow_transitions before update of state on differences
  for each row when (old.state is distinct from new.state)
  execute function check_differences_transition();

-- The history of a difference. Append-only.
create table difference_changes (
  id            bigint primary key generated always as identity,
  difference_id bigint not null references differences,
  change        text collate "C" not null,
  actor         text collate "C", -- Null: the service.
  detail        jsonb not null,
  changed_at    timestamptz not null,

  constraint difference_changes_known
    check (change in ('opened', 'assigned', 'asked', 'withdrawn', 'rejected', 'resolved', 'failed',
                      'cleared'))
);

create index difference_changes_of_difference on difference_changes (difference_id, id);

create trigger difference_changes_append_only before update or delete on difference_changes
  for each row execute function refuse_change();

create trigger difference_changes_not_truncated before truncate on difference_changes
  for each statement execute function refuse_change();

-- How far a bank's account is reconciled. Locked while matching: one run at a time.
create table reconciled_banks (
  bank_code      text collate "C" not null,
  currency       text collate "C" not null,
  from_day       date, -- The first day of its first statement, …
  to_day         date, -- … and the last of its last.
  first_id       bigint, -- The first statement, …
  opening_kobo   bigint, -- … and its opening balance.
  books_kobo     bigint, -- The ledger's balance at the beginning of from_day.
  items_until    timestamptz, -- Items posted before are matched or have a difference.
  seen_until     timestamptz, -- Items posted before were compared with all present lines.
  -- The state at the last run of matching. If no kobo moved and no difference changed since, another run
  -- would find the same.
  moved_kobo     bigint, -- The sum of all movements of the bank's ledger account.
  last_change_id bigint, -- The last row of difference_changes, over all banks.

  constraint reconciled_banks_pkey primary key (bank_code, currency)
);

-- Per day: the sum of its lines, their matched part, and the matched part of the items posted on it. The sums
-- of a day's many lines and items are made once. The money matched across days, up to any day, is the
-- difference of two sums.
create table reconciled_days (
  bank_code          text collate "C" not null,
  currency           text collate "C" not null,
  day                date not null,
  lines_kobo         bigint not null default 0,
  matched_lines_kobo bigint not null default 0,
  matched_items_kobo bigint not null default 0,

  constraint reconciled_days_pkey primary key (bank_code, currency, day)
);

-- The same rows as before, from credits alone.
create view bank_items as
  select c.bank_code, c.currency, 'credit'::text as kind, c.id, c.amount_kobo,
         c.received_at as posted_at
    from credits c
  union all
  select c.bank_code, c.currency, 'charges', c.id, -(c.fee_kobo + c.vat_kobo + c.duty_kobo),
         c.received_at
    from credits c
   where c.fee_kobo + c.vat_kobo + c.duty_kobo > 0
  union all
  select r.bank_code, c.currency, 'reversal', r.id, -r.amount_kobo, r.received_at
    from reversals r join credits c on c.id = r.credit_id
  union all
  select p.bank_code, p.currency, 'payout', p.id, -p.amount_kobo, p.settled_at
    from payouts p
   where p.status = 'confirmed' and p.purpose <> 'return'
  union all
  select p.bank_code, p.currency, 'payout_cost', p.id, -(p.cost_kobo + p.cost_vat_kobo),
         p.settled_at
    from payouts p
   where p.status = 'confirmed' and p.cost_kobo + p.cost_vat_kobo > 0
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
   where t.difference_id is not null
  union all
  select p.bank_code, p.currency, 'payout_return', p.id, n.amount_kobo, n.returned_at
    from payout_returns n join payouts p on p.id = n.payout_id;
