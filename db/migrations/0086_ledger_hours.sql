-- The movements of ledger accounts by hour and owner, for the journal of an open day and for the upcoming
-- settlement (src/accounts/ledger-hours.ts). A worker counts them like merchant_totals
-- (0085_merchant_totals.sql).
--
--   I186 the sums equal the transfers up to `to_id`, and every one of these transfers is decided:
--        committed or rolled back.
--
-- works beside: 0023

create table ledger_hours (
  hour        timestamptz not null, -- In UTC.
  kind        text collate "C" not null, -- The kind of ledger account.
  currency    text collate "C" not null,
  client_id   bigint references clients, -- Null for accounts that belong to no client.
  bank_code   text collate "C", -- Null for accounts that belong to no bank.
  reason      text collate "C" not null,
  cause       text collate "C" not null,
  debit_kobo  bigint not null,
  credit_kobo bigint not null,
  debits      bigint not null, -- The number of transfers.
  credits     bigint not null,

  constraint ledger_hours_once
    unique nulls not distinct (client_id, currency, hour, kind, bank_code, reason, cause),
  constraint ledger_hours_cause_known
    check (cause in ('credit', 'adjustment', 'settlement', 'other'))
) with (fillfactor = 50); -- The current hour is rewritten in place.

create index ledger_hours_by_hour on ledger_hours (hour);

create table ledger_hours_cursor (
  is_only boolean primary key default true,
  to_id   bigint not null, -- The last transfer that was counted.

  constraint ledger_hours_cursor_is_one_row check (is_only)
);

insert into ledger_hours_cursor (to_id) values (0);
