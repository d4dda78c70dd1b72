-- Validates the constraints of 0053.
--
-- works beside: 0023

alter table adjustments
  validate constraint adjustments_kind_known,
  validate constraint adjustments_of_withholding;
