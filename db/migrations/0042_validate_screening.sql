-- Verifies the constraints of 0041 on existing payouts: none has been screened.
--
-- works beside: 0023

alter table payouts validate constraint payouts_screening_known;
alter table payouts validate constraint payouts_held_unsent;
