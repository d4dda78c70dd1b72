// Keeps a process's data keys in step with the other processes'. Run by every process that seals,
// whatever its role: a rotation waits for all of them.

import { randomUUID } from 'node:crypto'
import type { Clock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { announceKeys, BEAT_MS, followKeys, leaveKeys } from '#domain/privacy/data-keys.ts'
import type { DataKey, Sealer } from '#seal.ts'
import type { Worker } from './loop.ts'

export type HoldKeysDeps = {
  db: Queryable
  clock: Clock
  sealer: Sealer
  readKeys: () => readonly DataKey[] // As they are set now.
}

// Resolves when the keys are in step for the first time: before that nothing may be sealed.
export async function holdKeys({ db, clock, sealer, readKeys }: HoldKeysDeps): Promise<Worker> {
  const process = randomUUID()
  await followKeys(db, clock(), sealer)
  await announceKeys(db, clock(), { process, sealer })
  return {
    name: 'hold-keys',
    pauseMs: BEAT_MS,
    // Tells first and follows then, so that what was sealed before the change has had until the
    // next time to be written.
    round: async () => {
      sealer.learn(readKeys())
      await announceKeys(db, clock(), { process, sealer })
      await followKeys(db, clock(), sealer)
      return { more: false }
    },
    stop: () => leaveKeys(db, process),
  }
}
