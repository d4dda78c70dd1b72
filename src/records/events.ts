// Events: their types and facts, the totals that they move, their traces, and the outbox that stores them.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { int4s, int8s, jsons, texts, unless, uuids } from '#hot-path/copy-rows.ts'
import {
  type AccountId,
  type ClientId,
  type CreditId,
  type EndpointId,
  type EventId,
  type PaymentId,
  timeOrderedId,
} from '#ids.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { currentSpan, spanOf } from '#trace-context.ts'

// Event types. Each has facts: values that may change after the event. Facts hold kobo; rendering an event
// converts them to naira.
export const EVENT_TYPES = [
  'account.created',
  'account.updated',
  'account.deactivated',
  'account.activated',
  'account.erased',
  'collection.received',
  'collection.reversed',
  'collection.refunded',
  'collection.refund_failed',
  'payment.processing',
  'payment.part_paid',
  'payment.extended',
  'payment.successful',
  'payment.expired',
  'payment.cancelled',
  'payment.reversed',
  'payment.refunded',
  'payment.refund_failed',
  'credit.suspended',
  'credit.assigned',
  'credit.returned',
  'credit.return_failed',
  'credit.reversed',
  'payout.confirmed',
  'payout.failed',
  'payout.returned',
  'settlement.closed',
  'settlement.paid',
  'settlement.failed',
  'hold.placed',
  'hold.released',
  'hold.forfeited',
  'alert.raised', // Sent to operators.
  'endpoint.disabled',
  'endpoint.test', // Sent to one endpoint, on request.
] as const

export type EventType = (typeof EVENT_TYPES)[number]

export type ReversalFacts = {
  sessionId: string
  amountKobo: Kobo
  shortfallKobo: Kobo
  receivableKobo: Kobo
}

export type RefundFacts = {
  reference: string
  amountKobo: Kobo
  bankReference: string | null // null until the bank confirms the refund.
  failureReason: string | null
}

type AccountFacts = { accountBalanceKobo: Kobo; isActive: boolean; isDefault: boolean }
type CollectionFacts = { accountBalanceKobo: Kobo }
type PaymentFacts = {
  status: 'Processing' | 'PartPayment' | 'Successful' | 'Expired' | 'Cancelled' | 'Reversed'
  amountPaidKobo: Kobo
}
type ClosedFacts = PaymentFacts & { amountSuspendedKobo: Kobo }
// `refundedAmountKobo` is the total refunded so far.
type Refunded = { refundedAmountKobo: Kobo; refund: RefundFacts }
// `outcome` is absent if the event's type names it.
type CreditFacts = { reason: string | null; outcome?: string | undefined }

type PayoutFacts = {
  reference: string
  purpose: 'payout' | 'settlement'
  status: 'confirmed' | 'failed'
  amountKobo: Kobo
  currency: string
  feeKobo: Kobo
  vatKobo: Kobo
  bankAccount: string | null
  bankCode: string
  accountName: string
  narration: string
  bankReference: string | null
  failureReason: string | null
  requestedAt: string
  settledAt: string
}

// The bank returned all or a part of a payout that it had paid. `status` is `confirmed`, or `failed` if the
// payout failed in the books and only a statement showed that the bank paid it.
type ReturnedFacts = Omit<PayoutFacts, 'purpose' | 'status'> & {
  purpose: 'payout' | 'settlement' | 'refund'
  status: string
  returnedAmountKobo: Kobo
  returnedAt: string
}

// `status` is the new status; docs/settlement.md explains the amounts.
export type SettlementFacts = {
  reference: string
  status: string
  currency: string
  periodFrom: string | null
  cutOff: string
  lines: number
  grossKobo: Kobo
  feesKobo: Kobo
  vatKobo: Kobo
  reversedKobo: Kobo
  refundsKobo: Kobo
  paidOutKobo: Kobo
  recoveredKobo: Kobo
  reservedKobo: Kobo
  releasedKobo: Kobo
  carriedKobo: Kobo
  netKobo: Kobo
  closedAt: string
}

// States neither the reason nor the actor: a client under investigation must not learn of it from us.
type HoldFacts = {
  reference: string
  target: string
  sessionId: string | null
  accountNumber: string | null
  merchantCode: string | null
  currency: string
  amountKobo?: Kobo // Absent if everything is held.
  heldKobo: Kobo
  forfeitedKobo: Kobo
  state: string
  placedAt: string
  endedAt: string | null
}

