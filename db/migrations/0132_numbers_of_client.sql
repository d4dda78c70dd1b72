-- Counts the numbers of a client at a bank. Built beside the traffic.
--
-- works beside: 0023
-- outside a transaction

drop index concurrently if exists numbers_of_client;
create index concurrently numbers_of_client on numbers (client_id, bank_code, reusable_at);
