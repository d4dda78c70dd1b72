-- Accounts that many share get ids above all others. Balances are moved in the order of ids
-- (functions/post_inserted_transfers.sql), so they are moved last, and another batch that needs them
-- waits for little more than the commit. Those that are open already keep their ids: they are moved
-- early, and nothing else is different for them.

create sequence shared_account_ids start 1000000000000000;
