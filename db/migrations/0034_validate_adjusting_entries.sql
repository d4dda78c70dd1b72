-- Verifies the constraint of 0033 on existing rows.
--
-- works beside: 0023

alter table adjusting_entries validate constraint adjusting_entries_account_known;
