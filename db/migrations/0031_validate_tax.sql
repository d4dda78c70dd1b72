-- Verifies the constraints of 0030 on existing rows.
--
-- works beside: 0023

alter table ledger_accounts validate constraint ledger_accounts_kind_known;
alter table ledger_accounts validate constraint ledger_accounts_not_overdrawn;
alter table adjustments validate constraint adjustments_kind_known;
alter table adjustments validate constraint adjustments_owed_by_one;
alter table adjustments validate constraint adjustments_of_withholding;
