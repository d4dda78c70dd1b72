// Whether what is acknowledged survives the loss of the server: it does when a standby has it before a
// commit is answered.
//
//   synchronous_standby_names   names one or more, else nobody is waited for
//   synchronous_commit          on, remote_apply: the standby has flushed it; remote_write: it has it,
//                               and loses it if it crashes at the same moment; local, off: no standby
//                               is waited for

import type { Queryable } from './pool.ts'

export type Replication = {
  isSynchronous: boolean
  synchronousCommit: string
  synchronousStandbyNames: string
  standbys: number // That follow now; who they are only a monitoring role is told.
}

const WAITING = ['on', 'remote_apply', 'remote_write']

export async function readReplication(db: Queryable): Promise<Replication> {
  const { rows } = await db.query<Omit<Replication, 'isSynchronous'>>(
    `select current_setting('synchronous_commit') as "synchronousCommit",
            current_setting('synchronous_standby_names') as "synchronousStandbyNames",
            (select count(*)::int from pg_stat_replication) as standbys`,
  )
  const [found] = rows as [Omit<Replication, 'isSynchronous'>]
  const isWaiting = WAITING.includes(found.synchronousCommit)
  return { ...found, isSynchronous: isWaiting && found.synchronousStandbyNames !== '' }
}
