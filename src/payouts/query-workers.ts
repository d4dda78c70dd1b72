// Workers that query banks about payouts without an outcome, and about payouts that the bank has reported on.
// They also alert operators of payouts that have had no outcome for long, and of payouts that are blocked.
// They never send a payout (I47).

import type { BankConnection, BankConnections } from '#banks/connector.ts'
import { timestamp } from '#clock.ts'
import { pipeline, type Transaction, withTransaction } from '#db/transaction.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { awaitHolders, lockAndClaimCalls } from '#records/call-rates.ts'
import { appendEvents } from '#records/events.ts'
import type { Round } from '#workers/loop.ts'
import { alertBlocked, alertHeld, arePayoutsHeld, noteDatabase } from './holds.ts'
import { claimReviews, takeReviewAnswer } from './review.ts'
import { settleAsReported } from './settle.ts'
import {
  ABSENT_OUTCOME,
  alertWaiting,
  canKnowPayout,
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
} from './unknown.ts'
import type { PayoutDeps } from './workers.ts'

type QueriedBank = { bankCode: string; connection: BankConnection }

export type QueryDeps = PayoutDeps & {
  bankConnections: BankConnections
  observer: string // Names this process in stored observations.
  frozenTime?: () => Date | undefined // Under a test clock, elapsed time is measured by that clock.
}

// Runs once, however many banks there are: makes stale and restored payouts unknown, and raises alerts.
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

// Groups the banks that can be queried about payouts by their connection. The banks of one connection share
// its `findPayout` function.
export function findQueriedConnections(connections: BankConnections): string[][] {
  const queryable = [...connections].filter(([, { calls }]) => calls.findPayout)
  const groups = Map.groupBy(queryable, ([, { calls }]) => calls.findPayout)
  return [...groups.values()].map((banks) => banks.map(([bankCode]) => bankCode))
}

// Does the work of both rounds at once, when a test clock is moved. Returns the number of queries.
export async function queryPayouts(deps: QueryDeps): Promise<number> {
  await watchPayouts(deps)
  return queryBanks(deps, [...deps.bankConnections.keys()])
}

// Notes the database, makes stale and restored payouts unknown, and raises alerts.
async function watchPayouts({ batchPool, clock }: PayoutDeps): Promise<void> {
  const now = clock()
  await withTransaction(batchPool, (tx) => noteDatabase(tx, now))
  await withTransaction(batchPool, async (tx) => {
    await markStaleUnknown(tx, now)
    await markRestoredUnknown(tx, now)
    await alertHeld(tx, now)
    await alertLongUnknown(tx, now)
    await alertBlocked(tx, now)
  })
}

// Queries those of the banks that have due queries, all at once. Returns the number of queries.
async function queryBanks(deps: QueryDeps, bankCodes: readonly string[]): Promise<number> {
  const due = await findQueriedBanks(deps.batchPool, deps.clock())
  // Starts the queries. Leaves out banks of other connections, and banks that are no longer configured.
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
      claim: (limit) => claimQueriesAndReviews(tx, clock(), { bankCode, limit }),
    }),
  )
  const bankCalls = { bankCode, connection, findPayout }
  await Promise.all(
    due.map(({ isReview, query }) =>
      isReview
        ? reviewSettled(deps, { ...bankCalls, query })
        : askForOutcome(deps, { ...bankCalls, query }),
    ),
  )
  return due.length
}

// Claims queries for payouts without an outcome first. The rest of the limit goes to reviews: queries about
// settled payouts that a bank has reported on (review.ts).
async function claimQueriesAndReviews(
  tx: Transaction,
  now: Date,
  claim: { bankCode: string; limit: number },
) {
  const queries = await claimQueries(tx, now, claim)
  const reviews = await claimReviews(tx, now, { ...claim, limit: claim.limit - queries.length })
  return [
    ...queries.map((query) => ({ query, isReview: false })),
    ...reviews.map((query) => ({ query, isReview: true })),
  ]
}

type QueryToAsk = QueriedBank & {
  query: PayoutQuery
  findPayout: NonNullable<BankConnection['calls']['findPayout']>
}

// Queries the bank about a settled payout, and compares the answer with the books.
async function reviewSettled(
  deps: QueryDeps,
  { bankCode, connection, query, findPayout }: QueryToAsk,
): Promise<void> {
  const { batchPool, sharedAccounts, clock } = deps
  const queriedAtMs = readElapsedMs(deps)
  const answer = await findPayout(query.reference, {})
  const observation = observeAnswer(deps, queriedAtMs)
  const reviewed = {
    query,
    answer,
    observation,
    canKnowPayout: canKnowPayout(connection, query),
    by: `bank:${bankCode}`,
  }
  await withTransaction(batchPool, (tx) =>
    takeReviewAnswer(tx, { sharedAccounts, now: clock() }, reviewed),
  )
}

// Queries the bank about a payout without an outcome, and settles the payout if the answer is final.
async function askForOutcome(
  deps: QueryDeps,
  { bankCode, connection, query, findPayout }: QueryToAsk,
): Promise<void> {
  const { batchPool, sharedAccounts, payoutHooks: hooks, clock } = deps
  const { id, reference } = query
  const queriedAtMs = readElapsedMs(deps)
  const answer = await findPayout(reference, {})
  const by = `bank:${bankCode}`
  if (answer.status === 'not_found') {
    // This connection did not send the payout, because the settings have changed. Its "not found" means
    // nothing.
    if (!canKnowPayout(connection, query)) return
    const observation = observeAnswer(deps, queriedAtMs)
    await handleNotFound(deps, {
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
    settleAsReported(tx, { sharedAccounts, now: clock(), hooks }, { id, reference, outcome, by }),
  )
}

// Notes when the answer came. Answers under a test clock count separately, because its time is not real.
function observeAnswer(deps: QueryDeps, queriedAtMs: number): Observation {
  const by = deps.frozenTime?.() ? 'test-clock' : deps.observer
  return { by, queriedAtMs, answeredAtMs: readElapsedMs(deps) }
}

// Reads the clock by which the time between answers is measured: a test clock if it is set, or else the
// monotonic clock of this process.
function readElapsedMs({ frozenTime, monotonic }: QueryDeps): number {
  return frozenTime?.()?.getTime() ?? monotonic()
}

type NotFound = { by: string; query: PayoutQuery; observation: Observation; isProof: boolean }

// Counts a "not found", and fails the payout once isAbsent() accepts it.
async function handleNotFound(
  { batchPool, sharedAccounts, payoutHooks: hooks, clock }: QueryDeps,
  { by, query, observation, isProof }: NotFound,
): Promise<void> {
  const { id, reference } = query
  await withTransaction(batchPool, async (tx) => {
    await awaitHolders(tx)
    const counted = await recordNotFound(tx, id, observation)
    if (!counted) return // The payout is no longer unknown.
    const isHeld = await arePayoutsHeld(tx)
    if (!isAbsent({ ...counted, isProof, isHeld })) return
    const deps = { sharedAccounts, now: clock(), hooks }
    await settleAsReported(tx, deps, { id, reference, outcome: ABSENT_OUTCOME, by })
  })
}

// Alerts operators of payouts that have been unknown for half an hour.
async function alertLongUnknown(tx: Transaction, now: Date): Promise<void> {
  const payouts = await findLongUnknown(tx, now)
  const events = await raiseAlerts(
    tx,
    now,
    payouts.map(({ reference, bankCode, sendingAt, notFoundAnswers }) => ({
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
