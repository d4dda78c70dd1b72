-- Requests to assign or return suspended money, and the returns. Under maker-checker, one person requests
-- and another approves before money moves.
--
--   open ──▶ approved     by another person, in the transaction that moves the money
--     ├────▶ rejected     by another person, with a reason
--     ├────▶ withdrawn    by the maker
--     └────▶ void         the money is gone: the bank took it back

create table suspense_requests (
  id                bigint primary key generated always as identity,
  client_id         bigint not null references clients, -- The client whose users request and decide.
  item_id           bigint references suspense_items,
  action            text collate "C" not null,
  -- The target of an assignment. Looked up again at the approval, so nothing is locked here.
  to_account        text collate "C",
  to_payment_id     uuid,
  reason            text not null,
  state             text collate "C" not null default 'open',
  requested_by      text collate "C" not null,
  requested_at      timestamptz not null,
  decided_by        text collate "C",
  decided_at        timestamptz,
  decision_reason   text,
  requested_by_user uuid, -- Null: unknown.
  decided_by_user   uuid,
  requested_kobo    bigint, -- The amount at the time of the request. Null: unknown.
  maker_people      uuid[],

  constraint suspense_requests_assign_to_one check (
    num_nonnulls(to_account, to_payment_id) = case action when 'assign' then 1 else 0 end),
  constraint suspense_requests_decided_by_somebody check (
    (state = 'open') = (decided_by is null) and (state = 'open') = (decided_at is null)),
  -- The maker does not approve.
  constraint suspense_requests_two_people check (
    case when state in ('approved', 'rejected') then decided_by <> requested_by
         when state = 'withdrawn' then decided_by = requested_by
         else true end),
  constraint suspense_requests_rejected_has_reason check (
    state <> 'rejected' or decision_reason is not null),
  constraint suspense_requests_action_known
    check (action in ('assign', 'return', 'disable_maker_checker')),
  constraint suspense_requests_state_known
    check (state in ('open', 'approved', 'rejected', 'withdrawn', 'void')),
  constraint suspense_requests_about_an_item_or_the_setting
    check ((action = 'disable_maker_checker') = (item_id is null)),
  constraint suspense_requests_amount_of_an_item
    check (requested_kobo > 0 and item_id is not null or requested_kobo is null)
);

create unique index suspense_requests_one_open on suspense_requests (item_id) where state = 'open';
create index suspense_requests_by_client on suspense_requests (client_id, id);
create index suspense_requests_by_item on suspense_requests (item_id, id);
create unique index suspense_requests_one_open_of_setting on suspense_requests (client_id)
  where state = 'open' and item_id is null;

-- Runs after the constraints, so that their errors come first.
create function check_suspense_request() returns trigger language plpgsql as $$
declare
  decided constant text[] := array['state', 'decided_by', 'decided_by_user', 'decided_at',
                                   'decision_reason'];
begin
  if to_jsonb(new) - decided is distinct from to_jsonb(old) - decided or old.state <> 'open' then
    raise exception 'a request about suspended money is decided once, as it was asked for'
      using errcode = 'check_violation', constraint = 'suspense_requests_keep_what_was_asked';
  end if;
  if new.state = 'approved'
     and (new.decided_by_user is null
          or stands_behind(new.requested_by_user, new.decided_by_user)) then
    raise exception 'nobody to whom the maker gave access may approve'
      using errcode = 'check_violation', constraint = 'suspense_requests_independent_checker';
  end if;
  return null;
end $$;

create trigger suspense_requests_checked after update on suspense_requests
  for each row execute function check_suspense_request();

create trigger suspense_requests_keep_maker_people before insert on suspense_requests
  for each row execute function keep_maker_people('requested_by', 'requested_by_user', 'requested_at');

create trigger suspense_requests_same_maker_people before update of maker_people on suspense_requests
  for each row when (new.maker_people is distinct from old.maker_people)
  execute function refuse_other_maker_people();

create trigger suspense_requests_checked_by_another after update of state on suspense_requests
  for each row when (new.state = 'approved' and old.state <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');

-- Changes of the amount of an open request.
create table suspense_request_changes (
  id         bigint primary key generated always as identity,
  request_id bigint not null references suspense_requests,
  changed_by text collate "C" not null,
  changed_at timestamptz not null,
  from_kobo  bigint not null,
  to_kobo    bigint not null,

  constraint suspense_request_changes_change check (from_kobo <> to_kobo)
);

create index suspense_request_changes_by_request on suspense_request_changes (request_id, id);

-- Returns: instructions that an operator can see, execute and settle.
--
--   pending ──▶ confirmed     the bank, or the operator for it, says that the payer has the money
--      └──────▶ failed        it could not be sent: the money is in open suspense again
--
-- One row for each attempt to return money. A bank accepts a reference once, so a failed return keeps its
-- reference and the next attempt gets another. A row is written only under the lock of its suspense item.
create table returns (
  id             bigint primary key generated always as identity,
  -- Permanent: banks and statements keep it.
  reference      text collate "C" not null,
  item_id        bigint not null references suspense_items,
  amount_kobo    bigint not null,
  status         text collate "C" not null default 'pending',
  bank_reference text, -- The bank's own, once it is confirmed.
  failure_reason text, -- In the words of the bank or the operator.
  requested_by   text collate "C",
  requested_at   timestamptz not null,
  settled_by     text collate "C",
  settled_at     timestamptz,

  constraint returns_reference_unique unique (reference),
  constraint returns_amount_positive check (amount_kobo > 0),
  constraint returns_status_known check (status in ('pending', 'confirmed', 'failed')),
  constraint returns_settled_has_time check ((status = 'pending') = (settled_at is null)),
  constraint returns_confirmed_has_reference
    check ((status = 'confirmed') = (bank_reference is not null)),
  constraint returns_only_failed_has_reason check (status = 'failed' or failure_reason is null)
);

-- An item has one pending return at most.
create unique index returns_one_pending on returns (item_id) where status = 'pending';
create index returns_by_item on returns (item_id, id);
create index returns_by_status on returns (status, id);
create index returns_confirmed on returns (settled_at) where status = 'confirmed';
create index returns_by_bank_reference on returns (bank_reference) where bank_reference is not null;

-- The body is in db/functions/check_returns_transition.sql. Until it is applied, every row is refused.
create function check_returns_transition() returns trigger language plpgsql as $$ begin end $$;

create trigger returns_follow_transitions before update of status on returns
  for each row when (old.status is distinct from new.status)
  execute function check_returns_transition();
