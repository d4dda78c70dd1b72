// Lists and filters a client's events, newest first, with the state of their deliveries.
//
// No filter has an index of its own: every payment would pay for one more index on the outbox. A page
// scans at most SCAN_MAX events by number, and the next page continues from there. A binary search
// converts times to numbers; an account or payment has no events older than itself.

import type { Queryable } from '#db/pool.ts'
import { namedUnlessWindow } from '#db/statement-names.ts'
import type { Window } from '#db/time-bounds.ts'
import { inMerchantScope } from '#domain/access/merchant-scope.ts'
import type { EventType } from '#domain/records/event-types.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, CreditId, EventId, PaymentId } from '#ids.ts'
import type { StoredFacts } from './event-facts.ts'
import { type AddParameter, findSubject } from './event-filters.ts'
import { sequenceBounds } from './sequence-bounds.ts'

// Scanning 20,000 events with their deliveries takes some 100 ms.
export const SCAN_MAX = 20_000n

export type StoredEvent = {
  id: EventId
  clientId: ClientId
  sequence: bigint
  type: EventType
  collectionAccountId: AccountId | null
  paymentId: PaymentId | null
  creditId: CreditId | null
  facts: StoredFacts
  createdAt: Date
}

type DeliveryState = 'none' | 'pending' | 'delivered' | 'failed'
export type ListedEvent = StoredEvent & { deliveryState: DeliveryState }

export type EventFilters = Window & {
  type?: EventType | undefined
  accountNumber?: string | undefined
  paymentReference?: string | undefined
  isDelivered?: boolean | undefined
  withoutAlerts?: boolean | undefined
}

// `scannedTo`: the lowest number scanned. Null: all events are scanned.
type EventScan = { rows: ListedEvent[]; scannedTo: bigint | null }

export const EVENT_COLUMNS = `
  e.id, e.client_id as "clientId", e.sequence, e.type,
  e.collection_account_id as "collectionAccountId", e.payment_id as "paymentId",
  e.credit_id as "creditId", e.facts, e.created_at as "createdAt"`

// A client's events after a number, in order, up to the first missing number. A reader that continues
// after the last of them misses no event that is committed later.
type Ordered = { clientId: string; after: string; limit: string; more?: string }

export const inOrder = ({ clientId, after, limit, more = '' }: Ordered) => `
  select n.* from (
    select ${EVENT_COLUMNS}${more}, row_number() over (order by e.sequence) as place
      from events e
     where e.client_id = ${clientId} and e.sequence > ${after}
     order by e.sequence limit ${limit}) as n
   where n.sequence = ${after} + n.place
   order by n.sequence`

// For a credit's event, uses the account that the credit was sent to.
export const visibleEvent = (clientId: string) =>
  inMerchantScope(
    `coalesce(e.collection_account_id,
              (select c.collection_account_id from all_credits c where c.id = e.credit_id))`,
    clientId,
  )
const VISIBLE = visibleEvent('$1')

// Hides alerts from an operator's users who are not operators, if `isWithout` (SQL) is true.
export const unlessAlert = (isWithout: string) => `not (${isWithout} and e.type = 'alert.raised')`

// An unqueued event is pending. An event without a target is neither delivered nor undelivered. An
// aggregate is looked up for each scanned event; `exists` would read the deliveries of all clients (360
// ms for a page, and growing).
const WITH_STATE = `
  cross join lateral (
    select case when e.sequence > coalesce((select c.sequence from dispatch_cursors c
                                             where c.client_id = $1), 0) then 'pending'
                when count(*) = 0 then 'none'
                when bool_or(d.state = 'pending') then 'pending'
                when bool_or(d.state = 'failed') then 'failed'
                else 'delivered' end as "deliveryState"
      from deliveries d where d.event_id = e.id) as log`

