// Adds up a client's movements of money by hour, and by day, bank and merchant; lists them one by one; and
// counts the client's usage per day.

import { DAY_MS, watDay, watDayStart } from '#clock.ts'
import { type CreditQuery, type CreditTrace, listCredits } from '#credits/queries.ts'
import { idBounds } from '#db/bounds.ts'
import { ORDER_SQL } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { type ClientId, type CreditId, leastIdAt, type TransferId } from '#ids.ts'
import { CURRENCY, type Kobo, kobo } from '#money.ts'
import { PARTS, type Sums } from '#records/money-totals.ts'
import { SHARE_TRANSFERS } from '#splits/shares.ts'

// SQL condition: the transfer `t` is a refund that a bank confirmed or its statement shows, or the return of
// such money. A refund belongs to a payout, not to a credit, so no event includes its amount: reports read
// refunds from the ledger.
const IS_REFUND = `t.credit_id is null and t.reason = 'refunded'`
// SQL list: the kinds of accounts that the money of a refund leaves for the bank.
const REFUNDED_FROM = `'refunding', 'receivable'`

// SQL query: all refunds of client $1: `id`, `posted_at`, `currency`, `payout_id` and `refunded_kobo`.
// `kind <> 'collection'` repeats the condition of the partial index on kind, owner and currency, so that
// PostgreSQL can use it.
const CLIENT_REFUNDS = `
  select t.id, t.posted_at, l.currency, coalesce(t.payout_id, f.payout_id) as payout_id,
         t.amount_kobo as refunded_kobo
    from ledger_accounts l
    join transfers t on t.debit_account_id = l.id
    left join differences f on f.id = t.difference_id
   where l.owner = format('client:%s', $1::bigint) and l.kind in (${REFUNDED_FROM})
     and l.kind <> 'collection' and ${IS_REFUND}
  union all
  select t.id, t.posted_at, l.currency, coalesce(t.payout_id, f.payout_id), -t.amount_kobo
    from ledger_accounts l
    join transfers t on t.credit_account_id = l.id
    left join differences f on f.id = t.difference_id
   where l.owner = format('client:%s', $1::bigint) and l.kind = 'available'
     and l.kind <> 'collection' and ${IS_REFUND}`

// SQL query: the refunds of the credits $1 by client $2: `id`, `credit_id`, `posted_at` and `refunded_kobo`.
const CREDIT_REFUNDS = `
  select t.id, p.credit_id, t.posted_at,
         case when d.kind in (${REFUNDED_FROM}) then t.amount_kobo else -t.amount_kobo end as refunded_kobo
    from payouts p
   cross join lateral (
      select * from transfers where payout_id = p.id
      union all
      select o.* from differences f join transfers o on o.difference_id = f.id
       where f.payout_id = p.id) as t
    join ledger_accounts d on d.id = t.debit_account_id
    join ledger_accounts k on k.id = t.credit_account_id
   where p.credit_id = any($1::bigint[]) and p.client_id = $2 and ${IS_REFUND}
     and (d.kind in (${REFUNDED_FROM}) or k.kind = 'available')`

// How totals are counted, by hour and by day, bank and merchant. A worker counts the events of the outbox
// into one row per hour. Readers add the events after the worker's last round, so totals are up to date and
// cost only the requested hours and a few seconds of events. They are exact unless more than TAIL_MAX events
// are left to add.
//
// A client's events have no gaps and are in commit order (I5), so each is counted once: the transaction
// that counts stores the position. Refunds are few and read from the ledger. If a number is missing, later
// events are counted only once the event with that number is there, as in dispatching (webhooks/dispatch.ts).
// Retention keeps events that are not counted yet.

const EVENTS_MAX = 5_000 // The most events of one client in one round. They take some 30 ms.
// A report adds at most this many events that the worker has not counted yet. There are more only while a
// large history is counted for the first time, or if no worker runs. Then the totals are incomplete, and
// readTotals says so (isComplete).
const TAIL_MAX = 20_000

const CLIENTS_MAX = 100

