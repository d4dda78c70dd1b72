// How fast a bank is called (I40): its `ratePerSecond` holds for requeries, payouts and queries of
// payouts, in all processes together, because calls are claimed under the lock of its row in
// bank_health. The second is of real time, whatever time the work is due in. A call that takes several
// requests claims each (CallOptions.takeTurn).
//
// No kind of call starves another: whoever finds no room waits in line. A claim leaves one call to each
// kind that waits; but one whose turn it is takes one in any case.

import type { CallLimits } from '#banks/connector.ts'
import type { Due } from '#client-time.ts'
import type { Clock } from '#clock.ts'
import { SKEW_MAX_MS } from '#db/clock-check.ts'
import type { Transaction } from '#db/transaction.ts'

const SECOND_MS = 1_000
// Workers come again within a second. Who stays away for longer needs no call any more.
const LAPSE_MS = 3_000
const KEPT = 4 // Seconds' worth of calls.

export type CallKind = 'payouts' | 'payout_queries' | 'requeries'

type Waiting = { kind: CallKind; at: string } // When it last came.

export type LockedBank = {
  bankCode: string
  calls: Date[]
  waiting: Waiting[] // The first comes first.
  failures: number
  pausedUntil: Date | null
}

// Before anything else that its calls are about.
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

type Claiming<Claim> = Pick<Due, 'only'> & {
  bank: LockedBank
  kind: CallKind
  limits: CallLimits
  most: number // Whatever the rate.
  claim: (limit: number) => Promise<Claim[]> // A call for each.
}

// The same for work that needs nothing else of the bank's row: as many as one process makes at a time.
export async function lockAndClaimCalls<Claim>(
  tx: Transaction,
  clock: Clock,
  { bankCode, ...claiming }: Omit<Claiming<Claim>, 'bank' | 'most'> & { bankCode: string },
): Promise<Claim[]> {
  const { limits, claim } = claiming
  const most = limits.concurrency
  if (limits.ratePerSecond === Infinity) return claim(most)
  const bank = await lockBank(tx, bankCode)
  return claimCalls(tx, clock(), { ...claiming, bank, most })
}

// `now`: the real time, read under the lock.
export async function claimCalls<Claim>(
  tx: Transaction,
  now: Date,
  { bank, kind, limits, most, only, claim }: Claiming<Claim>,
): Promise<Claim[]> {
  if (most <= 0) return []
  // By a clock that was ahead, too; but what it says of later is not waited for. Calls by a clock that is
  // further from ours are kept for whoever goes by it.
  const isWithin = (ms: number, at: Date) => Math.abs(now.getTime() - at.getTime()) < ms
  const known = bank.calls
    .filter((at) => isWithin(SKEW_MAX_MS, at))
    .slice(-KEPT * limits.ratePerSecond)
  const recent = known.filter((at) => isWithin(SECOND_MS, at))
  const line = bank.waiting.filter(({ at }) => isWithin(LAPSE_MS, new Date(at)))
  const others = line.filter((each) => each.kind !== kind)
  const place = line.findIndex((each) => each.kind === kind)
  const before = place < 0 ? others.length : place
  // Minutes of a test clock pass within a second of the bank's: there the rate would lose what is due.
  const isLimited = only === undefined
  const room = limits.ratePerSecond - recent.length - before
  if (isLimited && room <= 0) {
    const waiting = others.toSpliced(before, 0, { kind, at: now.toISOString() })
    await note(tx, { ...bank, calls: known, waiting })
    return []
  }
  const fair = Math.max(1, room - (others.length - before))
  const claims = await claim(isLimited ? Math.min(most, fair) : most)
  if (limits.ratePerSecond === Infinity || (claims.length === 0 && place < 0)) return claims
  const calls = [...known, ...claims.map(() => now)]
  await note(tx, { ...bank, calls, waiting: isLimited ? others : line })
  return claims
}

type Noted = Pick<LockedBank, 'bankCode' | 'calls' | 'waiting'>

async function note(tx: Transaction, { bankCode, calls, waiting }: Noted): Promise<void> {
  await tx.query({
    name: 'note-bank-calls',
    text: 'update bank_health set calls = $2, waiting = $3 where bank_code = $1',
    values: [bankCode, calls, JSON.stringify(waiting)],
  })
}
