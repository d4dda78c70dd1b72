// Events: without gaps for each client, and all of them with the honest receiver, genuine. Before the
// end of a run some may still be on their way: then each has a delivery that is pending.

import type { Books } from './books.ts'

const SEQUENCES = `
  select c.client_id, k.sequence as given, count(e.id) as kept, coalesce(max(e.sequence), 0) as last,
         count(distinct e.sequence) as different
    from event_counters k
    join clients c on c.id = k.client_id
    left join events e on e.client_id = k.client_id
   group by c.client_id, k.sequence`

const EVENTS = `
  select e.id, c.client_id, e.sequence, e.type, coalesce(d.state, '') as state,
         (e.sequence <= coalesce(q.sequence, 0)) as is_queued
    from events e
    join clients c on c.id = e.client_id
    left join dispatch_cursors q on q.client_id = e.client_id
    left join (select v.event_id, v.state
                 from deliveries v
                 join destinations t on t.id = v.destination_id
                 join webhook_endpoints w on w.id = t.endpoint_id
                where w.url like '%/honest/%') as d on d.event_id = e.id`

export async function checkEvents({ rows, testimony, isFinal }: Books): Promise<string[]> {
  const sequences = await rows(SEQUENCES)
  const events = await rows(EVENTS)
  const known = new Map(events.map((event) => [event.id as string, event]))
  return [
    ...sequences.flatMap(({ client_id: client, given, kept, last, different }) =>
      new Set([given, kept, last, different]).size === 1
        ? []
        : [`events of ${client}: ${kept} kept, ${different} different, up to ${last}, of ${given}`],
    ),
    ...events.flatMap((event) => {
      const { id = '', client_id: client, sequence, state } = event
      const name = `event ${sequence} of ${client} (${event.type})`
      const isHere = testimony.webhooks.get(id)?.some(({ isGenuine }) => isGenuine) === true
      if (isHere) return []
      if (state === 'delivered') return [`${name} is marked as delivered, and never came`]
      if (state === 'failed') return [`${name} was given up`]
      if (state === '' && event.is_queued === 'true') return [`${name} was never queued`]
      return isFinal ? [`${name} never came (${state || 'not queued'})`] : []
    }),
    ...[...testimony.webhooks.values()].flat().flatMap((webhook) => {
      const event = known.get(webhook.id)
      if (!webhook.isGenuine) return [`webhook ${webhook.id} has a wrong signature`]
      if (!event) return [`webhook ${webhook.id} reports an event that does not exist`]
      const isSame =
        event.client_id === webhook.clientId &&
        event.type === webhook.type &&
        event.sequence === `${webhook.sequence}`
      return isSame ? [] : [`webhook ${webhook.id} differs from its event`]
    }),
  ]
}
