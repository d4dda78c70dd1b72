// Keeps the data keys of this process in sync with the others. Runs in every process that seals
// data, in any role: a rotation waits for all of them.

import { randomUUID } from 'node:crypto'
import type { Clock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { HEARTBEAT_MS, removeKeyHolder, reportKeys, syncKeys } from '#domain/privacy/data-keys.ts'
import type { DataKey, Sealer } from '#seal.ts'
import type { Worker } from './loop.ts'

type SyncDataKeysDeps = {
  db: Queryable
  clock: Clock
  sealer: Sealer
  readKeys: () => readonly DataKey[] // The currently configured keys.
}

// Resolves after the first sync; nothing may be sealed before.
export async function syncDataKeys({
  db,
  clock,
  sealer,
  readKeys,
}: SyncDataKeysDeps): Promise<Worker> {
  const process = randomUUID()
  await syncKeys(db, clock(), sealer)
  await reportKeys(db, clock(), { process, sealer })
  return {
    name: 'sync-data-keys',
    pauseMs: HEARTBEAT_MS,
    isDone: true,
    // Reports before it follows, so that data sealed before the change is written by the next round.
    round: async () => {
      sealer.learn(readKeys())
      await reportKeys(db, clock(), { process, sealer })
      await syncKeys(db, clock(), sealer)
      return { more: false }
    },
    stop: () => removeKeyHolder(db, process),
  }
}
