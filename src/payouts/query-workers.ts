// Queries banks about payouts without an outcome and about payouts that the bank has reported on. Alerts
// operators of payouts that have had no outcome for long, and of payouts that are blocked. Never sends
// anything (I47).

import type { BankConnection, BankConnections } from '#banks/connector.ts'
import { timestamp } from '#clock.ts'
import { pipeline, type Transaction, withTransaction } from '#db/transaction.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { awaitHolders, lockAndClaimCalls } from '#records/call-rates.ts'
import { appendEvents } from '#records/events.ts'
import type { Round } from '#workers/loop.ts'
import { alertBlocked, arePayoutsHeld, holdIfDatabaseMoved } from './holds.ts'
import { claimReviews, takeReviewAnswer } from './review.ts'
import { settleAsTold } from './settle.ts'
import {
  ABSENT,
  alertWaiting,
  claimQueries,
  findLongUnknown,
  findQueriedBanks,
  isAbsent,
  markAccepted,
  markRestoredUnknown,
  markStaleUnknown,
  type Observation,
  outcomeOf,
  type PayoutQuery,
  recordNotFound,
  wouldKnow,
} from './unknown.ts'
import type { PayoutDeps } from './workers.ts'

type QueriedBank = { bankCode: string; connection: BankConnection }

export type QueryDeps = PayoutDeps & {
  bankConnections: BankConnections
  observer: string
  frozenTime?: () => Date | undefined // Under a test clock, elapsed time is measured by that clock.
}

export function watchPayoutsRound(deps: PayoutDeps): Round {
  return async () => {
    await watchPayouts(deps)
    return { more: false }
  }
}

// Queries the banks of one connection. Each connection has its own worker, so that a slow bank delays no
// other.
export function queryPayoutsRound(deps: QueryDeps, bankCodes: readonly string[]): Round {
  return async () => {
    await queryBanks(deps, bankCodes)
    return { more: false }
  }
}

export function findQueriedConnections(connections: BankConnections): string[][] {
  const able = [...connections].filter(([, { calls }]) => calls.findPayout)
  const groups = Map.groupBy(able, ([, { calls }]) => calls.findPayout)
  return [...groups.values()].map((banks) => banks.map(([bankCode]) => bankCode))
}

export async function queryPayouts(deps: QueryDeps): Promise<number> {
  await watchPayouts(deps)
  return queryBanks(deps, [...deps.bankConnections.keys()])
}

async function watchPayouts({ batchPool, clock }: PayoutDeps): Promise<void> {
  const now = clock()
  await withTransaction(batchPool, (tx) => holdIfDatabaseMoved(tx, now))
  await withTransaction(batchPool, async (tx) => {
    await markStaleUnknown(tx, now)
    await markRestoredUnknown(tx, now)
    await alertLongUnknown(tx, now)
    await alertBlocked(tx, now)
  })
}

async function queryBanks(deps: QueryDeps, bankCodes: readonly string[]): Promise<number> {
  const due = await findQueriedBanks(deps.batchPool, deps.clock())
  const queries = due.flatMap((bankCode) => {
    const connection = bankCodes.includes(bankCode) && deps.bankConnections.get(bankCode)
    return connection ? [queryBank(deps, { bankCode, connection })] : []
  })
  const counts = await pipeline(queries)
  return counts.reduce((sum, count) => sum + count, 0)
}

// Claims the payouts at one bank that are due for a query, within the bank's call limits, and asks the bank
// about each. `askForOutcome` is for payouts without an outcome; `reviewSettled` checks a settled payout
// again after the bank reported about it. Returns the number of queries.
async function queryBank(deps: QueryDeps, { bankCode, connection }: QueriedBank): Promise<number> {
  const { findPayout } = connection.calls
  if (!findPayout) return 0 // This bank cannot be queried. Operators must find out the outcomes.
  const { limits } = connection
  const { batchPool, clock, realClock = clock } = deps
  const due = await withTransaction(batchPool, (tx) =>
    lockAndClaimCalls(tx, realClock, {
      bankCode,
      kind: 'payout_queries',
      limits,
      claim: (limit) => claimAll(tx, clock(), { bankCode, limit }),
    }),
  )
  const asking = { bankCode, connection, findPayout }
  await Promise.all(
    due.map(({ isReview, query }) =>
      isReview
        ? reviewSettled(deps, { ...asking, query })
        : askForOutcome(deps, { ...asking, query }),
    ),
  )
  return due.length
}

