-- Lists in the checks of the tables that every credit writes, as one constant instead of `in (…)`. They admit
-- the same values. PostgreSQL reads and compiles a table's checks for each statement that writes to it, and
-- an array of many constants takes several times as long as one constant.
--
-- post_inserted_transfers() (db/functions) looks up the closed periods and moves the balances in one
-- statement. decided_transfer_id() looks less and less often at the locks that it waits for.
--
-- works beside: 0023

-- safe: the new constraints admit what the old ones did
alter table credits
  drop constraint credits_outcome_known,
  drop constraint credits_judged_by_known,
  drop constraint credits_identified_by_known,
  drop constraint credits_source_known,
  add constraint credits_outcome_known
    check (outcome = any ('{booked,suspended,assigned,returned,reversed}'::text[])) not valid,
  add constraint credits_judged_by_known
    check (judged_by = any ('{bank_time,arrival}'::text[])) not valid,
  add constraint credits_identified_by_known check (identified_by = any
    ('{session_id,settlement_id,bank_reference,clearing_reference,uetr}'::text[])) not valid,
  add constraint credits_source_known
    check (source = any ('{notification,requery,statement,sandbox}'::text[])) not valid;

-- safe: the new constraint admits what the old one did
alter table credit_identifiers
  drop constraint credit_identifiers_kind_known,
  add constraint credit_identifiers_kind_known check (kind = any
    ('{session_id,settlement_id,bank_reference,clearing_reference,uetr}'::text[])) not valid;

-- safe: the new constraints admit what the old ones did
alter table ledger_accounts
  drop constraint ledger_accounts_kind_known,
  drop constraint ledger_accounts_not_overdrawn,
  add constraint ledger_accounts_kind_known check (kind = any
    ('{bank,shortfall,bank_cost,stamp_duty,input_vat,receivable,write_off,wht_receivable,wht_credit,
       doubtful_debt,collection,pending,available,subaccount,settling,reserve,paying,refunding,held,forfeited,
       suspense,returning,due_to_bank,fee_income,vat_payable,provision}'::text[])) not valid,
  add constraint ledger_accounts_not_overdrawn check (
    debits_kobo >= 0 and credits_kobo >= 0 and
    case when kind = 'bank' then true
         when kind = any ('{shortfall,bank_cost,stamp_duty,input_vat,receivable,write_off,wht_receivable,
                            wht_credit,doubtful_debt}'::text[])
         then debits_kobo >= credits_kobo
         else credits_kobo >= debits_kobo end) not valid;
