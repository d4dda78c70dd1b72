-- Accounting: days that are closed, and the journals of them.
--
--   I68  nothing posts into a closed day (db/functions/post_inserted_transfers.sql), and its journal never
--        changes by a byte. Days close in order, and none opens again;
--   I69  the journal of a day is the sum of its transfers, and the balances at its end are the sum of
--        all transfers before it, to the kobo.
--
-- A day closes in two steps. The mark is committed first: from then on nothing posts into the day.
-- When the transactions in progress have ended, the journal is added up and the day completed. The next
-- attempt completes a closing that was cut off in between.
create table closed_days (
  day          date primary key,
  previous     date, -- The day before. Null: the first that was closed.
  ends_at      timestamptz not null,
  chart        jsonb not null, -- Account codes and names in the configuration at that time.
  reason       text, -- Why it was closed although a bank was not balanced.
  unbalanced   jsonb not null, -- The banks that were not balanced.
  closed_by    text collate "C" not null,
  closed_at    timestamptz not null,
  transfers    bigint, -- Their number. This and the rest are null until the closing is completed.
  journal_hash bytea, -- SHA-256 of the journal as CSV.
  completed_at timestamptz,

  constraint closed_days_previous_closed foreign key (previous) references closed_days,
  constraint closed_days_without_gaps check (previous = day - 1),
  constraint closed_days_follow_one_another unique nulls not distinct (previous),
  -- Midnight in West Africa.
  constraint closed_days_end_at_midnight
    check (ends_at = (day + 1)::timestamp at time zone interval '1 hour'),
  constraint closed_days_completed_whole
    check (num_nonnulls(transfers, journal_hash, completed_at) in (0, 3)),
  constraint closed_days_unbalanced_has_reason
    check (unbalanced = '[]' or reason is not null)
);

create function refuse_other_than_completing() returns trigger language plpgsql as $$
begin
  if old.completed_at is null and new.completed_at is not null
     and to_jsonb(new) - '{transfers,journal_hash,completed_at}'::text[]
         = to_jsonb(old) - '{transfers,journal_hash,completed_at}'::text[] then return new; end if;
  raise exception 'a closed day stays as it is' using errcode = 'restrict_violation';
end $$;

create trigger closed_days_only_completed before update on closed_days
  for each row execute function refuse_other_than_completing();

create trigger closed_days_kept before delete on closed_days
  for each statement execute function refuse_change();

create trigger closed_days_not_truncated before truncate on closed_days
  for each statement execute function refuse_change();

-- The journal: movements of a day by kind of account, owner and reason.
create table closed_day_lines (
  day         date not null references closed_days,
  kind        text collate "C" not null,
  client_id   bigint references clients,
  bank_code   text collate "C",
  currency    text collate "C" not null,
  reason      text collate "C" not null,
  debit_kobo  bigint not null,
  credit_kobo bigint not null,

  constraint closed_day_lines_once
    unique nulls not distinct (day, kind, client_id, bank_code, currency, reason),
  constraint closed_day_lines_not_negative check (debit_kobo >= 0 and credit_kobo >= 0)
);

create function refuse_to_complete_twice() returns trigger language plpgsql as $$
begin
  if exists (select from closed_days where day = new.day and completed_at is null) then
    return new;
  end if;
  raise exception 'a closed day stays as it is' using errcode = 'restrict_violation';
end $$;

create trigger closed_day_lines_before_completion before insert on closed_day_lines
  for each row execute function refuse_to_complete_twice();

create trigger closed_day_lines_append_only before update or delete on closed_day_lines
  for each statement execute function refuse_change();

create trigger closed_day_lines_not_truncated before truncate on closed_day_lines
  for each statement execute function refuse_change();

-- The sum of all transfers until the end of a day, by kind of account.
create table closed_day_balances (
  day          date not null references closed_days,
  kind         text collate "C" not null,
  currency     text collate "C" not null,
  debits_kobo  bigint not null,
  credits_kobo bigint not null,

  constraint closed_day_balances_pkey primary key (day, kind, currency)
);

create trigger closed_day_balances_before_completion before insert on closed_day_balances
  for each row execute function refuse_to_complete_twice();

create trigger closed_day_balances_append_only before update or delete on closed_day_balances
  for each statement execute function refuse_change();

create trigger closed_day_balances_not_truncated before truncate on closed_day_balances
  for each statement execute function refuse_change();
