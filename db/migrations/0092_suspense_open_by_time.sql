-- The open suspense items of a client from the newest, with all that their totals need, so that 50,000 of
-- them are added up from the index alone (src/suspense/queries.ts). Built beside the traffic.
--
-- works beside: 0023
-- outside a transaction

drop index concurrently if exists suspense_items_open_by_time;
create index concurrently suspense_items_open_by_time
  on suspense_items (client_id, opened_at, id) include (credit_id, account_id, amount_kobo, reason)
  where state = 'open';
