-- What a bank signed and we could not book, and which time decided whether a payment was late.
--
--   I28  what a bank signed that names an amount is booked, in suspense, or in this register.

create table rail_items (
  id            bigint primary key generated always as identity,
  bank_code     text collate "C" not null,
  call          text collate "C" not null, -- What the bank called: credits or reversals.
  outcome       text collate "C" not null,
  reason        text collate "C" not null,
  response_code text collate "C" not null, -- As the bank was answered.
  session_id    text, -- As the bank sent it, shortened: it need not be one.
  amount_text   text, -- As the bank wrote it, shortened: it need not be a number.
  item_hash     bytea not null, -- Keyed, of the item: the same one again is known by it.
  body_sealed   bytea not null,
  received_at   timestamptz not null,

  constraint rail_items_kept_once unique (bank_code, item_hash),
  constraint rail_items_call_known check (call in ('credits', 'reversals')),
  constraint rail_items_outcome_known check (outcome in ('rejected', 'unreadable'))
);

create index rail_items_by_outcome on rail_items (outcome, id);

-- NIP's session ids have 30 digits; other rails name a transfer as they like.
alter table credits
  add column judged_by text collate "C", -- Null: no time decided, or it came before this was kept.
  drop constraint credits_session_id_shape,
  add constraint credits_session_id_length check (length(session_id) between 1 and 64),
  add constraint credits_judged_by_known check (judged_by in ('bank_time', 'arrival'));
