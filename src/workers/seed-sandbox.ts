// Writes seeds step by step. Any number of processes may run it: each step is done once. A refused
// step ends the seed with its reason.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { failSeed, findSeed } from '#domain/sandbox/seeds.ts'
import { type SeedDeps, writeNextStep } from '#domain/sandbox/write-seed.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Logger } from '#log.ts'
import type { Round } from './loop.ts'

export type SeedSandboxDeps = SeedDeps & { db: Pool; batchPool: Pool; clock: Clock; log: Logger }

export function seedSandboxRound(deps: SeedSandboxDeps, clientId: ClientId | null = null): Round {
  const { batchPool, clock } = deps
  return async (signal) => {
    while (!signal.aborted) {
      let owner = clientId
      try {
        const seed = await withTransaction(batchPool, async (tx) => {
          const written = await writeNextStep(tx, deps, { real: clock(), clientId })
          owner = written?.clientId ?? owner
          return written
        })
        if (!seed) return { more: false }
      } catch (error) {
        if (!(error instanceof Refusal) || owner === null) throw error
        const running = await findSeed(deps.db, owner)
        if (running) await failSeed(deps.db, clock(), { id: running.id, problem: error.message })
      }
    }
    return { more: true }
  }
}
