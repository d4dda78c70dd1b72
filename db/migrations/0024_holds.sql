-- Holds: an operator stops money of a client, until two people release or forfeit it (I130).
--
-- held         stopped by holds; nobody draws from it                 owner: client
-- forfeited    taken from the client for good, not paid on yet        owner: client
--
-- The previous release knows neither account. It draws nothing from them, and leaves a hold that lacks
-- money unfilled until this release runs.
--
-- works beside: 0023

-- safe: the new check allows two more values, so existing rows pass
alter table ledger_accounts
  drop constraint ledger_accounts_kind_known,
  add constraint ledger_accounts_kind_known check (kind in
    ('bank', 'shortfall', 'bank_cost', 'input_vat', 'receivable', 'write_off', 'collection',
     'pending', 'available', 'subaccount', 'settling', 'reserve', 'paying', 'refunding',
     'held', 'forfeited', 'suspense', 'returning', 'fee_income', 'vat_payable')) not valid;

create table holds (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  client_id bigint not null, -- The owner of the money.
  target text collate "C" not null,
  credit_id bigint,
  account_id bigint, -- A collection account.
  merchant_code text,
  currency text collate "C" not null,
  amount_kobo bigint, -- Null: all. A hold on a credit always has an amount.
  held_kobo bigint not null default 0,
  forfeited_kobo bigint not null default 0,
  held_account_id bigint not null,
  reason text not null,
  case_reference text,
  deadline_at timestamptz,
  state text collate "C" not null default 'active',
  placed_by text collate "C" not null,
  placed_at timestamptz not null,
  ended_at timestamptz,
  constraint holds_pkey primary key (id),
  constraint holds_of_one_client unique (client_id, id),
  constraint holds_reference_unique unique (reference),
  constraint holds_client_id_fkey foreign key (client_id) references clients (id),
  constraint holds_account_id_fkey foreign key (account_id) references ledger_accounts (id),
  constraint holds_held_account_id_fkey foreign key (held_account_id) references ledger_accounts (id),
  constraint holds_have_one_target check (
    (target = 'credit') = (credit_id is not null)
    and (target = 'merchant') = (merchant_code is not null)
    and (target = 'account') = (account_id is not null)
    and (target <> 'credit' or amount_kobo is not null)),
  constraint holds_target_known check (target in ('credit', 'account', 'merchant', 'client')),
  constraint holds_state_known check (state in ('active', 'released', 'forfeited')),
  constraint holds_end_empty check ((state = 'active') = (ended_at is null)
                                    and (state = 'active' or held_kobo = 0)),
  constraint holds_amounts_fit check (
    held_kobo >= 0 and forfeited_kobo >= 0
    and (amount_kobo is null or amount_kobo > 0 and held_kobo + forfeited_kobo <= amount_kobo))
);

create index holds_of_client on holds (client_id, id) where state = 'active';
create index holds_of_credit on holds (credit_id) where credit_id is not null;

create function check_hold() returns trigger language plpgsql as $$
declare
  changing constant text[] := array['held_kobo', 'forfeited_kobo', 'state', 'ended_at', 'deadline_at',
                                    'case_reference'];
begin
  if to_jsonb(new) - changing is distinct from to_jsonb(old) - changing or old.state <> 'active' then
    raise exception 'a hold keeps its terms, and ends once'
      using errcode = 'check_violation', constraint = 'holds_keep_terms';
  end if;
  return null;
end $$;

create trigger holds_checked after update on holds for each row execute function check_hold();
create trigger holds_not_deleted before delete on holds
  for each statement execute function refuse_change();
create trigger holds_not_truncated before truncate on holds
  for each statement execute function refuse_change();

-- safe: new in this migration
create or replace function check_holds_transition() returns trigger language plpgsql as $$
begin
  if (case old.state
       when 'active' then new.state in ('released', 'forfeited')
       else false
     end) then
    return new;
  end if;
  raise exception 'holds: % does not become %', old.state, new.state
    using errcode = 'MN002', table = 'holds', column = 'state',
          constraint = 'holds_follow_transitions';
end $$;

create trigger holds_follow_transitions before update of state on holds
  for each row when (old.state is distinct from new.state)
  execute function check_holds_transition();

-- Requests to release or forfeit: one user asks, another decides.
create table hold_requests (
  id bigint not null generated always as identity,
  hold_id bigint not null,
  kind text collate "C" not null,
  amount_kobo bigint, -- Null: all that is held.
  reason text not null,
  state text collate "C" not null default 'open',
  requested_by text collate "C" not null,
  requested_by_user uuid not null,
  maker_people uuid[],
  requested_at timestamptz not null,
  decided_by text collate "C",
  decided_by_user uuid,
  decided_at timestamptz,
  decision_reason text,
  constraint hold_requests_pkey primary key (id),
  constraint hold_requests_hold_id_fkey foreign key (hold_id) references holds (id),
  constraint hold_requests_kind_known check (kind in ('release', 'forfeiture')),
  constraint hold_requests_amount_positive
    check (amount_kobo > 0 and kind = 'forfeiture' or amount_kobo is null),
  constraint hold_requests_state_known check (state in ('open', 'approved', 'rejected', 'withdrawn')),
  constraint hold_requests_decided_by_somebody
    check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  constraint hold_requests_two_people
    check (state not in ('approved', 'rejected')
           or decided_by_user is not null and decided_by <> requested_by
              and decided_by_user <> requested_by_user)
);

create unique index hold_requests_one_open on hold_requests (hold_id) where state = 'open';

create trigger hold_requests_keep_maker_people before insert on hold_requests
  for each row execute function keep_maker_people('requested_by', 'requested_by_user', 'requested_at');

create function check_hold_request() returns trigger language plpgsql as $$
declare
  decided constant text[] := array['state', 'decided_by', 'decided_by_user', 'decided_at',
                                   'decision_reason'];
begin
  if to_jsonb(new) - decided is distinct from to_jsonb(old) - decided or old.state <> 'open' then
    raise exception 'a request about a hold is decided once, as it was made'
      using errcode = 'check_violation', constraint = 'hold_requests_keep_what_was_asked';
  end if;
  return null;
end $$;

create trigger hold_requests_checked after update on hold_requests
  for each row execute function check_hold_request();
create trigger hold_requests_checked_by_another after update of state on hold_requests
  for each row when (new.state = 'approved' and old.state <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');
create trigger hold_requests_not_deleted before delete on hold_requests
  for each statement execute function refuse_change();
create trigger hold_requests_not_truncated before truncate on hold_requests
  for each statement execute function refuse_change();
