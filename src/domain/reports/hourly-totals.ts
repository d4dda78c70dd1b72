// Hourly totals of a client's movements (movements.ts), and the same by day, bank and merchant
// (daily-breakdowns.ts). A worker counts the outbox into one row per hour. Readers add the events after
// the worker's last round, so totals are always exact and cost only the requested hours and a few seconds
// of events.
//
// A client's events have no gaps and are in commit order (I5), so each is counted once: the transaction
// that counts stores the position. Refunds are few and read from the ledger (refund-movements.ts).
// Counting waits for a missing number, like dispatching (dispatch-events.ts), and retention waits for
// counting.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { PARTS, type Sums } from '#domain/records/movements.ts'
import type { ClientId } from '#ids.ts'
import { CURRENCY } from '#money.ts'
import { CLIENT_REFUNDS } from './refund-movements.ts'

// Per round and client; 5,000 events take some 30 ms.
export const EVENTS_MAX = 5_000
// The most events that a reader adds: many rounds' worth. More wait only while a large history is counted
// for the first time, or if no worker runs.
export const TAIL_MAX = 20_000

const CLIENTS_MAX = 100

export type Totals = Sums & {
  credits: bigint
  successful: bigint
  expired: bigint
  cancelled: bigint
}
export type HourlyTotals = Totals & { hour: Date }

const KOBO = PARTS.map((part) => `${part}_kobo`)
const COLUMNS = ['credits', ...KOBO, 'successful', 'expired', 'cancelled']

const addTo = (table: string, columns: readonly string[]) =>
  columns.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')

const sumOf = (part: string) =>
  `coalesce(sum((e.moved ->> '${part}')::bigint), 0)::bigint as ${part}_kobo`

// The sums of the events `e`.
export const SUMS = ['credits', ...KOBO]
const SUMMED = `
           coalesce(sum((e.moved ->> 'credits')::int), 0)::bigint as credits,
           ${PARTS.map(sumOf).join(',\n           ')}`

// The events of client $1 after number `after`, up to the first missing number.
export const readAfter = (after: string, limit: number) => `
  read as materialized (
    select n.* from (
      select sequence, type, moved, created_at, credit_id, collection_account_id,
             row_number() over (order by sequence) as place
        from events
       where client_id = $1 and sequence > ${after} order by sequence limit ${limit}) as n
     where n.sequence = ${after} + n.place
  )`

// By hour.
const tally = (after: string, limit: number) => `
  ${readAfter(after, limit)}, tally as (
    select date_trunc('hour', e.created_at, 'UTC') as hour, ${SUMMED},
           count(*) filter (where type = 'payment.successful') as successful,
           count(*) filter (where type = 'payment.expired') as expired,
           count(*) filter (where type = 'payment.cancelled') as cancelled
      from read e group by hour
  )`

// By day in West Africa, bank of the credit, and merchantCode of the collection account; a payment has
// none.
const BREAKDOWN = ['day', 'bank_code', 'merchant_code']
export const BREAKDOWN_PARTS = `
  parts as (
    select (e.created_at at time zone interval '1 hour')::date as day,
           coalesce(c.bank_code, '') as bank_code,
           coalesce(a.merchant_code, '') collate "C" as merchant_code, ${SUMMED}
      from read e
      left join credits c on c.id = e.credit_id
      left join collection_accounts a
             on a.id = coalesce(e.collection_account_id, c.collection_account_id)
     where e.moved is not null
     group by 1, 2, 3
  )`

// Clients with uncounted events, in random order, so that none waits for ever.
export async function findUncounted(db: Queryable): Promise<ClientId[]> {
  const { rows } = await db.query<{ id: ClientId }>({
    name: 'clients-with-uncounted-events',
    text: `select k.client_id as id
             from event_counters k left join totals_cursors c on c.client_id = k.client_id
            where k.sequence > coalesce(c.sequence, 0)
            order by random() limit ${CLIENTS_MAX}`,
  })
  return rows.map(({ id }) => id)
}

