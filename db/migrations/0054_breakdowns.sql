-- A client's day by bank and merchant, and suspense in the order of amounts.

-- What hourly_totals counts (0027_movements.sql), by day of West Africa, bank that reported the credit,
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

-- The day that is running, of events that are counted already; no worker counts meanwhile.
lock table totals_cursors in exclusive mode;

insert into daily_breakdowns
select e.client_id, d.today, coalesce(c.bank_code, ''), coalesce(a.merchant_code, ''),
       coalesce(sum((e.moved ->> 'credits')::int), 0),
       coalesce(sum((e.moved ->> 'gross')::bigint), 0),
       coalesce(sum((e.moved ->> 'reversed')::bigint), 0),
       coalesce(sum((e.moved ->> 'returned')::bigint), 0),
       coalesce(sum((e.moved ->> 'suspended')::bigint), 0),
       coalesce(sum((e.moved ->> 'fees')::bigint), 0)
  from (select (now() at time zone interval '1 hour')::date as today) as d
 cross join lateral (
   select d.today::timestamp at time zone interval '1 hour' as midnight) as s
 cross join totals_cursors u
  -- An event's id begins with its time, in milliseconds.
  join events e on e.client_id = u.client_id and e.sequence <= u.sequence
   and e.id >= (lpad(to_hex((extract(epoch from s.midnight) * 1000)::bigint), 12, '0')
                || repeat('0', 20))::uuid
   and e.created_at >= s.midnight and e.moved is not null
  left join credits c on c.id = e.credit_id
  left join collection_accounts a on a.id = coalesce(e.collection_account_id, c.collection_account_id)
 group by 1, 2, 3, 4;

create index suspense_items_by_amount on suspense_items (client_id, amount_kobo, id)
  where state = 'open';
