-- Suspense items in the order of their time, which is not that of their ids where a test clock or sample
-- data dates them.
--
-- works beside: 0060
-- outside a transaction

drop index concurrently if exists suspense_items_by_time;
create index concurrently suspense_items_by_time on suspense_items (opened_at, id);
