-- Tax and doubtful debts.
--
-- New kinds of ledger account. All but provision grow by debits.
--
-- stamp_duty      stamp duty that banks charged, so far in bank_cost       owner: bank
-- wht_receivable  tax that a client withheld from our fees; its credit note is due   owner: operator
-- wht_credit      tax that credit notes prove, a claim on the state        owner: operator
-- doubtful_debt   what we expect never to be paid: a cost                  owner: operator
-- provision       the allowance for it, against receivable                 owner: operator
--
-- The previous release opens none of them, and books stamp duty as bank cost until it is replaced.
--
-- works beside: 0023

-- safe: the new constraints admit all that the old ones did
alter table ledger_accounts
  drop constraint ledger_accounts_kind_known,
  drop constraint ledger_accounts_not_overdrawn,
  add constraint ledger_accounts_kind_known check (kind in
    ('bank', 'shortfall', 'bank_cost', 'stamp_duty', 'input_vat', 'receivable', 'write_off', 'wht_receivable',
     'wht_credit', 'doubtful_debt', 'collection', 'pending', 'available', 'subaccount', 'settling', 'reserve',
     'paying', 'refunding', 'held', 'forfeited', 'suspense', 'returning', 'due_to_bank', 'fee_income',
     'vat_payable', 'provision')) not valid,
  add constraint ledger_accounts_not_overdrawn check (
    debits_kobo >= 0 and credits_kobo >= 0 and
    case when kind = 'bank' then true
         when kind in ('shortfall', 'bank_cost', 'stamp_duty', 'input_vat', 'receivable', 'write_off',
                       'wht_receivable', 'wht_credit', 'doubtful_debt')
         then debits_kobo >= credits_kobo
         else credits_kobo >= debits_kobo end) not valid;

-- Adjustments also apply reserves to debts, make and release provisions, and book withheld tax. `document` is
-- the number of the VAT invoice that tax was withheld from, or of the credit note that was received.
-- safe: the new constraints admit all that the old ones did
alter table adjustments
  add column document text collate "C",
  drop constraint adjustments_kind_known,
  drop constraint adjustments_owed_by_one,
  add constraint adjustments_kind_known check (kind in
    ('recovery', 'write_off', 'reserve_use', 'provision', 'provision_release', 'withholding',
     'wht_credit_note')) not valid,
  add constraint adjustments_owed_by_one check (
    subject in ('receivable', 'withholding') and client_id is not null and bank_code is null
    or subject = 'shortfall' and client_id is null and bank_code is not null) not valid,
  add constraint adjustments_of_withholding check (
    (subject = 'withholding') = (kind in ('withholding', 'wht_credit_note'))
    and (subject = 'withholding') = (document is not null)) not valid;

-- safe: a few rows
create unique index adjustments_document_once on adjustments (kind, document)
 where document is not null and state in ('open', 'approved');

-- Rates of tax, each from a day on until the next; of two for one day, the later entry counts. A rate begins
-- tomorrow at the earliest and never changes: past months keep theirs (I117).
create table tax_rates (
  id             bigint generated always as identity,
  tax            text collate "C" not null,
  client_id      bigint references clients, -- Withholding tax only.
  bps            integer,
  amount_kobo    bigint,
  threshold_kobo bigint,
  bearer         text collate "C",
  effective_from date not null,
  source         text not null,
  created_by     text collate "C", -- Null: supplied.
  created_at     timestamptz not null default now(),
  constraint tax_rates_pkey primary key (id),
  constraint tax_rates_known check (
    case tax when 'vat' then client_id is null and bps between 0 and 5000
                  and num_nonnulls(amount_kobo, threshold_kobo, bearer) = 0
             when 'withholding' then client_id is not null and bps between 0 and 5000
                  and num_nonnulls(amount_kobo, threshold_kobo, bearer) = 0
             when 'stamp_duty' then client_id is null and bps is null and amount_kobo >= 0
                  and threshold_kobo >= 0 and bearer in ('sender', 'recipient')
             else false end)
);

insert into tax_rates (tax, bps, amount_kobo, threshold_kobo, bearer, effective_from, source) values
  ('vat', 750, null, null, null, '2020-02-01', 'Finance Act 2019; kept by the Nigeria Tax Act 2025'),
  ('stamp_duty', null, 5000, 1000000, 'recipient', '2021-01-01',
   'Electronic Money Transfer Levy, Finance Act 2020'),
  ('stamp_duty', null, 5000, 1000000, 'sender', '2026-01-01', 'Nigeria Tax Act 2025');

create trigger tax_rates_kept before update or delete on tax_rates
  for each statement execute function refuse_change();
create trigger tax_rates_not_truncated before truncate on tax_rates
  for each statement execute function refuse_change();

-- The particulars of a client, or of the operator, on VAT invoices.
create table tax_details (
  client_id  bigint not null references clients,
  legal_name text not null,
  address    text not null,
  tin        text collate "C" not null,
  updated_by text collate "C" not null,
  updated_at timestamptz not null,
  constraint tax_details_pkey primary key (client_id)
);

-- VAT invoices and credit notes. Numbers of each kind begin at 1 and have no gaps: each document names the
-- one before it, and none is changed or deleted (I116).
create table vat_documents (
  id         bigint generated always as identity,
  kind       text collate "C" not null,
  number     bigint not null,
  previous   bigint,
  client_id  bigint not null references clients,
  month      date not null,
  currency   text collate "C" not null,
  fees_kobo  bigint not null,
  vat_kobo   bigint not null,
  wht_kobo   bigint not null,
  parties    jsonb not null,
  issued_by  text collate "C" not null,
  issued_at  timestamptz not null,
  constraint vat_documents_pkey primary key (id),
  constraint vat_documents_kind_known check (kind in ('invoice', 'credit_note')),
  constraint vat_documents_numbered_once unique (kind, number),
  constraint vat_documents_one_per_month unique (kind, client_id, month, currency),
  constraint vat_documents_without_gaps check (
    number > 0 and previous is not distinct from nullif(number - 1, 0)),
  constraint vat_documents_follow_one_another foreign key (kind, previous)
    references vat_documents (kind, number),
  constraint vat_documents_amounts check (
    fees_kobo >= 0 and vat_kobo >= 0 and wht_kobo >= 0 and fees_kobo + vat_kobo > 0),
  constraint vat_documents_whole_months check (extract(day from month) = 1)
);
create index vat_documents_of_client on vat_documents (client_id, id);

create trigger vat_documents_append_only before update or delete on vat_documents
  for each statement execute function refuse_change();
create trigger vat_documents_not_truncated before truncate on vat_documents
  for each statement execute function refuse_change();

-- The age in days at which an item in suspense raises an alert. One row at most; without a row: never.
create table suspense_escalation (
  is_only boolean not null default true,
  days    integer not null,
  constraint suspense_escalation_pkey primary key (is_only),
  constraint suspense_escalation_once check (is_only),
  constraint suspense_escalation_bounded check (days between 1 and 3650)
);