export type EventFacts = {
  'account.created': AccountFacts
  'account.updated': AccountFacts & { changes: readonly string[] }
  'account.deactivated': AccountFacts
  'account.activated': AccountFacts
  'account.erased': AccountFacts
  'collection.received': CollectionFacts
  'collection.reversed': CollectionFacts & { amountReversedKobo: Kobo; reversal: ReversalFacts }
  'collection.refunded': CollectionFacts & Refunded
  'collection.refund_failed': CollectionFacts & Refunded
  'payment.processing': PaymentFacts
  'payment.part_paid': PaymentFacts
  'payment.extended': PaymentFacts & { expiresAt: string }
  'payment.successful': PaymentFacts
  'payment.expired': ClosedFacts
  'payment.cancelled': ClosedFacts
  'payment.reversed': PaymentFacts & { amountReversedKobo: Kobo; reversal: ReversalFacts }
  'payment.refunded': PaymentFacts & Refunded
  'payment.refund_failed': PaymentFacts & Refunded
  'credit.suspended': CreditFacts & { amountSuspendedKobo: Kobo }
  'credit.assigned': CreditFacts & { amountAssignedKobo: Kobo }
  'credit.returned': CreditFacts & {
    amountReturnedKobo: Kobo
    returnReference: string
    bankReference: string | null
  }
  'credit.return_failed': CreditFacts & {
    returnReference: string
    failureReason: string | null
    amountSuspendedKobo: Kobo
  }
  'credit.reversed': CreditFacts & {
    amountReversedKobo: Kobo
    amountShortfallKobo: Kobo
    amountReceivableKobo: Kobo
    reversal: ReversalFacts
  }
  'payout.confirmed': PayoutFacts
  'payout.failed': PayoutFacts
  'payout.returned': ReturnedFacts
  'settlement.closed': SettlementFacts
  'settlement.paid': SettlementFacts
  'settlement.failed': SettlementFacts
  'hold.placed': HoldFacts
  'hold.released': HoldFacts
  'hold.forfeited': HoldFacts
  'alert.raised': {
    id: number
    kind: string
    title: string
    remedy: string
    subject: string
    detail: object
    raisedAt: string
    reversal?: ReversalFacts // Set if a reversal raised the alert.
  }
  'endpoint.disabled': {
    id: EndpointId | null
    url: string
    isActive: false
    reason: string
    failingSince: string | null
  }
  'endpoint.test': { endpointId: EndpointId; message: string }
}

export type EventSubject = {
  clientId: ClientId
  collectionAccountId?: AccountId
  paymentId?: PaymentId
  creditId?: CreditId
  moved?: Moved
}

export type NewEventOf<Type extends EventType> = EventSubject & {
  type: Type
  facts: EventFacts[Type]
}
export type NewEvent = { [Type in EventType]: NewEventOf<Type> }[EventType]

// The seven totals of a client's money, the same in balances, the overview, the CSV of credits and
// the dashboard. 0020_reports.sql defines them for transfers of credits, and reports/totals.ts
// for transfers of refunds.
//
//   gross      reported by banks for the client's numbers, or assigned to the client from
//              unidentified suspense, at the moment of assignment
//   reversed   taken back by banks, from any account
//   returned   sent back to payers from suspense, as confirmed by the banks
//   refunded   refunded to payers from booked money, as confirmed by the banks
//   suspended  in suspense, or being returned and not yet confirmed
//   fees       charged by the operator, VAT included, less refunded fees (0005_fees.sql)
//   net        gross − reversed − returned − refunded − suspended − fees: the rest of the money booked
//              to collection accounts and payments
//
// I34: each event states the amounts it moved, except refunds, which are read from their transfers. So the
// sums of events, transfers and balances are equal. A reversal of money already returned is a
// shortfall of the bank and moves no client's money.

export const PARTS = ['gross', 'reversed', 'returned', 'suspended', 'fees'] as const
export type Part = (typeof PARTS)[number]

export type Sums = {
  grossKobo: Kobo
  reversedKobo: Kobo
  returnedKobo: Kobo
  suspendedKobo: Kobo
  feesKobo: Kobo
  refundedKobo: Kobo
}

export function computeNet(sums: Sums): Kobo {
  const { grossKobo, reversedKobo, returnedKobo, refundedKobo, suspendedKobo, feesKobo } = sums
  return kobo(grossKobo - reversedKobo - returnedKobo - refundedKobo - suspendedKobo - feesKobo)
}

