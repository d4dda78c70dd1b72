-- Prepares a database that may lack the last changes, on which banks, clients and payers still act:
--
--   ids       continue far above all that clients may have seen, because public ids are made of them;
--             empty tables too: their first rows may be among the lost ones
--   numbers   the next ones of each range are skipped: payers may have them. `numbers_skipped` of each range,
--             or 1%, and at least 1,000; at most half of those left, so that a small range is not used up
--   pools     reserved numbers are forgotten, so that banks reserve new ones: a repeated request would return
--             the old ones
--   payouts   held; those that exist may have been sent (last_doubtful_payout)
--
-- Numbers are not leased again for a while after doubtful_until() (src/accounts/numbers.ts). Then notes the
-- present server. The time of the hold is never before that of a row, whatever clock wrote the row.
create or replace function settle_lost_changes(
  reason text, held_by text, at timestamptz, restored_to timestamptz, may_lack_nothing boolean,
  numbers_skipped bigint)
returns void language plpgsql as $$
begin
  -- The lock of awaitSenders() in src/records/call-rates.ts.
  perform pg_advisory_xact_lock(hashtext('payouts_held'));

  perform setval(format('%I.%I', schemaname, sequencename)::regclass,
                 coalesce(last_value, start_value) + 10000000)
     from pg_sequences
    where schemaname = (select n.nspname from pg_class c join pg_namespace n on n.oid = c.relnamespace
                         where c.oid = 'payout_holds'::regclass);

  update number_ranges r
     set gap_from = case when r.gap_until = r.next_index then r.gap_from else r.next_index end,
         gap_until = r.next_index + s.skipped,
         is_gap_free = false,
         next_index = r.next_index + s.skipped
    from (select n.id, least(coalesce(numbers_skipped, greatest(1000, n.size / 100)),
                             (n.size - n.next_index) / 2) as skipped
            from (select id, next_index, last_serial - first_serial + 1 as size
                    from number_ranges) as n) as s
   where s.id = r.id;

  delete from reserved_numbers where state in ('asked', 'available');

  insert into payout_holds (reason, held_by, held_at, restored_to, last_payout_id, may_lack_nothing)
  select settle_lost_changes.reason, settle_lost_changes.held_by,
         greatest(at, (select requested_at from returns order by id desc limit 1),
                      (select created_at from messages order by id desc limit 1)),
         settle_lost_changes.restored_to, coalesce((select max(id) from payouts), 0),
         settle_lost_changes.may_lack_nothing;

  -- A worker notes soon whether commits wait for a standby here.
  insert into known_database (identity, is_synchronous, noted_at, server_started_at)
  select current_database_identity(), false, at, pg_postmaster_start_time()
   where current_database_identity() is not null
  on conflict (is_only) do update
     set identity = excluded.identity, is_synchronous = false, noted_at = excluded.noted_at,
         server_started_at = excluded.server_started_at;
end $$;
