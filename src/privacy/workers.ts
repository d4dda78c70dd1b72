// Workers of privacy: one completes erasures, one alerts to paused ones, another keeps the data keys of this
// process in sync.

import { randomUUID } from 'node:crypto'
import type { Clock } from '#clock.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { DataKey, Sealer } from '#seal.ts'
import type { Round, Worker } from '#workers/loop.ts'
import { alertPausedErasures } from './bars.ts'
import {
  describeHolder,
  followKeys,
  HEARTBEAT_MS,
  REPORT_MS,
  readKeys as readStoredKeys,
  removeKeyHolder,
  reportKeys,
  syncKeys,
} from './data-keys.ts'
import { eraseNextPage } from './erasure.ts'

// Erases one page of personal data per round, in one transaction.
export function completeErasuresRound({
  db,
  clock,
  sealer,
}: {
  db: Pool
  clock: Clock
  sealer: Sealer
}): Round {
  return async () => ({
    more: await withTransaction(db, (tx) => eraseNextPage(tx, { sealer, now: clock() })),
  })
}

// Alerts operators to erasures that a hold or a case has paused, and clears the alerts when they go on.
export function alertPausedErasuresRound({ db, clock }: { db: Pool; clock: Clock }): Round {
  return async () => ({ more: await withTransaction(db, (tx) => alertPausedErasures(tx, clock())) })
}

type SyncDataKeysDeps = {
  db: Queryable
  clock: Clock
  sealer: Sealer
  readKeys: () => readonly DataKey[] // The currently configured keys.
}

// Keeps the data keys of this process in sync with the other processes. Every process that seals data must
// run this, in any role: a rotation waits for all of them.
//
// Resolves after the first sync. The process must not seal anything before.
export async function syncDataKeys({
  db,
  clock,
  sealer,
  readKeys,
}: SyncDataKeysDeps): Promise<Worker> {
  const process = randomUUID()
  await syncKeys(db, clock(), sealer)
  await reportKeys(db, clock(), { process, sealer })
  let last = { report: describeHolder(await readStoredKeys(db), sealer), at: clock() }
  return {
    name: 'sync-data-keys',
    pauseMs: HEARTBEAT_MS,
    isDone: true,
    // Reports first, and then follows a change of the sealing key. So the report that this process seals with
    // the new key comes one round later, when the values sealed with the old key have been written.
    round: async () => {
      sealer.learn(readKeys())
      const keys = await readStoredKeys(db)
      const [report, at] = [describeHolder(keys, sealer), clock()]
      const isDue = Math.abs(at.getTime() - last.at.getTime()) >= REPORT_MS
      if (isDue || report !== last.report) {
        await reportKeys(db, at, { process, sealer })
        last = { report, at }
      }
      followKeys(keys, sealer)
      return { more: false }
    },
    stop: () => removeKeyHolder(db, process),
  }
}
