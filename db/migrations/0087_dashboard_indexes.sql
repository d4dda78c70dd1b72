-- Two figures of the dashboard from an index alone, built beside the traffic: the totals of up to 50,000 open
-- suspense items, newest first (src/suspense/queries.ts), and how many webhooks of a client are failing
-- (src/reports/overview.ts).
--
-- works beside: 0023
-- outside a transaction

drop index concurrently if exists suspense_items_open_by_time;
create index concurrently suspense_items_open_by_time
  on suspense_items (client_id, opened_at, id) include (credit_id, account_id, amount_kobo, reason)
  where state = 'open';

drop index concurrently if exists destinations_failing;
create index concurrently destinations_failing on destinations (client_id)
  where failing_since is not null;
