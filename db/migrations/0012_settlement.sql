-- Settlement: the available money of a client is taken at a cut-off and paid out.
--
--   I51  every transfer of a client's money that a cut-off covers is in exactly one settlement, and a
--        credit is settled once;
--   I52  a settlement is in the ledger: its totals equal its lines and its transfers, and the settling
--        accounts hold the money of closed settlements that are not approved;
--   I53  under maker-checker, the user who closed a settlement does not approve it, nor does a user whose
--        access that user granted;
--   I54  each time of a schedule is closed at most once, however many processes run.
--
-- A settlement covers the transfers with an id up to `to_id` that were posted before `cut_off`, less
-- those that the one before it covers. Both only grow, so nothing is covered twice or left out.
create table settlement_settings (
  client_id    bigint primary key references clients,
  schedule     text collate "C" not null,
  minimum_kobo bigint not null,
  reserve_bps  integer not null,
  reserve_days integer not null,
  handled_to   timestamptz not null, -- The last time of the schedule that was closed or skipped.
  updated_by   text collate "C" not null,
  updated_at   timestamptz not null,

  constraint settlement_settings_schedule_known check (schedule ~
    '^(manual|(daily|T\+1|weekly@(Mon|Tue|Wed|Thu|Fri))@([01][0-9]|2[0-3]):[0-5][0-9])$'),
  constraint settlement_settings_bounded
    check (minimum_kobo >= 0 and reserve_bps between 0 and 10000 and reserve_days between 0 and 365
           and (reserve_bps = 0) = (reserve_days = 0))
);

-- Days on which nothing is closed, besides Saturdays and Sundays.
create table settlement_holidays (
  day  date primary key,
  name text not null
);

create table settlements (
  id                     bigint primary key generated always as identity,
  reference              text collate "C" not null,
  client_id              bigint not null references clients,
  previous_id            bigint, -- Null: the first.
  currency               text collate "C" not null,
  status                 text collate "C" not null,
  period_from            timestamptz, -- The cut-off of the one before.
  cut_off                timestamptz not null,
  to_id                  bigint not null,
  next_from_id           bigint not null, -- No uncovered transfer has a lower id.
  lines                  bigint not null default 0,
  gross_kobo             bigint not null default 0,
  fees_kobo              bigint not null default 0,
  vat_kobo               bigint not null default 0,
  reversed_kobo          bigint not null default 0,
  refunds_kobo           bigint not null default 0,
  paid_out_kobo          bigint not null default 0, -- By payouts outside of settlements.
  recovered_kobo         bigint not null default 0,
  reserved_kobo          bigint not null default 0,
  released_kobo          bigint not null default 0,
  carried_kobo           bigint not null default 0, -- From or to other settlements: see docs/settlement.md.
  net_kobo               bigint not null default 0,
  needs_approval         boolean not null,
  held_reason            text collate "C", -- Why it was not approved automatically.
  closed_by              text collate "C" not null,
  closed_by_user         uuid,
  closed_at              timestamptz not null,
  approved_by            text collate "C",
  approved_by_user       uuid,
  approved_at            timestamptz,
  cancelled_by           text collate "C",
  cancelled_at           timestamptz,
  finished_at            timestamptz, -- When its last payout finished.
  maker_people           uuid[],
  approvers_needed       smallint not null default 1,
  first_approved_by      text collate "C",
  first_approved_by_user uuid,
  first_approved_at      timestamptz,

  constraint settlements_reference_unique unique (reference),
  constraint settlements_of_client unique (client_id, id),
  constraint settlements_previous_of_same_client
    foreign key (client_id, previous_id) references settlements (client_id, id),
  constraint settlements_status_known check (status in
    ('closed', 'approved', 'sending', 'paid', 'part_failed', 'failed', 'cancelled')),
  constraint settlements_add_up check (
    net_kobo = gross_kobo - fees_kobo - vat_kobo - reversed_kobo - refunds_kobo - paid_out_kobo
               - recovered_kobo - reserved_kobo + released_kobo + carried_kobo
    and net_kobo >= 0),
  constraint settlements_cut_off_grows check (period_from < cut_off),
  constraint settlements_approved_has_time
    check ((status in ('closed', 'cancelled')) = (approved_at is null)
           and (approved_at is null) = (approved_by is null)),
  constraint settlements_two_people check (
    not needs_approval or approved_at is null
    or approved_by_user is not null and approved_by_user is distinct from closed_by_user
       and approved_by <> closed_by),
  constraint settlements_cancelled_has_time
    check ((status = 'cancelled') = (cancelled_at is not null)
           and (cancelled_at is null) = (cancelled_by is null)),
  constraint settlements_finished_has_time
    check ((status in ('paid', 'part_failed', 'failed')) = (finished_at is not null))
);

-- I51. Each follows one, and is followed by one.
create unique index settlements_follow_one_another
  on settlements (client_id, currency, coalesce(previous_id, 0)) where status <> 'cancelled';
create index settlements_by_client on settlements (client_id, id);

