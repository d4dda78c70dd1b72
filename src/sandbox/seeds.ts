// Seeds: sample histories for sandbox clients. Plans the steps of a history, and stores the progress of
// writing it. A client has at most one unfinished seed.

import { DAY_MS, watDayStart } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'

// The plan of a history is pure: the same seed produces the same plan. Steps go from the oldest day to the
// newest, so that the books grow in order of time.
//
//   the accounts; then for each day: credits to accounts, and payments with their outcomes

export const SEED_ACCOUNTS_MAX = 10_000
export const SEED_DAYS_MAX = 90
// A step is one transaction. With this many rows it takes some tens of milliseconds.
const ACCOUNTS_PER_STEP = 200
const CREDITS_PER_STEP = 500
const PAYMENTS_PER_DAY_MAX = 25
const ACCOUNTS_PER_PAYMENT = 20

const OPEN_MS = 9 * 3_600_000 // Activity per day; on the last day, at most the time since midnight.
const CREDITED = 0.6 // The fraction of accounts credited on a day.
const FIRST_KOBO = kobo(500_000n) // The amount of the first account and payment, easy to recognise.

type SeedSize = { accounts: number; days: number }
export type SeedStep =
  | { kind: 'accounts'; at: Date; from: number; to: number }
  | { kind: 'credits'; at: Date; day: number; from: number; to: number }
  | { kind: 'payments'; at: Date; day: number; count: number }

// Plans the steps of a seed. Day 0 is the oldest; the last day ends at `endsAt`. All steps of a seed of one
// day are at `endsAt`.
export function listSteps({ accounts, days }: SeedSize, endsAt: Date): SeedStep[] {
  const todayMs = days === 1 ? 0 : endsAt.getTime() - watDayStart(endsAt).getTime()
  // Returns the time on a day at which the fraction `openLeft` of its hours of activity is left.
  const timeOnDay = (day: number, openLeft: number) => {
    const openMs = day === days - 1 ? Math.min(OPEN_MS, todayMs) : OPEN_MS
    return new Date(endsAt.getTime() - (days - 1 - day) * DAY_MS - openMs * openLeft)
  }
  const opened = timeOnDay(0, 1)
  const steps: SeedStep[] = chunks(accounts, ACCOUNTS_PER_STEP).map((chunk) => ({
    kind: 'accounts',
    at: opened,
    ...chunk,
  }))
  const count = Math.min(Math.ceil(accounts / ACCOUNTS_PER_PAYMENT), PAYMENTS_PER_DAY_MAX)
  for (let day = 0; day < days; day++) {
    const credits = chunks(accounts, CREDITS_PER_STEP)
    for (const [index, chunk] of credits.entries()) {
      const at = timeOnDay(day, 1 - (index + 1) / (credits.length + 1))
      steps.push({ kind: 'credits', at, day, ...chunk })
    }
    steps.push({ kind: 'payments', at: timeOnDay(day, 0), day, count })
  }
  return steps
}

// Splits the numbers from 0 to `count` into ranges of at most `size`; `to` is exclusive.
function chunks(count: number, size: number): { from: number; to: number }[] {
  return Array.from({ length: Math.ceil(count / size) }, (_, index) => ({
    from: index * size,
    to: Math.min((index + 1) * size, count),
  }))
}

const FIRST_NAMES = ['Ada', 'Bola', 'Chidi', 'Dayo', 'Emeka', 'Funke', 'Gozie', 'Halima', 'Ibrahim']
const LAST_NAMES = [
  'Obi',
  'Adeyemi',
  'Okafor',
  'Bello',
  'Eze',
  'Musa',
  'Nwosu',
  'Balogun',
  'Danjuma',
]

// Returns the name of the customer with this index: always the same for the same seed. The first customer has
// a fixed name that is easy to recognise. 9 is the number of first names, and of last names.
export function sampleName(seed: number, index: number): string {
  if (index === 0) return 'Ada Obi (sample)'
  const draw = random(seed, 1, index)
  const [first, last] = [FIRST_NAMES, LAST_NAMES].map((names) => names[Math.floor(draw() * 9)])
  return `${first} ${last} (sample)`
}

// Returns the amount that an account receives on a day, or undefined if it receives none. On the first day
// every account receives a credit.
export function creditOf(seed: number, day: number, index: number): Kobo | undefined {
  const draw = random(seed, 2 + day, index)
  if (day > 0 && draw() > CREDITED) return undefined
  return day === 0 && index === 0 ? FIRST_KOBO : wholeNaira(draw)
}

