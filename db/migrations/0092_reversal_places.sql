-- In which message, and where in it, a bank reported a reversal. Two of the same amount that a bank calls
-- by one id are told apart by it. Null: not recorded, or the reversal has an id of its own.
--
-- works beside: 0060

-- safe: a column without a default
alter table reversals add column place text collate "C";
