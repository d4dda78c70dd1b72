-- A request has one reservation at a bank, however often it is repeated.
--
-- works beside: 0060
-- outside a transaction

drop index concurrently if exists reserved_numbers_request_once;
create unique index concurrently reserved_numbers_request_once on reserved_numbers (request_hash);
