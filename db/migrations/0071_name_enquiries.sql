-- When a bank is asked again whose an account is (src/domain/payouts/name-enquiries.ts). The previous
-- release asks nobody again; an account that it adds is due at once.
--
-- works beside: 0060

alter table bank_accounts
  add column enquiries integer not null default 0, -- How often it was asked again.
  add column next_enquiry_at timestamptz;          -- Null: not asked again yet.

-- safe: a few for each client, and seldom written
create index bank_accounts_unanswered on bank_accounts (next_enquiry_at)
  where status = 'unconfirmed';
