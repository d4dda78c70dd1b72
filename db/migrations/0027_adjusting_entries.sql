-- Adjusting entries bring the ledger's bank balance to the statement's, for a difference that no booking
-- explains: one person requests the entry, another approves it (I110). It equals the difference (I111).
--
-- Where the difference is about an item of the books, the entry and the item offset each other: their
-- pairs in statement_matches have the line 0. The same is true of the entry for a gap between statements.
--
-- The previous release knows neither the account `due_to_bank` nor the action `adjust`, and writes none.
--
-- works beside: 0023

-- safe: the new check allows one more value, so existing rows pass
alter table ledger_accounts
  drop constraint ledger_accounts_kind_known,
  add constraint ledger_accounts_kind_known
    check (kind in ('bank', 'shortfall', 'bank_cost', 'input_vat', 'receivable', 'write_off',
                    'collection', 'pending', 'available', 'subaccount', 'settling', 'reserve',
                    'paying', 'refunding', 'held', 'forfeited', 'suspense', 'returning', 'due_to_bank',
                    'fee_income', 'vat_payable')) not valid;

-- safe: the new check allows one more value, so existing rows pass
alter table differences
  drop constraint differences_action_known,
  add constraint differences_action_known
    check (action in ('book', 'note', 'match', 'adjust')) not valid;

-- safe: the new check allows one more value, so existing rows pass
alter table statement_matches
  drop constraint statement_matches_rule_known,
  add constraint statement_matches_rule_known
    check (rule in ('session_id', 'bank_reference', 'our_reference', 'account_and_amount', 'sweep',
                    'charge', 'confirmed', 'booked', 'adjusted')) not valid;

create table adjusting_entries (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  difference_id bigint not null,
  account text collate "C" not null, -- The bank's ledger account on the other side.
  amount_kobo bigint not null, -- Positive: a debit of the bank's account.
  reason text not null,
  state text collate "C" not null default 'open',
  requested_by text collate "C" not null,
  requested_by_user uuid not null,
  maker_people uuid[],
  requested_at timestamptz not null,
  decided_by text collate "C",
  decided_by_user uuid,
  decided_at timestamptz,
  decision_reason text,
  constraint adjusting_entries_pkey primary key (id),
  constraint adjusting_entries_reference_unique unique (reference),
  constraint adjusting_entries_difference_id_fkey foreign key (difference_id)
    references differences (id),
  constraint adjusting_entries_account_known
    check (account in ('shortfall', 'due_to_bank', 'bank_cost', 'input_vat', 'write_off')),
  constraint adjusting_entries_amount_not_zero check (amount_kobo <> 0),
  constraint adjusting_entries_state_known
    check (state in ('open', 'approved', 'rejected', 'withdrawn')),
  constraint adjusting_entries_decided_by_somebody
    check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  constraint adjusting_entries_two_people
    check (state not in ('approved', 'rejected')
           or decided_by_user is not null and decided_by <> requested_by
              and decided_by_user <> requested_by_user)
);

create index adjusting_entries_by_state on adjusting_entries (state, id);
create index adjusting_entries_of_difference on adjusting_entries (difference_id, id);
create unique index adjusting_entries_one_open on adjusting_entries (difference_id)
  where state = 'open';

create function check_adjusting_entry() returns trigger language plpgsql as $$
declare
  decided constant text[] := array['state', 'decided_by', 'decided_by_user', 'decided_at',
                                   'decision_reason'];
begin
  if tg_op = 'UPDATE' then
    if to_jsonb(new) - decided is distinct from to_jsonb(old) - decided or old.state <> 'open' then
      raise exception 'an adjusting entry is decided once, as it was requested'
        using errcode = 'check_violation', constraint = 'adjusting_entries_stay_as_requested';
    end if;
  end if;
  if new.state in ('open', 'approved')
     and new.amount_kobo is distinct from (select amount_kobo from differences
                                            where id = new.difference_id) then
    raise exception 'an adjusting entry equals its difference'
      using errcode = 'check_violation', constraint = 'adjusting_entries_equal_the_difference';
  end if;
  if new.state = 'approved'
     and not exists (select from transfers where difference_id = new.difference_id
                        and amount_kobo = abs(new.amount_kobo)) then
    raise exception 'an approved adjusting entry is posted'
      using errcode = 'check_violation', constraint = 'adjusting_entries_are_posted';
  end if;
  return null;
end $$;

create trigger adjusting_entries_checked after insert or update on adjusting_entries
  for each row execute function check_adjusting_entry();
create trigger adjusting_entries_checked_by_another after update of state on adjusting_entries
  for each row when (new.state = 'approved' and old.state <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');
create trigger adjusting_entries_keep_maker_people before insert on adjusting_entries
  for each row execute function keep_maker_people('requested_by', 'requested_by_user', 'requested_at');
create trigger adjusting_entries_not_deleted before delete on adjusting_entries
  for each statement execute function refuse_change();
create trigger adjusting_entries_not_truncated before truncate on adjusting_entries
  for each statement execute function refuse_change();
