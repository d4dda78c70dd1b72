-- Finds the transfers of a hold. Built beside the traffic.
--
-- works beside: 0023
-- outside a transaction

drop index concurrently if exists transfers_of_hold;
create index concurrently transfers_of_hold on transfers (hold_id) where hold_id is not null;
