-- Refunds: money that goes back to the payer of a payment, or of a credit to a collection account.
--
--   I58  refunds of a payment or credit never exceed the received amount, less reversals and refunds that
--        are paid or on their way;
--
-- A refund is sent as one payout per credit, the newest credit first. Its state follows its payouts.
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

-- Adjustments: a debt of a client or a bank is paid back or written off. One user of the operator requests
-- it, and another user who is independent of the first approves it.
--
--   I60  no more is recovered or written off than is owed, and only with the approval of two people.
--
--   recovery    of a receivable: taken from what is available to the client;
--               of a shortfall: the bank has paid it
--   write_off   nobody will pay it: it is the operator's loss
create table adjustments (
  id                bigint primary key generated always as identity,
  reference         text collate "C" not null,
  kind              text collate "C" not null,
  subject           text collate "C" not null, -- The debt: receivable or shortfall.
  client_id         bigint references clients, -- The debtor of a receivable, …
  bank_code         text collate "C", -- … or a shortfall.
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
  maker_people      uuid[],

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

-- Runs after the constraints, so that their errors come first.
create trigger adjustments_checked after update on adjustments
  for each row execute function check_adjustment();

create trigger adjustments_not_deleted before delete on adjustments
  for each statement execute function refuse_change();

create trigger adjustments_not_truncated before truncate on adjustments
  for each statement execute function refuse_change();

create trigger adjustments_keep_maker_people before insert on adjustments
  for each row execute function keep_maker_people('requested_by', 'requested_by_user', 'requested_at');

create trigger adjustments_checked_by_another after update of state on adjustments
  for each row when (new.state = 'approved' and old.state <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');
