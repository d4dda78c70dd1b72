// Screens credits and payouts, and raises an alert when credits wait too long for screening.

import { type Clock, SECOND_MS } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { OutcomeHooks } from '#payouts/settle.ts'
import type { Sealer } from '#seal.ts'
import type { Round, Worker } from '#workers/loop.ts'
import {
  HAS_UNSCREENED_CREDITS,
  holdCredits,
  isScreening,
  screenCredits,
  watchScreening,
} from './credits.ts'
import { HAS_UNSCREENED_PAYOUTS, screenPayouts } from './payouts.ts'
import { RecentCounts } from './recent.ts'

export type ScreenDeps = {
  batchPool: Pool
  sealer: Sealer
  sharedAccounts: SharedAccounts
  payoutHooks: OutcomeHooks
  clock: Clock
}

export function screeningWorkers(deps: ScreenDeps & WatchScreeningDeps): Worker[] {
  return [
    {
      name: 'screen-credits',
      pauseMs: SECOND_MS,
      due: HAS_UNSCREENED_CREDITS,
      round: screenCreditsRound(deps),
    },
    {
      name: 'screen-payouts',
      pauseMs: SECOND_MS / 4,
      due: HAS_UNSCREENED_PAYOUTS,
      round: screenPayoutsRound(deps),
    },
    { name: 'watch-screening', pauseMs: 10 * SECOND_MS, round: watchScreeningRound(deps) },
  ]
}

// One round of the worker: screens the next credits, and holds those that broke a rule.
export function screenCreditsRound(deps: ScreenDeps): Round {
  const recent = new RecentCounts()
  return async () => {
    const now = deps.clock()
    const isOn = await isScreening(deps.batchPool, now)
    const more = isOn && (await screenCredits({ ...deps, now }, recent))
    const held = await holdCredits({ ...deps, now })
    return { more: more || held }
  }
}

export function screenPayoutsRound(deps: ScreenDeps): Round {
  return async () => ({ more: await screenPayouts({ ...deps, now: deps.clock() }) })
}

export type WatchScreeningDeps = { db: Pool; clock: Clock; screeningLateMinutes: number }

function watchScreeningRound({ db, clock, screeningLateMinutes }: WatchScreeningDeps): Round {
  return async () => {
    const lateMinutes = screeningLateMinutes
    await withTransaction(db, (tx) => watchScreening(tx, clock(), { lateMinutes }))
    return { more: false }
  }
}
