// How long notifications take, and how long a bank usually stays silent: counts by hour in
// logarithmic buckets, of which percentiles are read to within a tenth.
//
// Reporting credits costs no statement: each process counts in memory (NotificationMeter) and
// writes every few seconds. A crash loses seconds of statistics, and no money. With n processes each
// sees every nth notification, so gaps are longer than in truth, never shorter.

import { numberArray, plainArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'

const BUCKETS_PER_OCTAVE = 8
const HOUR_MS = 3_600_000
export const MEASURED_MS = 24 * HOUR_MS

export type Measure = 'lag' | 'gap'
type Counts = Map<number, number> // By bucket.
type Heard = { bankCode: string; lastAt: Date; lag: Counts; gap: Counts; isNews: boolean }

export class NotificationMeter {
  readonly #banks = new Map<string, Heard>()

  // One call of a bank, with the times at which new credits were made, as far as it says.
  heard(bankCode: string, now: Date, transactionTimes: readonly (Date | null)[]): void {
    let bank = this.#banks.get(bankCode)
    if (bank) count(bank.gap, now.getTime() - bank.lastAt.getTime())
    else {
      bank = { bankCode, lastAt: now, lag: new Map(), gap: new Map(), isNews: true }
      this.#banks.set(bankCode, bank)
    }
    bank.lastAt = now
    bank.isNews = true
    for (const time of transactionTimes) {
      if (time) count(bank.lag, now.getTime() - time.getTime())
    }
  }

  // What was counted since the last time. When each was last heard stays, for the gap to come.
  take(): Heard[] {
    const news = [...this.#banks.values()].filter(({ isNews }) => isNews)
    for (const { bankCode, lastAt } of news) {
      const fresh = { lag: new Map(), gap: new Map(), isNews: false }
      this.#banks.set(bankCode, { bankCode, lastAt, ...fresh })
    }
    return news
  }
}

function count(counts: Counts, ms: number): void {
  const bucket = bucketOf(ms / 1_000)
  counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
}

function bucketOf(seconds: number): number {
  return Math.round(BUCKETS_PER_OCTAVE * Math.log2(1 + Math.max(0, seconds)))
}

function secondsOf(bucket: number): number {
  return 2 ** (bucket / BUCKETS_PER_OCTAVE) - 1
}

export async function writeMeasures(
  tx: Transaction,
  now: Date,
  taken: readonly Heard[],
): Promise<void> {
  const inOrder = taken.toSorted((one, other) => (one.bankCode < other.bankCode ? -1 : 1))
  if (inOrder.length === 0) return
  await tx.query({
    name: 'note-banks-heard',
    text: `insert into bank_health (bank_code, last_heard_at)
           select * from unnest($1::text[], $2::timestamptz[])
           on conflict (bank_code) do update
           set last_heard_at = greatest(bank_health.last_heard_at, excluded.last_heard_at)`,
    values: [
      plainArray(inOrder.map(({ bankCode }) => bankCode)),
      plainArray(inOrder.map(({ lastAt }) => lastAt.toISOString())),
    ],
  })
  const rows = inOrder.flatMap(({ bankCode, ...counts }) =>
    (['gap', 'lag'] as const).flatMap((measure) =>
      [...counts[measure]]
        .toSorted(([one], [other]) => one - other) // Two processes write in the same order.
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

export type Measures = { count: number; p50: number; p99: number } // In seconds.
export type BankMeasures = ReadonlyMap<string, Partial<Record<Measure, Measures>>>

// Of the last 24 hours, to the hour.
export async function readMeasures(db: Queryable, now: Date): Promise<BankMeasures> {
  const { rows } = await db.query<{
    bankCode: string
    measure: Measure
    bucket: number
    count: number
  }>({
    name: 'read-bank-measures',
    text: `select bank_code as "bankCode", measure, bucket, sum(count)::float8 as count
             from bank_measures where hour > $1
            group by bank_code, measure, bucket order by bank_code, measure, bucket`,
    values: [new Date(now.getTime() - MEASURED_MS)],
  })
  const byBank = Map.groupBy(rows, ({ bankCode }) => bankCode)
  return new Map(
    [...byBank].map(([bankCode, ofBank]) => {
      const byMeasure = Map.groupBy(ofBank, ({ measure }) => measure)
      return [bankCode, Object.fromEntries([...byMeasure].map(([m, all]) => [m, measured(all)]))]
    }),
  )
}

// The buckets in order.
function measured(buckets: readonly { bucket: number; count: number }[]): Measures {
  const total = buckets.reduce((sum, { count }) => sum + count, 0)
  const percentile = (share: number) => {
    let passed = 0
    const at = buckets.find(({ count }) => {
      passed += count
      return passed >= share * total
    })
    return at ? Math.round(secondsOf(at.bucket) * 10) / 10 : 0
  }
  return { count: total, p50: percentile(0.5), p99: percentile(0.99) }
}
