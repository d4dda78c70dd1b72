// What an event of a reversal says beside what it took from where it is: how much the bank took back
// by it, and how much of that had left us already (the shortfall: returned to the payer, or on its
// way). So amounts add up for whoever is told of a part only.

import type { Transaction } from '#db/transaction.ts'
import type { NewEvent } from '#domain/records/outbox.ts'
import { toNaira } from '#money.ts'
import { REASON_NOW } from './credit-location.ts'

export type ReversalReport = { sessionId: string; amountKobo: bigint; shortfallKobo: bigint }

// The credit and its reversals are written already: `credit.reversed` says what the API does.
export async function explainReversal(
  tx: Transaction,
  creditId: bigint,
  { sessionId, amountKobo, shortfallKobo }: ReversalReport,
  events: readonly NewEvent[],
): Promise<NewEvent[]> {
  if (events.length === 0) return []
  const reversal = {
    sessionId,
    amount: toNaira(amountKobo),
    shortfall: toNaira(shortfallKobo),
  }
  const credit = await readReversed(tx, creditId)
  return events.map((event) => {
    const more = event.type === 'credit.reversed' ? credit : {}
    return { ...event, facts: { ...event.facts, ...more, reversal } }
  })
}

async function readReversed(tx: Transaction, creditId: bigint) {
  type Row = { outcome: string; reason: string | null; reversed: bigint; shortfall: bigint }
  const { rows } = await tx.query<Row>({
    name: 'read-reversed-credit',
    text: `select c.outcome, ${REASON_NOW} as reason, sum(r.amount_kobo)::bigint as reversed,
                  sum(r.shortfall_kobo)::bigint as shortfall
             from credits c join reversals r on r.credit_id = c.id
            where c.id = $1 group by c.id`,
    values: [creditId],
  })
  const { outcome, reason, reversed, shortfall } = rows[0] as Row
  return {
    outcome,
    reason,
    amountReversed: toNaira(reversed),
    amountShortfall: toNaira(shortfall),
  }
}
