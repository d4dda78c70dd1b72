// The health of each bank in the last 24 hours: when it last called us, the delay of its notifications, the
// transfers that only a requery found, and whether it answers. NotificationMeter measures the notifications.

import { type AbandonedReservation, readAbandonedReservations } from '#accounts/account.ts'
import type { BankConnections } from '#banks/connector.ts'
import type { Direction } from '#banks/observe-calls.ts'
import { HOUR_MS } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import { SKEW_MAX_MS } from '#db/health.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray, plainArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { FAILURES_TO_PAUSE, isPaused } from '#records/call-rates.ts'
import { type BankRoute, type Route, type RouteState, readRoutes } from '#routing/bank-route.ts'
import { addMs } from './requery.ts'

// Measures the delay of notifications (`lag`), and how long a bank is usually silent (`gap`). Counts are kept
// by hour in logarithmic buckets, from which percentiles are accurate to a tenth.
//
// A notification costs no SQL statement: each process counts in memory (NotificationMeter) and writes its
// counts every few seconds. A crash loses seconds of statistics, and no money. With n processes, each process
// sees every nth notification, so the measured gaps are longer than the real ones, never shorter.

const BUCKETS_PER_OCTAVE = 8
export const MEASURED_MS = 24 * HOUR_MS

type Measure = 'lag' | 'gap'
type Counts = Map<number, number> // Counts by bucket.
type BankCounts = {
  bankCode: string
  lastAt: Date // The time of the bank's last notification.
  lag: Counts
  gap: Counts
  hasNewCounts: boolean
}

export class NotificationMeter {
  readonly #banks = new Map<string, BankCounts>()

  // Counts one notification from a bank. `transactionTimes` has the times of its new credits, or null where
  // the bank does not report the time.
  countNotification(bankCode: string, now: Date, transactionTimes: readonly (Date | null)[]): void {
    let bank = this.#banks.get(bankCode)
    if (bank) addToBucket(bank.gap, now.getTime() - bank.lastAt.getTime())
    else {
      bank = { bankCode, lastAt: now, lag: new Map(), gap: new Map(), hasNewCounts: true }
      this.#banks.set(bankCode, bank)
    }
    bank.lastAt = now
    bank.hasNewCounts = true
    for (const time of transactionTimes) {
      if (time) addToBucket(bank.lag, now.getTime() - time.getTime())
    }
  }

  // Returns the counts since the last call of take(). Keeps the time of each bank's last notification, to
  // measure the next gap.
  take(): BankCounts[] {
    const countsToWrite = [...this.#banks.values()].filter(({ hasNewCounts }) => hasNewCounts)
    for (const { bankCode, lastAt } of countsToWrite) {
      this.#banks.set(bankCode, {
        bankCode,
        lastAt,
        lag: new Map(),
        gap: new Map(),
        hasNewCounts: false,
      })
    }
    return countsToWrite
  }
}

// Counts a duration of `ms` in its bucket of the histogram.
function addToBucket(counts: Counts, ms: number): void {
  const bucket = bucketOf(ms / 1_000)
  counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
}

// Eight buckets for each doubling, so that neighbouring buckets differ by a tenth.
function bucketOf(seconds: number): number {
  return Math.round(BUCKETS_PER_OCTAVE * Math.log2(1 + Math.max(0, seconds)))
}

// The inverse of bucketOf().
function secondsOf(bucket: number): number {
  return 2 ** (bucket / BUCKETS_PER_OCTAVE) - 1
}

// Adds the counts of this process to the stored ones. Rows are sorted, so that processes lock them in the
// same order.
export async function writeMeasures(
  tx: Transaction,
  now: Date,
  bankCounts: readonly BankCounts[],
): Promise<void> {
  const sortedCounts = bankCounts.toSorted((one, other) => (one.bankCode < other.bankCode ? -1 : 1))
  if (sortedCounts.length === 0) return
  await tx.query({
    name: 'note-banks-heard',
    text: `insert into bank_health (bank_code, last_heard_at)
           select * from unnest($1::text[], $2::timestamptz[])
           on conflict (bank_code) do update
           set last_heard_at = case
                 when bank_health.last_heard_at > excluded.last_heard_at + interval '${SKEW_MAX_MS} ms'
                 then excluded.last_heard_at
                 else greatest(bank_health.last_heard_at, excluded.last_heard_at) end`,
    values: [
      plainArray(sortedCounts.map(({ bankCode }) => bankCode)),
      plainArray(sortedCounts.map(({ lastAt }) => lastAt.toISOString())),
    ],
  })
  const rows = sortedCounts.flatMap(({ bankCode, ...counts }) =>
    (['gap', 'lag'] as const).flatMap((measure) =>
      [...counts[measure]]
        .toSorted(([one], [other]) => one - other) // The same order in all processes avoids deadlocks.
        .map(([bucket, times]) => ({ bankCode, measure, bucket, times })),
    ),
  )
  await tx.query({
    name: 'write-bank-measures',
    text: `insert into bank_measures (bank_code, measure, bucket, count, hour)
           select m.*, $5 from unnest($1::text[], $2::text[], $3::smallint[], $4::bigint[]) as m
           on conflict (bank_code, measure, hour, bucket) do update
           set count = bank_measures.count + excluded.count`,
    values: [
      plainArray(rows.map((row) => row.bankCode)),
      plainArray(rows.map((row) => row.measure)),
      numberArray(rows.map((row) => row.bucket)),
      numberArray(rows.map((row) => row.times)),
      new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS),
    ],
  })
}

