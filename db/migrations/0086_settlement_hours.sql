-- The movements on the accounts that a client's settlements draw from, by hour, for the upcoming settlement
-- (src/settlement/hours.ts). Counted by a worker like merchant_totals (0085_merchant_totals.sql).
--
--   I186 the sums equal the transfers up to `to_id`, less those of settlements, and every one of these
--        transfers is decided: committed or rolled back.
--
-- works beside: 0023

create table settlement_hours (
  client_id bigint not null references clients,
  currency  text collate "C" not null,
  hour      timestamptz not null, -- In UTC.
  reason    text collate "C" not null,
  cause     text collate "C" not null,
  kobo      bigint not null, -- Credits less debits.
  brought   bigint not null, -- How many transfers brought money.

  primary key (client_id, currency, hour, reason, cause),
  constraint settlement_hours_cause_known check (cause in ('credit', 'adjustment', 'other'))
) with (fillfactor = 50); -- The current hour is rewritten in place.

create table settlement_hours_cursor (
  is_only boolean primary key default true,
  to_id   bigint not null, -- The last transfer that was counted.

  constraint settlement_hours_cursor_is_one_row check (is_only)
);

insert into settlement_hours_cursor (to_id) values (0);
