-- Returns as instructions that an operator can see, execute and settle; and alerts that are
-- acknowledged.
--
--   pending ──▶ confirmed     the bank, or the operator for it, says that the payer has the money
--      └──────▶ failed        it could not be sent: the money is in open suspense again
--
-- One row for each time that money was to go back. A bank takes a reference once, so a return that
-- failed keeps its own and the next attempt gets another. A row is written only under the lock of its
-- suspense item.

create table returns (
  id             bigint primary key generated always as identity,
  -- For ever: banks keep it, and so do statements.
  reference      text collate "C" not null,
  item_id        bigint not null references suspense_items,
  amount_kobo    bigint not null,
  status         text collate "C" not null default 'pending',
  bank_reference text,           -- The bank's own, once it is confirmed.
  failure_reason text,           -- As the bank or the operator words it.
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

-- Until now a reference was made of the item's id. Those on their way, or back, keep theirs.
insert into returns
  (reference, item_id, amount_kobo, status, bank_reference, requested_by, requested_at, settled_at)
select 'RTN' || lpad(i.id::text, 12, '0'), i.id, i.amount_kobo,
       case i.state when 'returned' then 'confirmed' else 'pending' end,
       case i.state when 'returned' then coalesce(i.return_reference, 'unknown') end,
       a.actor, coalesce(a.taken_at, i.closed_at),
       case i.state when 'returned' then i.closed_at end
  from suspense_items i
  left join lateral (
    select actor, taken_at from actions
     where subject = 'suspense/' || i.id and action = 'suspense.return'
     order by id desc limit 1) as a on true
 where i.state in ('returning', 'returned')
 order by i.id;

alter table suspense_items drop column return_reference;

-- An item is on its way once.
create unique index returns_one_pending on returns (item_id) where status = 'pending';
create index returns_by_item on returns (item_id, id);
create index returns_by_status on returns (status, id);

-- Who acknowledged an alert, and when.
alter table alerts
  add column acknowledged_at timestamptz,
  add column acknowledged_by text collate "C",
  add column logged_at       timestamptz, -- When its line in the log was written.
  add constraint alerts_acknowledged_by_somebody
    check ((acknowledged_at is null) = (acknowledged_by is null));

update alerts set logged_at = raised_at;

create index alerts_open on alerts (id) where acknowledged_at is null and cleared_at is null;
create index alerts_unlogged on alerts (id) where logged_at is null;

-- Reading returns, and executing them, can be granted apart from the rest that an operator may do.
alter table clients
  drop constraint clients_scopes_known,
  drop constraint clients_operator_scope_is_operators;

update clients set scopes = scopes || array['returns:read', 'returns:write']
 where scopes @> array['operator'];

alter table clients
  add constraint clients_scopes_known check (scopes <@ array[
    'accounts:read', 'accounts:write', 'payments:read', 'payments:write', 'credits:read',
    'webhooks:read', 'webhooks:write', 'suspense:read', 'suspense:write', 'actions:read',
    'returns:read', 'returns:write', 'operator']),
  add constraint clients_operator_scopes_are_operators
    check (is_operator or not scopes && array['returns:read', 'returns:write', 'operator']);
