-- Refunds that banks confirmed, by their time: the CSV of credits has them on their day. Few of all
-- transfers.
--
-- works beside: 0060
-- outside a transaction

drop index concurrently if exists transfers_refunded;
create index concurrently transfers_refunded on transfers (posted_at) where reason = 'refunded';
