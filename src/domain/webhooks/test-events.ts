// Sends a test event to one endpoint.

import type { Transaction } from '#db/transaction.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, EndpointId, EventId } from '#ids.ts'
import { getEndpoint } from './webhook-endpoints.ts'

const MESSAGE = 'This is a test: your endpoint can be reached.'

// Returns the event's id. The dispatcher sends it to the endpoint in its facts.
export async function sendTestEvent(
  tx: Transaction,
  now: Date,
  { clientId, endpointId }: { clientId: ClientId; endpointId: EndpointId },
): Promise<string> {
  const { isActive } = await getEndpoint(tx, clientId, endpointId)
  if (!isActive) throw new Refusal('endpoint_inactive')
  const facts = { endpointId, message: MESSAGE }
  await appendEvents(tx, now, [{ clientId, type: 'endpoint.test', facts }])
  // We hold the client's counter until the commit, so its last event is this one.
  const { rows } = await tx.query<{ id: EventId }>({
    name: 'last-event',
    text: `select e.id from event_counters c
             join events e on e.client_id = c.client_id and e.sequence = c.sequence
            where c.client_id = $1`,
    values: [clientId],
  })
  return (rows[0] as { id: EventId }).id
}