// Amounts are kobo as text. `credits` is 1 for the first event of a credit.
type Moved = Partial<Record<Part, string>> & { credits?: 1 }

export type Changes = Partial<Record<Part, bigint>> & { credits?: 1 | 0 }

// Returns how an event changes the sums of the overview. Other currencies change nothing, because the
// overview sums one currency; balances and the CSV show them.
export function overviewChanges(currency: string, changes: Changes): { moved?: Moved } {
  if (currency !== CURRENCY) return {}
  const parts: Moved = changes.credits ? { credits: 1 } : {}
  let isEmpty = !changes.credits
  for (const part of PARTS) {
    const change = changes[part]
    if (change === undefined || (part === 'fees' && change === 0n)) continue
    parts[part] = change.toString()
    isEmpty = false
  }
  return isEmpty ? {} : { moved: parts }
}

// The traces of events. A delivery, possibly by another process, continues the trace of its event. So the
// transaction of an event also stores its trace context, if sampled, for a day.

const KEPT_DAYS = 1

// Stores the trace contexts of events. Runs a query only if a request is traced, which is rare.
async function insertEventTraces(
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

// The names by which the items of a batch find their traces (src/trace-context.ts).
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
  const { rows } = await db.query<{ eventId: EventId; traceparent: string }>({
    name: 'find-event-traces',
    text: `select event_id, traceparent from event_traces
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

// The outbox. An event is written in the same transaction as the change that it reports, so a client gets an
// event for every committed change and for no other.
//
// I5: a client's events are numbered without gaps, in commit order. The numbers come from the
// client's counter, which stays locked until commit; so a transaction takes this lock last.

export async function appendEvents(
  tx: Transaction,
  now: Date,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  const counts = new Map<ClientId, number>()
  const places = events.map(({ clientId }) => {
    const place = (counts.get(clientId) ?? 0) + 1
    counts.set(clientId, place)
    return place
  })
  const clients = [...counts.keys()].sort((one, other) => (one < other ? -1 : 1))
  const clientPlaces = new Map(clients.map((clientId, index) => [clientId, index + 1]))
  const { type } = events[0] as NewEvent
  // The query puts the previous numbers into one array, ordered by client. An array look-up is cheap; a join
  // would compare every event with every client.
  const ids = events.map(() => timeOrderedId(now) as EventId)
  const traced = currentSpan() && insertEventTraces(tx, events, (place) => ids[place] as EventId)
  await tx.query({
    name: 'append-events',
    text: `with numbered as (
             update event_counters c set sequence = c.sequence + n.events
               from unnest($9::bigint[], $10::bigint[]) as n (client_id, events)
              where c.client_id = n.client_id
             returning c.client_id, c.sequence - n.events as base
           ), bases as materialized (
             select array_agg(base order by client_id) as of_client from numbered
           )
           insert into events (id, client_id, sequence, type, collection_account_id, payment_id,
                               credit_id, facts, created_at, moved)
           select e.id, ($9::bigint[])[coalesce(e.client_place, 1)],
                  b.of_client[coalesce(e.client_place, 1)] + coalesce(e.place, e.at),
                  coalesce(e.type, $8), e.collection_account_id, e.payment_id, e.credit_id,
                  e.facts, $11, e.moved
             from bases b,
                  unnest($1::uuid[], $2::text[], $3::bigint[], $4::uuid[], $5::bigint[],
                         $6::json[], $7::json[], $12::int[], $13::bigint[]) with ordinality
                  as e (id, type, collection_account_id, payment_id, credit_id, facts, moved,
                        client_place, place, at)`,
    values: [
      uuids(events, (_, at) => ids[at] as string),
      texts(events, (event) => unless(type, event.type)),
      int8s(events, (event) => event.collectionAccountId ?? null),
      uuids(events, (event) => event.paymentId ?? null),
      int8s(events, (event) => event.creditId ?? null),
      jsons(events, (event) => JSON.stringify(event.facts, koboAsText)),
      jsons(events, (event) => (event.moved ? JSON.stringify(event.moved) : null)),
      type,
      int8s(clients, (clientId) => clientId),
      int8s(clients, (clientId) => counts.get(clientId) as number),
      now,
      int4s(events, (event) => unless(1, clientPlaces.get(event.clientId) ?? 1)),
      int8s(events, (_, at) => unless(at + 1, places[at] as number)),
    ],
  })
  await traced
}

function koboAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
