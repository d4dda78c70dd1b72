-- works beside: 0060
--
-- The trace that an event was written in, so that its deliveries, by another process and perhaps hours
-- later, belong to the same. Only of what is sampled; kept for a day.
--
-- works beside: 0060

create table event_traces (
  event_id    uuid primary key,
  traceparent text not null,
  constraint event_traces_are_w3c check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-01$')
);
