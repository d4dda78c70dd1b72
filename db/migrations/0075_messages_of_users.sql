-- Finds the last messages to a user, which say whether the user's mail arrives. Built beside the traffic.
--
-- works beside: 0023
-- outside a transaction

drop index concurrently if exists messages_of_user;
create index concurrently messages_of_user on messages (user_id, id) where user_id is not null;
