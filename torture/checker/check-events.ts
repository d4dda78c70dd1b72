// Events: the numbers of a client's events have no gaps. Every event reaches, with a valid signature, the
// honest receiver of its client and the honest URLs that its account or payment names. During a run some
// events may still be under way; each of these must have a pending delivery.

import type { Books } from './books.ts'

const SEQUENCES = `
  select c.client_id, k.sequence as issued, count(e.id) as stored, coalesce(max(e.sequence), 0) as last,
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

// The events that must reach the URL of a collection account or payment request. An event without an account
// and a payment belongs to those of its credit. The callback URL receives only the final states of a payment.
const NAMED_URLS = `
  with about as (
    select e.id, e.client_id, e.sequence, e.type, e.facts::jsonb as facts,
           case when e.collection_account_id is null and e.payment_id is null
                then c.collection_account_id else e.collection_account_id end as account_id,
           case when e.collection_account_id is null and e.payment_id is null
                then c.payment_id else e.payment_id end as payment_id
      from events e left join credits c on c.id = e.credit_id),
  named as (
    select e.*, a.notification_url as url, 'notification' as kind
      from about e join collection_accounts a on a.id = e.account_id and a.client_id = e.client_id
    union
    select e.*, a.notification_url, 'notification'
      from about e
      join payments p on p.id = e.payment_id and p.client_id = e.client_id
      join advices a on a.id = p.advice_id
    union all
    select e.*, a.call_back_url, 'callback'
      from about e
      join payments p on p.id = e.payment_id and p.client_id = e.client_id
      join advices a on a.id = p.advice_id
     where e.type like 'payment.%' and e.facts->'refund' is null
       and e.facts->>'status' in ('Successful', 'Expired', 'Cancelled', 'Reversed'))
  select e.id, e.sequence, e.type, e.url, e.kind, k.client_id,
         coalesce((select v.state from deliveries v join destinations t on t.id = v.destination_id
                    where v.event_id = e.id and t.url = e.url and t.endpoint_id is null
                      and t.is_callback = (e.kind = 'callback') limit 1), '') as state,
         (e.sequence <= coalesce(q.sequence, 0)) as is_queued
    from named e
    join clients k on k.id = e.client_id
    left join dispatch_cursors q on q.client_id = e.client_id
   where e.url like '%/honest/%'`

// Checks the deliveries to the URLs that an account or payment names.
async function checkNamedUrls({ rows, testimony, isFinal }: Books): Promise<string[]> {
  const deliveries = await rows(NAMED_URLS)
  return deliveries.flatMap(
    ({ id = '', sequence, type, url = '', kind, client_id: client, ...event }) => {
      const name = `event ${sequence} of ${client} (${type}) to its ${kind} URL`
      const isReceived = testimony.webhooks
        .get(id)
        ?.some(({ isGenuine, path }) => isGenuine && url.endsWith(path))
      return isReceived ? [] : explainMissing({ name, ...event }, isFinal)
    },
  )
}

// Says what is wrong with an event that no receiver got. Before the end of a run, a delivery that still
// waits is no finding.
function explainMissing(event: Record<string, string>, isFinal: boolean): string[] {
  const { name, state, is_queued: isQueued } = event
  if (state === 'delivered') return [`${name} is marked as delivered, and never came`]
  if (state === 'failed') return [`${name} was given up`]
  if (state === '' && isQueued === 'true') return [`${name} was never queued`]
  return isFinal ? [`${name} never came (${state || 'not queued'})`] : []
}

export async function checkEvents(books: Books): Promise<string[]> {
  return [...(await checkEndpointDeliveries(books)), ...(await checkNamedUrls(books))]
}

// Checks that events are numbered without gaps, that each reached its client's endpoint, and that every
// webhook equals its event.
async function checkEndpointDeliveries({ rows, testimony, isFinal }: Books): Promise<string[]> {
  const sequences = await rows(SEQUENCES)
  const events = await rows(EVENTS)
  const eventsById = new Map(events.map((event) => [event.id as string, event]))
  return [
    // Without gaps and repetitions, these four numbers of a client are equal.
    ...sequences.flatMap(({ client_id: client, issued, stored, last, different }) =>
      new Set([issued, stored, last, different]).size === 1
        ? []
        : [
            `events of ${client}: ${stored} kept, ${different} different, up to ${last}, of ${issued}`,
          ],
    ),
    ...events.flatMap((event) => {
      const { id = '', client_id: client, sequence } = event
      const name = `event ${sequence} of ${client} (${event.type})`
      const path = `/honest/${client}`
      const isReceived = testimony.webhooks
        .get(id)
        ?.some((webhook) => webhook.isGenuine && webhook.path === path)
      return isReceived ? [] : explainMissing({ ...event, name }, isFinal)
    }),
    ...[...testimony.webhooks.values()].flat().flatMap((webhook) => {
      const event = eventsById.get(webhook.id)
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
