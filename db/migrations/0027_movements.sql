-- Gross, reversed, returned, suspended and net: defined once, for every sum that is shown of a
-- client's money (balances, the overview, the CSV of credits).
--
--   gross      what banks reported for the client's numbers, and what was assigned to the client
--              from unidentified suspense, at the moment of its assignment
--   reversed   what banks took back of it, wherever it was
--   returned   what went back to payers, as the banks confirmed
--   suspended  what of it is in suspense, or on its way back to a payer and not confirmed
--   net        gross − reversed − returned − suspended: on collection accounts and payments
--
-- A movement is a transfer that changes one of these, with the change. What stays within one place
-- (a part payment that is settled, a return that is asked for) is none.

create view client_movements as
select t.id, t.credit_id, t.reason, t.posted_at, m.client_id, t.currency,
       case when m.place_from = 'outside' then t.amount_kobo else 0 end as gross_kobo,
       case when m.place_to = 'outside' and t.reason = 'reversal' then t.amount_kobo else 0 end
         as reversed_kobo,
       case when m.place_to = 'outside' and t.reason = 'returned' then t.amount_kobo else 0 end
         as returned_kobo,
       case when m.place_to = 'suspended' then t.amount_kobo
            when m.place_from = 'suspended' then -t.amount_kobo else 0 end as suspended_kobo
  from (select t.*, d.currency, d.kind as debit_kind, c.kind as credit_kind,
               coalesce(da.client_id, substr(d.owner, 8)::bigint) as debit_client,
               coalesce(ca.client_id, substr(c.owner, 8)::bigint) as credit_client
          from transfers t
          join (select id, kind, currency, case when owner like 'client:%' then owner end as owner
                  from ledger_accounts) as d on d.id = t.debit_account_id
          join (select id, kind, case when owner like 'client:%' then owner end as owner
                  from ledger_accounts) as c on c.id = t.credit_account_id
          left join collection_accounts da on da.id = t.debit_account_id
          left join collection_accounts ca on ca.id = t.credit_account_id) as t
 -- What is on its way back is with a bank's account: it is whose suspense it left last.
 cross join lateral (
   select case when t.debit_kind = 'returning' then
            (select substr(l.owner, 8)::bigint
               from transfers r join ledger_accounts l on l.id = r.debit_account_id
              where r.credit_id = t.credit_id and r.reason = 'return' and r.id < t.id
                and l.owner like 'client:%'
                and r.id = (select max(id) from transfers
                             where credit_id = t.credit_id and reason = 'return' and id < t.id))
          end as client_id) as sent
 cross join lateral (
   select coalesce(t.debit_client, t.credit_client, sent.client_id) as client_id,
          case when t.debit_kind = 'suspense' and t.debit_client is not null
                 or sent.client_id is not null then 'suspended'
               when t.debit_client is not null then 'booked' else 'outside' end as place_from,
          case when t.credit_kind = 'suspense' and t.credit_client is not null
                 or t.credit_kind = 'returning' then 'suspended'
               when t.credit_client is not null then 'booked' else 'outside' end as place_to) as m
 where m.client_id is not null and m.place_from <> m.place_to;

-- Of each event, what it moved; null: nothing, or money of another currency than the overview's.
alter table events add column moved json;

-- Totals by the hour, by this definition: counted again from the ledger, so that days before this
-- migration are right too. What is written from here on is counted from events.
lock table event_counters in exclusive mode;

alter table hourly_totals drop constraint hourly_totals_not_negative;
alter table hourly_totals rename column collected_kobo to gross_kobo;
alter table hourly_totals
  add column returned_kobo bigint not null default 0,
  add column suspended_kobo bigint not null default 0; -- A change, so it may be below zero.

update hourly_totals set credits = 0, gross_kobo = 0, reversed_kobo = 0;

insert into hourly_totals (client_id, hour, credits, gross_kobo, reversed_kobo, returned_kobo,
                           suspended_kobo, successful, expired, cancelled)
select client_id, date_trunc('hour', posted_at, 'UTC'),
       count(distinct credit_id) filter (where gross_kobo > 0), sum(gross_kobo),
       sum(reversed_kobo), sum(returned_kobo), sum(suspended_kobo), 0, 0, 0
  from client_movements where currency = 'NGN'
 group by 1, 2
on conflict (client_id, hour) do update
   set credits = excluded.credits, gross_kobo = excluded.gross_kobo,
       reversed_kobo = excluded.reversed_kobo, returned_kobo = excluded.returned_kobo,
       suspended_kobo = excluded.suspended_kobo;

