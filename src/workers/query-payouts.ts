// Queries banks for payouts without an outcome and for payouts that the bank has reported about, and
// alerts operators of payouts that have none for long or must not be sent. Never sends anything (I47).

import type { BankConnection, BankConnections } from '#banks/connector.ts'
import { type Due, dueNow } from '#client-time.ts'
import { pipeline, type Transaction, withTransaction } from '#db/transaction.ts'
import {
  ABSENT,
  isAbsent,
  markAccepted,
  outcomeOf,
  recordNotFound,
} from '#domain/payouts/absent-payouts.ts'
import { alertBlocked } from '#domain/payouts/blocked-payouts.ts'
import { followDatabase } from '#domain/payouts/follow-database.ts'
import { arePayoutsHeld } from '#domain/payouts/hold-payouts.ts'
import type { Observation } from '#domain/payouts/observed-answers.ts'
import { claimReviews, takeReviewAnswer } from '#domain/payouts/review-payouts.ts'
import { settleAsTold } from '#domain/payouts/settle-as-told.ts'
import {
  alertWaiting,
  claimQueries,
  findLongUnknown,
  findQueriedBanks,
  markRestoredUnknown,
  markStaleUnknown,
  type PayoutQuery,
  wouldKnow,
} from '#domain/payouts/unknown-payouts.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { lockAndClaimCalls } from '#domain/records/call-rates.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { awaitHolders } from '#domain/records/sending-lock.ts'
import { timestamp } from '#wat-time.ts'
import type { Round } from './loop.ts'
import type { PayoutDeps } from './send-payouts.ts'

type QueriedBank = { bankCode: string; connection: BankConnection }

export type QueryDeps = PayoutDeps & { bankConnections: BankConnections; observer: string }

export function watchPayoutsRound(deps: PayoutDeps): Round {
  return async () => {
    await watchPayouts(deps)
    return { more: false }
  }
}

// These banks share one connection, so that a slow bank delays no other.
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
  const by = dueNow(clock)
  await withTransaction(batchPool, (tx) => followDatabase(tx, by.now))
  await withTransaction(batchPool, async (tx) => {
    await markStaleUnknown(tx, by)
    await markRestoredUnknown(tx, by)
    await alertLongUnknown(tx, by)
    await alertBlocked(tx, by)
  })
}

async function queryBanks(deps: QueryDeps, bankCodes: readonly string[]): Promise<number> {
  const due = await findQueriedBanks(deps.batchPool, dueNow(deps.clock))
  const queries = due.flatMap((bankCode) => {
    const connection = bankCodes.includes(bankCode) && deps.bankConnections.get(bankCode)
    return connection ? [queryBank(deps, { bankCode, connection })] : []
  })
  const counts = await pipeline(queries)
  return counts.reduce((sum, count) => sum + count, 0)
}

async function queryBank(deps: QueryDeps, { bankCode, connection }: QueriedBank): Promise<number> {
  const { findPayout } = connection.calls
  if (!findPayout) return 0 // Operators must find out.
  const { limits } = connection
  const by = dueNow(deps.clock)
  const due = await withTransaction(deps.batchPool, (tx) =>
    lockAndClaimCalls(tx, deps.clock, {
      bankCode,
      kind: 'payout_queries',
      limits,
      only: by.only,
      claim: (limit) => claimAll(tx, by, { bankCode, limit }),
    }),
  )
  const asking = { bankCode, connection, findPayout }
  await Promise.all(
    due.map(({ isReview, query }) =>
      isReview ? review(deps, { ...asking, query }) : ask(deps, { ...asking, query }),
    ),
  )
  return due.length
}

// Payouts without an answer come first.
async function claimAll(tx: Transaction, by: Due, of: { bankCode: string; limit: number }) {
  const queries = await claimQueries(tx, by, of)
  const reviews = await claimReviews(tx, by, { ...of, limit: of.limit - queries.length })
  return [
    ...queries.map((query) => ({ query, isReview: false })),
    ...reviews.map((query) => ({ query, isReview: true })),
  ]
}

type PayoutQuestion = QueriedBank & {
  query: PayoutQuery
  findPayout: NonNullable<BankConnection['calls']['findPayout']>
}

async function review(
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
    takeReviewAnswer(tx, { sharedAccounts, now: dueNow(clock).now }, reviewed),
  )
}

async function ask(
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
      await alertWaiting(tx, dueNow(clock).now, { reference, bankCode, answer })
    })
  }
  const outcome = outcomeOf(answer)
  if (!outcome) return
  await withTransaction(batchPool, (tx) =>
    settleAsTold(
      tx,
      { sharedAccounts, now: dueNow(clock).now, hooks },
      { id, reference, outcome, by },
    ),
  )
}

function observe(deps: QueryDeps, queriedAtMs: number): Observation {
  const by = dueNow(deps.clock).only === undefined ? deps.observer : 'test-clock'
  return { by, queriedAtMs, answeredAtMs: readElapsed(deps) }
}

// For a client with a test clock, its time counts.
function readElapsed({ clock, monotonic }: QueryDeps): number {
  const { now, only } = dueNow(clock)
  return only === undefined ? monotonic() : now.getTime()
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
    const deps = { sharedAccounts, now: dueNow(clock).now, hooks }
    await settleAsTold(tx, deps, { id, reference, outcome: ABSENT, by })
  })
}

async function alertLongUnknown(tx: Transaction, by: Due): Promise<void> {
  const { now } = by
  const unknown = await findLongUnknown(tx, by)
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
