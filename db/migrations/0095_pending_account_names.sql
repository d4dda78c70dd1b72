-- The client's name in account names that waits for the operator's review. The previous release knows of
-- no review: a name that is set through it is in force at once.
--
-- works beside: 0060

-- safe: a column without a default
alter table clients add column pending_account_name text;