-- How payments ended, of events that no worker had counted.
insert into hourly_totals (client_id, hour, credits, gross_kobo, reversed_kobo,
                           successful, expired, cancelled)
select e.client_id, date_trunc('hour', e.created_at, 'UTC'), 0, 0, 0,
       count(*) filter (where type = 'payment.successful'),
       count(*) filter (where type = 'payment.expired'),
       count(*) filter (where type = 'payment.cancelled')
  from event_counters k
  left join totals_cursors u on u.client_id = k.client_id
  join events e on e.client_id = k.client_id and e.sequence > coalesce(u.sequence, 0)
 where e.type in ('payment.successful', 'payment.expired', 'payment.cancelled')
 group by 1, 2
on conflict (client_id, hour) do update
   set successful = hourly_totals.successful + excluded.successful,
       expired = hourly_totals.expired + excluded.expired,
       cancelled = hourly_totals.cancelled + excluded.cancelled;

insert into totals_cursors (client_id, sequence)
select client_id, sequence from event_counters
on conflict (client_id) do update set sequence = excluded.sequence;

alter table hourly_totals
  add constraint hourly_totals_not_negative check (
    least(credits, gross_kobo, reversed_kobo, returned_kobo, successful, expired, cancelled) >= 0);

-- What happens to money after it came: few of all transfers, found by their time.
create index transfers_later on transfers (posted_at)
  where reason in ('assign', 'suspend', 'returned', 'reversal');

-- The client that unidentified money was assigned to. It stays when that money is in suspense again.
alter table suspense_items add column given_client_id bigint references clients;

update suspense_items i set given_client_id = g.client_id
  from (select i.id, coalesce(a.client_id, p.client_id, i.client_id) as client_id
          from suspense_items i
          join credits c on c.id = i.credit_id
          left join collection_accounts a on a.id = i.assigned_account_id
          left join payments p on p.id = i.assigned_payment_id
         where c.client_id is null) as g
 where i.id = g.id and g.client_id is not null;

-- Taken back whole by a bank after it was assigned: only the ledger knows to whom.
update suspense_items i set given_client_id = m.client_id
  from credits c, client_movements m
 where c.id = i.credit_id and c.client_id is null and i.given_client_id is null
   and i.state = 'reversed' and m.credit_id = c.id and m.reason = 'assign';

create index suspense_items_given on suspense_items (given_client_id, credit_id)
  where given_client_id is not null;

-- What became of each item, step by step; nothing here changes.
create table suspense_changes (
  id          bigint primary key generated always as identity,
  item_id     bigint not null references suspense_items,
  client_id   bigint references clients, -- Whose it was; null: nobody's.
  change      text collate "C" not null,
  from_state  text collate "C" not null,
  amount_kobo bigint not null check (amount_kobo > 0), -- What it was about, …
  left_kobo   bigint not null check (left_kobo >= 0), -- … and what of the item was left.
  reference   text, -- Payment, account number, or the bank's own.
  changed_at  timestamptz not null,

  constraint suspense_changes_known check (change in
    ('assigned', 'suspended_again', 'return_requested', 'returned', 'return_failed', 'reversed'))
);

create index suspense_changes_by_item on suspense_changes (item_id, id);
create index suspense_changes_of_returns on suspense_changes (client_id)
  include (item_id, amount_kobo) where change = 'reversed' and from_state = 'returning';

create trigger suspense_changes_append_only
  before update or delete on suspense_changes
  for each statement execute function refuse_change();
create trigger suspense_changes_not_truncated
  before truncate on suspense_changes
  for each statement execute function refuse_change();

-- Of the past, what the ledger tells for certain: what banks took out of suspense. It is also what
-- had been overwritten: the amounts.
insert into suspense_changes
  (item_id, client_id, change, from_state, amount_kobo, left_kobo, reference, changed_at)
select i.id, i.client_id, 'reversed', case d.kind when 'suspense' then 'open' else d.kind end,
       t.amount_kobo,
       case i.state when 'reversed' then 0 else i.amount_kobo end
         + coalesce(sum(t.amount_kobo) over (partition by i.id order by t.id
             rows between 1 following and unbounded following), 0), null, t.posted_at
  from suspense_items i
  join transfers t on t.credit_id = i.credit_id and t.reason = 'reversal'
  join ledger_accounts d on d.id = t.debit_account_id and d.kind in ('suspense', 'returning')
 order by t.id;
