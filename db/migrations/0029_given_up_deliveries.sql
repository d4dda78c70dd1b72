-- What was given up for a destination, newest first: the page of an endpoint that fails shows its
-- last attempts, however many events have come since. Only deliveries that are given up pay for it.

create index deliveries_given_up on deliveries (destination_id, event_id)
  where state = 'failed';
