// The workers of requeries: they plan requeries, ask the banks, purge old requeries, and write the measures
// of banks that this process observed.

import { setTimeout } from 'node:timers/promises'
import { readFreeNumbers } from '#accounts/number-pools.ts'
import { reservationsAt } from '#accounts/reserved-numbers.ts'
import type { BankConnection, BankConnections } from '#banks/connector.ts'
import type { CallMeter } from '#banks/observe-calls.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import { readWithheldShares } from '#credits/queries.ts'
import type { Pool } from '#db/pool.ts'
import { isUnavailable, withTransaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import { lockAndClaimCalls } from '#records/call-rates.ts'
import { syncRoutes } from '#routing/bank-route.ts'
import type { PaymentRouter } from '#routing/decision.ts'
import type { Sealer } from '#seal.ts'
import type { Round } from '#workers/loop.ts'
import { recordAnswer, releaseClaim, type SubmitCredits, takeFindings } from './answers.ts'
import { ASK_MAX_MS, askBank, type Claim, claimRequeries } from './ask.ts'
import { type NotificationMeter, writeMeasures } from './bank-health.ts'
import {
  findSilenceChanges,
  planDeadlines,
  planSweeps,
  purgeRequeries,
  recordSilenceChange,
} from './plan.ts'
import { canListTransfers } from './requery.ts'

export type PlanDeps = {
  db: Pool
  clock: Clock
  bankConnections: BankConnections
  graceSeconds: number
}

// Plans scheduled requeries, and records banks that fall silent or report again. Any number of processes may
// run it at once.
export function planRequeriesRound({ db, clock, bankConnections, graceSeconds }: PlanDeps): Round {
  const bankCodes = [...bankConnections.keys()]
  const listingBanks = bankCodes.filter((code) =>
    canListTransfers(bankConnections.get(code) ?? { calls: {} }),
  )
  return async () => {
    const now = clock()
    if (listingBanks.length > 0) {
      await planDeadlines(db, now, { banks: listingBanks, graceSeconds })
      await planSweeps(db, now, listingBanks)
    }
    for (const change of await findSilenceChanges(db, now, bankCodes)) {
      const canList = listingBanks.includes(change.bank.bankCode)
      await withTransaction(db, (tx) => recordSilenceChange(tx, now, { ...change, canList }))
    }
    return { more: false }
  }
}

export function purgeRequeriesRound({ db, clock }: Pick<PlanDeps, 'db' | 'clock'>): Round {
  return async () => ({ more: await purgeRequeries(db, clock()) })
}

export type RequeryDeps = {
  db: Pool
  batchPool: Pool
  sealer: Sealer
  clock: Clock
  realClock?: Clock // Defaults to `clock`.
  submitCredits: SubmitCredits
  askMaxMs?: number // The most time that one answer may take. Defaults to ASK_MAX_MS.
}

type Bank = { bankCode: string; connection: Pick<BankConnection, 'calls' | 'limits'> }

// Finds the banks that answer at least one kind of requery. Each gets a worker.
export function findQueryableBanks(connections: BankConnections): Bank[] {
  return [...connections].flatMap(([bankCode, connection]) => {
    const { findTransfer, listTransfers } = connection.calls
    return findTransfer || listTransfers ? [{ bankCode, connection }] : []
  })
}

// Asks one bank about its due requeries. Each bank has its own worker, so that a slow bank delays no other.
//
//   claim (a lease) ─▶ ask, no transaction open ─▶ book the findings ─▶ record the answer
//
// After a crash at any point, the requery is repeated when its lease expires. A credit found twice is a
// duplicate like any other.
export function requeryTransfersRound(deps: RequeryDeps, bank: Bank): Round {
  const { db, clock, realClock } = deps
  const { bankCode, connection } = bank
  return async (signal) => {
    const claims = await withTransaction(db, (tx) =>
      claimRequeries(tx, clock, { bankCode, limits: connection.limits, realClock }),
    )
    const requeries = claims.map((claim) => askAndRecord(deps, { claim, connection, signal }))
    const failures = (await Promise.allSettled(requeries)).flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    )
    if (failures.length > 0) throw failures[0] // Their leases expire, and a worker asks again.
    return { more: claims.length > 0 }
  }
}

const TURN_MS = 100

