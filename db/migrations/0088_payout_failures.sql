-- Requests to fail a payout that a bank may have: one that is unknown, or in a file; or all open ones of a
-- file that the bank does not have. Failing frees the money: it takes evidence and a second person (I94).
--
-- works beside: 0060

create table payout_failures (
  id bigint not null generated always as identity,
  reference text collate "C" not null,
  requested_by_client bigint not null, -- An operator's.
  payout_id bigint,
  file_id bigint,
  reason text, -- Shown to the client, of a payout.
  evidence text not null,
  state text collate "C" not null default 'open',
  requested_by text collate "C" not null,
  requested_by_user uuid, -- Null: client credentials.
  maker_people uuid[],
  requested_at timestamptz not null,
  decided_by text collate "C",
  decided_by_user uuid,
  decided_at timestamptz,
  decision_reason text,
  constraint payout_failures_pkey primary key (id),
  constraint payout_failures_reference_unique unique (reference),
  constraint payout_failures_requested_by_client_fkey foreign key (requested_by_client)
    references clients (id),
  constraint payout_failures_payout_id_fkey foreign key (payout_id) references payouts (id),
  constraint payout_failures_file_id_fkey foreign key (file_id) references payout_files (id),
  constraint payout_failures_of_one
    check (num_nonnulls(payout_id, file_id) = 1 and (payout_id is null) = (reason is null)),
  constraint payout_failures_have_evidence check (evidence <> ''),
  constraint payout_failures_state_known check (state in ('open', 'approved', 'rejected', 'withdrawn')),
  constraint payout_failures_decided_by_somebody
    check ((state = 'open') = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  constraint payout_failures_two_people
    check (state not in ('approved', 'rejected')
           or decided_by_user is not null and decided_by <> requested_by
              and decided_by_user is distinct from requested_by_user)
);

create index payout_failures_by_state on payout_failures (state, id);
create unique index payout_failures_one_open on payout_failures (payout_id) where state = 'open';
create unique index payout_failures_one_open_of_file on payout_failures (file_id) where state = 'open';

create trigger payout_failures_keep_maker_people before insert on payout_failures
  for each row execute function keep_maker_people('requested_by', 'requested_by_user', 'requested_at');

create function check_payout_failure() returns trigger language plpgsql as $$
declare
  decided constant text[] := array['state', 'decided_by', 'decided_by_user', 'decided_at',
                                   'decision_reason'];
begin
  if to_jsonb(new) - decided is distinct from to_jsonb(old) - decided or old.state <> 'open' then
    raise exception 'a request to fail a payout is decided once, as it was asked for'
      using errcode = 'check_violation', constraint = 'payout_failures_keep_what_was_asked';
  end if;
  return null;
end $$;

create trigger payout_failures_checked after update on payout_failures
  for each row execute function check_payout_failure();
create trigger payout_failures_checked_by_another after update of state on payout_failures
  for each row when (new.state = 'approved' and old.state <> 'approved')
  execute function check_another_person('requested_by_user', 'decided_by_user');
create trigger payout_failures_not_deleted before delete on payout_failures
  for each statement execute function refuse_change();
create trigger payout_failures_not_truncated before truncate on payout_failures
  for each statement execute function refuse_change();
