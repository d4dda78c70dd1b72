// Decides which addresses an event is sent to (`routeEvent`, pure), from the addresses of its account,
// payment and client (`readAddresses`). Also finds, creates and schedules the destinations of these
// addresses.
//
//   the account's notificationUrl     events about the account and about credits to it
//   the advice's notificationUrl      events about the payment and about credits to it
//   the advice's callBackUrl          a payment's final state; the query string of the address names the
//                                     advice and the payment (buildCallBackUrl)
//   registered endpoints              those that are active and subscribe to the type
//
// A notificationUrl that is also the address of an endpoint gets the event once, signed for both.
// `endpoint.test` goes only to the endpoint under test.

import { numberArray } from '#db/sql.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import type {
  AccountId,
  AdviceId,
  ClientId,
  CreditId,
  DestinationId,
  EndpointId,
  PaymentId,
} from '#ids.ts'
import { buildCallBackUrl } from '#payments/payment.ts'
import type { EventType } from '#records/event-types.ts'
import type { StoredEvent } from './events.ts'

export type Target = {
  kind: 'endpoint' | 'notification' | 'callback'
  endpointId: EndpointId | null
  url: string // The address of the destination.
  sentTo: string | null // The address of the delivery if it differs from `url`, else null.
}

type TargetEndpoint = { id: EndpointId; url: string; eventTypes: EventType[] | null }

export type Addresses = {
  account: { notificationUrl: string } | undefined
  payment:
    | { id: PaymentId; adviceId: AdviceId; notificationUrl: string | null; callBackUrl: string }
    | undefined
  endpoints: readonly TargetEndpoint[] // The client's active endpoints.
}

const FINAL_STATUSES = ['Successful', 'Expired', 'Cancelled', 'Reversed']

// Returns the targets of an event, as the list at the top of this file says. Pure.
export function routeEvent(event: StoredEvent, addresses: Addresses): Target[] {
  const { account, payment, endpoints } = addresses
  const targets = endpoints
    .filter((endpoint) => isSubscribed(event, endpoint))
    .map(({ id, url }): Target => ({ kind: 'endpoint', endpointId: id, url, sentTo: null }))

  const urls = new Set([account?.notificationUrl, payment?.notificationUrl])
  for (const url of urls) {
    if (!url) continue
    const endpoint = targets.find((target) => target.url === url)
    if (endpoint)
      endpoint.kind = 'notification' // Sent once, and signed for both.
    else targets.push({ kind: 'notification', endpointId: null, url, sentTo: null })
  }
  if (payment?.callBackUrl && isFinal(event)) {
    const { callBackUrl: url } = payment
    targets.push({ kind: 'callback', endpointId: null, url, sentTo: buildCallBackUrl(payment) })
  }
  return targets
}

// Whether the endpoint gets events of this type. A test event goes to the tested endpoint only.
function isSubscribed({ type, facts }: StoredEvent, { id, eventTypes }: TargetEndpoint): boolean {
  if (type === 'endpoint.test') return facts.endpointId === id
  return eventTypes === null || eventTypes.includes(type)
}

// Whether the event reports a final state of a payment. Depends on the payment's status, because the type
// alone does not tell: the reversal of a part payment leaves the payment open. A refund is excluded, because
// it leaves the status unchanged.
function isFinal({ type, facts }: StoredEvent): boolean {
  const isOfState = type.startsWith('payment.') && facts.refund === undefined
  return isOfState && FINAL_STATUSES.includes(String(facts.status))
}

// `isVisible` means that the client's merchantCodes include the account's merchant.
type Account = { id: bigint; clientId: ClientId; notificationUrl: string; isVisible: boolean }
type Payment = NonNullable<Addresses['payment']> & { clientId: ClientId }
type CreditOwner = {
  id: bigint
  collectionAccountId: AccountId | null
  paymentId: PaymentId | null
}

// Returns a function that finds the addresses of an event, only among those of the event's client. A client
// that a sandbox reset has replaced has no addresses.
export async function readAddresses(
  tx: Transaction,
  events: readonly StoredEvent[],
): Promise<(event: StoredEvent) => Addresses> {
  const owners = await readCreditOwners(tx, events)
  // Returns the account or payment that an event is about: named by the event, or by its credit.
  const findOwner = ({ creditId, collectionAccountId, paymentId }: StoredEvent) => {
    const owner = creditId === null ? undefined : owners.get(creditId)
    const namesOwner = collectionAccountId !== null || paymentId !== null
    return namesOwner || !owner ? { collectionAccountId, paymentId } : owner
  }
  const subjects = events.map(findOwner)
  const [accounts, payments, endpoints] = await pipeline([
    readAccounts(
      tx,
      subjects.flatMap(({ collectionAccountId: id }) => id ?? []),
    ),
    readPayments(
      tx,
      subjects.flatMap(({ paymentId: id }) => id ?? []),
    ),
    readEndpoints(
      tx,
      events.map(({ clientId }) => clientId),
    ),
  ])
  return (event) => {
    const { collectionAccountId, paymentId } = findOwner(event)
    const account = accounts.get(collectionAccountId as AccountId)
    const payment = payments.get(paymentId as PaymentId)
    return {
      account: account?.clientId === event.clientId ? account : undefined,
      payment: payment?.clientId === event.clientId ? payment : undefined,
      endpoints: account?.isVisible === false ? [] : (endpoints.get(event.clientId) ?? []),
    }
  }
}

