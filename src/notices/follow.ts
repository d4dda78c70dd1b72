// Reads the events of each client in order, without gaps (I5), and queues the notices that the events cause.
// The messages and the position in the events commit together (I153), so a restart neither skips nor repeats
// a notice.

import { cellText } from '#csv.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import { isUnavailable, type Transaction } from '#db/transaction.ts'
import type { AccountId, AdviceId, ClientId, CreditId, PaymentId, SettlementId } from '#ids.ts'
import { type NewMessage, queueMessage } from '#messages/message.ts'
import { formatKobo } from '#money.ts'
import { type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import { listLines } from '#settlement/queries.ts'
import { inOrder, type StoredEvent } from '#webhooks/events.ts'
import { type EventBody, type Rendering, renderEvents } from '#webhooks/render.ts'
import {
  type Customer,
  PAYER_KIND_OF,
  type Person,
  payerNotices,
  STAFF_EVENTS,
  staffNotices,
} from './notice.ts'
import { type NoticeSettings, readNoticeSettings } from './settings.ts'

const EVENTS_MAX = 500
const STATEMENT_LINES_MAX = 1_000
// If reading a client's events has failed for this long, the events that cause the failure are skipped. Until
// then, the cause may disappear by itself.
const SKIPPED_AFTER_MS = 60_000
const ERROR_LENGTH_MAX = 200

export type FollowDeps = {
  sealer: Sealer
  rendering: Rendering
  publicUrl: string
}

// SQL condition: a client has events that no worker has read for notices.
export const HAS_UNREAD_EVENTS = `exists (
  select from event_counters k left join notice_cursors c on c.client_id = k.client_id
   where k.sequence > coalesce(c.sequence, 0))`

// Returns the clients with events that no worker has read for notices. A new client starts at its first
// event.
export async function findUnread(tx: Transaction): Promise<ClientId[]> {
  await tx.query({
    name: 'insert-notice-cursors',
    text: `insert into notice_cursors (client_id)
           select k.client_id from event_counters k
            where k.sequence > 0
              and not exists (select from notice_cursors c where c.client_id = k.client_id)
           on conflict do nothing`,
  })
  const { rows } = await tx.query<{ id: ClientId }>({
    name: 'clients-with-unread-events',
    text: `select c.client_id as id from notice_cursors c
             join event_counters k on k.client_id = c.client_id
            where k.sequence > c.sequence`,
  })
  return rows.map(({ id }) => id)
}

// Queues the notices of a client's next events, and advances its position. If the client has failed for some
// time, skips the events that fail, and alerts operators. Returns whether there may be more events.
export async function followClient(
  tx: Transaction,
  now: Date,
  { clientId, ...deps }: FollowDeps & { clientId: ClientId },
): Promise<boolean> {
  const { rows: cursors } = await tx.query<{ sequence: bigint; failingSince: Date | null }>({
    name: 'lock-notice-cursor',
    text: `select sequence, failing_since from notice_cursors where client_id = $1
              for no key update skip locked`,
    values: [clientId],
  })
  const [cursor] = cursors
  if (!cursor) return false
  const { rows: events } = await tx.query<StoredEvent>({
    name: 'events-for-notices',
    text: inOrder({ clientId: '$1', after: '$2', limit: '$3' }),
    values: [clientId, cursor.sequence, EVENTS_MAX],
  })
  const lastEvent = events.at(-1)
  if (!lastEvent) return false
  const settings = await readNoticeSettings(tx, clientId)
  const batch = { clientId, settings, events }
  const hasFailed = cursor.failingSince !== null && +now - +cursor.failingSince >= SKIPPED_AFTER_MS
  const skipped = hasFailed ? await queueNoticesPerEvent(tx, now, deps, batch) : []
  if (!hasFailed) await queueNotices(tx, now, deps, batch)
  await tx.query({
    name: 'move-notice-cursor',
    text: `update notice_cursors set sequence = $2, failing_since = null where client_id = $1`,
    values: [clientId, lastEvent.sequence],
  })
  await appendEvents(tx, now, await raiseAlerts(tx, now, skipped))
  return events.length === EVENTS_MAX
}

// Records since when the events of a client fail. Replaces a time in the future, which a wrong clock may have
// left.
export async function noteFailure(tx: Transaction, now: Date, clientId: ClientId): Promise<void> {
  await tx.query({
    name: 'note-notice-failure',
    text: `update notice_cursors set failing_since = $2
            where client_id = $1 and (failing_since is null or failing_since > $2)`,
    values: [clientId, now],
  })
}

type EventBatch = { clientId: ClientId; settings: NoticeSettings; events: readonly StoredEvent[] }

async function queueNotices(tx: Transaction, now: Date, deps: FollowDeps, batch: EventBatch) {
  for (const message of await messagesOf(tx, deps, batch)) {
    await queueMessage(tx, { now, sealer: deps.sealer }, message)
  }
}

// Queues the notices of each event separately. If an event fails, only its notices are rolled back. Returns
// one alert for the client, which names the first event that failed.
async function queueNoticesPerEvent(
  tx: Transaction,
  now: Date,
  deps: FollowDeps,
  { events, clientId, settings }: EventBatch,
): Promise<NewAlert[]> {
  const alerts: NewAlert[] = []
  for (const event of events) {
    await tx.query('savepoint event')
    try {
      await queueNotices(tx, now, deps, { clientId, settings, events: [event] })
    } catch (error) {
      if (isUnavailable(error)) throw error
      await tx.query('rollback to savepoint event')
      const { id, type } = event
      const detail = { event: id, type, error: String(error).slice(0, ERROR_LENGTH_MAX) }
      alerts.push({ kind: 'notices_skipped', subject: await nameClient(tx, clientId), detail })
    }
    await tx.query('release savepoint event')
  }
  return alerts.slice(0, 1)
}

// Returns the subject of an alert about the client.
async function nameClient(db: Queryable, clientId: ClientId): Promise<string> {
  const { rows } = await db.query<{ code: string }>({
    name: 'client-of-notices',
    text: 'select client_id as code from clients where id = $1',
    values: [clientId],
  })
  return `client/${rows[0]?.code}`
}

// Builds the messages to payers and to the client's users that these events cause. The customer of an event
// is the customer of its payment, or else the holder of its collection account. `waiting` counts the client's
// open suspense items.
async function messagesOf(
  tx: Transaction,
  { sealer, rendering, publicUrl }: FollowDeps,
  { clientId, settings, events }: EventBatch,
): Promise<NewMessage[]> {
  const notifiesPayers = settings.payerChannels.length > 0
  const noticedEvents = events.filter(
    ({ type }) => STAFF_EVENTS.includes(type) || (notifiesPayers && PAYER_KIND_OF[type]),
  )
  if (noticedEvents.length === 0) return []
  const bodies = await renderEvents(tx, { sealer, events: noticedEvents, rendering })
  const people = await findPeople(tx, clientId)
  const customers = await findCustomers(tx, noticedEvents)
  const waiting = await countSuspense(tx, clientId)
  const holders = await findHolders(tx, noticedEvents)
  const dashboard = `${publicUrl}/dashboard`
  const messages: NewMessage[] = []
  // `bodies` are in the order of `noticedEvents`.
  for (const [index, event] of bodies.entries()) {
    const customer =
      customers.get(noticedEvents[index]?.paymentId as PaymentId) ??
      holders.get(noticedEvents[index]?.sequence)
    if (customer) messages.push(...payerNotices(settings, { clientId, event, customer, publicUrl }))
    const statement = event.type === 'settlement.paid' ? await readStatement(tx, event) : null
    messages.push(
      ...staffNotices(settings, { clientId, event, people, dashboard, waiting, statement }),
    )
  }
  return messages
}

// Finds the client's active users.
export async function findPeople(db: Queryable, clientId: ClientId): Promise<Person[]> {
  const { rows } = await db.query<Person>({
    name: 'people-for-notices',
    text: 'select id, email, role from users where client_id = $1 and is_active order by id',
    values: [clientId],
  })
  return rows
}

// Returns the customers whom the payers' notices of these events go to, by payment.
async function findCustomers(
  db: Queryable,
  events: readonly StoredEvent[],
): Promise<Map<PaymentId, Customer>> {
  const ids = events.flatMap(({ type, paymentId }) => {
    return PAYER_KIND_OF[type] && paymentId !== null ? [paymentId] : []
  })
  if (ids.length === 0) return new Map()
  type Row = Pick<Customer, 'email' | 'phoneNumber'> & { id: PaymentId; adviceId: AdviceId }
  const { rows } = await db.query<Row>({
    name: 'customers-for-notices',
    text: `select p.id, a.id as advice_id, a.customer ->> 'email' as email,
                  a.customer ->> 'phoneNumber' as phone_number
             from payments p join advices a on a.id = p.advice_id where p.id = any($1::uuid[])`,
    values: [ids],
  })
  return new Map(
    rows.map(({ id, adviceId, ...person }) => [id, { ...person, about: { adviceId } }]),
  )
}

// Returns the holders of the collection accounts that these events are about, by the sequence of the event.
// Each has the amount of the event's credit that was booked to the account. The holder of an erased account
// has neither email address nor phone number.
async function findHolders(
  db: Queryable,
  events: readonly StoredEvent[],
): Promise<Map<bigint | undefined, Customer>> {
  const accountEvents = events.filter(
    ({ type, collectionAccountId }) => PAYER_KIND_OF[type] && collectionAccountId !== null,
  )
  if (accountEvents.length === 0) return new Map()
  type Row = Omit<Customer, 'about'> & { sequence: bigint; accountId: AccountId }
  const { rows } = await db.query<Row>({
    name: 'holders-for-notices',
    text: `select e.sequence, a.id as account_id, a.email, a.phone_number,
                  (select coalesce(sum(t.amount_kobo), 0)::bigint from transfers t
                    where t.credit_id = e.credit_id and t.credit_account_id = a.id
                      and t.reason in ('credit', 'assign')) as received_kobo
             from unnest($1::bigint[], $2::bigint[], $3::bigint[])
                    as e (sequence, account_id, credit_id)
             join collection_accounts a on a.id = e.account_id`,
    values: [
      numberArray(accountEvents.map(({ sequence }) => sequence)),
      numberArray(accountEvents.map(({ collectionAccountId }) => collectionAccountId as AccountId)),
      numberArray(accountEvents.map(({ creditId }) => creditId as CreditId)),
    ],
  })
  return new Map(
    rows.map(({ sequence, accountId, ...person }) => [
      sequence,
      { ...person, about: { accountId } },
    ]),
  )
}

// Counts the client's open suspense items, up to 1,000.
export async function countSuspense(db: Queryable, clientId: ClientId): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'suspense-for-notices',
    text: `select count(*)::int as count
             from (select from suspense_items where client_id = $1 and state = 'open' limit 1000) as i`,
    values: [clientId],
  })
  return rows[0]?.count ?? 0
}