// Waits for room under the bank's rate limit. A requery may take many requests, and the limit includes each
// of them (I40). Returns false if the requery is aborted.
async function awaitCallRate(
  { db, clock, realClock = clock }: RequeryDeps,
  { claim, connection, signal }: Requery,
) {
  const { limits } = connection
  const asking = { bankCode: claim.bankCode, kind: 'requeries', limits } as const
  while (!signal.aborted) {
    // `[true]` stands for the claimed rows, because a further request of the same requery claims no row.
    const turns = await withTransaction(db, (tx) =>
      lockAndClaimCalls(tx, realClock, { ...asking, claim: async () => [true] }),
    )
    if (turns.length > 0) return true
    await setTimeout(TURN_MS, undefined, { signal }).catch(() => {})
  }
  return false
}

type Requery = { claim: Claim; connection: Bank['connection']; signal: AbortSignal }

// Asks the bank about one claimed requery, books the money that it finds, and records the answer. Releases
// the claim if there is no answer because the process stops, so that another round need not wait for the
// lease to expire.
async function askAndRecord(
  deps: RequeryDeps,
  { claim, connection, signal }: Requery,
): Promise<void> {
  const { db, clock, realClock = clock, askMaxMs = ASK_MAX_MS } = deps
  const askedAt = clock()
  const startMs = performance.now()
  const takeTurn = (end: AbortSignal) => awaitCallRate(deps, { claim, connection, signal: end })
  const reservations = reservationsAt(db, claim.bankCode)
  const answer = await askBank(connection.calls, claim, {
    signal,
    askMaxMs,
    takeTurn,
    reservations,
  })
  if (signal.aborted && answer.answer === 'no_answer') {
    return withTransaction(db, (tx) => releaseClaim(tx, claim))
  }
  const latencyMs = Math.round(performance.now() - startMs)
  const [now, bankNow] = [clock(), realClock()]
  try {
    const newCreditIds = await takeFindings({ ...deps, now }, claim.bankCode, answer.items)
    await withTransaction(db, (tx) =>
      recordAnswer(tx, now, { claim, askedAt, latencyMs, answer, newCreditIds, bankNow }),
    )
  } catch (error) {
    const isStill = clock().getTime() === askedAt.getTime()
    if (isStill && isPassing(error)) await releaseQuietly(deps, claim)
    throw error
  }
}

// Releases a claim while a test clock stands still, by which its lease would never expire. By any other clock
// it should: the bank must not be asked in every round while the database is slow.
async function releaseQuietly({ db }: RequeryDeps, claim: Claim): Promise<void> {
  await withTransaction(db, (tx) => releaseClaim(tx, claim)).catch(() => {})
}

// Whether a failure says only that the database is too slow, or that too much is waiting for it.
function isPassing(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof Refusal && WAITING.has(error.code))
}

const WAITING: ReadonlySet<RefusalCode> = new Set(['try_again', 'busy'])

type Deps = { db: Pool; clock: Clock; notificationMeter: NotificationMeter }

// Writes this process's counts of bank notifications. This worker runs in every process that receives
// notifications, even if other workers are turned off.
export function writeMeasuresRound({ db, clock, notificationMeter }: Deps): Round {
  return async () => {
    const measures = notificationMeter.take()
    if (measures.length > 0) await withTransaction(db, (tx) => writeMeasures(tx, clock(), measures))
    return { more: false }
  }
}

type RoutingDeps = {
  db: Pool
  clock: Clock
  banks: readonly BankSettings[]
  callMeter: CallMeter
  paymentRouter: PaymentRouter
}

// How long the shares that banks withhold from credits are kept in memory; they change slowly.
const SHARES_MAX_AGE_MS = 60_000

// Writes the calls to banks that this process observed, and refreshes the facts by which payments are routed.
// Every process runs it, with or without workers.
export function syncRoutingRound({
  db,
  clock,
  banks,
  callMeter,
  paymentRouter,
}: RoutingDeps): Round {
  let shares: { atMs: number; perMille: Map<string, number> } | undefined
  return async () => {
    const now = clock()
    const news = { counts: callMeter.take(), tried: paymentRouter.takeTrials() }
    // If the write fails, the counts and trials are given back, so that the next round writes them.
    const routes = await syncRoutes(db, now, news).catch((error) => {
      callMeter.giveBack(news.counts)
      paymentRouter.giveBackTrials(news.tried)
      throw error
    })
    const nowMs = performance.now()
    if (!shares || nowMs - shares.atMs > SHARES_MAX_AGE_MS) {
      shares = { atMs: nowMs, perMille: await readWithheldShares(db) }
    }
    const numbers = await readFreeNumbers(db, now, banks)
    paymentRouter.renew({ routes, numbers, withheldPerMille: shares.perMille })
    return { more: false }
  }
}