type SamplePayment = { amountKobo: Kobo; paidKobo: Kobo } // `paidKobo` may be 0, a part, all, or too much.

// Returns the amount of a sample payment and what its payer pays. About 70 % are paid in full, 15 % by half,
// 10 % with ₦500 too much, and 5 % not at all.
export function paymentOf(seed: number, day: number, index: number): SamplePayment {
  if (day === 0 && index === 0) return { amountKobo: FIRST_KOBO, paidKobo: FIRST_KOBO }
  const draw = random(seed, 1_000 + day, index)
  const amountKobo = wholeNaira(draw)
  const share = draw()
  if (share < 0.7) return { amountKobo, paidKobo: amountKobo }
  if (share < 0.85) return { amountKobo, paidKobo: kobo(amountKobo / 2n) }
  if (share < 0.95) return { amountKobo, paidKobo: kobo(amountKobo + 50_000n) }
  return { amountKobo, paidKobo: kobo(0n) }
}

// Returns a random amount from ₦500 up to ₦50,000.
function wholeNaira(draw: () => number): Kobo {
  return kobo(BigInt(500 + Math.floor(draw() * 49_500)) * 100n)
}

// Returns a random number generator (mulberry32) for one customer or payment. `index` is the position of the
// customer or payment. `stream` separates the numbers for names, each day's credits and each day's payments.
// The same arguments always give the same numbers.
function random(seed: number, stream: number, index: number): () => number {
  let state = (seed * 2_654_435_761 + stream * 40_503 + index * 2_246_822_519) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export type Seed = SeedSize & {
  id: bigint
  clientId: ClientId
  seed: number
  endsAt: Date
  steps: number
  done: number
  begunAt: Date
  finishedAt: Date | null
  problem: string | null
}

const COLUMNS = `
  id, client_id, seed, accounts, days, ends_at, steps, done, begun_at, finished_at, problem`

type NewSeed = SeedSize & { clientId: ClientId; seed: number; endsAt: Date }

// Stores a new seed, which the worker then writes. Refuses with seed_running while another seed of the
// client is unfinished.
export async function beginSeed(tx: Transaction, realTime: Date, newSeed: NewSeed): Promise<Seed> {
  const { clientId, seed, accounts, days, endsAt } = newSeed
  const { rows } = await tx.query<Seed>({
    name: 'begin-seed',
    text: `insert into sandbox_seeds (client_id, seed, accounts, days, ends_at, steps, begun_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (client_id) where finished_at is null do nothing
           returning ${COLUMNS}`,
    values: [clientId, seed, accounts, days, endsAt, listSteps(newSeed, endsAt).length, realTime],
  })
  if (!rows[0]) throw new Refusal('seed_running')
  return rows[0]
}

// Returns the latest seed of the client.
export async function findSeed(db: Queryable, clientId: ClientId): Promise<Seed | undefined> {
  const { rows } = await db.query<Seed>({
    name: 'find-seed',
    text: `select ${COLUMNS} from sandbox_seeds where client_id = $1 order by id desc limit 1`,
    values: [clientId],
  })
  return rows[0]
}

// SQL condition: whether the worker that writes seeds has work.
export const HAS_UNFINISHED_SEEDS = 'exists (select from sandbox_seeds where finished_at is null)'

// Locks and returns an unfinished seed that no other worker is writing: of this client, or of any client if
// `clientId` is null.
export async function claimSeed(
  tx: Transaction,
  clientId: ClientId | null,
): Promise<Seed | undefined> {
  const { rows } = await tx.query<Seed>({
    name: 'claim-seed',
    text: `select ${COLUMNS} from sandbox_seeds
            where finished_at is null and ($1::bigint is null or client_id = $1)
            order by id limit 1 for update skip locked`,
    values: [clientId],
  })
  return rows[0]
}

// Counts a written step, and ends the seed after the last one.
export async function countStep(tx: Transaction, realTime: Date, { id }: Seed): Promise<void> {
  await tx.query({
    name: 'count-seed-step',
    text: `update sandbox_seeds
              set done = done + 1, finished_at = case when done + 1 = steps then $2::timestamptz end
            where id = $1`,
    values: [id, realTime],
  })
}

// Ends the seed with a reason. Keeps the rows written so far.
export async function failSeed(
  db: Queryable,
  realTime: Date,
  { id, problem }: { id: bigint; problem: string },
): Promise<void> {
  await db.query({
    name: 'fail-seed',
    text: `update sandbox_seeds set finished_at = $2, problem = $3
            where id = $1 and finished_at is null`,
    values: [id, realTime, problem],
  })
}
