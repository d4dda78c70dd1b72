-- Advices, payments, and the numbers leased for them.
--
--   I9   one payment per advice;
--   I10  the amount paid of a payment is the sum of its booked credits, less reversals;
--   I11  nothing of one client points at anything of another: foreign keys carry the client.

create table advices (
  id                 uuid primary key, -- The adviceReference: unguessable, because it is a capability.
  client_id          bigint not null references clients,
  merchant_ref       text collate "C",
  amount_kobo        bigint not null check (amount_kobo > 0),
  currency           text collate "C" not null,
  narration          text,
  call_back_url      text not null,
  notification_url   text,
  customer           jsonb not null,
  customer_name      text not null,
  amount_policy      text collate "C" not null,
  expires_in_seconds int not null check (expires_in_seconds between 60 and 172800),
  grace_seconds      int not null check (grace_seconds between 0 and 86400),
  payer_rules        jsonb,
  cancelled_at       timestamptz, -- Every other state of an advice is its payment's.
  created_at         timestamptz not null,
  -- By how much the expiry of the payment was extended beyond the terms of the advice. The terms do not
  -- change, so a repeated request still finds its advice.
  extended_seconds   int not null default 0,
  erased_at          timestamptz,
  split_id           bigint,

  constraint advices_amount_policy_known check (amount_policy in ('exact', 'allow_under', 'any')),
  constraint advices_merchant_ref_unique unique (client_id, merchant_ref),
  constraint advices_of_client unique (client_id, id),
  constraint advices_extended_within_48_hours
    check (extended_seconds >= 0 and expires_in_seconds + extended_seconds <= 172800),
  constraint advices_erased_is_empty
    check (erased_at is null
           or customer_name = 'Erased' and jsonb_strip_nulls(customer) = '{}' and narration is null
              and payer_rules is null),
  constraint advices_split_of_same_client
    foreign key (client_id, split_id) references splits (client_id, id)
);

create index advices_cancelled on advices (client_id, id) where cancelled_at is not null;

create table payments (
  id               uuid primary key, -- The paymentReference.
  advice_id        uuid not null,
  client_id        bigint not null,
  amount_kobo      bigint not null check (amount_kobo > 0),
  amount_paid_kobo bigint not null default 0 check (amount_paid_kobo >= 0),
  amount_policy    text collate "C" not null,
  status           text collate "C" not null default 'Processing',
  expires_at       timestamptz not null, -- From then on the status reads Expired.
  closes_at        timestamptz not null, -- The end of grace: money is accepted until then.
  created_at       timestamptz not null,
  updated_at       timestamptz not null,
  -- If the customer bears the fee: the rule that was quoted, and the fee and VAT in the requested amount.
  -- Charged: the fee and VAT that were taken, less refunds of them.
  fee_rule_id      bigint,
  quoted_fee_kobo  bigint,
  quoted_vat_kobo  bigint,
  charged_fee_kobo bigint not null default 0,
  charged_vat_kobo bigint not null default 0,

  constraint payments_one_per_advice unique (advice_id),
  constraint payments_of_client unique (client_id, id),
  constraint payments_advice_of_same_client
    foreign key (client_id, advice_id) references advices (client_id, id),
  constraint payments_status_known check (status in
    ('Processing', 'PartPayment', 'Successful', 'Expired', 'Cancelled', 'Reversed')),
  constraint payments_grace_follows_expiry check (closes_at >= expires_at),
  constraint payments_part_is_less check (
    status <> 'PartPayment' or (amount_paid_kobo > 0 and amount_paid_kobo < amount_kobo)),
  constraint payments_successful_is_paid check (
    status <> 'Successful' or amount_policy = 'any' or amount_paid_kobo = amount_kobo),
  constraint payments_fee_rule_of_same_client
    foreign key (client_id, fee_rule_id) references fee_rules (client_id, id),
  constraint payments_quote_is_whole check (
    (fee_rule_id is null) = (quoted_fee_kobo is null)
    and (fee_rule_id is null) = (quoted_vat_kobo is null))
) with (fillfactor = 80);

-- The expiry worker reads this index.
create index payments_to_close on payments (closes_at) where status in ('Processing', 'PartPayment');
-- Lists read advices_of_client and payments_of_client in the order of ids, which is the order of time.
-- These indexes find the rare states. New advices and payments, and payments that are paid at once, have
-- no entry here and cost nothing.
create index payments_by_rare_status on payments (client_id, status, id)
  where status in ('PartPayment', 'Cancelled', 'Reversed');

-- The body is in db/functions/check_payments_transition.sql. Until it is applied, every row is refused.
create function check_payments_transition() returns trigger language plpgsql as $$ begin end $$;

create trigger payments_follow_transitions before update of status on payments
  for each row when (old.status is distinct from new.status)
  execute function check_payments_transition();

create table payment_numbers (
  payment_id     uuid not null references payments,
  bank_code      text collate "C" not null,
  account_number text collate "C" not null,
  issued_at      timestamptz not null,
  routing        jsonb,

  constraint payment_numbers_one_per_bank primary key (payment_id, bank_code)
);

create index payment_numbers_by_number on payment_numbers (account_number);

-- Apart from clients, whose rows are read often. Payers' browsers ask for a logo by its hash and may keep
-- it for ever; two clients may have the same.
create table client_logos (
  client_id  bigint primary key references clients,
  sha256     text collate "C" not null
             constraint client_logos_sha256_is_hex check (sha256 ~ '^[0-9a-f]{64}$'),
  media_type text collate "C" not null
             constraint client_logos_media_type_known
             check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
  width      integer not null, -- In pixels, from the header of the image.
  height     integer not null,
  bytes      bytea not null
             constraint client_logos_small check (octet_length(bytes) between 1 and 32768),
  updated_at timestamptz not null
);

create index client_logos_by_sha256 on client_logos (sha256);
