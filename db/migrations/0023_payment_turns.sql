-- Turns in the life of a payment that no row of it bears any more once it was paid, or lost what it was
-- given: that it expired, and what was assigned to it. Its timeline finds the events by them.
--
-- Both are rare and neither is of a credit as it comes in, so money pays for no entry here.
create index events_turns_of_payment on events (payment_id)
  where type in ('payment.expired', 'credit.assigned') and payment_id is not null;