export type Totals = Sums & {
  credits: bigint
  successful: bigint
  expired: bigint
  cancelled: bigint
}
export type HourlyTotals = Totals & { hour: Date }

const KOBO_COLUMNS = PARTS.map((part) => `${part}_kobo`)
const COLUMNS = ['credits', ...KOBO_COLUMNS, 'successful', 'expired', 'cancelled']

// SQL assignments of an upsert: add the new values to the stored ones.
const addExcluded = (table: string, columns: readonly string[]) =>
  columns.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')

// SQL column: the sum of one part of the movements of the events `e`.
const sumOfPart = (part: string) =>
  `coalesce(sum((e.moved ->> '${part}')::bigint), 0)::bigint as ${part}_kobo`

// The names of the columns that are summed, and the SQL columns that sum them over the events `e`.
const SUMS = ['credits', ...KOBO_COLUMNS]
const SUMMED = `
           coalesce(sum((e.moved ->> 'credits')::int), 0)::bigint as credits,
           ${PARTS.map(sumOfPart).join(',\n           ')}`

// SQL common table expression: the events of client $1 after number `after`, up to the first missing number.
const selectEventsAfter = (after: string, limit: number) => `
  read as materialized (
    select n.* from (
      select sequence, type, moved, created_at, credit_id, collection_account_id,
             row_number() over (order by sequence) as place
        from events
       where client_id = $1 and sequence > ${after} order by sequence limit ${limit}) as n
     where n.sequence = ${after} + n.place
  )`

// SQL common table expressions: the events after number `after`, and their sums by hour.
const tally = (after: string, limit: number) => `
  ${selectEventsAfter(after, limit)}, tally as (
    select date_trunc('hour', e.created_at, 'UTC') as hour, ${SUMMED},
           count(*) filter (where type = 'payment.successful') as successful,
           count(*) filter (where type = 'payment.expired') as expired,
           count(*) filter (where type = 'payment.cancelled') as cancelled
      from read e group by hour
  )`

// The columns of a breakdown, and the SQL common table expression of the sums of the events by day in West
// Africa, bank of the credit, and merchantCode of the collection account. A payment has no merchantCode.
const BREAKDOWN = ['day', 'bank_code', 'merchant_code']
const BREAKDOWN_PARTS = `
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

export const HAS_UNCOUNTED_EVENTS = `exists (
  select from event_counters k left join totals_cursors c on c.client_id = k.client_id
   where k.sequence > coalesce(c.sequence, 0))`

// Returns clients with uncounted events, in random order, so that no client waits forever.
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

// Adds a client's events since the last count to the hourly totals and the daily breakdowns, at most `limit`
// of them. Of concurrent calls for one client, one counts and the others do nothing. Returns true if the call
// counted `limit` events, because more may be left.
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
               set ${addExcluded('hourly_totals', COLUMNS)}
           ), ${BREAKDOWN_PARTS}, broken_down as (
             insert into daily_breakdowns (client_id, ${BREAKDOWN.join(', ')}, ${SUMS.join(', ')})
             select $1, ${BREAKDOWN.join(', ')}, ${SUMS.join(', ')} from parts
             on conflict (client_id, ${BREAKDOWN.join(', ')}) do update
               set ${addExcluded('daily_breakdowns', SUMS)}
           ), moved as (
             update totals_cursors set sequence = (select max(sequence) from read)
              where client_id = $1 and exists (select from read)
           )
           select from read`,
    values: [clientId, rows[0].sequence],
  })
  return (rowCount ?? 0) >= limit
}

