-- Verifies the constraints of 0142 on existing rows: no hold was on a person before it.
--
-- works beside: 0023

alter table holds
  validate constraint holds_target_known,
  validate constraint holds_of_person_are_empty;
