-- Payouts: money on its way out, and the bank accounts that it goes to.
--
--   queued ──▶ sending ──▶ confirmed     the bank says that it paid
--     │           ├──────▶ failed        the bank says that it did not, and will not
--     │           └──────▶ unknown ──▶ confirmed | failed
--     └──────▶ cancelled                 while nobody has asked the bank
--
--   I47  a payout is sent at most once. `sending` is committed before the bank is called, and nothing
--        leads back to `queued`: what has no answer is `unknown`, and asked for by its reference;
--   I48  what is on its way out is in the ledger: paying and refunding are their open payouts;
--   I49  who asked for a payout does not approve it, nor does anybody whom they gave access; and
--        nothing that waits for approval is sent;
--   I50  a client's payouts exceed neither its limit per payout nor its limit per day.

create table bank_accounts (
  id                    bigint primary key generated always as identity,
  reference             text collate "C" not null,
  client_id             bigint not null references clients,
  bank_code             text collate "C" not null,
  account_number_sealed bytea not null,
  account_number_hash   bytea not null,
  account_name          text not null, -- As the client wrote it.
  name_at_bank          text,          -- Null: the bank has not answered yet.
  status                text collate "C" not null,
  is_default            boolean not null default false,
  is_active             boolean not null default true,
  created_by            text collate "C" not null,
  created_at            timestamptz not null,
  enquired_at           timestamptz,   -- When the bank last answered.

  constraint bank_accounts_reference_unique unique (reference),
  constraint bank_accounts_of_client unique (client_id, id),
  constraint bank_accounts_once_per_client unique (client_id, bank_code, account_number_hash),
  constraint bank_accounts_status_known check (status in ('confirmed', 'mismatch', 'unconfirmed')),
  constraint bank_accounts_name_of_answered
    check ((status = 'unconfirmed') = (name_at_bank is null)),
  constraint bank_accounts_default_is_active check (is_active or not is_default)
);

create unique index bank_accounts_one_default on bank_accounts (client_id) where is_default;

create table payouts (
  id                bigint primary key generated always as identity,
  reference         text collate "C" not null, -- For ever: the bank pays it once.
  client_id         bigint references clients, -- Null: a return of money that was nobody's.
  purpose           text collate "C" not null,
  status            text collate "C" not null default 'queued',
  bank_code         text collate "C" not null, -- Which sends it.
  to_bank_code      text collate "C" not null,
  to_account_sealed bytea not null,
  to_account_name   text not null,
  amount_kobo       bigint not null,
  currency          text collate "C" not null,
  narration         text not null,
  fee_kobo          bigint not null default 0, -- Charged on top; given back unless it is paid.
  vat_kobo          bigint not null default 0,
  fee_rule_id       bigint,
  cost_kobo         bigint not null default 0, -- What the bank charged us, once it is confirmed: …
  cost_vat_kobo     bigint not null default 0, -- … its fee and duty, and the VAT.
  bank_account_id   bigint,
  subaccount_id     bigint,
  settlement_id     bigint,
  credit_id         bigint references credits, -- Of refunds and returns.
  approval          text collate "C" not null,
  requested_by      text collate "C" not null,
  requested_by_user uuid,
  requested_at      timestamptz not null,
  decided_by        text collate "C",
  decided_by_user   uuid,
  decided_at        timestamptz,
  decision_reason   text,
  batch_id          bigint,                    -- Of the file it was sent in, if it was.
  sending_at        timestamptz,
  queries           integer not null default 0,
  next_query_at     timestamptz,               -- Of unknown ones.
  bank_reference    text,
  failure_reason    text,
  settled_by        text collate "C",
  settled_at        timestamptz,

  constraint payouts_reference_unique unique (reference),
  constraint payouts_of_client unique (client_id, id),
  constraint payouts_purpose_known
    check (purpose in ('payout', 'settlement', 'refund', 'return')),
  constraint payouts_status_known
    check (status in ('queued', 'sending', 'confirmed', 'failed', 'unknown', 'cancelled')),
  constraint payouts_approval_known
    check (approval in ('not_needed', 'needed', 'approved', 'rejected')),
  constraint payouts_amounts_fit
    check (amount_kobo > 0 and fee_kobo >= 0 and vat_kobo >= 0 and cost_kobo >= 0
           and cost_vat_kobo >= 0),
  constraint payouts_of_somebody check (client_id is not null or purpose = 'return'),
  constraint payouts_bank_account_of_same_client
    foreign key (client_id, bank_account_id) references bank_accounts (client_id, id),
  constraint payouts_fee_rule_of_same_client
    foreign key (client_id, fee_rule_id) references fee_rules (client_id, id),
  constraint payouts_only_approved_are_sent check (
    status in ('queued', 'cancelled') or approval in ('not_needed', 'approved')),
  constraint payouts_rejected_are_cancelled check (approval <> 'rejected' or status = 'cancelled'),
  constraint payouts_two_people check (
    approval not in ('approved', 'rejected')
    or decided_by is not null and decided_by <> requested_by and decided_by_user is not null
       and decided_by_user is distinct from requested_by_user and decided_at is not null),
  constraint payouts_sent_has_time
    check ((status in ('queued', 'cancelled')) = (sending_at is null)),
  constraint payouts_unknown_is_asked_for check (status = 'unknown' or next_query_at is null),
  constraint payouts_confirmed_has_reference
    check ((status = 'confirmed') = (bank_reference is not null)),
  constraint payouts_unpaid_has_reason
    check ((status in ('failed', 'cancelled')) = (failure_reason is not null)),
  constraint payouts_settled_by_somebody check (
    (status in ('confirmed', 'failed', 'cancelled')) = (settled_at is not null)
    and (settled_at is null) = (settled_by is null))
);