// Returns the hours from `since` on, before `until`, in order, without empty hours. One SQL statement reads
// counted and uncounted events, so that no event is missing or included twice. `isComplete` is false if the
// latest events are missing, because more than `limit` events are uncounted.
export async function readTotals(
  db: Queryable,
  clientId: ClientId,
  { since, until, limit = TAIL_MAX }: { since: Date; until?: Date; limit?: number | undefined },
): Promise<{ hours: HourlyTotals[]; isComplete: boolean }> {
  const { rows } = await db.query<HourlyTotals & { isComplete: boolean }>({
    name: `read-hourly-totals-${limit}`,
    text: `with counted as materialized (
             select coalesce((select sequence from totals_cursors where client_id = $1), 0) as past
           ), ${tally('(select past from counted)', limit)}, state as (
             select k.sequence <= coalesce((select max(sequence) from read), past)
                    as is_complete
               from event_counters k, counted where k.client_id = $1
           ), sums as (
             select hour, sum(refunded_kobo)::bigint as refunded_kobo,
                    ${COLUMNS.map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`).join(', ')}
               from (select hour, 0 as refunded_kobo, ${COLUMNS.join(', ')} from hourly_totals
                      where client_id = $1 and hour >= $2 and hour < $3
                     union all
                     select hour, 0, ${COLUMNS.join(', ')} from tally
                      where hour >= $2 and hour < $3
                     union all
                     select date_trunc('hour', r.posted_at, 'UTC'), r.refunded_kobo,
                            ${COLUMNS.map(() => 'null').join(', ')}
                       from (${CLIENT_REFUNDS}) as r
                      where r.posted_at >= $2 and r.posted_at < $3
                        and r.currency = '${CURRENCY}') as each_hour
              group by hour
           )
           select is_complete, hour, credits, successful, expired, cancelled, refunded_kobo,
                  ${PARTS.map((part) => `${part}_kobo`).join(', ')}
             from state left join sums on true order by hour`,
    values: [clientId, since, until ?? 'infinity'],
  })
  const isComplete = rows[0]?.isComplete ?? true
  const hours = rows.filter(({ hour }) => hour !== null)
  return { hours: hours.map(({ isComplete: _, ...totals }) => totals), isComplete }
}

// Returns the hour of the client's first event, or null if there is none. Totals outlive events.
export async function findFirstHour(db: Queryable, clientId: ClientId): Promise<Date | null> {
  const { rows } = await db.query<{ hour: Date | null }>({
    name: 'find-first-hour',
    text: `select coalesce(
                    (select min(hour) from hourly_totals where client_id = $1),
                    (select date_trunc('hour', created_at, 'UTC') from events
                      where client_id = $1 order by sequence limit 1)) as hour`,
    values: [clientId],
  })
  return rows[0]?.hour ?? null
}

// A movement of a client's money: one transfer, with the credit that brought the money in. A movement has
// the time of its booking and never changes: a later reversal is a separate movement, on a later day. So the
// report of a past day never changes.
export type CreditMovement = Sums & {
  id: TransferId
  creditId: CreditId
  // The transfer's reason: credit, assign, suspend, returned, reversal, fee, fee_vat, split or refunded.
  reason: string
  postedAt: Date
  splitKobo: Kobo // Moved to a subaccount, or back from it. The net includes it.
  subaccountCode: string | null
  assignedTo: string | null // A payment, or the number of a collection account.
  credit: CreditTrace
}

// Lists movements, in pages by credit: a page has all movements of its credits within the window, in booking
// order. `next` is the last credit, if there may be more.
export async function listMovements(
  db: Queryable,
  query: CreditQuery,
): Promise<{ rows: CreditMovement[]; next: bigint | null }> {
  const { viewer, filters, order = 'newest' } = query
  const credits = await listCredits(db, { ...query, filters: { ...filters, by: 'movement' } })
  const byId = new Map(credits.map((credit) => [credit.id, credit]))
  const { sort } = ORDER_SQL[order]
  const { rows } = await db.query<Omit<CreditMovement, 'credit'>>({
    name: `list-movements-${sort}`,
    text: `select m.id, m.credit_id, m.reason, m.posted_at, m.gross_kobo, m.reversed_kobo,
                  m.returned_kobo, m.suspended_kobo, m.fees_kobo, m.refunded_kobo, m.split_kobo,
                  m.subaccount_code,
                  (select s.reference from suspense_items i
                     join suspense_changes s on s.item_id = i.id
                    where i.credit_id = m.credit_id and m.reason = 'assign'
                      and s.change = 'assigned' and s.changed_at = m.posted_at
                    limit 1) as assigned_to
             from (select id, credit_id, reason, posted_at, gross_kobo, reversed_kobo,
                          returned_kobo, suspended_kobo, fees_kobo, 0::bigint as refunded_kobo,
                          0::bigint as split_kobo, null as subaccount_code
                     from client_movements
                    where credit_id = any($1::bigint[]) and client_id = $2
                   union all
                   select id, credit_id, 'split', posted_at, 0, 0, 0, 0, 0, 0, share_kobo,
                          subaccount_code
                     from (${SHARE_TRANSFERS}) as s where client_id = $2
                   union all
                   select id, credit_id, 'refunded', posted_at, 0, 0, 0, 0, 0, refunded_kobo, 0, null
                     from (${CREDIT_REFUNDS}) as r) as m
            where m.posted_at >= $3 and m.posted_at < $4
            order by m.credit_id ${sort}, m.id`,
    values: [
      numberArray([...byId.keys()]),
      viewer.id,
      filters.from ?? '-infinity',
      filters.to ?? 'infinity',
    ],
  })
  const next = credits.length === query.limit ? (credits.at(-1)?.id ?? null) : null
  return {
    rows: rows.map((row) => ({ ...row, credit: byId.get(row.creditId) as CreditTrace })),
    next,
  }
}

export const MERCHANTS_MAX = 100 // Those with the largest gross; one row sums the rest.

export type BreakdownRow = Sums & {
  bankCode: string | null // null in the rows by merchant.
  merchantCode: string | null // '' for payments, which have none; null in the rows by bank and in the rest.
  isRest: boolean // The sum of all other merchants.
  credits: bigint
}

// Reads a client's movements of one day, summed by bank and by merchant. The sums are those that the worker
// stored (daily_breakdowns), plus the events since its last round and the refunds in the ledger. One SQL
// statement reads all rows, so they are from the same moment.
export async function readBreakdown(
  db: Queryable,
  clientId: ClientId,
  { day, limit = TAIL_MAX }: { day: Date; limit?: number },
): Promise<BreakdownRow[]> {
  const sums = [...SUMS, 'refunded_kobo']
    .map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`)
    .join(', ')
  const { rows } = await db.query<BreakdownRow>({
    name: `read-breakdown-${limit}`,
    text: `with counted as materialized (
             select coalesce((select sequence from totals_cursors where client_id = $1), 0) as past
           ), ${selectEventsAfter('(select past from counted)', limit)}, ${BREAKDOWN_PARTS}, whole as (
             select bank_code, merchant_code, ${SUMS.join(', ')}, 0 as refunded_kobo
               from daily_breakdowns where client_id = $1 and day = $2
             union all
             select bank_code, merchant_code, ${SUMS.join(', ')}, 0 from parts where day = $2
             union all
             ${REFUNDS_OF_DAY}
           ), by_bank as (
             select bank_code, ${sums} from whole group by bank_code
           ), by_merchant as (
             select merchant_code, row_number()
                      over (order by coalesce(sum(gross_kobo), 0) desc, merchant_code)
                      > ${MERCHANTS_MAX} as is_rest, ${sums}
               from whole group by merchant_code
           )
           select bank_code, null as merchant_code, false as is_rest, ${BREAKDOWN_COLUMNS}
             from by_bank
           union all
           select null, case when not is_rest then merchant_code end, is_rest, ${ADDED_COLUMNS}
             from by_merchant
            group by is_rest, case when not is_rest then merchant_code end
            order by is_rest, gross_kobo desc, bank_code, merchant_code`,
    values: [clientId, watDay(day)],
  })
  return rows
}

