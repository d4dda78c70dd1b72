-- What moved an account for another cause than a credit: paid out, refunded, settled or written off.
-- Balances tell it from what credits brought in and took back. Credits pay nothing for it: their
-- transfers are in neither index.

create index transfers_out_without_credit on transfers (debit_account_id)
  include (amount_kobo, reason, posted_at) where credit_id is null;
create index transfers_in_without_credit on transfers (credit_account_id)
  include (amount_kobo, reason, posted_at) where credit_id is null;
