// Adds reversal details to events: the total that the bank took back, the shortfall that had already been
// returned to the payer, and the amount that the client owes. So the amounts add up for a recipient that
// sees only a part.

import type { Transaction } from '#db/transaction.ts'
import type {
  EventFacts,
  EventSubject,
  NewEvent,
  ReversalFacts,
} from '#domain/records/event-types.ts'
import type { CreditId } from '#ids.ts'
import { REASON_NOW } from './credit-location.ts'

// The facts that an event of a reversal lacks before it is explained.
type Missing<Type extends Kind> = Type extends 'credit.reversed'
  ? keyof EventFacts[Type]
  : 'reversal'
type Kind = 'alert.raised' | 'collection.reversed' | 'credit.reversed' | 'payment.reversed'
export type ReversalEvent = {
  [Type in Kind]: EventSubject & { type: Type; facts: Omit<EventFacts[Type], Missing<Type>> }
}[Kind]

// The credit and its reversals are already written, so `credit.reversed` shows the same as the API.
export async function explainReversal(
  tx: Transaction,
  creditId: CreditId,
  { reversal, events }: { reversal: ReversalFacts; events: readonly ReversalEvent[] },
): Promise<NewEvent[]> {
  if (events.length === 0) return []
  const credit = await readReversed(tx, creditId)
  return events.map((event) => explain(event, credit, reversal))
}

function explain(event: ReversalEvent, credit: Reversed, reversal: ReversalFacts): NewEvent {
  switch (event.type) {
    case 'credit.reversed':
      return { ...event, facts: { ...credit, reversal } }
    case 'collection.reversed':
      return { ...event, facts: { ...event.facts, reversal } }
    case 'payment.reversed':
      return { ...event, facts: { ...event.facts, reversal } }
    case 'alert.raised':
      return { ...event, facts: { ...event.facts, reversal } }
  }
}

type Reversed = Omit<EventFacts['credit.reversed'], 'reversal'>

async function readReversed(tx: Transaction, creditId: CreditId): Promise<Reversed> {
  const { rows } = await tx.query<Reversed>({
    name: 'read-reversed-credit',
    text: `select c.outcome, ${REASON_NOW} as reason,
                  sum(r.amount_kobo)::bigint as "amountReversedKobo",
                  sum(r.shortfall_kobo)::bigint as "amountShortfallKobo",
                  sum(r.receivable_kobo)::bigint as "amountReceivableKobo"
             from credits c join reversals r on r.credit_id = c.id
            where c.id = $1 group by c.id`,
    values: [creditId],
  })
  return rows[0] as Reversed
}