// Claims queries for payouts without an outcome first. The rest of the limit goes to reviews: queries about
// settled payouts that a bank has reported on (review.ts).
async function claimAll(tx: Transaction, now: Date, claim: { bankCode: string; limit: number }) {
  const queries = await claimQueries(tx, now, claim)
  const reviews = await claimReviews(tx, now, { ...claim, limit: claim.limit - queries.length })
  return [
    ...queries.map((query) => ({ query, isReview: false })),
    ...reviews.map((query) => ({ query, isReview: true })),
  ]
}

type PayoutQuestion = QueriedBank & {
  query: PayoutQuery
  findPayout: NonNullable<BankConnection['calls']['findPayout']>
}

async function reviewSettled(
  deps: QueryDeps,
  { bankCode, connection, query, findPayout }: PayoutQuestion,
): Promise<void> {
  const { batchPool, sharedAccounts, clock } = deps
  const queriedAtMs = readElapsed(deps)
  const answer = await findPayout(query.reference, {})
  const observation = observe(deps, queriedAtMs)
  const reviewed = {
    query,
    answer,
    observation,
    wouldKnow: wouldKnow(connection, query),
    by: `bank:${bankCode}`,
  }
  await withTransaction(batchPool, (tx) =>
    takeReviewAnswer(tx, { sharedAccounts, now: clock() }, reviewed),
  )
}

async function askForOutcome(
  deps: QueryDeps,
  { bankCode, connection, query, findPayout }: PayoutQuestion,
): Promise<void> {
  const { batchPool, sharedAccounts, payoutHooks: hooks, clock } = deps
  const { id, reference } = query
  const queriedAtMs = readElapsed(deps)
  const answer = await findPayout(reference, {})
  const by = `bank:${bankCode}`
  if (answer.status === 'not_found') {
    // The settings have changed and lead to another bank, so "not found" there means nothing.
    if (!wouldKnow(connection, query)) return
    const observation = observe(deps, queriedAtMs)
    await takeNotFound(deps, {
      by,
      query,
      observation,
      isProof: connection.notFoundIsProof === true,
    })
    return
  }
  if (answer.status === 'unknown') {
    await withTransaction(batchPool, async (tx) => {
      if (answer.isAccepted) await markAccepted(tx, id)
      await alertWaiting(tx, clock(), { reference, bankCode, answer })
    })
  }
  const outcome = outcomeOf(answer)
  if (!outcome) return
  await withTransaction(batchPool, (tx) =>
    settleAsTold(tx, { sharedAccounts, now: clock(), hooks }, { id, reference, outcome, by }),
  )
}

function observe(deps: QueryDeps, queriedAtMs: number): Observation {
  const by = deps.frozenTime?.() ? 'test-clock' : deps.observer
  return { by, queriedAtMs, answeredAtMs: readElapsed(deps) }
}

function readElapsed({ frozenTime, monotonic }: QueryDeps): number {
  return frozenTime?.()?.getTime() ?? monotonic()
}

type NotFound = { by: string; query: PayoutQuery; observation: Observation; isProof: boolean }

async function takeNotFound(
  { batchPool, sharedAccounts, payoutHooks: hooks, clock }: QueryDeps,
  { by, query, observation, isProof }: NotFound,
): Promise<void> {
  const { id, reference } = query
  await withTransaction(batchPool, async (tx) => {
    await awaitHolders(tx)
    const observed = await recordNotFound(tx, id, observation)
    if (!observed) return
    const isHeld = await arePayoutsHeld(tx)
    if (!isAbsent({ ...observed, isProof, isHeld })) return
    const deps = { sharedAccounts, now: clock(), hooks }
    await settleAsTold(tx, deps, { id, reference, outcome: ABSENT, by })
  })
}

async function alertLongUnknown(tx: Transaction, now: Date): Promise<void> {
  const unknown = await findLongUnknown(tx, now)
  const events = await raiseAlerts(
    tx,
    now,
    unknown.map(({ reference, bankCode, sendingAt, notFoundAnswers }) => ({
      kind: 'payout_unknown',
      subject: `payout/${reference}`,
      detail: {
        bankCode,
        sentAt: timestamp(sendingAt),
        ...(notFoundAnswers > 0 && { notFoundAnswers }),
      },
    })),
  )
  await appendEvents(tx, now, events)
}