// Returns a settlement's statement as CSV, to attach it to a mail. Returns null if it is too long; the
// dashboard shows it.
async function readStatement(db: Queryable, { data }: EventBody): Promise<string | null> {
  const { rows } = await db.query<{ id: SettlementId }>({
    name: 'settlement-for-notice',
    text: 'select id from settlements where reference = $1',
    values: [data.reference],
  })
  const [settlement] = rows
  if (!settlement) return null
  const page = { settlementId: settlement.id, afterId: null, limit: STATEMENT_LINES_MAX + 1 }
  const lines = await listLines(db, page)
  if (lines.length > STATEMENT_LINES_MAX) return null
  const table = lines.map((line) => [
    line.postedAt.toISOString(),
    line.kind,
    line.sessionId ?? line.payoutReference ?? '',
    line.merchantRef ?? line.accountNumber ?? '',
    ...[line.grossKobo, line.feeKobo, line.vatKobo, line.splitKobo].map(formatKobo),
    ...[line.reversedKobo, line.otherKobo, line.netKobo].map(formatKobo),
  ])
  // `true` writes digits as text, because people open the attachment in a spreadsheet.
  return [STATEMENT_HEAD, ...table]
    .map((row) => row.map((cell) => cellText(cell, true)).join(','))
    .join('\r\n')
}

const STATEMENT_HEAD = [
  ...['postedAt', 'kind', 'reference', 'merchantRef', 'gross', 'fee', 'vat', 'split'],
  ...['reversed', 'other', 'net'],
]
