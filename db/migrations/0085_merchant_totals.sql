-- The money of collection accounts by merchant, for balances (src/accounts/merchant-totals.ts). A worker adds
-- up transfers in the order of their ids, off the path of money. Readers add the transfers after `to_id`, so
-- the totals of an earlier release, which does not count, are right too.
--
--   I185 the totals equal the transfers up to `to_id`, and every one of these transfers is decided:
--        committed or rolled back.
--
-- works beside: 0023

create table merchant_totals (
  client_id      bigint not null references clients,
  merchant_id    text not null,
  merchant_code  text not null,
  currency       text collate "C" not null,
  balance_kobo   bigint not null, -- On the merchant's collection accounts.
  collected_kobo bigint not null, -- Brought by credits, wherever it went.
  reversed_kobo  bigint not null, -- Taken back by banks from these accounts.
  suspended_kobo bigint not null, -- In the client's suspense, of credits to these accounts.

  primary key (client_id, merchant_id, merchant_code, currency)
) with (fillfactor = 50); -- Rewritten in place.

create table merchant_totals_cursor (
  is_only boolean primary key default true,
  to_id   bigint not null, -- The last transfer that was counted.

  constraint merchant_totals_cursor_is_one_row check (is_only)
);

insert into merchant_totals_cursor (to_id) values (0);
