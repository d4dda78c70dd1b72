// Books a confirmed payout that its bank gave back: the money is available again to whom it was taken
// from, as when its statement shows it (src/domain/reconciliation/book-payout.ts). The payout stays
// confirmed, with the return in its history; its fee stays charged. The line that shows the money later is
// matched to this item of the books ('payout_return'), so it is not booked again.
//
// I104: once for a payout, whoever tells it first.
// Locks: the payout; alerts; ledger accounts; the client's event counter.

import type { Transaction } from '#db/transaction.ts'
import { clearAlert, raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { formatKobo } from '#money.ts'
import { recordPayoutChanges } from './payout-changes.ts'
import { returnedEvent } from './payout-events.ts'
import { returnedLegs, toTransfers } from './payout-postings.ts'
import type { LockedPayout } from './settle-payout.ts'

type ReturnDeps = { sharedAccounts: SharedAccounts; now: Date }

// Of what may be booked in this way. A return's money is in nobody's balance: it is booked from the
// statement, as a credit.
export const isReturnable = ({ status, purpose }: LockedPayout) =>
  status === 'confirmed' && purpose !== 'return'

// False: it was booked before, or a statement's line was. The caller has locked the payout, which
// isReturnable.
export async function bookReturn(
  tx: Transaction,
  { sharedAccounts, now }: ReturnDeps,
  { payout, by }: { payout: LockedPayout; by: string },
): Promise<boolean> {
  if (!(await insertReturn(tx, now, { payout, by }))) return false
  const { reference, amountKobo, currency } = payout
  const amount = formatKobo(amountKobo)
  await recordPayoutChanges(tx, now, {
    payoutIds: [payout.id],
    change: 'returned_by_bank',
    changedBy: by,
    detail: `${amount} ${currency}`,
  })
  const subject = `payout/${reference}`
  await clearAlert(tx, now, { kind: 'payout_contradicted', subject })
  const detail = { bankCode: payout.bankCode, amount, currency }
  const told = await raiseAlerts(tx, now, [{ kind: 'payout_returned', subject, detail }])
  const legs = returnedLegs(payout)
  await sharedAccounts.open(legs.flatMap(({ from, to }) => [from, to]))
  await postTransfers(tx, now, toTransfers(payout, legs, sharedAccounts.id.bind(sharedAccounts)))
  const event = await returnedEvent(tx, now, { id: payout.id, returnedKobo: amountKobo })
  await appendEvents(tx, now, [...told, ...event])
  return true
}

async function insertReturn(
  tx: Transaction,
  now: Date,
  { payout: { id, amountKobo }, by }: { payout: LockedPayout; by: string },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'insert-payout-return',
    text: `insert into payout_returns (payout_id, amount_kobo, told_by, returned_at)
           select $1, $2, $3, $4
            where not exists (select from differences d join transfers t on t.difference_id = d.id
                               where d.payout_id = $1)
           on conflict (payout_id) do nothing`,
    values: [id, amountKobo, by, now],
  })
  return rowCount === 1
}
