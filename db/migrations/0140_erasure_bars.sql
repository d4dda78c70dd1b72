-- Personal data is not erased while a hold or an open case needs it (I250), whoever asks for the erasure.
--
-- Erasures take the lock `erasures` alone; a transaction that places a hold, or opens a case or adds a credit
-- to it, takes it together with others of its kind. So an erasure sees every hold and case that is committed,
-- and none begins while it runs (src/records/erasure-bars.ts).
--
-- The function erasure_bars() (db/functions) reads the accounts of held people: they get holds of their own.
--
-- works beside: 0023

-- The accounts of people whose money is held (a hold with the target `person`). `is_later`: the account was
-- opened, or got the person's BVN, after the hold was placed. `account_hold_id`: the hold on the account,
-- null until a worker has placed it.
create table held_person_accounts (
  hold_id         bigint not null,
  account_id      bigint not null,
  client_id       bigint not null,
  is_later        boolean not null,
  account_hold_id bigint,
  is_announced    boolean not null default false, -- The client and the operators were told.
  constraint held_person_accounts_pkey primary key (hold_id, account_id),
  constraint held_person_accounts_one_hold unique (account_hold_id),
  constraint held_person_accounts_hold_id_fkey foreign key (hold_id) references holds (id),
  constraint held_person_accounts_account_hold_id_fkey
    foreign key (account_hold_id) references holds (id),
  constraint held_person_accounts_account_of_same_client
    foreign key (client_id, account_id) references collection_accounts (client_id, id),
  constraint held_person_accounts_announced_once_held
    check (not is_announced or account_hold_id is not null)
);

create index held_person_accounts_of_account on held_person_accounts (account_id);
create index held_person_accounts_to_hold on held_person_accounts (client_id)
  where account_hold_id is null;
create index held_person_accounts_to_announce on held_person_accounts (hold_id)
  where not is_announced;

create function lock_out_erasures() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('erasures'));
  return null;
end $$;

-- safe: the previous release places holds and opens cases too, and waits for a page of an erasure at most
create trigger holds_lock_out_erasures before insert on holds
  for each statement execute function lock_out_erasures();
-- safe: likewise
create trigger cases_lock_out_erasures before insert or update of state on cases
  for each statement execute function lock_out_erasures();
-- safe: likewise
create trigger case_credits_lock_out_erasures before insert on case_credits
  for each statement execute function lock_out_erasures();

create function refuse_barred_erasure() returns trigger language plpgsql as $$
declare
  bar record;
begin
  select * into bar from erasure_bars(
    new.client_id,
    case tg_table_name when 'collection_accounts' then (to_jsonb(new) ->> 'id')::bigint end,
    case tg_table_name when 'advices' then (to_jsonb(new) ->> 'id')::uuid end,
    case tg_table_name when 'credits' then (to_jsonb(new) ->> 'id')::bigint end) limit 1;
  if found then
    raise exception 'nothing is erased that % % needs', bar.kind, bar.reference
      using errcode = 'restrict_violation', table = tg_table_name,
            constraint = 'erased_nothing_needed';
  end if;
  return new;
end $$;

-- safe: the previous release erases rarely, and the triggers are meant for it too
create trigger collection_accounts_erased_unless_needed before update of erased_at on collection_accounts
  for each row when (old.erased_at is null and new.erased_at is not null)
  execute function refuse_barred_erasure();
-- safe: likewise
create trigger advices_erased_unless_needed before update of erased_at on advices
  for each row when (old.erased_at is null and new.erased_at is not null)
  execute function refuse_barred_erasure();
-- safe: likewise; what books, suspends or reseals a credit never empties its payer
create trigger credits_erased_unless_needed
  before update of source_account_sealed, source_account_name, narration on credits
  for each row when (num_nonnulls(new.source_account_sealed, new.source_account_name, new.narration)
                     < num_nonnulls(old.source_account_sealed, old.source_account_name, old.narration))
  execute function refuse_barred_erasure();
