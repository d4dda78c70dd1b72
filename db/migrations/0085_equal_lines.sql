-- Lines that were matched by account number and amount, to find what is equal to them
-- (src/domain/reconciliation/equal-lines.ts).
--
-- works beside: 0060
-- outside a transaction

drop index concurrently if exists statement_matches_by_account;
create index concurrently statement_matches_by_account
  on statement_matches (bank_code, currency, line_day)
  where rule = 'account_and_amount';