// Returns whether there may be more. Of concurrent calls, one counts.
export async function countEvents(
  tx: Transaction,
  clientId: ClientId,
  limit = EVENTS_MAX,
): Promise<boolean> {
  await tx.query({
    name: 'open-totals-cursor',
    // Checks first: an insert would wait for a concurrent count.
    text: `insert into totals_cursors (client_id)
           select $1 where not exists (select from totals_cursors where client_id = $1)
           on conflict do nothing`,
    values: [clientId],
  })
  const { rows } = await tx.query<{ sequence: bigint }>({
    name: 'lock-totals-cursor',
    text: `select sequence from totals_cursors where client_id = $1
              for no key update skip locked`,
    values: [clientId],
  })
  if (!rows[0]) return false
  const { rowCount } = await tx.query({
    name: `count-events-${limit}`,
    text: `with ${tally('$2::bigint', limit)}, counted as (
             insert into hourly_totals (client_id, hour, ${COLUMNS.join(', ')})
             select $1, hour, ${COLUMNS.join(', ')} from tally
             on conflict (client_id, hour) do update
               set ${addTo('hourly_totals', COLUMNS)}
           ), ${BREAKDOWN_PARTS}, broken_down as (
             insert into daily_breakdowns (client_id, ${BREAKDOWN.join(', ')}, ${SUMS.join(', ')})
             select $1, ${BREAKDOWN.join(', ')}, ${SUMS.join(', ')} from parts
             on conflict (client_id, ${BREAKDOWN.join(', ')}) do update
               set ${addTo('daily_breakdowns', SUMS)}
           ), moved as (
             update totals_cursors set sequence = (select max(sequence) from read)
              where client_id = $1 and exists (select from read)
           )
           select from read`,
    values: [clientId, rows[0].sequence],
  })
  return (rowCount ?? 0) >= limit
}

type ReadTotals = { hours: HourlyTotals[]; isComplete: boolean }

// From `since` on, in order; empty hours are left out. One statement, so that counted and uncounted
// events make up the whole.
export async function readTotals(
  db: Queryable,
  clientId: ClientId,
  { since, limit = TAIL_MAX }: { since: Date; limit?: number | undefined },
): Promise<ReadTotals> {
  const { rows } = await db.query<HourlyTotals & { isComplete: boolean }>({
    name: `read-hourly-totals-${limit}`,
    text: `with counted as materialized (
             select coalesce((select sequence from totals_cursors where client_id = $1), 0) as past
           ), ${tally('(select past from counted)', limit)}, state as (
             select k.sequence <= coalesce((select max(sequence) from read), past)
                    as "isComplete"
               from event_counters k, counted where k.client_id = $1
           ), sums as (
             select hour, sum(refunded_kobo)::bigint as refunded_kobo,
                    ${COLUMNS.map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`).join(', ')}
               from (select hour, 0 as refunded_kobo, ${COLUMNS.join(', ')} from hourly_totals
                      where client_id = $1 and hour >= $2
                     union all
                     select hour, 0, ${COLUMNS.join(', ')} from tally where hour >= $2
                     union all
                     select date_trunc('hour', r.posted_at, 'UTC'), r.refunded_kobo,
                            ${COLUMNS.map(() => 'null').join(', ')}
                       from (${CLIENT_REFUNDS}) as r
                      where r.posted_at >= $2 and r.currency = '${CURRENCY}') as each_hour
              group by hour
           )
           select "isComplete", hour, credits, successful, expired, cancelled,
                  refunded_kobo as "refundedKobo",
                  ${PARTS.map((part) => `${part}_kobo as "${part}Kobo"`).join(', ')}
             from state left join sums on true order by hour`,
    values: [clientId, since],
  })
  const isComplete = rows[0]?.isComplete ?? true
  const hours = rows.filter(({ hour }) => hour !== null)
  return { hours: hours.map(({ isComplete: _, ...totals }) => totals), isComplete }
}
