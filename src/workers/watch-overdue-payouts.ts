// Alerts operators of payouts that wait too long for people (overdue-payouts.ts).

import { businessDayBefore } from '#business-days.ts'
import { withTransaction } from '#db/transaction.ts'
import { alertOverdue } from '#domain/payouts/overdue-payouts.ts'
import { readHolidays } from '#domain/settlement/settlement-settings.ts'
import { watDay } from '#wat-time.ts'
import type { Round } from './loop.ts'
import type { PayoutDeps } from './send-payouts.ts'

export function watchOverduePayoutsRound({
  batchPool,
  clock,
}: Pick<PayoutDeps, 'batchPool' | 'clock'>): Round {
  return async () => {
    const now = clock()
    await withTransaction(batchPool, async (tx) => {
      const lastBusinessDay = businessDayBefore(watDay(now), await readHolidays(tx))
      await alertOverdue(tx, { now, lastBusinessDay })
    })
    return { more: false }
  }
}
