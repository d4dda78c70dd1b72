-- Advices (what is to be paid), payments (how it is being paid), and the numbers leased for them.
--
--   I9   one payment per advice;
--   I10  a payment's amount paid is what its booked credits brought, less what was taken back;
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

  constraint advices_amount_policy_known check (amount_policy in ('exact', 'allow_under', 'any')),
  constraint advices_merchant_ref_unique unique (client_id, merchant_ref),
  constraint advices_of_client unique (client_id, id)
);

create table payments (
  id               uuid primary key, -- The paymentReference.
  advice_id        uuid not null,
  client_id        bigint not null,
  amount_kobo      bigint not null check (amount_kobo > 0),
  amount_paid_kobo bigint not null default 0 check (amount_paid_kobo >= 0),
  amount_policy    text collate "C" not null,
  status           text collate "C" not null default 'Processing',
  expires_at       timestamptz not null, -- From here on it reads Expired.
  closes_at        timestamptz not null, -- The end of grace: until here money still counts.
  created_at       timestamptz not null,
  updated_at       timestamptz not null,

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
    status <> 'Successful' or amount_policy = 'any' or amount_paid_kobo = amount_kobo)
) with (fillfactor = 80);

-- What the expiry worker looks for.
create index payments_to_close on payments (closes_at) where status in ('Processing', 'PartPayment');

create table payment_numbers (
  payment_id     uuid not null references payments,
  bank_code      text collate "C" not null,
  account_number text collate "C" not null,
  issued_at      timestamptz not null,

  constraint payment_numbers_one_per_bank primary key (payment_id, bank_code)
);

create index payment_numbers_by_number on payment_numbers (account_number);

-- Every number that we ever gave out, and whose it is now.
create table numbers (
  account_number        text collate "C" primary key,
  bank_code             text collate "C" not null,
  client_id             bigint not null,
  collection_account_id bigint,
  payment_id            uuid,
  reusable_at           timestamptz,

  constraint numbers_one_owner check ((collection_account_id is null) <> (payment_id is null)),
  constraint numbers_only_dynamic_return check ((payment_id is null) = (reusable_at is null)),
  constraint numbers_account_of_same_client
    foreign key (client_id, collection_account_id) references collection_accounts (client_id, id),
  constraint numbers_payment_of_same_client
    foreign key (client_id, payment_id) references payments (client_id, id)
);

create index numbers_reusable on numbers (bank_code, reusable_at) where payment_id is not null;
