// Tells the client what became of a payout or of a settlement's: payout.confirmed, payout.failed,
// payout.returned.
// Refunds and returns are told by events of their own, and cancelling is the client's own doing.

import type { Transaction } from '#db/transaction.ts'
import type { NewEventOf } from '#domain/records/event-types.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import type { PayoutId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { timestamp } from '#wat-time.ts'
import { type Payout, SELECT_PAYOUT } from './payouts.ts'

export async function tellOutcome(
  tx: Transaction,
  now: Date,
  { id, purpose }: Pick<Payout, 'id' | 'purpose'>,
): Promise<void> {
  if (purpose !== 'payout' && purpose !== 'settlement') return
  const payout = await readPayout(tx, id)
  const { clientId, status } = payout
  if (clientId === null || (status !== 'confirmed' && status !== 'failed')) return
  const facts = { ...factsOf(payout), purpose, status, settledAt: timestamp(now) }
  await appendEvents(tx, now, [{ clientId, type: `payout.${status}`, facts }])
}

// The bank gave back so much of it after it was paid. For the caller to append: of a refund too, which has no
// other event for that.
export async function returnedEvent(
  tx: Transaction,
  now: Date,
  { id, returnedKobo }: { id: PayoutId; returnedKobo: Kobo },
): Promise<NewEventOf<'payout.returned'>[]> {
  const payout = await readPayout(tx, id)
  const { clientId, purpose, status } = payout
  if (clientId === null || purpose === 'return') return []
  const facts = {
    ...factsOf(payout),
    purpose,
    status,
    settledAt: timestamp(payout.settledAt as Date),
    returnedAmountKobo: returnedKobo,
    returnedAt: timestamp(now),
  }
  return [{ clientId, type: 'payout.returned', facts }]
}

function factsOf(payout: Payout) {
  return {
    reference: payout.reference,
    amountKobo: payout.amountKobo,
    currency: payout.currency,
    feeKobo: payout.feeKobo,
    vatKobo: payout.vatKobo,
    bankAccount: payout.bankAccountReference,
    bankCode: payout.toBankCode,
    accountName: payout.toAccountName,
    narration: payout.narration,
    bankReference: payout.bankReference,
    failureReason: payout.failureReason,
    requestedAt: timestamp(payout.requestedAt),
  }
}

async function readPayout(tx: Transaction, id: PayoutId): Promise<Payout> {
  const { rows } = await tx.query<Payout>({
    name: 'read-settled-payout',
    text: `${SELECT_PAYOUT} where p.id = $1`,
    values: [id],
  })
  return rows[0] as Payout
}
