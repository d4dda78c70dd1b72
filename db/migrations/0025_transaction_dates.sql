-- The day of a transfer whose bank gives no time of day: a midnight in its place would be believed.
alter table credits
  add column transacted_on date, -- Null where there is a time, or the bank gave neither.
  add constraint credits_transacted_once check (transacted_at is null or transacted_on is null);
