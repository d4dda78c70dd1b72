// Reads a client's events: lists and filters them, newest first, with the state of their deliveries, and
// reads them in order for dispatching and for open pages.
//
// No filter has its own index, because every payment would have to maintain one more index on the outbox. A
// page scans at most SCAN_MAX events by number, and the next page continues from there. A binary search
// converts times to numbers. A filter by account or payment stops at the age of the account or payment,
// because no event about it is older.

import { inMerchantScope } from '#access/permissions.ts'
import { accountWithNumber } from '#accounts/account.ts'
import type { Window } from '#db/bounds.ts'
import type { Queryable } from '#db/pool.ts'
import { namedUnlessWindow } from '#db/sql.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, CreditId, EventId, PaymentId } from '#ids.ts'
import { type Kobo, kobo, toNaira } from '#money.ts'
import type { EventFacts, EventType } from '#records/event-types.ts'

// An event names its account, payment or credit; a credit names the number and payment that it was sent to.
type SubjectFilter = {
  accountNumber?: string | undefined
  paymentReference?: string | undefined
}

// Adds a value to the parameters of a query, and returns its placeholder, such as `$4`.
type AddParameter = (value: unknown) => string

type SubjectRow = { accountId: AccountId | null; paymentIds: PaymentId[]; since: Date | null }

// Limits a list of events to those about one account or payment. None of these events is older than `since`;
// `conditions` adds the SQL conditions for them to a query.
export type Subject = { since: Date | undefined; conditions: (add: AddParameter) => string[] }

// Finds the account or payment that the filter names. Returns undefined if the client has none, so that
// there are no events to list. Without a filter, returns a subject that all events match.
async function findSubject(
  db: Queryable,
  clientId: ClientId,
  { accountNumber, paymentReference }: SubjectFilter,
): Promise<Subject | undefined> {
  if (accountNumber === undefined && paymentReference === undefined) {
    return { since: undefined, conditions: () => [] }
  }
  const { rows } = await db.query<SubjectRow>({
    name: 'find-event-subject',
    text: `with owners as (
             select id as account_id, null::uuid as payment_id, created_at
               from collection_accounts
              where id = ${accountWithNumber('$2')} and client_id = $1
             union all
             select null, p.id, p.created_at
               from payment_numbers n join payments p on p.id = n.payment_id
              where n.account_number = $2 and p.client_id = $1
           )
           select max(account_id) as account_id,
                  coalesce(array_agg(payment_id) filter (where payment_id is not null), '{}')
                  as payment_ids,
                  greatest(min(created_at), (select created_at from payments
                                              where id = $3 and client_id = $1)) as since
             from owners
           having ($2::text is null or count(*) > 0)
              and ($3::uuid is null or exists (select from payments
                                                where id = $3 and client_id = $1))`,
    values: [clientId, accountNumber ?? null, paymentReference ?? null],
  })
  const subject = rows[0]
  if (!subject) return undefined
  return {
    since: subject.since ?? undefined,
    conditions: (add) => [
      ...(accountNumber ? [aboutNumber(add, accountNumber, subject)] : []),
      ...(paymentReference ? [aboutPayment(add, paymentReference)] : []),
    ],
  }
}

// SQL fragment that finds the credit of each scanned event by id. Looking up events by credit would be slow,
// because an account may have millions of credits.
const OF_CREDIT = 'from credits c where c.id = e.credit_id'

// SQL condition: whether the event is about the account number: its account, a payment that has the number,
// or a credit to it.
function aboutNumber(add: AddParameter, accountNumber: string, subject: SubjectRow): string {
  return `(e.collection_account_id = ${add(subject.accountId)}::bigint
           or e.payment_id = any(${add(subject.paymentIds)}::uuid[])
           or (select c.account_number ${OF_CREDIT}) = ${add(accountNumber)})`
}

// SQL condition: whether the event is about the payment or a credit to it.
function aboutPayment(add: AddParameter, paymentReference: string): string {
  const id = `${add(paymentReference)}::uuid`
  return `(e.payment_id = ${id} or (select c.payment_id ${OF_CREDIT}) = ${id})`
}

// An event may be older than an event with a lower number by at most this much: batches wait for one
// another, and the clocks of several processes differ.
const DISORDER_MS = 300_000
// The number of consecutive events that a probe reads. A wrong clock that stamped fewer of a client's events
// than this cannot mislead the search.
const RUN = 256

