// Decides which addresses an event is sent to (`routeEvent`, pure), from the addresses of its account,
// payment and client (`readAddresses`).
//
//   the account's notificationUrl     events about the account and about credits to it
//   the advice's notificationUrl      events about the payment and about credits to it
//   the advice's callBackUrl          a payment's final state, with the two references in the query
//   registered endpoints              those that are active and subscribe to the type
//
// A notificationUrl that is also the address of an endpoint gets the event once, signed for both.
// `endpoint.test` goes only to the endpoint under test.

import { numberArray } from '#db/arrays.ts'
import { pipeline, type Transaction } from '#db/transaction.ts'
import { buildCallBackUrl } from '#domain/payments/resource-presenters.ts'
import type { EventType } from '#domain/records/event-types.ts'
import type { AccountId, AdviceId, ClientId, CreditId, EndpointId, PaymentId } from '#ids.ts'
import type { StoredEvent } from './event-list.ts'

export type Target = {
  kind: 'endpoint' | 'notification' | 'callback'
  endpointId: EndpointId | null
  url: string // The destination's.
  sentTo: string | null // The delivery's, if it differs.
}

type TargetEndpoint = { id: EndpointId; url: string; eventTypes: EventType[] | null }

export type Addresses = {
  account: { notificationUrl: string } | undefined
  payment:
    | { id: PaymentId; adviceId: AdviceId; notificationUrl: string | null; callBackUrl: string }
    | undefined
  endpoints: readonly TargetEndpoint[] // The client's active ones.
}

const FINAL_STATUSES = ['Successful', 'Expired', 'Cancelled', 'Reversed']

export function routeEvent(event: StoredEvent, addresses: Addresses): Target[] {
  const { account, payment, endpoints } = addresses
  const targets = endpoints
    .filter((endpoint) => isSubscribed(event, endpoint))
    .map(({ id, url }): Target => ({ kind: 'endpoint', endpointId: id, url, sentTo: null }))

  const urls = new Set([account?.notificationUrl, payment?.notificationUrl])
  for (const url of urls) {
    if (!url) continue
    const endpoint = targets.find((target) => target.url === url)
    if (endpoint) endpoint.kind = 'notification'
    else targets.push({ kind: 'notification', endpointId: null, url, sentTo: null })
  }
  if (payment && isFinal(event)) {
    const { callBackUrl: url } = payment
    targets.push({ kind: 'callback', endpointId: null, url, sentTo: buildCallBackUrl(payment) })
  }
  return targets
}

function isSubscribed({ type, facts }: StoredEvent, { id, eventTypes }: TargetEndpoint): boolean {
  if (type === 'endpoint.test') return facts.endpointId === id
  return eventTypes === null || eventTypes.includes(type)
}

// By status, not type: the reversal of a part payment leaves the payment open, and a refund leaves its
// status unchanged.
function isFinal({ type, facts }: StoredEvent): boolean {
  const isOfState = type.startsWith('payment.') && facts.refund === undefined
  return isOfState && FINAL_STATUSES.includes(String(facts.status))
}

// `isVisible`: the client's merchantCodes allow it.
type Account = { id: bigint; clientId: ClientId; notificationUrl: string; isVisible: boolean }
type Payment = NonNullable<Addresses['payment']> & { clientId: ClientId }
type CreditOwner = {
  id: bigint
  collectionAccountId: AccountId | null
  paymentId: PaymentId | null
}

// Only the client's own addresses: no event is sent to another client's.
export async function readAddresses(
  tx: Transaction,
  events: readonly StoredEvent[],
): Promise<(event: StoredEvent) => Addresses> {
  const owners = await readCreditOwners(tx, events)
  const about = ({ creditId, collectionAccountId, paymentId }: StoredEvent) => {
    const owner = creditId === null ? undefined : owners.get(creditId)
    const isPlain = collectionAccountId !== null || paymentId !== null
    return isPlain || !owner ? { collectionAccountId, paymentId } : owner
  }
  const subjects = events.map(about)
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
    const { collectionAccountId, paymentId } = about(event)
    const account = accounts.get(collectionAccountId as AccountId)
    const payment = payments.get(paymentId as PaymentId)
    return {
      account: account?.clientId === event.clientId ? account : undefined,
      payment: payment?.clientId === event.clientId ? payment : undefined,
      endpoints: account?.isVisible === false ? [] : (endpoints.get(event.clientId) ?? []),
    }
  }
}

// Events about suspended money name only the credit, which names its account or payment.
async function readCreditOwners(tx: Transaction, events: readonly StoredEvent[]) {
  const ids = events.flatMap(({ creditId, collectionAccountId, paymentId }) =>
    creditId !== null && collectionAccountId === null && paymentId === null ? creditId : [],
  )
  if (ids.length === 0) return new Map<CreditId, CreditOwner>()
  const { rows } = await tx.query<CreditOwner>({
    name: 'owners-of-credits',
    text: `select id, collection_account_id as "collectionAccountId", payment_id as "paymentId"
             from all_credits where id = any($1::bigint[])`,
    values: [numberArray(ids)],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

async function readAccounts(tx: Transaction, ids: readonly AccountId[]) {
  if (ids.length === 0) return new Map<AccountId, Account>()
  const { rows } = await tx.query<Account>({
    name: 'addresses-of-accounts',
    text: `select a.id, a.client_id as "clientId", a.notification_url as "notificationUrl",
                  k.merchant_codes is null or a.merchant_code = any(k.merchant_codes)
                  as "isVisible"
             from collection_accounts a join clients k on k.id = a.client_id
            where a.id = any($1::bigint[])`,
    values: [numberArray([...new Set(ids)])],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

async function readPayments(tx: Transaction, ids: readonly PaymentId[]) {
  if (ids.length === 0) return new Map<PaymentId, Payment>()
  const { rows } = await tx.query<Payment>({
    name: 'addresses-of-payments',
    text: `select p.id, p.client_id as "clientId", p.advice_id as "adviceId",
                  a.notification_url as "notificationUrl", a.call_back_url as "callBackUrl"
             from payments p join advices a on a.id = p.advice_id
            where p.id = any($1::uuid[])`,
    values: [[...new Set(ids)]],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

// The lock makes a change or deletion of an endpoint wait until the events are queued.
async function readEndpoints(tx: Transaction, clientIds: readonly ClientId[]) {
  const { rows } = await tx.query<TargetEndpoint & { clientId: ClientId }>({
    name: 'addresses-of-endpoints',
    text: `select id, client_id as "clientId", url, event_types as "eventTypes"
             from webhook_endpoints
            where client_id = any($1::bigint[]) and is_active and deleted_at is null
            order by id for share`,
    values: [numberArray([...new Set(clientIds)])],
  })
  return Map.groupBy(rows, ({ clientId }) => clientId)
}
