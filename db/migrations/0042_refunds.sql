-- Reversals of money that has left.
--
--   I57  what a bank reverses is taken from the ledger account that the credit was booked to as far
--        as that goes, and the rest is the client's debt: nobody else pays for it, and nothing twice.

alter table reversals
  add column receivable_kobo bigint not null default 0, -- Of the amount, what the client owes us.
  drop constraint reversals_shortfall_is_part,
  add constraint reversals_parts_fit check (
    shortfall_kobo >= 0 and receivable_kobo >= 0 and shortfall_kobo + receivable_kobo <= amount_kobo);

-- What a reversal found missing, by the ledger account that should have had it.
create table receivables (
  id          bigint primary key generated always as identity,
  reversal_id bigint not null references reversals,
  client_id   bigint not null references clients,
  account_id  bigint not null references ledger_accounts,
  amount_kobo bigint not null,

  constraint receivables_amount_positive check (amount_kobo > 0)
);

create index receivables_by_reversal on receivables (reversal_id);
create index receivables_by_account on receivables (account_id);

-- Refunds: money that goes back to the payer of a payment, or of a credit to a collection account.
--
--   I58  no more is refunded of a payment or credit than was received, less what was reversed and
--        what is refunded or being refunded already;
--
-- Each is sent in one payout per credit that it gives back, the newest first; its state is theirs.

create table refunds (
  id           bigint primary key generated always as identity,
  reference    text collate "C" not null,
  client_id    bigint not null references clients,
  payment_id   uuid,
  credit_id    bigint references credits,
  amount_kobo  bigint not null,
  currency     text collate "C" not null,
  reason       text not null,
  requested_by text collate "C" not null,
  requested_at timestamptz not null,

  constraint refunds_reference_unique unique (reference),
  constraint refunds_of_client unique (client_id, id),
  constraint refunds_payment_of_same_client
    foreign key (client_id, payment_id) references payments (client_id, id),
  constraint refunds_of_payment_or_credit check (num_nonnulls(payment_id, credit_id) = 1),
  constraint refunds_amount_positive check (amount_kobo > 0)
);

create index refunds_by_payment on refunds (payment_id) where payment_id is not null;
create index refunds_by_credit on refunds (credit_id) where credit_id is not null;

create trigger refunds_not_changed before update or delete on refunds
  for each row execute function refuse_change();
create trigger refunds_not_truncated before truncate on refunds
  for each statement execute function refuse_change();

alter table payouts
  add column refund_id bigint,
  -- Of the credit, the suspense item that was assigned; null: what was booked.
  add column item_id   bigint references suspense_items,
  add constraint payouts_refund_of_same_client
    foreign key (client_id, refund_id) references refunds (client_id, id),
  add constraint payouts_of_refunds check (refund_id is null or purpose = 'refund');

create index payouts_of_refund on payouts (refund_id) where refund_id is not null;

-- Adjustments: what a client or a bank owes us is paid back, or given up. One user of the operator's
-- asks for it, another one who is independent of the first approves it.
--
--   I60  no more is recovered or written off than is owed, and only what two people agreed on.
--
--   recovery    of a receivable: taken from what is available to the client;
--               of a shortfall: the bank has paid it
--   write_off   nobody will pay it: it is the operator's loss

create table adjustments (
  id                bigint primary key generated always as identity,
  reference         text collate "C" not null,
  kind              text collate "C" not null,
  subject           text collate "C" not null, -- What is owed: receivable or shortfall.
  client_id         bigint references clients, -- Who owes a receivable, …
  bank_code         text collate "C",          -- … or a shortfall.
  amount_kobo       bigint not null,
  currency          text collate "C" not null,
  reason            text not null,
  state             text collate "C" not null default 'open',
  requested_by      text collate "C" not null,
  requested_by_user uuid not null,
  requested_at      timestamptz not null,
  decided_by        text collate "C",
  decided_by_user   uuid,
  decided_at        timestamptz,
  decision_reason   text,

  constraint adjustments_reference_unique unique (reference),
  constraint adjustments_kind_known check (kind in ('recovery', 'write_off')),
  constraint adjustments_owed_by_one check (
    subject = 'receivable' and client_id is not null and bank_code is null
    or subject = 'shortfall' and client_id is null and bank_code is not null),
  constraint adjustments_amount_positive check (amount_kobo > 0),
  constraint adjustments_state_known
    check (state in ('open', 'approved', 'rejected', 'withdrawn')),
  constraint adjustments_decided_by_somebody check (
    (state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by_user is null)
    and (decided_at is null) = (decided_by is null)),
  constraint adjustments_two_people check (
    state not in ('approved', 'rejected')
    or decided_by_user <> requested_by_user and decided_by <> requested_by)
);

create index adjustments_by_state on adjustments (state, id);

create function check_adjustment() returns trigger language plpgsql as $$
declare
  decided constant text[] := array['state', 'decided_by', 'decided_by_user', 'decided_at',
                                   'decision_reason'];
begin
  if to_jsonb(new) - decided is distinct from to_jsonb(old) - decided or old.state <> 'open' then
    raise exception 'an adjustment is decided once, as it was asked for'
      using errcode = 'check_violation', constraint = 'adjustments_keep_what_was_asked';
  end if;
  if new.state = 'approved' and stands_behind(new.requested_by_user, new.decided_by_user) then
    raise exception 'nobody to whom the maker gave access may approve'
      using errcode = 'check_violation', constraint = 'adjustments_independent_checker';
  end if;
  return null;
end $$;

-- After the constraints, so that they are told first.
create trigger adjustments_checked after update on adjustments
  for each row execute function check_adjustment();
create trigger adjustments_not_deleted before delete on adjustments
  for each statement execute function refuse_change();
create trigger adjustments_not_truncated before truncate on adjustments
  for each statement execute function refuse_change();
