-- Posts transfers: inserting them moves the balances of their accounts (I1, I3, I4). The trigger is in
-- 0001_ledger.sql. No transfer posts into a closed day (I68, 0018_accounting.sql), nor into a
-- closed month (I120, 0032_closed_months.sql).
--
-- The insert holds a lock on transfers when this function looks for the last closed day, so a day that is
-- closed later waits for it (decided_transfer_id.sql). MN001 makes the caller run the transaction again,
-- at the then current time.
--
-- Each account is updated once, however many transfers name it, in the order of ids: two batches that
-- update the same accounts wait for one another instead of deadlocking. If a plan ever changes the order,
-- PostgreSQL aborts one of the two, which then runs again.

create or replace function post_inserted_transfers() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  moved    record;
  is_wrong boolean;
begin
  with net as materialized (
    select id, sum(debit)::bigint as debit, sum(credit)::bigint as credit from (
      select debit_account_id as id, amount_kobo as debit, 0::bigint as credit from inserted
      union all
      select credit_account_id, 0, amount_kobo from inserted) as sides
     group by id order by id
  ), accounts as (
    update ledger_accounts a
       set debits_kobo = a.debits_kobo + net.debit, credits_kobo = a.credits_kobo + net.credit
      from net
     where a.id = net.id
    returning a.currency
  )
  select count(*) as count, min(currency) as first, max(currency) as last,
         (select count(*) from net) as named,
         (select min(posted_at) from inserted) as earliest,
         (select ends_at from closed_days order by day desc limit 1) as days_until,
         (select ends_at from closed_months where reopened_at is null
           order by month desc limit 1) as months_until
    into moved from accounts;

  if moved.earliest < moved.months_until then
    raise exception 'a transfer would post into a month that is closed' using errcode = 'MN001';
  end if;
  if moved.earliest < moved.days_until then
    raise exception 'a transfer would post into a day that is closed' using errcode = 'MN001';
  end if;

  is_wrong := moved.count < moved.named;
  -- Compares each transfer only if the accounts have several currencies. PostgreSQL would start the query of
  -- a condition `… and exists (…)` for every insert.
  if moved.first <> moved.last then
    is_wrong := is_wrong or exists (
      select from inserted t
        join ledger_accounts d on d.id = t.debit_account_id
        join ledger_accounts c on c.id = t.credit_account_id
       where d.currency <> c.currency);
  end if;
  if is_wrong then
    raise exception 'a transfer joins two accounts that both exist, in one currency'
      using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;
