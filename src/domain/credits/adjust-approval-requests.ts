// Adjusts open approval requests when a bank reverses the money. A full reversal voids the request. A
// partial one is recorded as a change, and the request continues for the rest; the original amount stays.
// Locks: the item, then the request.

import type { Transaction } from '#db/transaction.ts'
import type { Kobo } from '#money.ts'
import type { LockedItem } from './suspense-items.ts'

type Taking = { item: LockedItem; takenKobo: Kobo }

export async function adjustApprovalRequests(
  tx: Transaction,
  now: Date,
  takings: readonly Taking[],
): Promise<void> {
  for (const { item, takenKobo } of takings) {
    if (item.state !== 'open') continue // An open request needs an open item.
    const by = `bank:${item.bankCode}`
    if (takenKobo === item.amountKobo) {
      await tx.query({
        name: 'void-suspense-request',
        text: `update suspense_requests set state = 'void', decided_by = $2, decided_at = $3
                where item_id = $1 and state = 'open'`,
        values: [item.id, by, now],
      })
    } else {
      await tx.query({
        name: 'change-suspense-request',
        text: `insert into suspense_request_changes
                 (request_id, changed_by, changed_at, from_kobo, to_kobo)
               select id, $2, $3, $4, $5 from suspense_requests
                where item_id = $1 and state = 'open'
                  for no key update`,
        values: [item.id, by, now, item.amountKobo, item.amountKobo - takenKobo],
      })
    }
  }
}