type Measures = { count: number; p50: number; p99: number } // The percentiles are in seconds.
type BankMeasures = ReadonlyMap<string, Partial<Record<Measure, Measures>>>

// Reads the measures of the last 24 hours, to the hour.
export async function readMeasures(db: Queryable, now: Date): Promise<BankMeasures> {
  const { rows } = await db.query<{
    bankCode: string
    measure: Measure
    bucket: number
    count: number
  }>({
    name: 'read-bank-measures',
    text: `select bank_code, measure, bucket, sum(count)::float8 as count
             from bank_measures where hour > $1
            group by bank_code, measure, bucket order by bank_code, measure, bucket`,
    values: [new Date(now.getTime() - MEASURED_MS)],
  })
  const byBank = Map.groupBy(rows, ({ bankCode }) => bankCode)
  return new Map(
    [...byBank].map(([bankCode, bankRows]) => {
      const byMeasure = Map.groupBy(bankRows, ({ measure }) => measure)
      return [
        bankCode,
        Object.fromEntries(
          [...byMeasure].map(([measure, buckets]) => [measure, computeMeasures(buckets)]),
        ),
      ]
    }),
  )
}

// Computes the count and the percentiles. `buckets` must be in ascending order.
function computeMeasures(buckets: readonly { bucket: number; count: number }[]): Measures {
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  // Returns the seconds that the given share of all counts does not exceed (0.99: 99 of 100), rounded to a
  // tenth.
  const percentile = (share: number) => {
    let passed = 0
    // The first bucket up to which the counts add up to the share. Buckets ascend by duration.
    const bucketReached = buckets.find(({ count }) => {
      passed += count
      return passed >= share * total
    })
    return bucketReached ? Math.round(secondsOf(bucketReached.bucket) * 10) / 10 : 0
  }
  return { count: total, p50: percentile(0.5), p99: percentile(0.99) }
}

export const CIRCUITS = ['closed', 'open', 'half_open'] as const

export type BankHealth = {
  code: string
  name: string
  connector: string
  lastHeardAt: Date | null
  silentSince: Date | null
  lagP50: number | null // In seconds.
  lagP99: number | null
  queries: number
  errorRate: number | null // From 0 to 1; null if no requery was asked.
  foundByRequery: number
  isLosing: boolean // Requeries find so much that the bank's notifications are not reliable.
  openRequeries: number
  circuit: (typeof CIRCUITS)[number]
  circuitUntil: Date | null
  abandonedReservations: Omit<AbandonedReservation, 'bankCode'>[]
  canFind: boolean
  canList: boolean
  routing: Record<'payments' | 'payouts', RoutingView | null> // null if the bank takes none.
}

// `unknown` means that nothing was observed yet; the bank is used.
export type RoutingView = {
  state: RouteState | 'unknown'
  since: Date | null
  reason: Route['reason']
  retryAt: Date | null
}

// A row of bank_health.
type Row = {
  bankCode: string
  lastHeardAt: Date | null
  silentSince: Date | null
  failures: number
  pausedUntil: Date | null
}
type QueryCounts = {
  bankCode: string
  queries: number
  errors: number
  found: number
  open: number
}

// Requeries must find this many credits, and this share of all, before a bank's notifications count as
// unreliable. One or two finds prove nothing: a requery may overtake the notification.
const FOUND_MIN = 3
const FOUND_SHARE = 0.01

