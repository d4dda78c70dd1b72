// Payouts whose order certainly never reached the bank: no connection, no login, or, where a recipient
// is made first, no order yet. They are queued again, and tried again later: a short outage fails
// nothing (I105).
//
//   sending ──certainly not sent──▶ queued, not before `send_after`
//
// Only the process that claimed it says so, and only while the payout is still in that claim. Anything
// less certain is unknown, and never sent again (I47). Until it is sent it can be cancelled.
// Locks: the payout.

import type { Transaction } from '#db/transaction.ts'
import type { PayoutId } from '#ids.ts'
import { recordPayoutChanges } from './payout-changes.ts'

const FIRST_MS = 5_000
const LONGEST_MS = 300_000
export const UNREACHABLE_ALERT_MS = 1_800_000

// 5 s, 10 s, 20 s, … five minutes, of which a random half is left out, so that payouts do not come back all
// at once. `chance`: from 0 to 1.
export function sendAgainAfterMs(times: number, chance: number): number {
  const longestMs = Math.min(FIRST_MS * 2 ** Math.min(times, 20), LONGEST_MS)
  return Math.round(longestMs * (1 - chance / 2))
}

type Unsent = { id: PayoutId; claimedAt: Date; reason: string; by: string; chance: number }

// False: it is in this claim no more, and stays as it is.
export async function queueAgain(
  tx: Transaction,
  now: Date,
  { id, claimedAt, reason, by, chance }: Unsent,
): Promise<boolean> {
  const { rows } = await tx.query<{ times: number }>({
    name: 'lock-unsent-payout',
    text: `select unsent_times as times from payouts
            where id = $1 and status = 'sending' and batch_id is null and sending_at = $2
              for no key update`,
    values: [id, claimedAt],
  })
  if (!rows[0]) return false
  const sendAfter = new Date(now.getTime() + sendAgainAfterMs(rows[0].times, chance))
  await tx.query({
    name: 'queue-payout-again',
    text: `update payouts
              set status = 'queued', sending_at = null, sent_over = null, send_after = $2,
                  unsent_times = unsent_times + 1, unsent_since = coalesce(unsent_since, $3)
            where id = $1`,
    values: [id, sendAfter, now],
  })
  const change = { payoutIds: [id], change: 'unsent', changedBy: by, detail: reason } as const
  await recordPayoutChanges(tx, now, change)
  return true
}
