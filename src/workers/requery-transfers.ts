// Asks one bank its due questions. Each bank has its own worker, so that a slow bank delays no other.
//
//   claim (a lease) ─▶ ask, no transaction open ─▶ book what was found ─▶ record the answer
//
// A crash at any point repeats the question when its lease expires, and money found twice is a
// duplicate like any other.

import { setTimeout } from 'node:timers/promises'
import type { BankConnection, BankConnections } from '#banks/connector.ts'
import { dueNow } from '#client-time.ts'
import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { reservationsAt } from '#domain/accounts/reserved-numbers.ts'
import { lockAndClaimCalls } from '#domain/records/call-rates.ts'
import { askBank } from '#domain/requery/ask-bank.ts'
import { ASK_MAX_MS, type Claim, claimQuestions } from '#domain/requery/claim-questions.ts'
import { recordAnswer, releaseClaim } from '#domain/requery/record-answers.ts'
import { type SubmitCredits, takeFindings } from '#domain/requery/take-findings.ts'
import type { Sealer } from '#seal.ts'
import type { Round } from './loop.ts'

export type RequeryDeps = {
  db: Pool
  batchPool: Pool
  sealer: Sealer
  clock: Clock
  submitCredits: SubmitCredits
  askMaxMs?: number
}

type Bank = { bankCode: string; connection: Pick<BankConnection, 'calls' | 'limits'> }

export function findQueryableBanks(connections: BankConnections): Bank[] {
  return [...connections].flatMap(([bankCode, connection]) => {
    const { findTransfer, listTransfers } = connection.calls
    return findTransfer || listTransfers ? [{ bankCode, connection }] : []
  })
}

export function requeryTransfersRound(deps: RequeryDeps, bank: Bank): Round {
  const { db, clock } = deps
  const { bankCode, connection } = bank
  return async (signal) => {
    const claims = await withTransaction(db, (tx) =>
      claimQuestions(tx, clock, { bankCode, limits: connection.limits }),
    )
    const questions = claims.map((claim) => ask(deps, { claim, connection, signal }))
    const failures = (await Promise.allSettled(questions)).flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    )
    if (failures.length > 0) throw failures[0] // Their leases expire.
    return { more: claims.length > 0 }
  }
}

const TURN_MS = 100

// A question may take many requests, and each of them counts (I40). False if the time is up.
async function awaitRoom({ db, clock }: RequeryDeps, { claim, connection, signal }: Question) {
  const { limits } = connection
  const { only } = dueNow(clock)
  const asking = { bankCode: claim.bankCode, kind: 'requeries', limits, only } as const
  while (!signal.aborted) {
    const turns = await withTransaction(db, (tx) =>
      lockAndClaimCalls(tx, clock, { ...asking, claim: async () => [true] }),
    )
    if (turns.length > 0) return true
    await setTimeout(TURN_MS, undefined, { signal }).catch(() => {})
  }
  return false
}

type Question = { claim: Claim; connection: Bank['connection']; signal: AbortSignal }

async function ask(deps: RequeryDeps, { claim, connection, signal }: Question): Promise<void> {
  const { db, clock, askMaxMs: mostMs = ASK_MAX_MS } = deps
  const askedAt = dueNow(clock).now
  const startMs = performance.now()
  const takeTurn = (end: AbortSignal) => awaitRoom(deps, { claim, connection, signal: end })
  const reservations = reservationsAt(db, claim.bankCode)
  const answer = await askBank(connection.calls, claim, { signal, mostMs, takeTurn, reservations })
  if (signal.aborted && answer.answer === 'no_answer') {
    return withTransaction(db, (tx) => releaseClaim(tx, claim))
  }
  const latencyMs = Math.round(performance.now() - startMs)
  const { now } = dueNow(clock)
  const bankNow = clock()
  const found = await takeFindings({ ...deps, now }, claim.bankCode, answer.items)
  await withTransaction(db, (tx) =>
    recordAnswer(tx, now, { claim, askedAt, latencyMs, answer, found, bankNow }),
  )
}
