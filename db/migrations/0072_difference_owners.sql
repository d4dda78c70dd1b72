-- Who works on a difference, and since when (src/domain/reconciliation/assign-differences.ts). No foreign
-- key: what a user had who was removed is nobody's, and the history says whose it was. The previous
-- release knows no owner, and leaves it as it is.
--
-- works beside: 0060

alter table differences
  add column owner_id uuid,
  add column owned_at timestamptz,
  add constraint differences_owned_since
    check ((owner_id is null) = (owned_at is null)) not valid;

-- safe: it allows one more, so every row there is fits
alter table difference_changes
  drop constraint difference_changes_known,
  add constraint difference_changes_known
    check (change in ('opened', 'assigned', 'asked', 'withdrawn', 'rejected', 'resolved', 'failed',
                      'cleared')) not valid;
