-- A fee rule or a bank's tariff can be withdrawn before it begins (I43). A rule then ends where it begins, so
-- that it is never in force, for the previous release neither, and the rule before it goes on. Nothing refers
-- to a tariff, so that goes.
--
-- works beside: 0060

alter table fee_rules add column withdrawn_at timestamptz;
alter table payout_tariffs add column withdrawn_at timestamptz; -- In the transaction that deletes it.

-- safe: a few rows, and whatever was allowed still is
alter table fee_rules
  drop constraint fee_rules_begin_before_they_end,
  add constraint fee_rules_begin_before_they_end check (
    case when withdrawn_at is null then effective_from < effective_to
         else effective_to is not distinct from effective_from and withdrawn_at < effective_from end);

-- safe: a few rows
alter table payout_tariffs
  add constraint payout_tariffs_withdrawn_before_they_begin check (withdrawn_at < effective_from);

-- A rule ends; it is withdrawn; or it goes on where the one that began there was withdrawn.
-- safe: it allows whatever the one before it allowed
create or replace function refuse_other_than_ending() returns trigger language plpgsql as $$
declare
  changed constant text[] := array['effective_to', 'withdrawn_at'];
begin
  if to_jsonb(new) - changed = to_jsonb(old) - changed and old.withdrawn_at is null
     and (new.withdrawn_at is not null
          or old.effective_to is null and new.effective_to is not null
          or exists (select from fee_rules r
                      where r.client_id = old.client_id and r.basis = old.basis
                        and r.merchant_code is not distinct from old.merchant_code
                        and r.effective_from = old.effective_to and r.withdrawn_at is not null)
             and coalesce(new.effective_to > old.effective_to, true)) then
    return new;
  end if;
  raise exception 'a fee rule can only be ended, or withdrawn before it begins'
    using errcode = 'restrict_violation';
end $$;

create function refuse_other_than_withdrawing() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.withdrawn_at is not null then
    return old;
  end if;
  if tg_op = 'UPDATE' and new.withdrawn_at is not null
     and to_jsonb(new) - 'withdrawn_at' = to_jsonb(old) - 'withdrawn_at' then
    return new;
  end if;
  raise exception 'a tariff can only be withdrawn before it begins'
    using errcode = 'restrict_violation';
end $$;

-- safe: the previous release changes no tariff
drop trigger payout_tariffs_not_changed on payout_tariffs;
-- safe: it refuses whatever the previous release can do
create trigger payout_tariffs_only_withdrawn before update or delete on payout_tariffs
  for each row execute function refuse_other_than_withdrawing();