create function check_settlement() returns trigger language plpgsql as $$
begin
  if new.needs_approval <> old.needs_approval
     or new.closed_by_user is distinct from old.closed_by_user
     or new.closed_by <> old.closed_by then
    raise exception 'who closed a settlement, and that it needs approval, does not change'
      using errcode = 'check_violation', constraint = 'settlements_keep_their_maker';
  end if;
  if new.status = 'approved' and old.status <> 'approved' and new.needs_approval
     and stands_behind(new.closed_by_user, new.approved_by_user) then
    raise exception 'nobody to whom the maker gave access may approve'
      using errcode = 'check_violation', constraint = 'settlements_independent_checker';
  end if;
  return null;
end $$;

-- Runs after the constraints, so that their errors come first.
create trigger settlements_checked after update on settlements
  for each row execute function check_settlement();

create trigger settlements_keep_maker_people before insert on settlements
  for each row execute function keep_maker_people('closed_by', 'closed_by_user', 'closed_at');

create trigger settlements_same_maker_people before update of maker_people on settlements
  for each row when (new.maker_people is distinct from old.maker_people)
  execute function refuse_other_maker_people();

create trigger settlements_checked_by_another after update of status on settlements
  for each row when (new.status = 'approved' and old.status <> 'approved' and new.needs_approval)
  execute function check_another_person('closed_by_user', 'approved_by_user');

-- The body is in db/functions/check_settlements_transition.sql. Until it is applied, every row is refused.
create function check_settlements_transition() returns trigger language plpgsql as $$ begin end $$;

create trigger settlements_follow_transitions before update of status on settlements
  for each row when (old.status is distinct from new.status)
  execute function check_settlements_transition();

-- The lines of a settlement: for each credit, the money that it brought to one ledger account and the
-- deductions; and the other movements of that account. Without foreign keys, because a million lines are
-- written in one statement; the integrity checks look at them.
create table settlement_lines (
  settlement_id bigint not null,
  id            bigint not null generated always as identity,
  kind          text collate "C" not null,
  subaccount_id bigint, -- Null: the client's.
  account_id    bigint, -- The ledger account. Null: the line concerns the whole settlement.
  credit_id     bigint,
  payout_id     bigint,
  adjustment_id bigint,
  brought_id    bigint, -- The first transfer that brought money of the credit; null: none did.
  posted_at     timestamptz not null,
  gross_kobo    bigint not null default 0,
  fee_kobo      bigint not null default 0,
  vat_kobo      bigint not null default 0,
  split_kobo    bigint not null default 0, -- To subaccounts; below zero: from the client.
  reversed_kobo bigint not null default 0,
  other_kobo    bigint not null default 0, -- Its meaning follows from the kind. Negative: a deduction.
  net_kobo      bigint not null generated always as
    (gross_kobo - fee_kobo - vat_kobo - split_kobo - reversed_kobo + other_kobo) stored,

  primary key (settlement_id, id),
  constraint settlement_lines_kind_known check (kind in
    ('credit', 'payout', 'refund', 'adjustment', 'recovery', 'reserve', 'release', 'carried'))
);

create unique index settlement_lines_credit_settled_once on settlement_lines (brought_id)
  where brought_id is not null;

-- The amount for each party of a settlement.
create table settlement_shares (
  settlement_id bigint not null,
  client_id     bigint not null,
  subaccount_id bigint, -- Null: the client.
  account_id    bigint not null references ledger_accounts, -- Settling.
  net_kobo      bigint not null,

  constraint settlement_shares_one_per_party
    unique nulls not distinct (settlement_id, subaccount_id),
  constraint settlement_shares_not_negative check (net_kobo >= 0),
  constraint settlement_shares_settlement_of_same_client
    foreign key (client_id, settlement_id) references settlements (client_id, id)
);

-- Held back from a settlement, until a later one releases it.
create table settlement_reserves (
  settlement_id bigint primary key,
  client_id     bigint not null,
  amount_kobo   bigint not null,
  release_at    timestamptz not null,
  released_by   bigint, -- The settlement.

  constraint settlement_reserves_positive check (amount_kobo > 0),
  constraint settlement_reserves_released_later check (released_by > settlement_id),
  constraint settlement_reserves_settlement_of_same_client
    foreign key (client_id, settlement_id) references settlements (client_id, id),
  constraint settlement_reserves_release_of_same_client
    foreign key (client_id, released_by) references settlements (client_id, id)
);

create index settlement_reserves_held on settlement_reserves (client_id, release_at)
  where released_by is null;
create index settlement_reserves_released on settlement_reserves (released_by)
  where released_by is not null;

-- The ledger accounts that a client's settlement draws from: its collection accounts, the proceeds of its
-- payments, and the money of its subaccounts.
create view settlement_accounts as
select a.client_id, null::bigint as subaccount_id, l.id as account_id, l.currency
  from collection_accounts a join ledger_accounts l on l.id = a.id
union all
select substr(l.owner, 8)::bigint, null::bigint, l.id, l.currency
  from ledger_accounts l where l.kind = 'available'
union all
select s.client_id, s.id, l.id, l.currency
  from subaccounts s
  join ledger_accounts l on l.kind = 'subaccount' and l.owner = 'subaccount:' || s.id;
