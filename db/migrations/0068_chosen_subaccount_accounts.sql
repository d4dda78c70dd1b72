-- Which user chose the bank account that a subaccount is paid to, and when: they do not approve a
-- settlement to it alone (I53). Unknown of older subaccounts, and of client credentials.
--
-- works beside: 0060

alter table subaccounts
  add column account_chosen_by_user uuid,
  add column account_chosen_at      timestamptz;
