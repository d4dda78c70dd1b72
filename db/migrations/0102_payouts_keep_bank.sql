-- I106: a payout changes its bank only while no bank can have been told of it, and only where nobody named
-- the bank: refunds and returns are sent by the bank that has the money.
--
-- works beside: 0060

create function check_payout_bank() returns trigger language plpgsql as $$
begin
  if old.status <> 'queued' or new.status <> 'queued' or old.sending_at is not null
     or old.batch_id is not null or old.purpose not in ('payout', 'settlement') then
    raise exception 'payout % keeps its bank', old.reference
      using errcode = 'integrity_constraint_violation';
  end if;
  return new;
end $$;

-- safe: no release before this one changes the bank of a payout
create trigger payouts_keep_bank before update of bank_code on payouts
  for each row when (new.bank_code <> old.bank_code) execute function check_payout_bank();