// Reads the health of all configured banks, for the operator's view of banks.
export async function readBankHealth(
  db: Queryable,
  now: Date,
  { banks, connections }: { banks: readonly BankSettings[]; connections: BankConnections },
): Promise<BankHealth[]> {
  const measures = await readMeasures(db, now)
  const codes = banks.map(({ code }) => code)
  const rows = new Map((await readBankRows(db, codes)).map((row) => [row.bankCode, row]))
  const routes = await readRoutes(db)
  const viewRouteOf = (bankCode: string, direction: Direction) =>
    viewRoute(routes.find((route) => route.bankCode === bankCode && route.direction === direction))
  const queryCounts = new Map(
    (await countQueries(db, now, codes)).map((row) => [row.bankCode, row]),
  )
  const abandoned = Map.groupBy(
    await readAbandonedReservations(db, now),
    ({ bankCode }) => bankCode,
  )
  return banks.map((bank) => {
    // A bank without the setting speaks Manilla's own API for banks (banks/manilla/connector.ts).
    const { code, name, connector = 'manilla' } = bank
    const row = rows.get(code)
    const { queries = 0, errors = 0, found = 0, open = 0 } = queryCounts.get(code) ?? {}
    const { lag, gap } = measures.get(code) ?? {}
    // A bank that reports no times of transfers has gaps between its notifications, but no lags.
    const notified = Math.max(lag?.count ?? 0, gap?.count ?? 0)
    const calls = connections.get(code)?.calls
    return {
      code,
      name,
      connector,
      lastHeardAt: row?.lastHeardAt ?? null,
      silentSince: row?.silentSince ?? null,
      lagP50: lag?.p50 ?? null,
      lagP99: lag?.p99 ?? null,
      queries,
      errorRate: queries === 0 ? null : Math.round((errors / queries) * 10_000) / 10_000,
      foundByRequery: found,
      isLosing: found >= FOUND_MIN && found >= FOUND_SHARE * (found + notified),
      openRequeries: open,
      ...circuitOf(row, now),
      abandonedReservations: (abandoned.get(code) ?? []).map(
        ({ bankCode: _, ...reservation }) => reservation,
      ),
      canFind: calls?.findTransfer !== undefined,
      canList: calls?.listTransfers !== undefined,
      routing: {
        payments: issuesNumbers(bank, 'dynamic') ? viewRouteOf(code, 'in') : null,
        payouts: calls?.sendMoney ? viewRouteOf(code, 'out') : null,
      },
    }
  })
}

// The route as operators see it.
function viewRoute(route: BankRoute | undefined): RoutingView {
  if (!route) return { state: 'unknown', since: null, reason: null, retryAt: null }
  const { direction, state, since, reason } = route
  // A payment is never used to try a bank whose calls fail (routing/decision.ts), so no retry time is shown.
  const isTried = direction === 'out' || reason === 'silent'
  return { state, since, reason, retryAt: isTried ? route.retryAt : null }
}

// `half_open` means that the pause has ended, and the next requery is the probe.
function circuitOf(row: Row | undefined, now: Date) {
  if (!row || row.failures < FAILURES_TO_PAUSE) {
    return { circuit: 'closed' as const, circuitUntil: null }
  }
  return isPaused(row, now)
    ? { circuit: 'open' as const, circuitUntil: row.pausedUntil }
    : { circuit: 'half_open' as const, circuitUntil: null }
}

async function readBankRows(db: Queryable, codes: readonly string[]): Promise<Row[]> {
  const { rows } = await db.query<Row>({
    name: 'read-bank-health',
    text: `select bank_code, last_heard_at, silent_since, failures, paused_until
             from bank_health where bank_code = any($1::text[])`,
    values: [codes],
  })
  return rows
}

// Counts the calls to each bank in the last 24 hours, those without an answer, the credits that they found,
// and the open requeries. Leaves out credits that the bank reported itself, but without a signature.
async function countQueries(
  db: Queryable,
  now: Date,
  codes: readonly string[],
): Promise<QueryCounts[]> {
  const { rows } = await db.query<QueryCounts>({
    name: 'read-bank-queries',
    text: `select b.code as bank_code, a.queries, a.errors, a.found, q.open
             from unnest($1::text[]) as b (code)
            cross join lateral (
              select count(*)::int as queries,
                     count(*) filter (where r.answer = 'no_answer')::int as errors,
                     coalesce(sum(r.new_credits) filter (where s.reason <> 'notification'), 0)::int
                       as found
                from requery_attempts r join requeries s on s.id = r.requery_id
               where r.bank_code = b.code and r.asked_at > $2) as a
            cross join lateral (
              select count(*)::int as open
                from requeries where bank_code = b.code and state = 'open') as q`,
    values: [codes, addMs(now, -MEASURED_MS)],
  })
  return rows
}
