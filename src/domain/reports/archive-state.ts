// Whether the database archives its log: on an embedded server (docs/backup.md), and on any other with an
// archive_command. The server counts a command that fails, but not one that hangs: then files wait. Only
// members of pg_monitor can list waiting files.

import type { Queryable } from '#db/pool.ts'

const WAITING_MAX_MS = 10 * 60_000 // The database's clock may differ from ours by five minutes.

export type ArchiveState = {
  isFailing: boolean // The last file failed, to be retried every minute or so, or a file waits too long.
  failedFile: string | null
  lastArchivedAt: Date | null
}

type Facts = ArchiveState & { showsWaiting: boolean }

export async function readArchiveState(db: Queryable, now: Date): Promise<ArchiveState> {
  const { rows } = await db.query<Facts>({
    name: 'read-archive-state',
    text: `select current_setting('archive_mode') <> 'off' and last_failed_time is not null
                  and last_failed_time > coalesce(last_archived_time, '-infinity') as "isFailing",
                  last_failed_wal as "failedFile", last_archived_time as "lastArchivedAt",
                  current_setting('archive_mode') <> 'off'
                  and has_function_privilege('pg_ls_archive_statusdir()', 'execute') as "showsWaiting"
             from pg_stat_archiver`,
  })
  const { showsWaiting, ...state } = rows[0] as Facts
  if (state.isFailing || !showsWaiting) return state
  const waitingFile = await findWaiting(db, new Date(now.getTime() - WAITING_MAX_MS))
  return waitingFile ? { ...state, isFailing: true, failedFile: waitingFile } : state
}

// Files from an earlier run count as waiting since the start.
async function findWaiting(db: Queryable, since: Date): Promise<string | undefined> {
  const { rows } = await db.query<{ file: string }>({
    name: 'find-waiting-log',
    text: `select left(name, -length('.ready')) as file from pg_ls_archive_statusdir()
            where name like '%.ready' and greatest(modification, pg_postmaster_start_time()) < $1
            order by modification limit 1`,
    values: [since],
  })
  return rows[0]?.file
}
