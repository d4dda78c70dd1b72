// Asks banks what became of payouts that have no answer, and tells operators of those that have none
// for long, or must not be sent. Nothing is ever sent here (I47).

import type { BankConnection, BankConnections } from '#banks/connector.ts'
import { type Due, dueNow } from '#client-time.ts'
import { pipeline, type Transaction, withTransaction } from '#db/transaction.ts'
import { alertBlocked } from '#domain/payouts/blocked-payouts.ts'
import { settleAsTold } from '#domain/payouts/settle-as-told.ts'
import {
  alertWaiting,
  claimQueries,
  findLongUnknown,
  findQueriedBanks,
  markRestoredUnknown,
  markStaleUnknown,
  outcomeOf,
  type PayoutQuery,
  wouldKnow,
} from '#domain/payouts/unknown-payouts.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { lockAndClaimCalls } from '#domain/records/call-rates.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { timestamp } from '#wat-time.ts'
import type { Round } from './loop.ts'
import type { PayoutDeps } from './send-payouts.ts'

type AskedBank = { bankCode: string; connection: BankConnection }

export type QueryDeps = PayoutDeps & { bankConnections: BankConnections }

export function watchPayoutsRound(deps: PayoutDeps): Round {
  return async () => {
    await watchPayouts(deps)
    return { more: false }
  }
}

// Of these banks, which have one connection: one that is slow keeps no other waiting.
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

// Answers how many were asked for.
export async function queryPayouts(deps: QueryDeps): Promise<number> {
  await watchPayouts(deps)
  return queryBanks(deps, [...deps.bankConnections.keys()])
}

async function watchPayouts({ batchPool, clock }: PayoutDeps): Promise<void> {
  const by = dueNow(clock)
  await withTransaction(batchPool, async (tx) => {
    await markStaleUnknown(tx, by)
    await markRestoredUnknown(tx, by)
    await alertLongUnknown(tx, by)
    await alertBlocked(tx, by)
  })
}

async function queryBanks(deps: QueryDeps, bankCodes: readonly string[]): Promise<number> {
  const due = await findQueriedBanks(deps.batchPool, dueNow(deps.clock))
  const asked = due.flatMap((bankCode) => {
    const connection = bankCodes.includes(bankCode) && deps.bankConnections.get(bankCode)
    return connection ? [queryBank(deps, { bankCode, connection })] : []
  })
  const counts = await pipeline(asked)
  return counts.reduce((sum, count) => sum + count, 0)
}

async function queryBank(deps: QueryDeps, { bankCode, connection }: AskedBank): Promise<number> {
  const { findPayout } = connection.calls
  if (!findPayout) return 0 // Operators find out.
  const { limits } = connection
  const by = dueNow(deps.clock)
  const due = await withTransaction(deps.batchPool, (tx) =>
    lockAndClaimCalls(tx, deps.clock, {
      bankCode,
      kind: 'payout_queries',
      limits,
      only: by.only,
      claim: (limit) => claimQueries(tx, by, { bankCode, limit }),
    }),
  )
  await Promise.all(due.map((query) => ask(deps, { bankCode, connection, query, findPayout })))
  return due.length
}

type Asking = AskedBank & {
  query: PayoutQuery
  findPayout: NonNullable<BankConnection['calls']['findPayout']>
}

async function ask(
  deps: QueryDeps,
  { bankCode, connection, query, findPayout }: Asking,
): Promise<void> {
  const { batchPool, sharedAccounts, payoutHooks: hooks, clock } = deps
  const { id, reference, sendingAt } = query
  const sentMs = dueNow(clock).now.getTime() - sendingAt.getTime()
  const answer = await findPayout(reference, {})
  // Settings that lead elsewhere since: that it is not known there says nothing, and operators find out.
  if (answer.status === 'not_found' && !wouldKnow(connection, query)) return
  const outcome = outcomeOf(answer, { sentMs, isSent: false })
  if (!outcome) {
    if (answer.status !== 'unknown' || !answer.waitsFor) return
    await withTransaction(batchPool, (tx) =>
      alertWaiting(tx, dueNow(clock).now, { reference, bankCode, answer }),
    )
    return
  }
  // That a bank knows nothing counts only after a while: not for a clock that says so wrongly, when the
  // order may still be on its way.
  if (outcome.status === 'failed' && (await deps.isClockRight?.()) === false) return
  const by = `bank:${bankCode}`
  await withTransaction(batchPool, (tx) =>
    settleAsTold(
      tx,
      { sharedAccounts, now: dueNow(clock).now, hooks },
      { id, reference, outcome, by },
    ),
  )
}

async function alertLongUnknown(tx: Transaction, by: Due): Promise<void> {
  const { now } = by
  const unknown = await findLongUnknown(tx, by)
  const events = await raiseAlerts(
    tx,
    now,
    unknown.map(({ reference, bankCode, sendingAt }) => ({
      kind: 'payout_unknown',
      subject: `payout/${reference}`,
      detail: { bankCode, sentAt: timestamp(sendingAt) },
    })),
  )
  await appendEvents(tx, now, events)
}
