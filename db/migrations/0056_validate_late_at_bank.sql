-- Verifies the constraint of 0055 on existing rows.
--
-- works beside: 0023

alter table differences validate constraint differences_kind_known;
