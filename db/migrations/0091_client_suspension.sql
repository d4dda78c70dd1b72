-- Since when a client is suspended, and why. One that the previous release suspended says neither.
--
-- works beside: 0060

-- safe: columns without a default
alter table clients
  add column suspended_at timestamptz,
  add column suspension_reason text;
