// Wires the parts that only a sandbox has: the test clock and seeding. In live mode nothing reads the
// test clock, and no worker is added.

import type { Clock } from '#clock.ts'
import type { Config } from '#config/config.ts'
import type { Queryable } from '#db/pool.ts'
import type { ClientId } from '#ids.ts'
import type { Logger } from '#log.ts'
import { FOLLOW_MS, TestClock } from '#sandbox/clock.ts'
import { type SeedSandboxDeps, seedSandboxRound } from '#sandbox/workers.ts'
import { runNow } from './loop.ts'
import { TestClockRunner } from './move-clock.ts'
import { runWorkers } from './run-workers.ts'

// A request to seed waits this long. A small seed is then complete when the response is sent.
const SEED_NOW_MS = 2_000

type Following = { db: Queryable; log: Logger; realClock: Clock }

// Runs in every process of a sandbox.
export async function followTestClock(mode: Config['mode'], { db, log, realClock }: Following) {
  const testClock = new TestClock(realClock)
  if (mode === 'live') return { testClock, stopFollowing: async () => {} }
  await testClock.refresh(db)
  const round = async () => {
    await testClock.refresh(db)
    return { more: false }
  }
  const worker = { name: 'follow-test-clock', pauseMs: FOLLOW_MS, isDone: true, round }
  const following = runWorkers({ log }, [worker])
  return { testClock, stopFollowing: () => following.stop() }
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
      ? { runTestClock: clockMoves.round, seedSandbox: seedSandboxRound(seeding) }
      : {}
  return { clockMoves, seedNow, rounds }
}
