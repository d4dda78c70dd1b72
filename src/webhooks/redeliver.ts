// Redelivery on request: an event, or a payment's latest state; and test events. replays.ts sends a period.
//
// The delivery is due at once and restarts its retry schedule; its attempt count continues. A delivery in
// flight stays unchanged. An event without a delivery gets one.

import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type ClientId, type EndpointId, type EventId, leastIdAt, type PaymentId } from '#ids.ts'
import { getPayment } from '#payments/payment.ts'
import { appendEvents } from '#records/events.ts'
import {
  findDestinations,
  readAddresses,
  resumeDestinations,
  routeEvent,
  type Target,
} from './destinations.ts'
import { getEndpoint } from './endpoints.ts'
import { EVENT_COLUMNS, type StoredEvent, unlessAlert, visibleEvent } from './events.ts'
import { REQUEUE_ON_CONFLICT } from './states.ts'

type EventRedelivery = {
  clientId: ClientId
  eventId: EventId
  endpointId?: EndpointId
  withoutAlerts?: boolean
}

// Sends an event again to all its current targets, or to one endpoint whatever types it subscribes to.
// Returns the number of deliveries.
export async function redeliver(
  tx: Transaction,
  now: Date,
  { clientId, eventId, endpointId, withoutAlerts = false }: EventRedelivery,
): Promise<number> {
  const { rows } = await tx.query<StoredEvent>({
    name: 'event-to-redeliver',
    text: `select ${EVENT_COLUMNS} from events e
            where e.id = $1 and e.client_id = $2 and ${visibleEvent('$2')}
              and ${unlessAlert('$3')}`,
    values: [eventId, clientId, withoutAlerts],
  })
  const event = rows[0]
  if (!event) throw new Refusal('event_not_found')
  const targets =
    endpointId === undefined
      ? routeEvent(event, (await readAddresses(tx, [event]))(event))
      : [await endpointTarget(tx, clientId, endpointId)]
  return queueAgain(tx, now, { event, targets })
}

// Sends the event of the payment's latest state again, to the notificationUrl of its advice and, if the
// state is final, to the callBackUrl.
export async function pushPayment(
  tx: Transaction,
  now: Date,
  { clientId, paymentId }: { clientId: ClientId; paymentId: PaymentId },
): Promise<{ eventId: EventId; queued: number }> {
  const payment = await getPayment(tx, clientId, { by: 'payment', reference: paymentId })
  const event = await findLatestEvent(tx, payment)
  if (!event) throw new Refusal('event_not_found')
  const { payment: address } = (await readAddresses(tx, [event]))(event)
  const targets = routeEvent(event, { account: undefined, payment: address, endpoints: [] })
  return { eventId: event.id, queued: await queueAgain(tx, now, { event, targets }) }
}

// Finds the latest event of a payment. The payment's updatedAt is the time of that event, and the event's id
// starts with that time.
async function findLatestEvent(
  db: Queryable,
  payment: { id: PaymentId; updatedAt: Date },
): Promise<StoredEvent | undefined> {
  const changedMs = payment.updatedAt.getTime()
  const { rows } = await db.query<StoredEvent>({
    name: 'latest-event-of-payment',
    text: `select ${EVENT_COLUMNS} from events e
            where e.id >= $1 and e.id < $2 and e.payment_id = $3 and e.type like 'payment.%'
            order by e.sequence desc limit 1`,
    values: [leastIdAt(changedMs), leastIdAt(changedMs + 1), payment.id],
  })
  return rows[0]
}

// Returns an endpoint as the target of a redelivery. Refuses one that is switched off.
export async function endpointTarget(
  tx: Transaction,
  clientId: ClientId,
  endpointId: EndpointId,
): Promise<Target> {
  const { id, url, isActive } = await getEndpoint(tx, clientId, endpointId)
  if (!isActive) throw new Refusal('endpoint_inactive')
  return { kind: 'endpoint', endpointId: id, url, sentTo: null }
}

// Queues an event again for its targets, except disabled endpoints, which their owner must enable first.
// Returns the number of deliveries.
async function queueAgain(
  tx: Transaction,
  now: Date,
  { event, targets }: { event: StoredEvent; targets: readonly Target[] },
): Promise<number> {
  const { clientId } = event
  const destinations = await findDestinations(
    tx,
    targets.map((target) => ({ ...target, clientId })),
  )
  const rows = targets
    .map((target, index) => ({ target, destination: destinations[index] }))
    .flatMap(({ target, destination }) =>
      destination && !(destination.isDisabled && target.endpointId !== null)
        ? [{ target, id: destination.id }]
        : [],
    )
  if (rows.length === 0) return 0
  await tx.query({
    name: 'queue-again',
    text: `insert into deliveries (event_id, client_id, next_attempt_at, created_at,
                                   destination_id, kind, url)
           select $1, $2, $3, $3, v.*
             from unnest($4::bigint[], $5::text[], $6::text[]) as v ${REQUEUE_ON_CONFLICT}`,
    values: [
      event.id,
      clientId,
      now,
      numberArray(rows.map(({ id }) => id)),
      rows.map(({ target }) => target.kind),
      rows.map(({ target }) => target.sentTo),
    ],
  })
  await resumeDestinations(
    tx,
    now,
    rows.map(({ id }) => id),
  )
  return rows.length
}

const MESSAGE = 'This is a test: your endpoint can be reached.'

// Appends a test event, which the dispatcher sends to the endpoint in its facts. Returns the event's id.
export async function sendTestEvent(
  tx: Transaction,
  now: Date,
  { clientId, endpointId }: { clientId: ClientId; endpointId: EndpointId },
): Promise<string> {
  const { isActive } = await getEndpoint(tx, clientId, endpointId)
  if (!isActive) throw new Refusal('endpoint_inactive')
  const facts = { endpointId, message: MESSAGE }
  await appendEvents(tx, now, [{ clientId, type: 'endpoint.test', facts }])
  // The client's last event is the test event: this transaction locks the client's event counter until the
  // commit.
  const { rows } = await tx.query<{ id: EventId }>({
    name: 'last-event',
    text: `select e.id from event_counters c
             join events e on e.client_id = c.client_id and e.sequence = c.sequence
            where c.client_id = $1`,
    values: [clientId],
  })
  return (rows[0] as { id: EventId }).id
}
