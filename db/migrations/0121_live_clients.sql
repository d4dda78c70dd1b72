-- In live mode a new client takes two people for whatever pays out (I232): maker-checker is on, and every
-- payout needs approval. Clients that exist keep what they have set, and so do those of a sandbox.
--
--   strict_approvers   nobody approves what somebody requested whom they gave access, either (I233);
--                      approver_unfitness() of db/functions/ reads it
--
-- works beside: 0023

create function require_two_people() returns trigger language plpgsql as $$
begin
  if exists (select from database_mode where mode = 'live') then
    update clients set has_maker_checker = true where id = new.id;
    insert into payout_settings (client_id, approval_above_kobo) values (new.id, 0)
      on conflict do nothing;
  end if;
  return null;
end $$;

-- safe: the previous release creates clients with stricter settings, which it knows
create trigger clients_require_two_people
  after insert on clients for each row execute function require_two_people();

alter table payout_settings add column strict_approvers boolean not null default false;
