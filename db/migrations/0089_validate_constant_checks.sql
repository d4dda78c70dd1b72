-- Verifies the constraints of 0088 on existing rows: they fitted the constraints before it.
--
-- works beside: 0023

alter table credits
  validate constraint credits_outcome_known,
  validate constraint credits_judged_by_known,
  validate constraint credits_identified_by_known,
  validate constraint credits_source_known;
alter table credit_identifiers validate constraint credit_identifiers_kind_known;
alter table ledger_accounts
  validate constraint ledger_accounts_kind_known,
  validate constraint ledger_accounts_not_overdrawn;
