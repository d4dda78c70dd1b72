-- An erasure also takes what the mail server said about a person's messages, which may quote the address, and
-- the suppressions of the person's addresses (I152).
--
-- works beside: 0023

-- safe: the same signature, and it does all that it did
create or replace function erase_messages(of_advice uuid, of_account bigint, at timestamptz) returns void
language sql as $$
  delete from message_suppressions s
   using messages m
   where (m.advice_id = of_advice or m.account_id = of_account)
     and s.client_id = m.client_id and s.recipient = m.recipient;
  update messages
     set address_sealed = null, recipient = null, facts_sealed = null,
         state = case when state = 'queued' then 'cancelled' else state end,
         problem = case when state = 'queued' then 'the recipient was erased' end,
         ended_at = case when state = 'queued' then at else ended_at end
   where advice_id = of_advice or account_id = of_account
$$;
