// Events related to credits, a payment or an account, found by time. An event id starts with its time,
// and an event is written in the transaction it describes, so it has the time of the rows of that
// transaction. The outbox needs no index by credit, payment or account.

import { numberArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import { unseen } from '#db/statement-names.ts'
import type { EventType } from '#domain/records/event-types.ts'
import {
  type AccountId,
  type ClientId,
  type CreditId,
  type EventId,
  leastIdAt,
  type PaymentId,
} from '#ids.ts'

export type RelatedEvent = { id: EventId; type: EventType; sequence: bigint; createdAt: Date }

export type EventSubjects = {
  creditIds?: readonly CreditId[]
  paymentId?: PaymentId | undefined
  accountId?: AccountId | undefined
}

// In their order.
export async function readRelatedEvents(
  db: Queryable,
  clientId: ClientId,
  { about, moments }: { about: EventSubjects; moments: readonly Date[] },
): Promise<RelatedEvent[]> {
  const times = [...new Set(moments.map((moment) => moment.getTime()))]
  const { rows } = await db.query<RelatedEvent>({
    name: 'events-at-moments',
    text: `select e.id, e.type, e.sequence, e.created_at as "createdAt"
             from unnest(${unseen('$1::uuid[]')}, ${unseen('$2::uuid[]')}) as m (first, past)
            cross join lateral (
              select id, type, sequence, created_at from events
               where id >= m.first and id < m.past and client_id = $3
                 and (credit_id = any($4::bigint[]) or payment_id = $5
                      or collection_account_id = $6 and credit_id is null)
              offset 0 -- A look by key for each moment; joined, all events would be read.
            ) as e
            order by e.sequence`,
    values: [
      times.map(leastIdAt),
      times.map((ms) => leastIdAt(ms + 1)),
      clientId,
      numberArray(about.creditIds ?? []),
      about.paymentId ?? null,
      about.accountId ?? null,
    ],
  })
  return rows
}
