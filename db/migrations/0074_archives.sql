-- Archives (src/domain/archive): finished credits of a month are moved to files. What is kept of each is in
-- archived_credits, as much as is needed to know it again and to add up the books; and of the month's
-- transfers between two accounts for one reason, the last stands for all, with their sum and the archive's
-- id.
--
-- Nothing is archived while a release that knows nothing of it is at work (docs/archiving.md).
--
-- works beside: 0060

create table archives (
  id bigint not null generated always as identity,
  month date not null, -- Its first day, in West Africa.
  ends_at timestamptz not null,
  credits bigint not null,
  amount_kobo bigint not null,
  transfers bigint not null, -- That were archived, and …
  carried bigint not null, -- … those of them that stand for the others.
  manifest_hash bytea not null, -- SHA-256 of manifest.json.
  archived_by text collate "C" not null,
  archived_at timestamptz not null,
  constraint archives_pkey primary key (id),
  constraint archives_once_a_month unique (month),
  constraint archives_whole_month
    check (extract(day from month) = 1
           and ends_at = (month + interval '1 month')::timestamp at time zone interval '1 hour')
);

-- Without foreign keys, as written in millions. Null is what a column nearly always is: naira, a session
-- id, a notification, nothing withheld or charged.
create table archived_credits (
  id bigint not null,
  archive_id bigint not null,
  client_id bigint not null,
  collection_account_id bigint not null,
  amount_kobo bigint not null,
  received_at timestamptz not null,
  fee_kobo bigint,
  vat_kobo bigint,
  duty_kobo bigint,
  merchant_fee_kobo bigint,
  merchant_vat_kobo bigint,
  bank_code text collate "C" not null,
  session_id text collate "C" not null,
  account_number text collate "C" not null,
  currency text collate "C",
  identified_by text collate "C",
  source text collate "C",
  constraint archived_credits_pkey primary key (id)
);

create index archived_credits_by_account on archived_credits (collection_account_id);

-- What each day's transfers were: journals of closed days are checked against it.
create table archived_days (
  archive_id bigint not null,
  day date not null,
  transfers bigint not null,
  amount_kobo bigint not null,
  constraint archived_days_pkey primary key (day, archive_id),
  constraint archived_days_archive_id_fkey foreign key (archive_id) references archives (id)
);

create trigger archives_append_only before update or delete on archives
  for each statement execute function refuse_change();
create trigger archives_not_truncated before truncate on archives
  for each statement execute function refuse_change();
create trigger archived_credits_append_only before update or delete on archived_credits
  for each statement execute function refuse_change();
create trigger archived_credits_not_truncated before truncate on archived_credits
  for each statement execute function refuse_change();
create trigger archived_days_append_only before update or delete on archived_days
  for each statement execute function refuse_change();
create trigger archived_days_not_truncated before truncate on archived_days
  for each statement execute function refuse_change();

-- Every credit that was ever taken. Those that are archived have nobody's name. Both halves have columns of
-- exactly the same types and collations, or PostgreSQL would join all of either instead of looking up by id.
create view all_credits as
  select id, bank_code, session_id, account_number, client_id, collection_account_id, payment_id,
         amount_kobo, suspended_kobo, reversed_kobo, currency, outcome, reason,
         source_account_sealed, source_account_name, source_bank_code, narration, transacted_at,
         received_at, judged_by, transacted_on, identified_by, source, fee_kobo, vat_kobo, duty_kobo,
         null::bigint as archive_id
    from credits
  union all
  select id, bank_code, session_id, account_number, client_id, collection_account_id,
         null::uuid, amount_kobo, 0::bigint, 0::bigint, coalesce(currency, 'NGN' collate "C"),
         'booked'::text collate "C", null::text collate "C",
         null::bytea, null::text, null::text collate "C", null::text, null::timestamptz,
         received_at, null::text collate "C", null::date, coalesce(identified_by, 'session_id' collate "C"),
         coalesce(source, 'notification' collate "C"), coalesce(fee_kobo, 0), coalesce(vat_kobo, 0),
         coalesce(duty_kobo, 0), archive_id
    from archived_credits;

-- Set: this transfer stands for all of the archive's between its accounts, for its reason.
alter table transfers add column archive_id bigint;

-- A transfer goes when its credit is archived, or stands for others of the same archive. Nothing else
-- changes or removes one.
create function refuse_other_than_archiving() returns trigger language plpgsql as $$
declare
  archive bigint := (select archive_id from archived_credits where id = old.credit_id);
begin
  if archive is not null and old.archive_id is null then
    if tg_op = 'DELETE' then
      return old;
    end if;
    if new.archive_id = archive and new.amount_kobo >= old.amount_kobo
       and to_jsonb(new) - 'archive_id' - 'amount_kobo'
           = to_jsonb(old) - 'archive_id' - 'amount_kobo' then
      return new;
    end if;
  end if;
  raise exception '% may not be changed this way (%)', tg_table_name, lower(tg_op)
    using errcode = 'restrict_violation';
end $$;

-- safe: the previous release changes no transfer
drop trigger transfers_append_only on transfers;
-- safe: it refuses what the one before it refused
create trigger transfers_append_only before update or delete on transfers
  for each row execute function refuse_other_than_archiving();

create function refuse_to_lose_credits() returns trigger language plpgsql as $$
begin
  if not exists (select from archived_credits where id = old.id) then
    raise exception 'a credit is not deleted' using errcode = 'restrict_violation';
  end if;
  return old;
end $$;

-- safe: the previous release deletes no credit
create trigger credits_kept before delete on credits
  for each row execute function refuse_to_lose_credits();

-- safe: the same rows, and those of archived credits
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
   where t.difference_id is not null;
