-- Verifies the constraint of 0049 on existing decisions: none was released.
--
-- works beside: 0023

alter table screening_decisions validate constraint screening_decisions_unheld_reason_known;
