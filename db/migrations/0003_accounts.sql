-- Account numbers, and the collection accounts that keep one for ever.
--
--   I6  a number belongs to one collection account or one payment at a time;
--   I7  a dynamic number is given out again only after `reusable_at`;
--   I8  a collection account is one ledger account: they share their id.

-- The serials a bank grants us. Serial number i of a range is first_serial + permute(key, i): each
-- index is used once, and nobody without the key can tell the next number from the last.
create table number_ranges (
  id           bigint primary key generated always as identity,
  bank_code    text collate "C" not null,
  purpose      text collate "C" not null check (purpose in ('static', 'dynamic')),
  first_serial bigint not null,
  last_serial  bigint not null,
  key          bytea not null,
  next_index   bigint not null default 0,

  constraint number_ranges_once unique (bank_code, purpose, first_serial, last_serial),
  constraint number_ranges_in_order
    check (first_serial between 0 and last_serial and last_serial <= 999999999),
  constraint number_ranges_not_overrun check (next_index <= last_serial - first_serial + 1)
) with (fillfactor = 50);

create table collection_accounts (
  id               bigint primary key references ledger_accounts,
  client_id        bigint not null references clients,
  account_number   text collate "C" not null,
  bank_code        text collate "C" not null,
  account_name     text not null,
  bvn_sealed       bytea not null, -- AES-256-GCM, see src/seal.ts.
  bvn_hash         bytea not null, -- Keyed hash, for look-up.
  email            text not null,
  merchant_id      text not null,
  merchant_code    text not null,
  notification_url text not null,
  phone_number     text not null,
  channel          text not null,
  currency_code    text collate "C" not null default 'NGN',
  is_default       boolean not null default false,
  is_active        boolean not null default true,
  -- Who may pay, and how much at a time. Null: anybody, anything.
  payer_rules      jsonb,
  created_at       timestamptz not null,
  updated_at       timestamptz not null,

  constraint collection_accounts_number_unique unique (account_number),
  constraint collection_accounts_of_client unique (client_id, id)
);

-- Balances by merchant.
create index collection_accounts_by_merchant
  on collection_accounts (client_id, merchant_id, merchant_code, currency_code);
