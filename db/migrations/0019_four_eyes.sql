-- Four eyes at the suspense desk: where a client wants it, one person asks for money to be assigned or
-- returned and another one approves, before anything moves. Off unless switched on.
--
--   open ──▶ approved     by another person, in the transaction that moves the money
--     ├────▶ rejected     by another person, with a reason
--     └────▶ withdrawn    by whoever asked

alter table clients add column has_four_eyes boolean not null default false;

create table suspense_requests (
  id              bigint primary key generated always as identity,
  client_id       bigint not null references clients, -- Whose people ask and decide.
  item_id         bigint not null references suspense_items,
  action          text collate "C" not null,
  -- To whom, when it is to be assigned. Looked up again when it is approved, so nothing is held here.
  to_account      text collate "C",
  to_payment_id   uuid,
  reason          text not null,
  state           text collate "C" not null default 'open',
  requested_by    text collate "C" not null,
  requested_at    timestamptz not null,
  decided_by      text collate "C",
  decided_at      timestamptz,
  decision_reason text,

  constraint suspense_requests_action_known check (action in ('assign', 'return')),
  constraint suspense_requests_assign_to_one check (
    num_nonnulls(to_account, to_payment_id) = case action when 'assign' then 1 else 0 end),
  constraint suspense_requests_state_known
    check (state in ('open', 'approved', 'rejected', 'withdrawn')),
  constraint suspense_requests_decided_by_somebody check (
    (state = 'open') = (decided_by is null) and (state = 'open') = (decided_at is null)),
  -- The whole point: who asked does not approve.
  constraint suspense_requests_two_people check (
    case when state in ('approved', 'rejected') then decided_by <> requested_by
         when state = 'withdrawn' then decided_by = requested_by
         else true end),
  constraint suspense_requests_rejected_has_reason check (
    state <> 'rejected' or decision_reason is not null)
);

create unique index suspense_requests_one_open on suspense_requests (item_id) where state = 'open';
create index suspense_requests_by_client on suspense_requests (client_id, id);
create index suspense_requests_by_item on suspense_requests (item_id, id);
