// The outbox. An event is written in the same transaction as the change it reports, so a client
// is told of everything that happened and of nothing that did not.
//
// I5: a client's events are numbered without gaps, in the order they were committed. The numbers
// come from the client's row, which stays locked until commit; so this is the last thing that a
// transaction locks.

import { numberArray, plainArray, textArray } from '#db/arrays.ts'
import type { Transaction } from '#db/transaction.ts'
import { timeOrderedId } from '#ids.ts'

export const EVENT_TYPES = [
  'account.created',
  'account.updated',
  'account.deactivated',
  'collection.received',
  'collection.reversed',
  'payment.processing',
  'payment.part_paid',
  'payment.successful',
  'payment.expired',
  'payment.cancelled',
  'payment.reversed',
  'credit.suspended',
  'credit.assigned',
  'credit.returned',
  'credit.reversed',
  'endpoint.disabled',
  'endpoint.test', // To one endpoint, on request.
] as const

export type EventType = (typeof EVENT_TYPES)[number]

export type NewEvent = {
  clientId: bigint
  type: EventType
  collectionAccountId?: bigint
  paymentId?: string
  creditId?: bigint
  facts: object
}

export async function appendEvents(
  tx: Transaction,
  now: Date,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  await tx.query({
    name: 'append-events',
    text: `with batch as (
             select e.*, row_number() over (partition by e.client_id order by e.ordinality) as place
               from unnest($1::uuid[], $2::bigint[], $3::text[], $4::bigint[], $5::uuid[],
                           $6::bigint[], $7::json[]) with ordinality
                    as e (id, client_id, type, collection_account_id, payment_id, credit_id, facts)
           ), counted as materialized (
             select client_id, count(*) as events from batch group by client_id order by client_id
           ), numbered as (
             update clients c set event_sequence = c.event_sequence + n.events
               from counted n where c.id = n.client_id
             returning c.id, c.event_sequence - n.events as base
           )
           insert into events (id, client_id, sequence, type, collection_account_id, payment_id,
                               credit_id, facts, created_at)
           select b.id, b.client_id, n.base + b.place, b.type, b.collection_account_id,
                  b.payment_id, b.credit_id, b.facts, $8
             from batch b join numbered n on n.id = b.client_id
            order by b.ordinality`,
    values: [
      plainArray(events.map(() => timeOrderedId(now))),
      numberArray(events.map((event) => event.clientId)),
      plainArray(events.map((event) => event.type)),
      numberArray(events.map((event) => event.collectionAccountId ?? null)),
      plainArray(events.map((event) => event.paymentId ?? null)),
      numberArray(events.map((event) => event.creditId ?? null)),
      textArray(events.map((event) => JSON.stringify(event.facts))),
      now,
    ],
  })
}
