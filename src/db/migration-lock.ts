// One transaction at a time that migrates, of all processes that start. The lock is the transaction's,
// not the session's: behind a pooler a session is anybody's.
//
// Whoever does not get it asks again, rather than wait in the database: a statement that waits there
// would hold up `create index concurrently`, and could not say whom it waits for.

import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

// Any fixed number will do; it only has to differ from other advisory locks in the same database.
const LOCK_KEY = 7_246_153

const DEADLOCK_DETECTED = '40P01'
const LOCK_NOT_AVAILABLE = '55P03'

// Whoever comes after a migration that waits for a table waits too: so it steps back, and lets them
// pass before it tries again.
const LOCK_WAIT_MAX = '3s'
const ATTEMPTS_MAX = 20
const PAUSE_MS = 250
const REMIND_EVERY_MS = 10_000

// A timeout of the role or the database is for requests: it must not end a long migration. But a process
// that froze while it held locks gives them up.
export const BEGIN = `begin; set local statement_timeout = 0;
  set local lock_timeout = '${LOCK_WAIT_MAX}'; set local idle_in_transaction_session_timeout = '5s'`

export type OnWait = (holder: string) => void

// The work may run several times: again when processes that are at work were in the way.
export async function inMigrationLock<T>(
  client: pg.ClientBase,
  onWait: OnWait,
  work: () => Promise<T>,
): Promise<T> {
  let attempts = 0
  let remindAtMs = 0
  for (;;) {
    await client.query(BEGIN)
    try {
      if (await tryLock(client)) {
        const result = await work()
        await client.query('commit')
        return result
      }
      if (performance.now() >= remindAtMs) {
        onWait(await describeHolder(client))
        remindAtMs = performance.now() + REMIND_EVERY_MS
      }
      await client.query('rollback')
    } catch (error) {
      await client.query('rollback').catch(() => {}) // A lost connection has rolled back already.
      attempts += 1
      if (attempts === ATTEMPTS_MAX || !isInTheWay(error)) throw error
    }
    await sleep(PAUSE_MS)
  }
}

async function tryLock(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query('select pg_try_advisory_xact_lock($1) as locked', [LOCK_KEY])
  return rows[0].locked
}

// For the operator, who may want to end it.
async function describeHolder(client: pg.ClientBase): Promise<string> {
  const { rows } = await client.query<{ holder: string }>(
    `select format('backend %s (%s), %s since %s: %s', a.pid,
                   concat_ws(', ', nullif(a.application_name, ''), host(a.client_addr)), a.state,
                   to_char(a.state_change at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
                   left(regexp_replace(a.query, '\\s+', ' ', 'g'), 100)) as holder
       from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted
        and l.classid = 0 and l.objid = $1 and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())`,
    [LOCK_KEY],
  )
  return rows[0]?.holder ?? 'a process that has just finished'
}

function isInTheWay(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? error) as { code?: string }
  return code === DEADLOCK_DETECTED || code === LOCK_NOT_AVAILABLE
}