// Finds the account or payment of the credits of events that name only a credit, as events about suspended
// money do.
async function readCreditOwners(tx: Transaction, events: readonly StoredEvent[]) {
  const ids = events.flatMap(({ creditId, collectionAccountId, paymentId }) =>
    creditId !== null && collectionAccountId === null && paymentId === null ? creditId : [],
  )
  if (ids.length === 0) return new Map<CreditId, CreditOwner>()
  const { rows } = await tx.query<CreditOwner>({
    name: 'owners-of-credits',
    text: `select id, collection_account_id, payment_id
             from credits where id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

// Reads the notificationUrls of accounts, by account id.
async function readAccounts(tx: Transaction, ids: readonly AccountId[]) {
  if (ids.length === 0) return new Map<AccountId, Account>()
  const { rows } = await tx.query<Account>({
    name: 'addresses-of-accounts',
    text: `select a.id, a.client_id, a.notification_url,
                  k.merchant_codes is null or a.merchant_code = any(k.merchant_codes)
                  as is_visible
             from collection_accounts a join clients k on k.id = a.client_id
            where a.id = any($1::bigint[]) and k.archived_at is null`,
    values: [numberArray([...new Set(ids)])],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

// Reads the notificationUrls and callBackUrls of payments, by payment id.
async function readPayments(tx: Transaction, ids: readonly PaymentId[]) {
  if (ids.length === 0) return new Map<PaymentId, Payment>()
  const { rows } = await tx.query<Payment>({
    name: 'addresses-of-payments',
    text: `select p.id, p.client_id, p.advice_id, a.notification_url, a.call_back_url
             from payments p join advices a on a.id = p.advice_id
             join clients k on k.id = p.client_id and k.archived_at is null
            where p.id = any($1::uuid[])`,
    values: [[...new Set(ids)]],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

// Reads the active endpoints of the clients, and locks them, so that a change or deletion of an endpoint
// waits until the events are queued.
async function readEndpoints(tx: Transaction, clientIds: readonly ClientId[]) {
  const { rows } = await tx.query<TargetEndpoint & { clientId: ClientId }>({
    name: 'addresses-of-endpoints',
    text: `select id, client_id, url, event_types
             from webhook_endpoints
            where client_id = any($1::bigint[]) and is_active and deleted_at is null
            order by id for share`,
    values: [numberArray([...new Set(clientIds)])],
  })
  return Map.groupBy(rows, ({ clientId }) => clientId)
}

// Destinations are the receivers of deliveries, each with its own queue. `due_at` is the time at which to
// read the queue next, so idle queues cost nothing.
//
// A caller that makes a delivery due must call `schedule` or `scheduleNow` in the same transaction. They wait
// for a concurrent claim of the queue, because that claim could not have seen the delivery.
type ClientTarget = Target & { clientId: ClientId }
type Destination = {
  id: DestinationId
  isDisabled: boolean
  dueAt: Date | null
  failures: number
}

// Stands for a null endpoint in the expression of the index on destinations.
const NO_ENDPOINT = '00000000-0000-0000-0000-000000000000'

// Returns the destination of each target, in order. Creates missing destinations.
export async function findDestinations(
  tx: Transaction,
  targets: readonly ClientTarget[],
): Promise<Destination[]> {
  const byKey = new Map(targets.map((target) => [destinationKey(target), target]))
  const distinct = [...byKey.values()]
  const destinations = await readDestinations(tx, distinct)
  const missing = distinct.filter((target) => !destinations.has(destinationKey(target)))
  if (missing.length > 0) {
    await tx.query({
      name: 'insert-destinations',
      text: `insert into destinations (client_id, endpoint_id, url, is_callback)
             select * from unnest($1::bigint[], $2::uuid[], $3::text[], $4::bool[])
             on conflict do nothing`,
      values: toColumns(missing, null),
    })
    for (const [key, created] of await readDestinations(tx, missing)) destinations.set(key, created)
  }
  return targets.map((target) => destinations.get(destinationKey(target)) as Destination)
}

// Returns the existing destinations of targets, by destinationKey().
async function readDestinations(
  tx: Transaction,
  targets: readonly ClientTarget[],
): Promise<Map<string, Destination>> {
  const { rows } = await tx.query<{ place: string } & Destination>({
    name: 'find-destinations',
    text: `select t.place, d.id, d.disabled_at is not null as is_disabled, d.due_at, d.failures
             from unnest($1::bigint[], $2::uuid[], $3::text[], $4::bool[]) with ordinality
                  as t (client_id, endpoint_id, url, is_callback, place)
             join destinations d on d.client_id = t.client_id
              and coalesce(d.endpoint_id, '${NO_ENDPOINT}') = t.endpoint_id
              and (case when d.endpoint_id is null then md5(d.url) else '' end)
                = (case when t.endpoint_id = '${NO_ENDPOINT}' then md5(t.url) else '' end)
              and d.is_callback = t.is_callback`,
    values: toColumns(targets, NO_ENDPOINT),
  })
  return new Map(
    rows.map(({ place, ...destination }) => [
      destinationKey(targets[Number(place) - 1] as ClientTarget),
      destination,
    ]),
  )
}

// Returns the targets as one array per column, for unnest(). `noEndpoint` stands for a target without an
// endpoint.
function toColumns(targets: readonly ClientTarget[], noEndpoint: string | null) {
  return [
    numberArray(targets.map(({ clientId }) => clientId)),
    targets.map(({ endpointId }) => endpointId ?? noEndpoint),
    targets.map(({ url }) => url),
    targets.map(({ kind }) => kind === 'callback'),
  ]
}

// Returns the key of a destination. An endpoint has one destination, even if its address changes.
function destinationKey({ clientId, endpointId, kind, url }: ClientTarget): string {
  return endpointId ?? `${clientId} ${kind} ${url}`
}

// Separates an endpoint from its current address, which may also be a notificationUrl: a pending delivery
// that serves both becomes two deliveries. Call this before changing the address of the endpoint.
export async function splitNotifications(
  tx: Transaction,
  now: Date,
  { clientId, endpointId }: { clientId: ClientId; endpointId: EndpointId },
): Promise<void> {
  const { rows } = await tx.query<{ id: DestinationId; url: string }>({
    name: 'lock-destination-of-endpoint',
    text: `select id, url from destinations
            where client_id = $1 and coalesce(endpoint_id, '${NO_ENDPOINT}') = $2
              for no key update`,
    values: [clientId, endpointId],
  })
  const [currentDestination] = rows
  if (!currentDestination) return
  const waiting = `destination_id = $1 and state = 'pending' and kind = 'notification'`
  const { rowCount } = await tx.query({
    name: 'has-waiting-notifications',
    text: `select from deliveries where ${waiting} limit 1`,
    values: [currentDestination.id],
  })
  if (rowCount === 0) return
  const target = {
    kind: 'notification',
    endpointId: null,
    url: currentDestination.url,
    sentTo: null,
  } as const
  const [created] = (await findDestinations(tx, [{ ...target, clientId }])) as [Destination]
  await tx.query({
    name: 'copy-notifications',
    text: `insert into deliveries (event_id, destination_id, client_id, kind, next_attempt_at,
                                   created_at)
           select event_id, $2, client_id, kind, $3, created_at from deliveries where ${waiting}
           on conflict do nothing`,
    values: [currentDestination.id, created.id, now],
  })
  await tx.query({
    name: 'keep-for-endpoint',
    text: `update deliveries set kind = 'endpoint' where ${waiting}`,
    values: [currentDestination.id],
  })
  await resumeDestinations(tx, now, [created.id])
}

// Makes destinations due at once, because a delivery of theirs has become due.
export async function scheduleNow(
  tx: Transaction,
  now: Date,
  ids: readonly DestinationId[],
): Promise<void> {
  await pipeline(schedule(tx, new Map(ids.map((id) => [id, now]))))
}

// Makes destinations due at these times, unless they are due earlier. Returns the statements, which are sent
// together.
//
// The first waits for a claim in progress, which cannot see the new delivery. It locks in id order, so that
// two callers cannot deadlock.
export function schedule(
  tx: Transaction,
  times: ReadonlyMap<DestinationId, Date>,
): Promise<unknown>[] {
  if (times.size === 0) return []
  const ids = numberArray([...times.keys()])
  return [
    tx.query({
      name: 'lock-destinations',
      text: `select from destinations where id = any($1::bigint[]) order by id for no key update`,
      values: [ids],
    }),
    tx.query({
      name: 'make-destinations-due',
      text: `update destinations d set due_at = t.due_at
               from unnest($1::bigint[], $2::timestamptz[]) as t (id, due_at)
              where d.id = t.id and (d.due_at is null or d.due_at > t.due_at)`,
      values: [ids, [...times.values()]],
    }),
  ]
}

// Makes the destinations of a redelivery due at once, and enables addresses that the service had disabled. A
// disabled endpoint stays disabled, because only its owner may enable it.
export async function resumeDestinations(
  tx: Transaction,
  now: Date,
  ids: readonly DestinationId[],
): Promise<void> {
  await scheduleNow(tx, now, ids)
  await tx.query({
    name: 'try-destinations-again',
    text: `update destinations
              set paused_until = null,
                  failures = case when disabled_at is null then failures else 0 end,
                  failing_since = case when disabled_at is null then failing_since end,
                  disabled_at = null, disabled_why = null
            where id = any($1::bigint[])
              and (paused_until is not null or disabled_at is not null)
              and (endpoint_id is null or disabled_at is null)`,
    values: [numberArray(ids)],
  })
}
