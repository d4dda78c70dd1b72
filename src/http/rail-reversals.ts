// Reversals that a bank reports among its credits, in its own format: each is taken like one of
// POST /rails/{bankCode}/reversals, after the credits of the same body, and before the bank is answered.
//
// The credit is found by any of the ids under which the bank may have reported it. One that cannot be
// taken stands in an alert, raised in the same transaction: the money has left the bank account.

import type { IncomingReversal } from '#banks/formats/format.ts'
import type { Queryable } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { raiseAlerts } from '#domain/alerts.ts'
import { sessionName } from '#domain/credit-decisions.ts'
import { type ReversalAnswer, takeReversal } from '#domain/reversals.ts'
import type { Deps } from '#http/deps.ts'

export type Reversed = ReversalAnswer | 'failed' // Failed: try again, it is safe.

const ALERTED: ReadonlySet<Reversed> = new Set(['original_not_found', 'amount_exceeds_original'])

// One after another, since two may take back parts of one credit.
export async function takeReversals(
  { batchPool, clock, sharedAccounts, log }: Deps,
  bankCode: string,
  reversals: readonly IncomingReversal[],
): Promise<Map<IncomingReversal, Reversed>> {
  const results = new Map<IncomingReversal, Reversed>()
  for (const reversal of reversals) {
    const now = clock()
    try {
      const answer = await withTransaction(batchPool, async (tx) => {
        const taken = await take(tx, { sharedAccounts, now }, bankCode, reversal)
        if (ALERTED.has(taken)) await raiseAlerts(tx, now, [alertOf(bankCode, reversal, taken)])
        return taken
      })
      results.set(reversal, answer)
    } catch (error) {
      log.error(error, 'a reversal could not be taken')
      results.set(reversal, 'failed')
    }
  }
  return results
}

async function take(
  tx: Transaction,
  deps: Parameters<typeof takeReversal>[1],
  bankCode: string,
  reversal: IncomingReversal,
): Promise<ReversalAnswer> {
  const originalSessionId = await findOriginal(tx, bankCode, reversal)
  if (originalSessionId === undefined) return 'original_not_found'
  const { sessionId, amountKobo } = reversal
  return await takeReversal(tx, deps, { bankCode, sessionId, originalSessionId, amountKobo })
}

async function findOriginal(
  db: Queryable,
  bankCode: string,
  { originals, currency }: IncomingReversal,
): Promise<string | undefined> {
  const { rows } = await db.query<{ sessionId: string }>({
    name: 'find-reversed-credit',
    text: `select session_id as "sessionId" from credits
            where session_id = any($1::text[]) and bank_code = $2 and currency = $3
            order by array_position($1::text[], session_id)
            limit 1`,
    values: [originals, bankCode, currency],
  })
  return rows[0]?.sessionId
}

function alertOf(bankCode: string, reversal: IncomingReversal, reason: Reversed) {
  const { sessionId, originals, amountKobo, currency } = reversal
  return {
    kind: 'reversal_rejected',
    subject: sessionName({ bankCode, sessionId }),
    detail: { reason, originals, amountKobo: amountKobo.toString(), currency },
  } as const
}
