-- Payouts in files, for banks without an API, and what banks report of them.
--
--   I62  a payout is in at most one file, of its own bank, and `sending` from then on. A file is the
--        same bytes for ever. What a bank reported of a payout first counts; a report that
--        contradicts it changes nothing and raises an alert.

create table payout_files (
  id                bigint primary key generated always as identity,
  reference         text collate "C" not null, -- The file's MsgId.
  bank_code         text collate "C" not null,
  format            text collate "C" not null,
  payouts           integer not null,
  amount_kobo       bigint not null,
  execution_date    date not null,
  content_sealed    bytea not null, -- Compressed, in base64.
  content_hash      bytea not null, -- Of the bytes as downloaded.
  created_by        text collate "C" not null,
  created_at        timestamptz not null,
  downloaded_by     text collate "C", -- First.
  downloaded_at     timestamptz,
  not_delivered_by  text collate "C", -- The bank never got it, or dropped it as a whole, …
  not_delivered_at  timestamptz,
  bank_confirmation text,             -- … as it confirmed in these words.

  constraint payout_files_reference_unique unique (reference),
  constraint payout_files_of_bank unique (id, bank_code),
  constraint payout_files_format_known check (format in ('pain.001', 'csv')),
  constraint payout_files_not_empty check (payouts > 0 and amount_kobo > 0),
  constraint payout_files_downloaded_by_somebody
    check ((downloaded_by is null) = (downloaded_at is null)),
  constraint payout_files_not_delivered_is_confirmed
    check (num_nonnulls(not_delivered_by, not_delivered_at, bank_confirmation) in (0, 3))
);

-- Deferred: its payouts are claimed first, and the file is written of what was claimed.
alter table payouts
  add constraint payouts_file_of_same_bank foreign key (batch_id, bank_code)
    references payout_files (id, bank_code) deferrable initially deferred,
  add constraint payouts_queued_in_no_file
    check (batch_id is null or status not in ('queued', 'cancelled'));

create function check_payout_file() returns trigger language plpgsql as $$
begin
  raise exception 'only a queued payout is put into a file, and into one'
    using errcode = 'check_violation', constraint = 'payouts_in_one_file';
end $$;

create trigger payouts_in_one_file before update of batch_id on payouts
  for each row when (new.batch_id is distinct from old.batch_id and old.status <> 'queued')
  execute function check_payout_file();

-- Of a file, only what happened to it is written later; and its seal, when keys are rotated.
create function keep_payout_file() returns trigger language plpgsql as $$
begin
  raise exception 'a payout file does not change'
    using errcode = 'check_violation', constraint = 'payout_files_kept';
end $$;

create trigger payout_files_kept before update on payout_files
  for each row when (
    (new.reference, new.bank_code, new.format, new.payouts, new.amount_kobo, new.execution_date,
     new.content_hash, new.created_by, new.created_at)
    is distinct from
    (old.reference, old.bank_code, old.format, old.payouts, old.amount_kobo, old.execution_date,
     old.content_hash, old.created_by, old.created_at)
    or old.downloaded_at is not null and new.downloaded_at is distinct from old.downloaded_at
    or old.not_delivered_at is not null and new.not_delivered_at is distinct from old.not_delivered_at)
  execute function keep_payout_file();
create trigger payout_files_not_deleted before delete on payout_files
  for each statement execute function refuse_change();
create trigger payout_files_not_truncated before truncate on payout_files
  for each statement execute function refuse_change();

-- What a bank reported of a payout for good, committed before it is settled so.
create table payout_results (
  payout_id      bigint primary key references payouts,
  status         text collate "C" not null,
  bank_reference text,
  reason         text,
  reported_by    text collate "C" not null,
  reported_at    timestamptz not null,

  constraint payout_results_final check (
    status = 'confirmed' and bank_reference is not null
    or status = 'failed' and reason is not null)
);

create trigger payout_results_kept before update or delete on payout_results
  for each statement execute function refuse_change();
create trigger payout_results_not_truncated before truncate on payout_results
  for each statement execute function refuse_change();
