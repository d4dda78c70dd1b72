-- Verifies the constraint of 0072 on existing payouts.
--
-- works beside: 0023

alter table payouts validate constraint payouts_held_unsent;
