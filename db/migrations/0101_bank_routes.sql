-- Whether each bank is used for what names no bank: for payments (`in`), by the calls that ask it for
-- money and numbers and by its notifications; for payouts (`out`), by the orders to pay. Written by every
-- process, every few seconds. And why a payment got its number at this bank: null, its bank was named.
--
-- works beside: 0060

create table bank_routes (
  bank_code text collate "C" not null,
  direction text collate "C" not null,
  state text collate "C" not null default 'in_use',
  since timestamptz not null,
  reason text collate "C",
  failed_at timestamptz,
  retry_at timestamptz,
  times_left integer not null default 0,
  recent jsonb not null default '[]',
  constraint bank_routes_pkey primary key (bank_code, direction),
  constraint bank_routes_direction_known check (direction in ('in', 'out')),
  constraint bank_routes_state_known check (state in ('in_use', 'returning', 'left')),
  constraint bank_routes_left_for_a_reason
    check ((state = 'left') = (reason is not null and retry_at is not null))
) with (fillfactor = 50);

alter table payment_numbers add column routing jsonb;
