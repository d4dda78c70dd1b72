// The plan of a seeded history. Pure, and the same for the same seed. Its steps go from the oldest day to
// the newest, so the books grow in order of time.
//
//   the accounts; then for each day: credits to accounts, and payments with their outcomes

import { type Kobo, kobo } from '#money.ts'
import { watDayStart } from '#wat-time.ts'

export const SEED_ACCOUNTS_MAX = 10_000
export const SEED_DAYS_MAX = 90
// Per transaction, which takes some tens of milliseconds.
const ACCOUNTS_PER_STEP = 200
const CREDITS_PER_STEP = 500
const PAYMENTS_PER_DAY_MAX = 25
const ACCOUNTS_PER_PAYMENT = 20

const DAY_MS = 86_400_000
const OPEN_MS = 9 * 3_600_000 // Activity per day; on the last day, since midnight at most.
const CREDITED = 0.6 // The fraction of accounts credited on a day.
const FIRST_KOBO = kobo(500_000n) // The first account and payment, easy to recognise.

export type SeedSize = { accounts: number; days: number }
export type SeedStep =
  | { kind: 'accounts'; at: Date; from: number; to: number }
  | { kind: 'credits'; at: Date; day: number; from: number; to: number }
  | { kind: 'payments'; at: Date; day: number; count: number }

export function listSteps({ accounts, days }: SeedSize, endsAt: Date): SeedStep[] {
  const todayMs = days === 1 ? 0 : endsAt.getTime() - watDayStart(endsAt).getTime()
  const before = (day: number, openLeft: number) => {
    const openMs = day === days - 1 ? Math.min(OPEN_MS, todayMs) : OPEN_MS
    return new Date(endsAt.getTime() - (days - 1 - day) * DAY_MS - openMs * openLeft)
  }
  const opened = before(0, 1)
  const steps: SeedStep[] = chunks(accounts, ACCOUNTS_PER_STEP).map((chunk) => ({
    kind: 'accounts',
    at: opened,
    ...chunk,
  }))
  const count = Math.min(Math.ceil(accounts / ACCOUNTS_PER_PAYMENT), PAYMENTS_PER_DAY_MAX)
  for (let day = 0; day < days; day++) {
    const credits = chunks(accounts, CREDITS_PER_STEP)
    for (const [index, chunk] of credits.entries()) {
      const at = before(day, 1 - (index + 1) / (credits.length + 1))
      steps.push({ kind: 'credits', at, day, ...chunk })
    }
    steps.push({ kind: 'payments', at: before(day, 0), day, count })
  }
  return steps
}

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

export function sampleName(seed: number, index: number): string {
  if (index === 0) return 'Ada Obi (sample)'
  const draw = random(seed, 1, index)
  const [first, last] = [FIRST_NAMES, LAST_NAMES].map((names) => names[Math.floor(draw() * 9)])
  return `${first} ${last} (sample)`
}

// Undefined: no credit on that day. Every account gets one on the first day.
export function creditOf(seed: number, day: number, index: number): Kobo | undefined {
  const draw = random(seed, 2 + day, index)
  if (day > 0 && draw() > CREDITED) return undefined
  return day === 0 && index === 0 ? FIRST_KOBO : wholeNaira(draw)
}

type SamplePayment = { amountKobo: Kobo; paidKobo: Kobo } // Paid: nothing, a part, all, or too much.

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

// From ₦500 to ₦50,000.
function wholeNaira(draw: () => number): Kobo {
  return kobo(BigInt(500 + Math.floor(draw() * 49_500)) * 100n)
}

// mulberry32: small, and random enough for samples.
function random(seed: number, stream: number, index: number): () => number {
  let state = (seed * 2_654_435_761 + stream * 40_503 + index * 2_246_822_519) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
