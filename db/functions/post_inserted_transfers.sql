-- Posting: the balances move with the transfers that move them. For 0001_ledger.sql, where the trigger
-- is, this keeps I1, I3 and I4. For 0047_accounting.sql it keeps I68: nothing posts into a closed day.
--
-- Whoever looks for the last closed day holds a lock on the table of transfers by then: what is closed
-- later waits for them (decided_transfer_id.sql). MN001 has the transaction run again, with the time it
-- is then.
--
-- Each account is moved once, however many of the transfers name it, and all in the order of their
-- ids: two batches that move the same ones wait for one another instead of locking one another out. (Should
-- a plan ever turn the order round, two may deadlock, and the one that is told so runs again.)

create or replace function post_inserted_transfers() returns trigger language plpgsql
  set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  moved        record;
  closed_until timestamptz := (select ends_at from closed_days order by day desc limit 1);
begin
  if closed_until is not null and (select min(posted_at) from inserted) < closed_until then
    raise exception 'a transfer would post into a day that is closed' using errcode = 'MN001';
  end if;

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
         (select count(*) from net) as named
    into moved from accounts;

  -- Only where several currencies meet must each transfer be looked at.
  if moved.count < moved.named
     or moved.first <> moved.last and exists (
    select from inserted t
      join ledger_accounts d on d.id = t.debit_account_id
      join ledger_accounts c on c.id = t.credit_account_id
     where d.currency <> c.currency
  ) then
    raise exception 'a transfer joins two accounts that both exist, in one currency'
      using errcode = 'foreign_key_violation';
  end if;
  return null;
end $$;
