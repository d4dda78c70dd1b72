-- Confirmed payouts that a bank gave back, by its own answers and before any statement shows it (I104),
-- and settled payouts that a bank has reported about, which it is asked about again.
--
-- The previous release does not know the new item of a bank's books: it neither matches nor shows it. Its
-- hourly comparison of balances reads the items of that day again until this release matches them.
--
-- works beside: 0060

create table payout_returns (
  payout_id bigint primary key references payouts (id),
  amount_kobo bigint not null constraint payout_returns_of_money check (amount_kobo > 0),
  told_by text collate "C" not null,
  returned_at timestamptz not null
);

create index payout_returns_by_time on payout_returns (returned_at);

-- `reversed_…`: how often the bank said so without saying otherwise in between, and over how much time,
-- as not_found_… of payouts. next_query_at null: it is not asked any more.
create table payout_reviews (
  payout_id bigint primary key references payouts (id),
  says text collate "C" not null
    constraint payout_reviews_says_known check (says in ('confirmed', 'failed', 'reversed')),
  reported_at timestamptz not null,
  queries integer not null default 0,
  next_query_at timestamptz,
  reversed_answers integer not null default 0,
  reversed_ms bigint not null default 0,
  reversed_by text collate "C",
  reversed_at_ms bigint
);

create index payout_reviews_due on payout_reviews (next_query_at) where next_query_at is not null;

-- safe: it allows one more, so every row there is fits
alter table statement_matches
  drop constraint statement_matches_item_kind_known,
  add constraint statement_matches_item_kind_known
    check (item_kind in ('credit', 'charges', 'reversal', 'payout', 'payout_cost', 'payout_return',
                         'return', 'recovery', 'booked')) not valid;

create or replace view bank_items as
  select c.bank_code, c.currency, 'credit'::text as kind, c.id, c.amount_kobo,
         c.received_at as posted_at
    from all_credits c
  union all
  select c.bank_code, c.currency, 'charges', c.id, -(c.fee_kobo + c.vat_kobo + c.duty_kobo),
         c.received_at
    from all_credits c
   where c.fee_kobo + c.vat_kobo + c.duty_kobo > 0
  union all
  select r.bank_code, c.currency, 'reversal', r.id, -r.amount_kobo, r.received_at
    from reversals r join credits c on c.id = r.credit_id
  union all
  select p.bank_code, p.currency, 'payout', p.id, -p.amount_kobo, p.settled_at
    from payouts p
   where p.status = 'confirmed' and p.purpose <> 'return'
  union all
  select p.bank_code, p.currency, 'payout_cost', p.id, -(p.cost_kobo + p.cost_vat_kobo),
         p.settled_at
    from payouts p
   where p.status = 'confirmed' and p.cost_kobo + p.cost_vat_kobo > 0
  union all
  select c.bank_code, c.currency, 'return', r.id, -r.amount_kobo, r.settled_at
    from returns r
    join suspense_items i on i.id = r.item_id
    join credits c on c.id = i.credit_id
   where r.status = 'confirmed'
  union all
  select a.bank_code, a.currency, 'recovery', a.id, a.amount_kobo, a.decided_at
    from adjustments a
   where a.kind = 'recovery' and a.subject = 'shortfall' and a.state = 'approved'
  union all
  select substr(l.owner, 6), l.currency, 'booked', t.id,
         case when t.debit_account_id = l.id then t.amount_kobo else -t.amount_kobo end, t.posted_at
    from transfers t
    join ledger_accounts l on l.kind = 'bank' and l.id in (t.debit_account_id, t.credit_account_id)
   where t.difference_id is not null
  union all
  select p.bank_code, p.currency, 'payout_return', p.id, n.amount_kobo, n.returned_at
    from payout_returns n join payouts p on p.id = n.payout_id;
