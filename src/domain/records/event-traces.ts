// The traces in which events were written. A delivery, possibly by another process, continues the trace
// of its event. So sampled trace contexts are stored with the event, in its transaction, for a day.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { EventId } from '#ids.ts'
import { spanOf } from '#trace-context.ts'
import type { NewEvent } from './event-types.ts'

const KEPT_DAYS = 1

type EventTrace = { eventId: EventId; traceparent: string }

// Runs no query unless a request is traced, which is rare.
export async function insertEventTraces(
  tx: Transaction,
  events: readonly NewEvent[],
  idAt: (place: number) => EventId,
): Promise<void> {
  const traces = events.flatMap((event, place) => {
    const span = spanOf(namesOf(event))
    span?.keep()
    return span ? [{ eventId: idAt(place), traceparent: span.traceparent }] : []
  })
  if (traces.length === 0) return
  await tx.query({
    name: 'insert-event-traces',
    text: `insert into event_traces (event_id, traceparent)
           select * from unnest($1::uuid[], $2::text[])`,
    values: [traces.map(({ eventId }) => eventId), traces.map((each) => each.traceparent)],
  })
}

// Names of batch items (trace-context.ts).
export const traceNames = {
  credit: (id: bigint) => `credit:${id}`,
  payment: (id: string) => `payment:${id}`,
}

function namesOf({ creditId, paymentId }: NewEvent): string[] {
  return [
    ...(creditId == null ? [] : [traceNames.credit(creditId)]),
    ...(paymentId == null ? [] : [traceNames.payment(paymentId)]),
  ]
}

export async function findEventTraces(
  db: Queryable,
  eventIds: readonly EventId[],
): Promise<Map<EventId, string>> {
  const { rows } = await db.query<EventTrace>({
    name: 'find-event-traces',
    text: `select event_id as "eventId", traceparent from event_traces
            where event_id = any($1::uuid[])`,
    values: [eventIds],
  })
  return new Map(rows.map(({ eventId, traceparent }) => [eventId, traceparent]))
}

export async function deleteOldTraces(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'delete-old-event-traces',
    text: `delete from event_traces
            where event_id < uuid_floor(($1::timestamptz at time zone 'UTC')::date - ${KEPT_DAYS})`,
    values: [now],
  })
}
