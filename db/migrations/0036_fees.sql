-- Fees that the operator charges on money that is booked, by dated rules.
--
--   I43  a client has at most one rule of a basis in force at any moment, and at most one for each
--        merchant code. The past never changes: a rule only ends, where the next one begins;
--   I44  fee and VAT are posted in the transaction that books the money, and given back in
--        proportion when the bank takes it back.

create table fee_rules (
  id                     bigint primary key generated always as identity,
  client_id              bigint not null references clients,
  merchant_code          text collate "C", -- Null: of all the client's money without a rule of its own.
  code                   text collate "C" not null,
  basis                  text collate "C" not null,
  flat_kobo              bigint not null,
  bps                    integer not null,
  min_kobo               bigint not null,
  cap_kobo               bigint, -- Null: no cap.
  waive_flat_below_kobo  bigint not null,
  vat_bps                integer not null,
  vat_included           boolean not null,
  bearer                 text collate "C" not null,
  effective_from         timestamptz not null,
  effective_to           timestamptz, -- Null: until another begins.
  created_by             text not null,
  created_at             timestamptz not null,

  constraint fee_rules_of_client unique (client_id, id),
  constraint fee_rules_basis_known check (basis in ('credit', 'payout')),
  constraint fee_rules_bearer_known check (bearer in ('merchant', 'customer', 'subaccount')),
  constraint fee_rules_merchant_code_length check (length(merchant_code) between 1 and 100),
  -- So much of an amount always remains that a customer can bear the fee on top of it.
  constraint fee_rules_rates_bounded
    check (bps between 0 and 5000 and vat_bps between 0 and 5000),
  constraint fee_rules_not_negative
    check (flat_kobo >= 0 and min_kobo >= 0 and waive_flat_below_kobo >= 0
           and (cap_kobo is null or cap_kobo >= min_kobo)),
  constraint fee_rules_begin_before_they_end check (effective_from < effective_to),
  -- Ranges of one value, because GiST knows no plain equality without an extension.
  constraint fee_rules_do_not_overlap exclude using gist (
    int8range(client_id, client_id, '[]') with &&,
    int8range(hashtextextended(basis || '/' || coalesce(merchant_code, ''), 0),
              hashtextextended(basis || '/' || coalesce(merchant_code, ''), 0), '[]') with &&,
    tstzrange(effective_from, effective_to) with &&)
);

-- Looked up for each owner of money in a batch of credits; nearly always there is none.
create index fee_rules_in_force on fee_rules (client_id, effective_from);

create function refuse_other_than_ending() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'effective_to' = to_jsonb(old) - 'effective_to'
     and old.effective_to is null and new.effective_to is not null then return new; end if;
  raise exception 'a fee rule can only be ended' using errcode = 'restrict_violation';
end $$;

create trigger fee_rules_only_end before update on fee_rules
  for each row execute function refuse_other_than_ending();
create trigger fee_rules_not_deleted before delete on fee_rules
  for each statement execute function refuse_change();
create trigger fee_rules_not_truncated before truncate on fee_rules
  for each statement execute function refuse_change();

-- What was charged on each part of a credit: on what was booked, or on a suspense item that was
-- assigned. The fee of a payment that several credits paid is shared among them.
create table credit_fees (
  id                bigint primary key generated always as identity,
  credit_id         bigint not null references credits,
  item_id           bigint references suspense_items, -- Null: of what was booked.
  client_id         bigint not null,
  rule_id           bigint not null,
  account_id        bigint not null references ledger_accounts, -- What it was taken from.
  base_kobo         bigint not null,
  fee_kobo          bigint not null,
  vat_kobo          bigint not null,
  fee_returned_kobo bigint not null default 0,
  vat_returned_kobo bigint not null default 0,
  is_later          boolean not null, -- Charged after the credit came: its movement is of its own day.
  charged_at        timestamptz not null,

  constraint credit_fees_rule_of_same_client
    foreign key (client_id, rule_id) references fee_rules (client_id, id),
  constraint credit_fees_fit check (
    fee_kobo >= 0 and vat_kobo >= 0 and fee_kobo + vat_kobo between 1 and base_kobo
    and fee_returned_kobo between 0 and fee_kobo and vat_returned_kobo between 0 and vat_kobo)
);

