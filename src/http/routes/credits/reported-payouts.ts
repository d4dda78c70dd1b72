// What a bank reports about payouts of ours, inside a credit report: taken before it is acknowledged.

import type { PayoutEvent } from '#banks/notifications.ts'
import { withTransaction } from '#db/transaction.ts'
import { hearOfPayout } from '#domain/payouts/reported-payouts.ts'
import type { Deps } from '#http/deps.ts'

export type Heard = 'heard' | 'unknown_payout' | 'failed' // Failed: try again, it is safe.

export async function hearOfPayouts(
  { batchPool, clock, log }: Deps,
  bankCode: string,
  events: readonly PayoutEvent[],
): Promise<Map<PayoutEvent, Heard>> {
  const results = new Map<PayoutEvent, Heard>()
  for (const event of events) {
    try {
      const isOurs = await withTransaction(batchPool, (tx) =>
        hearOfPayout(tx, clock(), { bankCode, event }),
      )
      results.set(event, isOurs ? 'heard' : 'unknown_payout')
    } catch (error) {
      log.error({ err: error }, 'failed to take an event about a payout')
      results.set(event, 'failed')
    }
  }
  return results
}