// Converts a time window to a range of a client's event numbers, from `first` (included) to `past`
// (excluded), by binary search: some 25 look-ups in one statement. So the outbox needs no index on time. The
// range may be too wide, so callers still compare times. Leaves out events that are no longer stored.
//
// The clock may have been wrong for a while, so each probe reads a run of events. If any event of the run is
// within the window, the whole run stays in the range.
export async function sequenceBounds(
  db: Queryable,
  clientId: ClientId,
  { from, to }: Window,
): Promise<{ first: bigint; past: bigint }> {
  const { rows } = await db.query<{ first: bigint; past: bigint }>({
    name: 'event-sequence-bounds',
    text: `select coalesce(min(sequence), 1) as first, coalesce(max(sequence), 0) + 1 as past
             from events where client_id = $1`,
    values: [clientId],
  })
  const { first, past } = rows[0] as { first: bigint; past: bigint }
  const fullRange = { clientId, first, past }
  return {
    first: from
      ? await findBound(db, 'first', { at: new Date(from.getTime() - DISORDER_MS), ...fullRange })
      : first,
    past: to
      ? await findBound(db, 'past', { at: new Date(to.getTime() + DISORDER_MS), ...fullRange })
      : past,
  }
}

// Finds one bound of a range of event numbers by binary search between `first` and `past`. All events before
// the bound `first` are older than `at`; the event at the bound `past` and all later ones are at least as new
// as `at`.
async function findBound(
  db: Queryable,
  bound: 'first' | 'past',
  { at, clientId, first, past }: { at: Date; clientId: ClientId; first: bigint; past: bigint },
): Promise<bigint> {
  const { rows } = await db.query<{ sequence: bigint }>({
    name: `${bound}-event-of-window`,
    text: `with recursive halving (low, high) as (
             select $3::bigint, $4::bigint
             union all
             select case when probe.is_before then middle + 1 else low end,
                    case when probe.is_before then high else middle end
               from halving
              cross join lateral (select (low + high) / 2 as middle) as m
              cross join lateral (select ${PROBES[bound]}) as probe
              where low < high
           )
           select low as sequence from halving where low >= high`,
    values: [clientId, at, first, past],
  })
  return (rows[0] as { sequence: bigint }).sequence
}

// SQL conditions for the two bounds: whether all events of the run around `middle` are before the window's
// start, or any is before its end.
const PROBES = {
  first: `not exists (select from events where client_id = $1 and created_at >= $2
                         and sequence > middle - ${RUN} and sequence <= middle) as is_before`,
  past: `exists (select from events where client_id = $1 and created_at < $2
                    and sequence >= middle and sequence < middle + ${RUN}) as is_before`,
}

// Scanning 20,000 events with their deliveries takes some 100 ms.
const SCAN_MAX = 20_000n

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

export type ListedEvent = StoredEvent & {
  deliveryState: 'none' | 'pending' | 'delivered' | 'failed'
}

type EventFilters = Window & {
  type?: EventType | undefined
  accountNumber?: string | undefined
  paymentReference?: string | undefined
  isDelivered?: boolean | undefined
  withoutAlerts?: boolean | undefined
}

// `scannedTo` is the lowest number scanned, or null if all events were scanned.
type EventScan = { rows: ListedEvent[]; scannedTo: bigint | null }

export const EVENT_COLUMNS = `
  e.id, e.client_id, e.sequence, e.type, e.collection_account_id, e.payment_id, e.credit_id,
  e.facts, e.created_at`

// Parts of the query inOrder(), as SQL.
type Ordered = { clientId: string; after: string; limit: string; moreColumns?: string }

// SQL query: a client's events after a number, in order, up to the first missing number. So a caller that
// continues after the last event misses no event that commits later.
export const inOrder = ({ clientId, after, limit, moreColumns = '' }: Ordered) => `
  select n.* from (
    select ${EVENT_COLUMNS}${moreColumns}, row_number() over (order by e.sequence) as place
      from events e
     where e.client_id = ${clientId} and e.sequence > ${after}
     order by e.sequence limit ${limit}) as n
   where n.sequence = ${after} + n.place
   order by n.sequence`

// SQL condition: whether the event `e` is about an account in the client's merchant scope. For an event about
// a credit, checks the account that the credit was sent to.
export const visibleEvent = (clientId: string) =>
  inMerchantScope(
    `coalesce(e.collection_account_id,
              (select c.collection_account_id from credits c where c.id = e.credit_id))`,
    clientId,
  )
const VISIBLE = visibleEvent('$1')

// SQL condition that is false for alerts if the SQL condition `isWithout` holds. Hides alerts from users of
// the operator's client who are not operators.
export const unlessAlert = (isWithout: string) => `not (${isWithout} and e.type = 'alert.raised')`