create index payouts_by_client on payouts (client_id, id);
create index payouts_of_day on payouts (client_id, requested_at);
create index payouts_to_send on payouts (bank_code, id)
  where status = 'queued' and approval in ('not_needed', 'approved');
create index payouts_open on payouts (status, id)
  where status in ('queued', 'sending', 'unknown');
create index payouts_of_settlement on payouts (settlement_id) where settlement_id is not null;
create index payouts_of_credit on payouts (credit_id) where credit_id is not null;
create index payouts_of_batch on payouts (batch_id) where batch_id is not null;

-- What became of each, in order.
create table payout_changes (
  id         bigint primary key generated always as identity,
  payout_id  bigint not null references payouts,
  change     text collate "C" not null, -- The status that it got, or approved.
  changed_by text collate "C" not null,
  changed_at timestamptz not null,
  detail     text
);

create index payout_changes_by_payout on payout_changes (payout_id, id);

-- I47, I49. What was asked for never changes, and no state is left for an earlier one. Rows are
-- compared, not JSON of them: a file puts ten thousand payouts into one update.
create function check_payout() returns trigger language plpgsql as $$
begin
  if (new.reference, new.client_id, new.purpose, new.bank_code, new.to_bank_code,
      new.to_account_name, new.amount_kobo, new.currency, new.narration, new.fee_kobo, new.vat_kobo,
      new.requested_by, new.requested_by_user, new.requested_at)
     is distinct from
     (old.reference, old.client_id, old.purpose, old.bank_code, old.to_bank_code,
      old.to_account_name, old.amount_kobo, old.currency, old.narration, old.fee_kobo, old.vat_kobo,
      old.requested_by, old.requested_by_user, old.requested_at) then
    raise exception 'what was asked of a payout does not change'
      using errcode = 'check_violation', constraint = 'payouts_keep_what_was_asked';
  end if;
  if new.status <> old.status and not (old.status || '>' || new.status) = any(array[
       'queued>sending', 'queued>cancelled', 'sending>confirmed', 'sending>failed',
       'sending>unknown', 'unknown>confirmed', 'unknown>failed']) then
    raise exception 'a payout that is % does not become %', old.status, new.status
      using errcode = 'check_violation', constraint = 'payouts_are_sent_once';
  end if;
  if new.approval <> old.approval and old.approval <> 'needed' then
    raise exception 'a payout is decided once'
      using errcode = 'check_violation', constraint = 'payouts_are_decided_once';
  end if;
  if new.approval = 'approved' and old.approval <> 'approved'
     and stands_behind(new.requested_by_user, new.decided_by_user) then
    raise exception 'nobody to whom the maker gave access may approve'
      using errcode = 'check_violation', constraint = 'payouts_independent_checker';
  end if;
  return null;
end $$;

-- After the constraints, so that they are told first.
create trigger payouts_checked after update on payouts
  for each row execute function check_payout();
create trigger payouts_not_deleted before delete on payouts
  for each statement execute function refuse_change();
create trigger payouts_not_truncated before truncate on payouts
  for each statement execute function refuse_change();

-- How a client pays out: from which amount on it takes two people (null: never; 0: always), and how
-- much the operator lets it pay out (null: any amount).
create table payout_settings (
  client_id           bigint primary key references clients,
  approval_above_kobo bigint, -- More than this needs approval. Null: nothing does.
  per_payout_kobo     bigint,
  per_day_kobo        bigint,

  constraint payout_settings_not_negative
    check (approval_above_kobo >= 0 and per_payout_kobo >= 0 and per_day_kobo >= 0)
);

-- What banks charge us for a payout, dated like fee rules: a flat fee by amount, VAT on it, and stamp
-- duty. The fees have one more than the limits, for what is above the last.
create table payout_tariffs (
  id               bigint primary key generated always as identity,
  bank_code        text collate "C", -- Null: of banks without a tariff of their own.
  band_limits_kobo bigint[] not null,
  band_fees_kobo   bigint[] not null,
  vat_bps          integer not null,
  duty_kobo        bigint not null,
  duty_from_kobo   bigint not null,
  effective_from   timestamptz not null,
  created_by       text collate "C" not null,
  created_at       timestamptz not null,

  constraint payout_tariffs_one_at_a_time
    unique nulls not distinct (bank_code, effective_from),
  constraint payout_tariffs_bands_fit
    check (cardinality(band_fees_kobo) = cardinality(band_limits_kobo) + 1
           and 0 <= all (band_fees_kobo) and 0 < all (band_limits_kobo)),
  constraint payout_tariffs_rates_bounded
    check (vat_bps between 0 and 5000 and duty_kobo >= 0 and duty_from_kobo >= 0)
);

-- The NIP tariff: 10 up to 5,000, 25 up to 50,000, 50 above, VAT, and stamp duty from 10,000.
insert into payout_tariffs
  (band_limits_kobo, band_fees_kobo, vat_bps, duty_kobo, duty_from_kobo, effective_from, created_by,
   created_at)
values ('{500000,5000000}', '{1000,2500,5000}', 750, 5000, 1000000, '2020-03-01', 'manilla', now());

create trigger payout_tariffs_not_changed before update or delete on payout_tariffs
  for each row execute function refuse_change();

-- The books of the sandbox's bank: what it was told to pay, once for each reference.
create table sandbox_payouts (
  reference      text collate "C" primary key,
  bank_reference text collate "C" not null,
  status         text collate "C" not null,
  reason         text,
  due_at         timestamptz not null, -- Until then a confirmed one is still pending.

  constraint sandbox_payouts_status_known check (status in ('confirmed', 'failed', 'silent'))
);
