-- Identity checks: the answers of an identity service about the BVN and NIN of a collection account
-- (I140, I141).
--
-- No number is stored here. The account has it, sealed and as a keyed hash; a check keeps that hash. The
-- service's answer is not stored either: only what it means, and how well the name matches.
--
-- tier_in_force is the KYC tier that verified identifiers allow. Null: the account is older than this
-- migration, or the previous release opened it, and nobody has assigned its tier yet (`npx manilla admin
-- tiers`).
--
-- works beside: 0023

alter table collection_accounts add column tier_in_force smallint;

create table identity_checks (
  id bigint not null generated always as identity,
  client_id bigint not null,
  account_id bigint not null,
  identifier text collate "C" not null,
  number_hash bytea not null,
  reference uuid not null, -- Sent to the service. Each question has its own.
  status text collate "C" not null default 'queued',
  name_score smallint, -- 0 to 100.
  attempts integer not null default 0,
  failure text, -- Why the last attempt has no answer.
  requested_at timestamptz not null,
  due_at timestamptz,
  checked_at timestamptz,
  constraint identity_checks_pkey primary key (id),
  constraint identity_checks_reference_unique unique (reference),
  constraint identity_checks_one_per_identifier unique (account_id, identifier),
  constraint identity_checks_of_same_client
    foreign key (client_id, account_id) references collection_accounts (client_id, id),
  constraint identity_checks_identifier_known check (identifier in ('bvn', 'nin')),
  constraint identity_checks_status_known
    check (status in ('queued', 'verified', 'name_mismatch', 'not_found', 'unanswered')),
  constraint identity_checks_due_while_queued check ((status = 'queued') = (due_at is not null)),
  constraint identity_checks_answered_at
    check (checked_at is not null or status in ('queued', 'unanswered')),
  constraint identity_checks_scored check (name_score between 0 and 100)
);

create index identity_checks_due on identity_checks (due_at) where due_at is not null;

-- safe: new in this migration
create or replace function check_identity_checks_transition() returns trigger language plpgsql as $$
begin
  if (case old.status
       when 'queued' then new.status in ('verified', 'name_mismatch', 'not_found', 'unanswered')
       when 'name_mismatch' then new.status in ('queued')
       when 'not_found' then new.status in ('queued')
       when 'unanswered' then new.status in ('queued')
       else false
     end) then
    return new;
  end if;
  raise exception 'identity_checks: % does not become %', old.status, new.status
    using errcode = 'MN002', table = 'identity_checks', column = 'status',
          constraint = 'identity_checks_follow_transitions';
end $$;

create trigger identity_checks_follow_transitions before update of status on identity_checks
  for each row when (old.status is distinct from new.status)
  execute function check_identity_checks_transition();

-- Whether calls to the verification service succeed: its circuit breaker, in one row.
create table identity_service (
  is_only boolean not null default true,
  failures integer not null default 0,
  failing_since timestamptz,
  paused_until timestamptz,
  constraint identity_service_pkey primary key (is_only),
  constraint identity_service_only check (is_only)
);

insert into identity_service default values;

-- A tier above 1 takes a verified BVN and a verified NIN: those that the account has now. Any change of a
-- number or of the name ends the checks.
create function keep_tier_verified() returns trigger language plpgsql as $$
declare
  is_another constant boolean := tg_op = 'UPDATE'
    and (new.bvn_hash, new.nin_hash, new.account_name)
        is distinct from (old.bvn_hash, old.nin_hash, old.account_name);
begin
  if is_another then
    if new.tier_in_force is not null then
      new.tier_in_force := 1;
    end if;
    delete from identity_checks where account_id = new.id;
  elsif new.tier_in_force > 1
        and (select count(*) from identity_checks c
              where c.account_id = new.id and c.status = 'verified'
                and c.number_hash = case c.identifier when 'bvn' then new.bvn_hash
                                                      else new.nin_hash end) < 2 then
    raise exception 'a tier above 1 takes a verified BVN and a verified NIN'
      using errcode = 'check_violation', constraint = 'collection_accounts_tier_verified';
  end if;
  return new;
end $$;

-- safe: it waits for no more than a statement on the table
create trigger collection_accounts_tier_verified
  before update of bvn_hash, nin_hash, account_name, tier_in_force on collection_accounts
  for each row execute function keep_tier_verified();
-- safe: the previous release never sets tier_in_force
create trigger collection_accounts_tier_verified_first before insert on collection_accounts
  for each row when (new.tier_in_force > 1) execute function keep_tier_verified();