// SQL columns of a breakdown by merchant: the sums of one merchant or, in the row of the rest, of all
// merchants after the first MERCHANTS_MAX.
const ADDED_COLUMNS = ['credits', 'refunded_kobo', ...PARTS.map((part) => `${part}_kobo`)]
  .map((name) => `sum(${name})::bigint`)
  .join(', ')

// SQL query: refunds on the day $2 in West Africa, with the bank and the merchantCode of the refunded credit.
const REFUNDS_OF_DAY = `
  select coalesce(c.bank_code, ''), coalesce(a.merchant_code, '') collate "C",
         ${SUMS.map(() => 'null').join(', ')}, r.refunded_kobo
    from (${CLIENT_REFUNDS}) as r
    left join payouts p on p.id = r.payout_id
    left join credits c on c.id = p.credit_id
    left join suspense_items i on i.id = p.item_id
    left join collection_accounts a
           on a.id = coalesce(i.assigned_account_id, c.collection_account_id)
   where (r.posted_at at time zone interval '1 hour')::date = $2 and r.currency = '${CURRENCY}'`

const BREAKDOWN_COLUMNS = ['credits', 'refunded_kobo', ...PARTS.map((part) => `${part}_kobo`)].join(
  ', ',
)

export const USAGE_DAYS_MAX = 31

