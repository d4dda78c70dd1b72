// Moves queued payouts away from banks that orders fail at (src/domain/payouts/move-payouts.ts).

import type { BankConnections } from '#banks/connector.ts'
import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { movePayouts } from '#domain/payouts/move-payouts.ts'
import type { Metrics } from '#metrics.ts'
import type { Round } from './loop.ts'

export type MovePayoutsDeps = {
  batchPool: Pool
  clock: Clock
  bankConnections: BankConnections
  metrics?: Metrics
}

export function movePayoutsRound(deps: MovePayoutsDeps): Round {
  const { batchPool, clock, bankConnections, metrics } = deps
  return async () => {
    const moved = await movePayouts(batchPool, { now: clock(), bankConnections, metrics })
    return { more: moved > 0 }
  }
}
