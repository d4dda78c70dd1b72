-- What was booked of a payout from statements (src/domain/reconciliation/payout-differences.ts).
--
-- works beside: 0060
-- outside a transaction

drop index concurrently if exists differences_of_payout;
create index concurrently differences_of_payout on differences (payout_id)
  where payout_id is not null;
