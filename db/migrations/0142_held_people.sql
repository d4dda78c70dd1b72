-- A hold on a person, found by the keyed hash of the BVN, stops the money of every collection account of that
-- person, of all clients. Each account has a hold of its own (held_person_accounts); the person's hold has no
-- money. `client_id` of a person's hold is the operator's.
--
-- An account that is opened later, or gets the BVN later, waits in held_person_accounts for its hold. Placing
-- a person's hold takes the lock `held_people` alone, and whoever writes a BVN takes it together with others,
-- so no account is missed between the two.
--
-- works beside: 0023

-- safe: the new check allows one more value, so existing rows pass
alter table holds
  drop constraint holds_target_known,
  add constraint holds_target_known
    check (target in ('credit', 'account', 'merchant', 'client', 'person')) not valid,
  add constraint holds_of_person_are_empty
    check (target <> 'person' or amount_kobo is null and held_kobo = 0 and forfeited_kobo = 0) not valid;

create table held_people (
  hold_id    bigint not null,
  bvn_hash   bytea not null, -- Keyed, as collection_accounts.bvn_hash.
  bvn_masked text collate "C" not null,
  constraint held_people_pkey primary key (hold_id),
  constraint held_people_hold_id_fkey foreign key (hold_id) references holds (id),
  constraint held_people_masked check (bvn_masked ~ '^[0-9]{3}\*{5}[0-9]{3}$')
);

create index held_people_by_bvn on held_people (bvn_hash);

create trigger held_people_kept before update or delete on held_people
  for each statement execute function refuse_change();
create trigger held_people_not_truncated before truncate on held_people
  for each statement execute function refuse_change();

create function notice_held_people() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('held_people'));
  insert into held_person_accounts (hold_id, account_id, client_id, is_later)
  select p.hold_id, a.id, a.client_id, true
    from written a
    join held_people p on p.bvn_hash = a.bvn_hash
    join holds h on h.id = p.hold_id and h.state = 'active'
  on conflict do nothing;
  return null;
end $$;

create function notice_held_person() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('held_people'));
  insert into held_person_accounts (hold_id, account_id, client_id, is_later)
  select p.hold_id, new.id, new.client_id, true
    from held_people p join holds h on h.id = p.hold_id and h.state = 'active'
   where p.bvn_hash = new.bvn_hash
  on conflict do nothing;
  return null;
end $$;

-- safe: accounts that the previous release opens are noticed too
create trigger collection_accounts_notice_held_people after insert on collection_accounts
  referencing new table as written for each statement execute function notice_held_people();
-- safe: likewise
create trigger collection_accounts_notice_held_person after update of bvn_hash on collection_accounts
  for each row when (new.bvn_hash <> old.bvn_hash and new.bvn_hash <> '')
  execute function notice_held_person();
