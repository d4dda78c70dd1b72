// The rate of calls to a bank (I40). `ratePerSecond` limits requeries, payouts and payout queries
// of all processes together, because calls are claimed under the lock of the bank's row in
// bank_health. The second is one of real time, even if the work is due by a test clock. A call that
// takes several requests claims each of them (CallOptions.takeTurn).
//
// No kind of call starves another: a kind without room waits in line. A claim leaves one call for
// each waiting kind; the kind at the head of the line gets at least one.

import type { CallLimits } from '#banks/connector.ts'
import type { Due } from '#client-time.ts'
import type { Clock } from '#clock.ts'
import { SKEW_MAX_MS } from '#db/clock-check.ts'
import type { Transaction } from '#db/transaction.ts'

const SECOND_MS = 1_000
// Workers come back within a second. A kind that stays away longer needs no call any more.
const LAPSE_MS = 3_000
const KEPT_SECONDS = 4 // Calls of this many seconds are stored.

export type CallKind = 'payouts' | 'payout_queries' | 'requeries'

type WaitingKind = { kind: CallKind; at: string } // The time of its last claim.

type LockedBank = {
  bankCode: string
  calls: Date[]
  waiting: WaitingKind[] // In order of arrival.
  failures: number
  pausedUntil: Date | null
}

// Lock the bank before the rows that its calls are about.
export async function lockBank(tx: Transaction, bankCode: string): Promise<LockedBank> {
  const { rows } = await tx.query<LockedBank>({
    name: 'lock-bank-health',
    text: `insert into bank_health (bank_code) values ($1)
           on conflict (bank_code) do update set bank_code = excluded.bank_code
           returning bank_code as "bankCode", calls, waiting, failures,
                     paused_until as "pausedUntil"`,
    values: [bankCode],
  })
  return rows[0] as LockedBank
}

type CallClaim<Claim> = Pick<Due, 'only'> & {
  bank: LockedBank
  kind: CallKind
  limits: CallLimits
  most: number // A limit besides the rate.
  claim: (limit: number) => Promise<Claim[]> // Each claim makes one call.
}

// For work that needs nothing else from the bank's row. Claims as many calls as one process makes
// concurrently.
export async function lockAndClaimCalls<Claim>(
  tx: Transaction,
  clock: Clock,
  { bankCode, ...claiming }: Omit<CallClaim<Claim>, 'bank' | 'most'> & { bankCode: string },
): Promise<Claim[]> {
  const { limits, claim } = claiming
  const most = limits.concurrency
  if (limits.ratePerSecond === Infinity) return claim(most)
  const bank = await lockBank(tx, bankCode)
  return claimCalls(tx, clock(), { ...claiming, bank, most })
}

// `now` is the real time, read under the lock.
export async function claimCalls<Claim>(
  tx: Transaction,
  now: Date,
  { bank, kind, limits, most, only, claim }: CallClaim<Claim>,
): Promise<Claim[]> {
  if (most <= 0) return []
  // Includes calls by a clock slightly ahead of ours, without waiting for it. Calls by a clock
  // further away stay stored for the processes that use it.
  const isWithin = (ms: number, at: Date) => Math.abs(now.getTime() - at.getTime()) < ms
  const storedCalls = bank.calls
    .filter((at) => isWithin(SKEW_MAX_MS, at))
    .slice(-KEPT_SECONDS * limits.ratePerSecond)
  const recent = storedCalls.filter((at) => isWithin(SECOND_MS, at))
  const line = bank.waiting.filter(({ at }) => isWithin(LAPSE_MS, new Date(at)))
  const others = line.filter((each) => each.kind !== kind)
  const place = line.findIndex((each) => each.kind === kind)
  const before = place < 0 ? others.length : place
  // Minutes of a test clock pass within a real second, so the rate would delay due work.
  const isLimited = only === undefined
  const room = limits.ratePerSecond - recent.length - before
  if (isLimited && room <= 0) {
    const waiting = others.toSpliced(before, 0, { kind, at: now.toISOString() })
    await note(tx, { ...bank, calls: storedCalls, waiting })
    return []
  }
  const fair = Math.max(1, room - (others.length - before))
  const claims = await claim(isLimited ? Math.min(most, fair) : most)
  if (limits.ratePerSecond === Infinity || (claims.length === 0 && place < 0)) return claims
  const calls = [...storedCalls, ...claims.map(() => now)]
  await note(tx, { ...bank, calls, waiting: isLimited ? others : line })
  return claims
}

async function note(
  tx: Transaction,
  { bankCode, calls, waiting }: Pick<LockedBank, 'bankCode' | 'calls' | 'waiting'>,
): Promise<void> {
  await tx.query({
    name: 'note-bank-calls',
    text: 'update bank_health set calls = $2, waiting = $3 where bank_code = $1',
    values: [bankCode, calls, JSON.stringify(waiting)],
  })
}
