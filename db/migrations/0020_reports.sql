-- A client's collections by hour. The dashboard's first page and its chart read these sums, so they cost the
-- same whether a day had ten credits or a million.
--
-- Counted from the outbox by a worker, off the path of money: a client's events are numbered
-- without gaps in the order of commits (I5), so each is counted once, and events after the cursor are not
-- counted yet. Hours are in UTC, and begin with those of West Africa.
create table hourly_totals (
  client_id      bigint not null references clients (id),
  hour           timestamptz not null,
  credits        bigint not null, -- Booked when they came, or assigned from suspense.
  gross_kobo     bigint not null, -- The sum of these credits, before later reversals.
  reversed_kobo  bigint not null, -- The part of the collected money that banks took back.
  successful     bigint not null, -- Payments that became successful.
  expired        bigint not null,
  cancelled      bigint not null,
  returned_kobo  bigint not null default 0,
  suspended_kobo bigint not null default 0, -- A change, so it may be below zero.
  fees_kobo      bigint not null default 0, -- A change, so it may be below zero.

  constraint hourly_totals_pkey primary key (client_id, hour),
  constraint hourly_totals_not_negative check (
      least(credits, gross_kobo, reversed_kobo, returned_kobo, successful, expired, cancelled) >= 0)
) with (fillfactor = 50); -- The current hour is rewritten in place.

create table totals_cursors (
  client_id bigint primary key references clients (id),
  sequence  bigint not null default 0
);

-- The same counts as hourly_totals, by day of West Africa, bank that reported the credit,
-- and merchantCode of the collection account ('' for payments, which have none). Counted from the same
-- events in the same statement, so both add up to the same.
create table daily_breakdowns (
  client_id      bigint not null references clients,
  day            date not null,
  bank_code      text collate "C" not null,
  merchant_code  text collate "C" not null,
  credits        bigint not null,
  gross_kobo     bigint not null,
  reversed_kobo  bigint not null,
  returned_kobo  bigint not null,
  suspended_kobo bigint not null, -- Changes, so these may be below zero.
  fees_kobo      bigint not null,

  primary key (client_id, day, bank_code, merchant_code),
  constraint daily_breakdowns_not_negative
    check (least(credits, gross_kobo, reversed_kobo, returned_kobo) >= 0)
) with (fillfactor = 50);

-- Totals count credits: money that leaves by payout was counted when it came in, and a subaccount's share
-- belongs to the client.
create view client_movements as
select t.id, t.credit_id, t.reason, t.posted_at, m.client_id, t.currency,
       case when m.place_from = 'outside' and t.reason not in ('fee', 'fee_vat') then t.amount_kobo
            else 0 end as gross_kobo,
       case when m.place_to = 'outside' and t.reason = 'reversal' then t.amount_kobo else 0 end
         as reversed_kobo,
       case when m.place_to = 'outside' and t.reason = 'returned' then t.amount_kobo else 0 end
         as returned_kobo,
       case when m.place_to = 'suspended' then t.amount_kobo
            when m.place_from = 'suspended' then -t.amount_kobo else 0 end as suspended_kobo,
       case when t.reason not in ('fee', 'fee_vat') then 0
            when m.place_to = 'outside' then t.amount_kobo else -t.amount_kobo end as fees_kobo
  from (select t.id, t.debit_account_id, t.credit_account_id, t.amount_kobo, t.credit_id,
               t.reason, t.posted_at, d.currency, d.kind as debit_kind, c.kind as credit_kind,
               coalesce(da.client_id, substr(d.owner, 8)::bigint) as debit_client,
               coalesce(ca.client_id, substr(c.owner, 8)::bigint) as credit_client
          from transfers t
          join (select id, kind, currency, case when owner like 'client:%' then owner end as owner
                  from ledger_accounts) as d on d.id = t.debit_account_id
          join (select id, kind, case when owner like 'client:%' then owner end as owner
                  from ledger_accounts) as c on c.id = t.credit_account_id
          left join collection_accounts da on da.id = t.debit_account_id
          left join collection_accounts ca on ca.id = t.credit_account_id
         where t.credit_id is not null and t.reason <> 'split') as t
 -- Money on its way back is in an account of a bank. It belongs to the owner of the suspense that it left
 -- last.
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