// SQL join: the delivery state of an event. An unqueued event is pending, and an event without a target is
// `none`. The aggregate is computed for each scanned event, because with `exists` PostgreSQL would read the
// deliveries of all clients (360 ms for a page, and growing).
const WITH_STATE = `
  cross join lateral (
    select case when e.sequence > coalesce((select c.sequence from dispatch_cursors c
                                             where c.client_id = $1), 0) then 'pending'
                when count(*) = 0 then 'none'
                when bool_or(d.state = 'pending') then 'pending'
                when bool_or(d.state = 'failed') then 'failed'
                else 'delivered' end as delivery_state
      from deliveries d where d.event_id = e.id) as log`

// Lists a client's events that pass the filters, newest first. Scans at most SCAN_MAX events; the next page
// continues at `scannedTo`.
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
  const text = `select ${EVENT_COLUMNS}, log.delivery_state
                  from events e ${WITH_STATE}
                 where e.client_id = $1 and e.sequence >= $2 and e.sequence < $3
                       and ${VISIBLE}
                       ${conditions.map((condition) => `and ${condition}`).join('\n')}
                 order by e.sequence desc
                 limit ${limit}`
  const { rows } = await db.query<ListedEvent>(namedUnlessWindow(filters, text, values))
  return { rows, scannedTo: start > first ? start : null }
}

// Returns an event that the client may see, with the state of its deliveries.
export async function getEvent(
  db: Queryable,
  clientId: ClientId,
  { id, withoutAlerts = false }: { id: string; withoutAlerts?: boolean },
): Promise<ListedEvent> {
  const { rows } = await db.query<ListedEvent>({
    name: 'get-event',
    text: `select ${EVENT_COLUMNS}, log.delivery_state
             from events e ${WITH_STATE}
            where e.client_id = $1 and e.id = $2 and ${VISIBLE}
              and ${unlessAlert('$3')}`,
    values: [clientId, id, withoutAlerts],
  })
  if (!rows[0]) throw new Refusal('event_not_found')
  return rows[0]
}

// Returns events after this number, in order, for an open page. Includes events that the client may not see,
// so that the caller's position moves past them.
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
      moreColumns: `, ${VISIBLE} as is_visible`,
    }),
    values: [clientId, sequence, limit],
  })
  return rows
}

// Returns the number of the last event, and of the last event that is no longer stored.
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

// SQL conditions of the filters, except those by account and payment.
function buildConditions(
  { type, from, to, isDelivered, withoutAlerts }: EventFilters,
  add: AddParameter,
): string[] {
  const conditions: string[] = []
  if (type) conditions.push(`e.type = ${add(type)}`)
  if (withoutAlerts) conditions.push(unlessAlert('true'))
  if (from) conditions.push(`e.created_at >= ${add(from)}`)
  if (to) conditions.push(`e.created_at < ${add(to)}`)
  if (isDelivered === true) conditions.push(`log.delivery_state = 'delivered'`)
  if (isDelivered === false) conditions.push(`log.delivery_state in ('pending', 'failed')`)
  return conditions
}

// Returns the later of two times, or the one that is set.
function later(time: Date | undefined, otherTime: Date | undefined): Date | undefined {
  return time && otherTime && time > otherTime ? time : (otherTime ?? time)
}

// Facts hold kobo as text, since JSON numbers are doubles; a payload has naira. Events of older releases
// hold naira (`amountPaid: 2000.1`) and fewer facts. The outbox is append-only, so both forms remain.
export type StoredFacts = Readonly<Record<string, unknown>>

// The facts of an event in the form that clients see, with amounts in naira (showFacts).
export type ShownFacts<Type extends EventType> = {
  [Name in keyof EventFacts[Type] as Name extends `${infer Amount}Kobo`
    ? Amount
    : Name]: EventFacts[Type][Name] extends Kobo ? number : EventFacts[Type][Name]
}

// Converts facts from kobo to naira, including the amounts within a reversal or refund. Leaves the detail of
// an alert unchanged.
export function showFacts(facts: StoredFacts): Record<string, unknown> {
  // Renames a field such as `amountKobo` to `amount`, and converts its value from kobo to naira.
  const entries = Object.entries(facts).map(([name, value]) => {
    if (name.endsWith('Kobo')) {
      return [name.slice(0, -'Kobo'.length), toNaira(kobo(BigInt(value as string)))]
    }
    const hasAmounts = (name === 'reversal' || name === 'refund') && value
    return [name, hasAmounts ? showFacts(value as StoredFacts) : value]
  })
  return Object.fromEntries(entries)
}
