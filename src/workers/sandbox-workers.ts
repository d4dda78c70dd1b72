// Wires the parts that only a sandbox has: test clocks and seeding. In live mode there are no test
// clocks, and no worker is added.

import type { Config } from '#config/config.ts'
import type { Queryable } from '#db/pool.ts'
import { TestClocks } from '#domain/records/test-clocks.ts'
import type { ClientId } from '#ids.ts'
import type { Logger } from '#log.ts'
import { followTestClocks } from './follow-test-clocks.ts'
import { runNow } from './loop.ts'
import { TestClockRunner } from './run-test-clocks.ts'
import { runWorkers } from './run-workers.ts'
import { type SeedSandboxDeps, seedSandboxRound } from './seed-sandbox.ts'

// A request to seed waits this long, so that a small seed is complete with the response.
const SEED_NOW_MS = 2_000

export async function startTestClocks(mode: Config['mode'], parts: { db: Queryable; log: Logger }) {
  const testClocks = new TestClocks()
  if (mode === 'live') return { testClocks, stopFollowing: async () => {} }
  const following = runWorkers(parts, [await followTestClocks(parts.db, testClocks)])
  return { testClocks, stopFollowing: () => following.stop() }
}

type Parts = ConstructorParameters<typeof TestClockRunner>[0] &
  Omit<SeedSandboxDeps, 'limits' | 'quarantineDays'>

export function wireSandbox({ mode, policy }: Config, parts: Parts) {
  const { limits, quarantineDays } = policy
  const { patience = 1 } = parts
  const seeding = { ...parts, limits, quarantineDays }
  const clockMoves = new TestClockRunner(parts)
  const seedNow = (clientId: ClientId) =>
    runNow(seedSandboxRound(seeding, clientId), parts.log, patience * SEED_NOW_MS)()
  const rounds =
    mode === 'sandbox'
      ? { runTestClocks: clockMoves.round, seedSandbox: seedSandboxRound(seeding) }
      : {}
  return { clockMoves, seedNow, rounds }
}
