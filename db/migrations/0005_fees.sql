-- Fees that the operator charges on money that is booked, by dated rules.
--
--   I43  a client has at most one rule of a basis in force at any moment, and at most one for each
--        merchant code. The past never changes: a rule only ends, where the next one begins;
--   I44  fee and VAT are posted in the transaction that books the money, and given back in
--        proportion when the bank takes it back.
create table fee_rules (
  id                    bigint primary key generated always as identity,
  client_id             bigint not null references clients,
  merchant_code         text collate "C", -- Null: the rule for all money without a rule of its own.
  code                  text collate "C" not null,
  basis                 text collate "C" not null,
  flat_kobo             bigint not null,
  bps                   integer not null,
  min_kobo              bigint not null,
  cap_kobo              bigint, -- Null: no cap.
  waive_flat_below_kobo bigint not null,
  vat_bps               integer not null,
  vat_included          boolean not null,
  bearer                text collate "C" not null,
  effective_from        timestamptz not null,
  effective_to          timestamptz, -- Null: until another begins.
  created_by            text not null,
  created_at            timestamptz not null,
  -- A rule can be withdrawn before it begins (I43). It then ends where it begins, so that it is never in
  -- force, and the rule before it goes on.
  withdrawn_at          timestamptz,

  constraint fee_rules_of_client unique (client_id, id),
  constraint fee_rules_basis_known check (basis in ('credit', 'payout')),
  constraint fee_rules_bearer_known check (bearer in ('merchant', 'customer', 'subaccount')),
  constraint fee_rules_merchant_code_length check (length(merchant_code) between 1 and 100),
  -- The fee leaves enough of any amount for a customer to bear the fee on top of it.
  constraint fee_rules_rates_bounded
    check (bps between 0 and 5000 and vat_bps between 0 and 5000),
  constraint fee_rules_not_negative
    check (flat_kobo >= 0 and min_kobo >= 0 and waive_flat_below_kobo >= 0
           and (cap_kobo is null or cap_kobo >= min_kobo)),
  -- Ranges of one value, because GiST knows no plain equality without an extension.
  constraint fee_rules_do_not_overlap exclude using gist (
    int8range(client_id, client_id, '[]') with &&,
    int8range(hashtextextended(basis || '/' || coalesce(merchant_code, ''), 0),
              hashtextextended(basis || '/' || coalesce(merchant_code, ''), 0), '[]') with &&,
    tstzrange(effective_from, effective_to) with &&),
  constraint fee_rules_begin_before_they_end check (
    case when withdrawn_at is null then effective_from < effective_to
         else effective_to is not distinct from effective_from and withdrawn_at < effective_from end)
);

-- Looked up for each owner of money in a batch of credits; nearly always there is none.
create index fee_rules_in_force on fee_rules (client_id, effective_from);

-- A rule ends; it is withdrawn; or it goes on where the one that began there was withdrawn.
create function refuse_other_than_ending() returns trigger language plpgsql as $$
declare
  changed constant text[] := array['effective_to', 'withdrawn_at'];
begin
  if to_jsonb(new) - changed = to_jsonb(old) - changed and old.withdrawn_at is null
     and (new.withdrawn_at is not null
          or old.effective_to is null and new.effective_to is not null
          or exists (select from fee_rules r
                      where r.client_id = old.client_id and r.basis = old.basis
                        and r.merchant_code is not distinct from old.merchant_code
                        and r.effective_from = old.effective_to and r.withdrawn_at is not null)
             and coalesce(new.effective_to > old.effective_to, true)) then
    return new;
  end if;
  raise exception 'a fee rule can only be ended, or withdrawn before it begins'
    using errcode = 'restrict_violation';
end $$;

create trigger fee_rules_only_end before update on fee_rules
  for each row execute function refuse_other_than_ending();

create trigger fee_rules_not_deleted before delete on fee_rules
  for each statement execute function refuse_change();

create trigger fee_rules_not_truncated before truncate on fee_rules
  for each statement execute function refuse_change();

-- Fees charged on each part of a credit: on the booked part, or on an assigned suspense item. Several
-- credits that paid one payment share its fee.
create table credit_fees (
  id                bigint primary key generated always as identity,
  credit_id         bigint not null,
  item_id           bigint, -- Null: the booked part.
  client_id         bigint not null,
  rule_id           bigint not null,
  account_id        bigint not null references ledger_accounts, -- The account that was debited.
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
