-- I106: a payout changes its bank only while no bank can have been told of it, and only where nobody named
-- the bank: refunds and returns are sent by the bank that has the money.
--
-- works beside: 0060

-- safe: the previous release changes no bank
create or replace function check_payout() returns trigger language plpgsql as $$
begin
  if (new.reference, new.client_id, new.purpose, new.to_bank_code,
      new.amount_kobo, new.currency, new.narration, new.fee_kobo, new.vat_kobo,
      new.requested_by, new.requested_by_user, new.requested_at)
     is distinct from
     (old.reference, old.client_id, old.purpose, old.to_bank_code,
      old.amount_kobo, old.currency, old.narration, old.fee_kobo, old.vat_kobo,
      old.requested_by, old.requested_by_user, old.requested_at) then
    raise exception 'what was asked of a payout does not change'
      using errcode = 'check_violation', constraint = 'payouts_keep_what_was_asked';
  end if;
  if new.bank_code <> old.bank_code
     and not (old.status = 'queued' and new.status = 'queued' and old.sending_at is null
              and old.batch_id is null and new.purpose in ('payout', 'settlement')) then
    raise exception 'payout % keeps its bank', old.reference
      using errcode = 'check_violation', constraint = 'payouts_keep_bank';
  end if;
  if new.to_account_name <> old.to_account_name
     and not (old.status = 'cancelled' and new.purpose in ('refund', 'return')
              and new.to_account_name = 'Erased') then
    raise exception 'what was asked of a payout does not change'
      using errcode = 'check_violation', constraint = 'payouts_keep_what_was_asked';
  end if;
  if new.status <> old.status and not (old.status || '>' || new.status) = any(array[
       'queued>sending', 'queued>cancelled', 'sending>confirmed', 'sending>failed',
       'sending>unknown', 'unknown>confirmed', 'unknown>failed'])
     and not (old.status = 'sending' and new.status = 'queued' and old.batch_id is null
              and new.unsent_times = old.unsent_times + 1) then
    raise exception 'a payout that is % does not become %', old.status, new.status
      using errcode = 'check_violation', constraint = 'payouts_are_sent_once';
  end if;
  if new.approval <> old.approval and old.approval <> 'needed' then
    raise exception 'a payout is decided once'
      using errcode = 'check_violation', constraint = 'payouts_are_decided_once';
  end if;
  if new.approval = 'approved' and old.approval <> 'approved'
     and stands_behind(new.requested_by_user, new.decided_by_user) then
    raise exception 'nobody to whom the maker gave access may approve'
      using errcode = 'check_violation', constraint = 'payouts_independent_checker';
  end if;
  return null;
end $$;
