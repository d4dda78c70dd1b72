-- What ISO 20022 calls a credit besides its session id and its bank's reference: ClrSysRef and UETR.
--
-- works beside: 0060

-- safe: it allows two more, so every row there is fits
alter table credit_identifiers
  drop constraint credit_identifiers_kind_known,
  add constraint credit_identifiers_kind_known
    check (kind in ('session_id', 'settlement_id', 'bank_reference', 'clearing_reference', 'uetr'))
    not valid;

-- safe: it allows two more, so every row there is fits
alter table credits
  drop constraint credits_identified_by_known,
  add constraint credits_identified_by_known
    check (identified_by in ('session_id', 'settlement_id', 'bank_reference', 'clearing_reference',
                             'uetr')) not valid;
