// Reversals inside a credit report: handled like POST /rails/{bankCode}/reversals, after the
// credits of the same body, before acknowledging.
//
// The original is found by any ID the bank may have used. Rejected reversals become rail items in
// the same transaction.
//
// A reversal may overtake its credit, which is in flight or about to be sent again. So one whose credit
// is not known is to be sent again for a while, and then rejected: rejected at once, it would be lost
// and the credit booked in full.

import type { IncomingReversal } from '#banks/notifications.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { findOriginal } from '#domain/credits/credit-identifiers.ts'
import { firstReceivedAt, type NewRailItem, storeRailItems } from '#domain/credits/rail-items.ts'
import { type ReversalAnswer, takeReversal } from '#domain/credits/reverse-credit.ts'
import type { Deps } from '#http/deps.ts'
import { formatKobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { rejectedReversal } from './keep-rail-items.ts'

const AWAITED_MS = 1_800_000 // Half an hour.

// Awaited: the credit may still come.
export type GivenAnswer = ReversalAnswer | 'original_awaited'
export type Reversed = GivenAnswer | 'failed' // Failed: try again, it is safe.

export function isReversed(answer: GivenAnswer): boolean {
  return answer === 'reversed' || answer === 'duplicate'
}

// Keeps what was not taken, and says what the bank is answered.
export async function keepReversal(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  { answer, item }: { answer: ReversalAnswer; item: NewRailItem },
): Promise<GivenAnswer> {
  const isAwaited = answer === 'original_not_found' && (await isRecent(tx, { sealer, now }, item))
  const responseCode = isAwaited ? '03' : '02'
  await storeRailItems(tx, { sealer, now }, [{ ...item, responseCode }])
  return isAwaited ? 'original_awaited' : answer
}

async function isRecent(
  tx: Transaction,
  { sealer, now }: { sealer: Sealer; now: Date },
  item: NewRailItem,
): Promise<boolean> {
  const heardAt = (await firstReceivedAt(tx, sealer, item)) ?? now
  return now.getTime() - heardAt.getTime() < AWAITED_MS
}

// One after another, since two may take back parts of one credit.
export async function takeReversals(
  { batchPool, clock, sealer, sharedAccounts, log }: Deps,
  bankCode: string,
  reversals: readonly IncomingReversal[],
): Promise<Map<IncomingReversal, Reversed>> {
  const results = new Map<IncomingReversal, Reversed>()
  for (const reversal of reversals) {
    const now = clock()
    try {
      const answer = await withTransaction(batchPool, async (tx) => {
        const taken = await take(tx, { sharedAccounts, now, isReal: true }, { bankCode, reversal })
        if (isReversed(taken)) return taken
        const item = rejected(bankCode, reversal, taken)
        return await keepReversal(tx, { sealer, now }, { answer: taken, item })
      })
      results.set(reversal, answer)
    } catch (error) {
      log.error({ err: error }, 'failed to book a reversal')
      results.set(reversal, 'failed')
    }
  }
  return results
}

async function take(
  tx: Transaction,
  deps: Parameters<typeof takeReversal>[1],
  { bankCode, reversal }: { bankCode: string; reversal: IncomingReversal },
): Promise<ReversalAnswer> {
  const originalSessionId = await findOriginal(tx, bankCode, reversal)
  if (originalSessionId === undefined) return 'original_not_found'
  const { sessionId, formerId, place, amountKobo } = reversal
  const named = { bankCode, sessionId, formerId, place }
  return await takeReversal(tx, deps, { ...named, originalSessionId, amountKobo })
}

function rejected(bankCode: string, reversal: IncomingReversal, reason: ReversalAnswer) {
  const { sessionId, originals, amountKobo, currency } = reversal
  const body = { sessionId, originals, amount: formatKobo(amountKobo), currency }
  return rejectedReversal(bankCode, { body, originals }, reason)
}
