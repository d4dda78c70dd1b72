// Reversals inside a credit report: handled like POST /rails/{bankCode}/reversals, after the
// credits of the same body, before acknowledging.
//
// The original is found by any ID the bank may have used. Rejected reversals become rail items in
// the same transaction.

import type { IncomingReversal } from '#banks/notifications.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { findOriginal } from '#domain/credits/credit-identifiers.ts'
import { storeRailItems } from '#domain/credits/rail-items.ts'
import { type ReversalAnswer, takeReversal } from '#domain/credits/reverse-credit.ts'
import type { Deps } from '#http/deps.ts'
import { formatKobo } from '#money.ts'
import { rejectedReversal } from './keep-rail-items.ts'

export type Reversed = ReversalAnswer | 'failed' // Failed: try again, it is safe.

export function isReversed(answer: ReversalAnswer): boolean {
  return answer === 'reversed' || answer === 'duplicate'
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
        const taken = await take(tx, { sharedAccounts, now }, { bankCode, reversal })
        if (!isReversed(taken)) {
          await storeRailItems(tx, { sealer, now }, [rejected(bankCode, reversal, taken)])
        }
        return taken
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
  const { sessionId, amountKobo } = reversal
  return await takeReversal(tx, deps, { bankCode, sessionId, originalSessionId, amountKobo })
}

function rejected(bankCode: string, reversal: IncomingReversal, reason: ReversalAnswer) {
  const { sessionId, originals, amountKobo, currency } = reversal
  const body = { sessionId, originals, amount: formatKobo(amountKobo), currency }
  return rejectedReversal(bankCode, body, reason)
}
