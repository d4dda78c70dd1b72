// What a client collected, hour by hour. A worker counts the outbox into rows of one hour each;
// whoever reads adds what came after the worker's last round, so the sums are exact at any moment
// and never cost more than the hours asked for and a few seconds of events.
//
// A client's events have no gaps and are in the order of commits (I5), so each is counted once: how
// far we are is written in the transaction that counts.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'

// One round of one client; 5,000 events take some 30 ms.
export const EVENTS_MAX = 5_000
// Of what a reader adds: many rounds' worth. More are waiting only while a large history is being
// counted for the first time, or when no worker runs.
export const TAIL_MAX = 20_000

const CLIENTS_MAX = 100

export type Totals = {
  credits: bigint
  collectedKobo: bigint
  reversedKobo: bigint
  successful: bigint
  expired: bigint
  cancelled: bigint
}
export type HourlyTotals = Totals & { hour: Date }

const COLUMNS = ['credits', 'collected_kobo', 'reversed_kobo', 'successful', 'expired', 'cancelled']

const addedUp = (name: string) => `${name} = hourly_totals.${name} + excluded.${name}`

const BOOKINGS = `('collection.received', 'payment.part_paid', 'payment.successful')`

const kobo = (fact: string) => `((e.facts ->> '${fact}')::numeric * 100)::bigint`

// The events of client $1 after number `after`, by the hour. The event before each tells what it is part
// of, because those of one credit are written side by side:
//   a booking, then what was too much of it    collected: the credit less the excess
//   an assignment, then a booking              collected: what was assigned, once
// The cursor's own event is read for that, and not counted again.
const tally = (after: string, limit: number) => `
  read as materialized (
    select e.sequence, e.type, e.credit_id, e.facts, e.created_at,
           coalesce(lag(e.credit_id) over in_order = e.credit_id, false) as is_same_credit,
           lag(e.type) over in_order as type_before
      from (select * from events where client_id = $1 and sequence >= ${after}
             order by sequence limit ${limit} + 1) as e
    window in_order as (order by e.sequence)
  ), parts as (
    select date_trunc('hour', e.created_at, 'UTC') as hour, e.type,
           case when e.type in ${BOOKINGS}
                     and not (e.is_same_credit and e.type_before = 'credit.assigned')
                then (select amount_kobo from credits where id = e.credit_id)
                when e.type = 'credit.assigned' then ${kobo('amountAssigned')} end as came_kobo,
           case when e.type = 'credit.suspended' and e.is_same_credit
                     and e.type_before in ${BOOKINGS} then ${kobo('amountSuspended')}
                end as excess_kobo,
           case when e.type in ('collection.reversed', 'payment.reversed')
                then ${kobo('amountReversed')} end as reversed_kobo
      from read e where e.sequence > ${after}
  ), tally as (
    select hour, count(came_kobo) as credits,
           (coalesce(sum(came_kobo), 0) - coalesce(sum(excess_kobo), 0))::bigint as collected_kobo,
           coalesce(sum(reversed_kobo), 0)::bigint as reversed_kobo,
           count(*) filter (where type = 'payment.successful') as successful,
           count(*) filter (where type = 'payment.expired') as expired,
           count(*) filter (where type = 'payment.cancelled') as cancelled
      from parts group by hour
  )`

// Clients with events that are not counted yet; in random order, so that none waits for ever.
export async function findUncounted(db: Queryable): Promise<bigint[]> {
  const { rows } = await db.query<{ id: bigint }>({
    name: 'clients-with-uncounted-events',
    text: `select k.client_id as id
             from event_counters k left join totals_cursors c on c.client_id = k.client_id
            where k.sequence > coalesce(c.sequence, 0)
            order by random() limit ${CLIENTS_MAX}`,
  })
  return rows.map(({ id }) => id)
}

// Answers whether there may be more. Of several at once, one counts.
export async function countEvents(
  tx: Transaction,
  clientId: bigint,
  limit = EVENTS_MAX,
): Promise<boolean> {
  await tx.query({
    name: 'open-totals-cursor',
    // Looked for first: an insert would wait for whoever is counting.
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
    text: `with ${tally('$2', limit)}, counted as (
             insert into hourly_totals (client_id, hour, ${COLUMNS.join(', ')})
             select $1, hour, ${COLUMNS.join(', ')} from tally
             on conflict (client_id, hour) do update
               set ${COLUMNS.map(addedUp).join(', ')}
           ), moved as (
             update totals_cursors set sequence = (select max(sequence) from read)
              where client_id = $1 and exists (select from read)
           )
           select from read where sequence > $2`,
    values: [clientId, rows[0].sequence],
  })
  return (rowCount ?? 0) >= limit
}

export type ReadTotals = { hours: HourlyTotals[]; isComplete: boolean }

// From `since` on, in order; hours without anything are left out. One statement, so one moment: what
// the worker has counted and what it has not make up the whole.
export async function readTotals(
  db: Queryable,
  clientId: bigint,
  since: Date,
  limit = TAIL_MAX,
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
             select hour, ${COLUMNS.map((name) => `sum(${name})::bigint as ${name}`).join(', ')}
               from (select hour, ${COLUMNS.join(', ')} from hourly_totals
                      where client_id = $1 and hour >= $2
                     union all
                     select hour, ${COLUMNS.join(', ')} from tally where hour >= $2) as each_hour
              group by hour
           )
           select "isComplete", hour, credits, collected_kobo as "collectedKobo",
                  reversed_kobo as "reversedKobo", successful, expired, cancelled
             from state left join sums on true order by hour`,
    values: [clientId, since],
  })
  const isComplete = rows[0]?.isComplete ?? true
  const hours = rows.filter(({ hour }) => hour !== null)
  return { hours: hours.map(({ isComplete: _, ...totals }) => totals), isComplete }
}
