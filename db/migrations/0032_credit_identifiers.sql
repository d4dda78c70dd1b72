-- What identifies a credit, how it reached us, and what its bank withheld of it.
--
--   I12  a credit is taken exactly once. Its identity is (bank, kind, value), and it may have
--        several: whichever route it comes by again, and under whichever of them, it is known;
--   I37  what the bank withheld is part of the credit's amount, and booked as a cost of ours.

alter table credits drop constraint credits_taken_once;

-- Every identifier of every credit, in one table, so that one key decides between two routes that
-- race. The value leads it: nearly every look-up has one, and search has nothing else.
create table credit_identifiers (
  credit_id bigint not null,
  is_first  boolean not null, -- The one that the credit itself shows, as its session_id.
  value     text collate "C" not null,
  bank_code text collate "C" not null,
  kind      text collate "C" not null
);

insert into credit_identifiers (credit_id, is_first, value, bank_code, kind)
select id, true, session_id, bank_code, 'session_id' from credits order by session_id;

-- What has not the shape of an interbank session id may have been a bank's own reference: until now
-- they were not told apart. Under either kind it is the same credit.
insert into credit_identifiers (credit_id, is_first, value, bank_code, kind)
select id, false, session_id, bank_code, 'bank_reference'
  from credits where session_id !~ '^[0-9]{30}$' order by session_id;

alter table credit_identifiers
  add constraint credits_taken_once primary key (value, bank_code, kind),
  add constraint credit_identifiers_kind_known
    check (kind in ('session_id', 'settlement_id', 'bank_reference')),
  add constraint credit_identifiers_value_length check (length(value) between 1 and 64);

-- Most credits have no other than the first, which costs no second index entry.
create index credit_identifiers_further on credit_identifiers (credit_id) where not is_first;

create trigger credit_identifiers_append_only
  before update or delete on credit_identifiers
  for each statement execute function refuse_change();
create trigger credit_identifiers_not_truncated
  before truncate on credit_identifiers
  for each statement execute function refuse_change();

alter table credits
  add column identified_by text collate "C" not null default 'session_id', -- Kind of its session_id.
  add column source        text collate "C" not null default 'notification',
  add column fee_kobo      bigint not null default 0,
  add column vat_kobo      bigint not null default 0,
  add column duty_kobo     bigint not null default 0,
  add constraint credits_identified_by_known
    check (identified_by in ('session_id', 'settlement_id', 'bank_reference')),
  add constraint credits_source_known
    check (source in ('notification', 'requery', 'statement', 'sandbox')),
  add constraint credits_charges_fit check (
    fee_kobo >= 0 and vat_kobo >= 0 and duty_kobo >= 0
    and fee_kobo + vat_kobo + duty_kobo < amount_kobo);

-- No default from here on: a process of the version before, which knows of no identifiers, is refused.
alter table credits alter column identified_by drop default;

-- bank_cost   fees and duties that a bank withheld from credits                owner: bank code
-- input_vat   VAT that it charged on them, which may be reclaimed              owner: bank code
alter table ledger_accounts
  drop constraint ledger_accounts_kind_known,
  drop constraint ledger_accounts_not_overdrawn,
  add constraint ledger_accounts_kind_known check (kind in
    ('bank', 'shortfall', 'bank_cost', 'input_vat', 'collection', 'pending', 'settled', 'suspense',
     'returning')),
  add constraint ledger_accounts_not_overdrawn check (
    debits_kobo >= 0 and credits_kobo >= 0 and
    case when kind = 'bank' then true -- It may take back more than it holds: see reversals.
         when kind in ('shortfall', 'bank_cost', 'input_vat') then debits_kobo >= credits_kobo
         else credits_kobo >= debits_kobo end);