export type DailyUsage = {
  from: Date
  accounts: number
  advices: number
  payments: number
  credits: number
  grossKobo: Kobo
  webhooks: number
}

// Returns a client's usage on the last `days` days (West Africa Time), today last. Needs no additional index
// and reads only the requested days: credits come from the hourly totals, ids of payments, advices and
// events start with their time, and accounts are found by id bounds.
export async function readUsage(
  db: Queryable,
  now: Date,
  { clientId, days }: { clientId: ClientId; days: number },
): Promise<DailyUsage[]> {
  const todayMs = watDayStart(now).getTime()
  const starts = Array.from({ length: days }, (_, index) => todayMs - (days - 1 - index) * DAY_MS)
  const firstDay = new Date(starts[0] as number)
  const counts = await countCreated(db, clientId, starts)
  const accounts = await countAccounts(db, clientId, firstDay)
  const { hours } = await readTotals(db, clientId, { since: firstDay })
  const usage = starts.map((ms, index) => ({
    from: new Date(ms),
    accounts: 0,
    advices: Number(counts[index]?.advices),
    payments: Number(counts[index]?.payments),
    credits: 0,
    grossKobo: kobo(0n),
    webhooks: Number(counts[index]?.webhooks),
  }))
  // The usage of the day that the moment is in. Undefined for a moment outside the days.
  const usageOn = (at: Date) => usage[Math.floor((at.getTime() - firstDay.getTime()) / DAY_MS)]
  for (const { day, count } of accounts) {
    const daily = usageOn(day)
    if (daily) daily.accounts += Number(count)
  }
  for (const { hour, credits, grossKobo } of hours) {
    const daily = usageOn(hour)
    if (!daily) continue
    daily.credits += Number(credits)
    daily.grossKobo = kobo(daily.grossKobo + grossKobo)
  }
  return usage
}

type Counts = { advices: bigint; payments: bigint; webhooks: bigint }

// Counts the advices, payments and webhooks of each day. Counts a webhook on the day of its event; only an
// unreachable receiver gets it on a later day.
async function countCreated(
  db: Queryable,
  clientId: ClientId,
  starts: readonly number[],
): Promise<Counts[]> {
  const { rows } = await db.query<Counts>({
    name: 'count-use',
    text: `select (select count(*) from advices
                    where client_id = $1 and id >= d.first and id < d.past) as advices,
                  (select count(*) from payments
                    where client_id = $1 and id >= d.first and id < d.past) as payments,
                  (select count(*) from deliveries
                    where client_id = $1 and state = 'delivered'
                      and event_id >= d.first and event_id < d.past) as webhooks
             from unnest($2::uuid[], $3::uuid[]) with ordinality as d (first, past, place)
            order by d.place`,
    values: [clientId, starts.map(leastIdAt), starts.map((ms) => leastIdAt(ms + DAY_MS))],
  })
  return rows
}

// Counts the collection accounts that were created on each day.
async function countAccounts(db: Queryable, clientId: ClientId, since: Date) {
  const { firstId } = await idBounds(db, 'collection_accounts', { from: since })
  const { rows } = await db.query<{ day: Date; count: bigint }>({
    name: 'count-accounts-by-day',
    text: `select date_trunc('day', created_at, 'Africa/Lagos') as day, count(*)
             from collection_accounts
            where client_id = $1 and id >= $2 and created_at >= $3
            group by 1`,
    values: [clientId, firstId, since],
  })
  return rows
}
