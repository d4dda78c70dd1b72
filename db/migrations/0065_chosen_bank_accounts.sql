-- Which user added a bank account, and which made it the default, when: whoever chose where a settlement
-- is paid to does not approve it alone (I53). Unknown of older accounts, and of client credentials.
--
-- works beside: 0060

alter table bank_accounts
  add column added_by_user   uuid,
  add column default_by_user uuid,
  add column default_at      timestamptz;
