// Finishes interrupted bookings of statement lines. A failed booking does not delay others. A
// booking that the books refuse is opened again and is not a failure.

import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import {
  type FinishDeps,
  findUnfinished,
  finishBooking,
} from '#domain/reconciliation/finish-booking.ts'
import { Refusal } from '#errors.ts'
import type { Round } from './loop.ts'

export type FinishBookingsDeps = Omit<FinishDeps, 'now'> & { db: Pool; clock: Clock }

export function finishBookingsRound(deps: FinishBookingsDeps): Round {
  return async (signal) => {
    const failures: unknown[] = []
    for (const id of await findUnfinished(deps.db, deps.clock())) {
      if (signal.aborted) break
      await finishBooking({ ...deps, now: deps.clock() }, id).catch((error) => {
        if (!(error instanceof Refusal)) failures.push(error)
      })
    }
    if (failures.length > 0) throw failures[0]
    return { more: false }
  }
}
