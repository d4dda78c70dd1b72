-- The daily proof reads gaps between statements that an adjusting entry cleared.
--
-- works beside: 0023
-- outside a transaction

drop index concurrently if exists differences_adjusted_gaps;
create index concurrently differences_adjusted_gaps on differences (bank_code, currency, day)
  where statement_id is not null and state = 'cleared' and action = 'adjust';