create unique index credit_fees_charged_once on credit_fees (credit_id, coalesce(item_id, 0));
create index credit_fees_by_account on credit_fees (account_id);
create index credit_fees_later on credit_fees (charged_at) where is_later;

-- Of a payment whose fee the customer bears: the rule it was asked by, and how much of what was
-- asked is fee and VAT. Charged: what was taken of it in the end, less what was given back.
alter table payments
  add column fee_rule_id      bigint,
  add column quoted_fee_kobo  bigint,
  add column quoted_vat_kobo  bigint,
  add column charged_fee_kobo bigint not null default 0,
  add column charged_vat_kobo bigint not null default 0,
  add constraint payments_fee_rule_of_same_client
    foreign key (client_id, fee_rule_id) references fee_rules (client_id, id) not valid,
  add constraint payments_quote_is_whole check (
    (fee_rule_id is null) = (quoted_fee_kobo is null)
    and (fee_rule_id is null) = (quoted_vat_kobo is null)) not valid;

-- fee_income    fees charged to a client                     owner: operator, by client
-- vat_payable   VAT charged with them, owed to the state     owner: operator, by client
alter table ledger_accounts
  drop constraint ledger_accounts_kind_known,
  add constraint ledger_accounts_kind_known check (kind in
    ('bank', 'shortfall', 'bank_cost', 'input_vat', 'collection', 'pending', 'settled', 'suspense',
     'returning', 'fee_income', 'vat_payable'));

-- Fees are a total of their own (0027_movements.sql): what was charged, less what was given back.
--   net   gross − reversed − returned − suspended − fees
create or replace view client_movements as
select t.id, t.credit_id, t.reason, t.posted_at, m.client_id, t.currency,
       case when m.place_from = 'outside' and t.reason not in ('fee', 'fee_vat') then t.amount_kobo
            else 0 end as gross_kobo,
       case when m.place_to = 'outside' and t.reason = 'reversal' then t.amount_kobo else 0 end
         as reversed_kobo,
       case when m.place_to = 'outside' and t.reason = 'returned' then t.amount_kobo else 0 end
         as returned_kobo,
       case when m.place_to = 'suspended' then t.amount_kobo
            when m.place_from = 'suspended' then -t.amount_kobo else 0 end as suspended_kobo,
       case when t.reason not in ('fee', 'fee_vat') then 0
            when m.place_to = 'outside' then t.amount_kobo else -t.amount_kobo end as fees_kobo
  from (select t.*, d.currency, d.kind as debit_kind, c.kind as credit_kind,
               coalesce(da.client_id, substr(d.owner, 8)::bigint) as debit_client,
               coalesce(ca.client_id, substr(c.owner, 8)::bigint) as credit_client
          from transfers t
          join (select id, kind, currency, case when owner like 'client:%' then owner end as owner
                  from ledger_accounts) as d on d.id = t.debit_account_id
          join (select id, kind, case when owner like 'client:%' then owner end as owner
                  from ledger_accounts) as c on c.id = t.credit_account_id
          left join collection_accounts da on da.id = t.debit_account_id
          left join collection_accounts ca on ca.id = t.credit_account_id) as t
 -- What is on its way back is with a bank's account: it is whose suspense it left last.
 cross join lateral (
   select case when t.debit_kind = 'returning' then
            (select substr(l.owner, 8)::bigint
               from transfers r join ledger_accounts l on l.id = r.debit_account_id
              where r.credit_id = t.credit_id and r.reason = 'return' and r.id < t.id
                and l.owner like 'client:%'
                and r.id = (select max(id) from transfers
                             where credit_id = t.credit_id and reason = 'return' and id < t.id))
          end as client_id) as sent
 cross join lateral (
   select coalesce(t.debit_client, t.credit_client, sent.client_id) as client_id,
          case when t.debit_kind = 'suspense' and t.debit_client is not null
                 or sent.client_id is not null then 'suspended'
               when t.debit_client is not null then 'booked' else 'outside' end as place_from,
          case when t.credit_kind = 'suspense' and t.credit_client is not null
                 or t.credit_kind = 'returning' then 'suspended'
               when t.credit_client is not null then 'booked' else 'outside' end as place_to) as m
 where m.client_id is not null and m.place_from <> m.place_to;

alter table hourly_totals
  add column fees_kobo bigint not null default 0; -- A change, so it may be below zero.