export async function listEvents(
  db: Queryable,
  clientId: ClientId,
  { filters, before, limit }: { filters: EventFilters; before?: bigint | undefined; limit: number },
): Promise<EventScan> {
  const subject = await findSubject(db, clientId, filters)
  if (!subject) return { rows: [], scannedTo: null }
  const { first, past } = await sequenceBounds(db, clientId, {
    from: later(filters.from, subject.since),
    to: filters.to,
  })
  const end = before !== undefined && before < past ? before : past
  let start = end - SCAN_MAX
  if (start < first) start = first
  if (start >= end) return { rows: [], scannedTo: null }
  const values: unknown[] = [clientId, start, end]
  const add = (value: unknown) => `$${values.push(value)}`
  const conditions = [...buildConditions(filters, add), ...subject.conditions(add)]
  const text = `select ${EVENT_COLUMNS}, log."deliveryState"
                  from events e ${WITH_STATE}
                 where e.client_id = $1 and e.sequence >= $2 and e.sequence < $3
                       and ${VISIBLE}
                       ${conditions.map((condition) => `and ${condition}`).join('\n')}
                 order by e.sequence desc
                 limit ${limit}`
  const { rows } = await db.query<ListedEvent>(namedUnlessWindow(filters, text, values))
  return { rows, scannedTo: start > first ? start : null }
}

export async function getEvent(
  db: Queryable,
  clientId: ClientId,
  { id, withoutAlerts = false }: { id: string; withoutAlerts?: boolean },
): Promise<ListedEvent> {
  const { rows } = await db.query<ListedEvent>({
    name: 'get-event',
    text: `select ${EVENT_COLUMNS}, log."deliveryState"
             from events e ${WITH_STATE}
            where e.client_id = $1 and e.id = $2 and ${VISIBLE}
              and ${unlessAlert('$3')}`,
    values: [clientId, id, withoutAlerts],
  })
  if (!rows[0]) throw new Refusal('event_not_found')
  return rows[0]
}

// Events after this number, in order, for a live page. Includes events that the client may not see, so
// that the reader gets past them.
export async function readEventsAfter(
  db: Queryable,
  clientId: ClientId,
  { sequence, limit }: { sequence: bigint; limit: number },
): Promise<(StoredEvent & { isVisible: boolean })[]> {
  const { rows } = await db.query<StoredEvent & { isVisible: boolean }>({
    name: 'read-events-after',
    text: inOrder({
      clientId: '$1',
      after: '$2::bigint',
      limit: '$3',
      more: `, ${VISIBLE} as "isVisible"`,
    }),
    values: [clientId, sequence, limit],
  })
  return rows
}

// The number of the last event, and of the last event that is no longer stored.
export async function sequenceEnds(
  db: Queryable,
  clientId: ClientId,
): Promise<{ last: bigint; dropped: bigint }> {
  const { rows } = await db.query<{ last: bigint; dropped: bigint }>({
    name: 'event-sequence-ends',
    text: `select k.sequence as last,
                  coalesce((select min(e.sequence) - 1 from events e
                             where e.client_id = k.client_id), k.sequence) as dropped
             from event_counters k where k.client_id = $1`,
    values: [clientId],
  })
  return rows[0] ?? { last: 0n, dropped: 0n }
}

function buildConditions(
  { type, from, to, isDelivered, withoutAlerts }: EventFilters,
  add: AddParameter,
): string[] {
  const conditions: string[] = []
  if (type) conditions.push(`e.type = ${add(type)}`)
  if (withoutAlerts) conditions.push(unlessAlert('true'))
  if (from) conditions.push(`e.created_at >= ${add(from)}`)
  if (to) conditions.push(`e.created_at < ${add(to)}`)
  if (isDelivered === true) conditions.push(`log."deliveryState" = 'delivered'`)
  if (isDelivered === false) conditions.push(`log."deliveryState" in ('pending', 'failed')`)
  return conditions
}

function later(one: Date | undefined, other: Date | undefined): Date | undefined {
  return one && other && one > other ? one : (other ?? one)
}
