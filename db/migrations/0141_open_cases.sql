-- Finds the open cases, and those of a client, for erasure_bars(). Built beside the traffic.
--
-- works beside: 0023
-- outside a transaction

drop index concurrently if exists cases_open;
create index concurrently cases_open on cases (client_id) where state <> 'closed';
