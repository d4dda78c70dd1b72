-- Finds the active holds whose deadline is near or has passed. Built beside the traffic.
--
-- works beside: 0023
-- outside a transaction

drop index concurrently if exists holds_by_deadline;
create index concurrently holds_by_deadline on holds (deadline_at)
  where state = 'active' and deadline_at is not null;
