-- Verifies the constraints of 0100 on existing rows: they fitted the constraints before it.
--
-- works beside: 0023

alter table payout_holds
  validate constraint payout_holds_lack_nothing_if_possible,
  validate constraint payout_holds_of_move_know_payouts;
alter table number_ranges validate constraint number_ranges_gap_before_next;
