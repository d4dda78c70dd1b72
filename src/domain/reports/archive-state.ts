// Whether the database archives its log: on an embedded server (docs/backup.md), and on any other that
// has an archive_command.

import type { Queryable } from '#db/pool.ts'

export type ArchiveState = {
  isFailing: boolean // The last file failed: it is tried again every minute or so.
  failedFile: string | null
  lastArchivedAt: Date | null
}

export async function readArchiveState(db: Queryable): Promise<ArchiveState> {
  const { rows } = await db.query<ArchiveState>({
    name: 'read-archive-state',
    text: `select current_setting('archive_mode') <> 'off' and last_failed_time is not null
                  and last_failed_time > coalesce(last_archived_time, '-infinity') as "isFailing",
                  last_failed_wal as "failedFile", last_archived_time as "lastArchivedAt"
             from pg_stat_archiver`,
  })
  return rows[0] as ArchiveState
}
