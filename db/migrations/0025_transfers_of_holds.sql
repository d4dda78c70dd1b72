-- Transfers that a hold makes (I46, I130). In a migration of its own, since it locks the transfers.
--
-- works beside: 0023

-- safe: the new check allows one more cause, so existing rows pass
alter table transfers
  add column hold_id bigint,
  drop constraint transfers_have_one_cause,
  add constraint transfers_have_one_cause
    check (num_nonnulls(credit_id, payout_id, settlement_id, adjustment_id, difference_id, hold_id) = 1)
    not valid;
