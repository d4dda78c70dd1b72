-- A reversal that came before its credit is kept as a rail item, and taken when the bank sends it again:
-- when, and which credit it names, so that one that never came again is found.
--
-- works beside: 0060

alter table rail_items
  add column taken_at  timestamptz,
  add column originals text[] collate "C"; -- What a reversal calls its credit; unknown of older ones.

-- safe: a few rows, and seldom written
create index rail_items_untaken on rail_items (bank_code, session_id)
  where call = 'reversals' and taken_at is null;
