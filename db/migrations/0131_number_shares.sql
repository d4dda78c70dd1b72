-- The account numbers that each client holds at each bank, and the operator's ceiling on them
-- (src/accounts/number-shares.ts). `held` counts a number when it is drawn, and may count a lease for a while
-- after it ended: it is never too low for numbers that this release draws.
--
--   I241 a client holds no more numbers of a bank than its ceiling.
--
-- The previous release does not count. A worker counts all rows again, so what it drew is counted within ten
-- minutes.
--
-- works beside: 0023

create table number_shares (
  client_id  bigint not null references clients,
  bank_code  text collate "C" not null,
  purpose    text collate "C" not null,
  ceiling    int, -- Set by the operator. Null: the default share of the bank's range.
  held       int not null,
  counted_at timestamptz not null, -- When the numbers were last counted one by one.

  constraint number_shares_pkey primary key (client_id, bank_code, purpose),
  constraint number_shares_purpose_known check (purpose in ('static', 'dynamic')),
  constraint number_shares_not_negative check (held >= 0 and ceiling >= 0)
) with (fillfactor = 50); -- Rewritten by every batch of leases.

create index number_shares_counted on number_shares (counted_at);
