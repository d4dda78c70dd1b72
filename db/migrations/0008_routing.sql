-- Routing: the bank of payments and payouts that name none.

-- The health of each bank for payments (`in`: requeries, number requests and notifications) and for payouts
-- (`out`: orders to pay). Every process writes it every few seconds. A payment keeps the reason why its
-- number is at this bank. Null: the request named the bank.
create table bank_routes (
  bank_code  text collate "C" not null,
  direction  text collate "C" not null,
  state      text collate "C" not null default 'in_use',
  since      timestamptz not null,
  reason     text collate "C",
  failed_at  timestamptz,
  retry_at   timestamptz,
  times_left integer not null default 0,
  recent     jsonb not null default '[]',

  constraint bank_routes_pkey primary key (bank_code, direction),
  constraint bank_routes_direction_known check (direction in ('in', 'out')),
  constraint bank_routes_state_known check (state in ('in_use', 'returning', 'left')),
  constraint bank_routes_left_for_a_reason
    check ((state = 'left') = (reason is not null and retry_at is not null))
) with (fillfactor = 50);
