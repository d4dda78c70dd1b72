// Asks banks what became of payouts that have no answer, and tells operators of those that have none
// for long. Nothing is ever sent here (I47).

import type { BankConnection, BankConnections } from '#banks/connector.ts'
import type { Transaction } from '#db/transaction.ts'
import { withTransaction } from '#db/transaction.ts'
import { settlePayout } from '#domain/payouts/settle-payout.ts'
import {
  claimQueries,
  findLongUnknown,
  findQueriedBanks,
  markStaleUnknown,
  outcomeOf,
  type PayoutQuery,
} from '#domain/payouts/unknown-payouts.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { timestamp } from '#wat-time.ts'
import type { Round } from './loop.ts'
import type { PayoutDeps } from './send-payouts.ts'

type AskedBank = { bankCode: string; connection: BankConnection }

export type QueryDeps = PayoutDeps & { bankConnections: BankConnections }

export function queryPayoutsRound(deps: QueryDeps): Round {
  return async () => {
    const now = deps.clock()
    await withTransaction(deps.batchPool, async (tx) => {
      await markStaleUnknown(tx, now)
      await alertLongUnknown(tx, now)
    })
    const due = await findQueriedBanks(deps.batchPool, now)
    const asked = due.flatMap((bankCode) => {
      const connection = deps.bankConnections.get(bankCode)
      return connection ? [queryBank(deps, { bankCode, connection })] : []
    })
    await Promise.all(asked)
    return { more: false }
  }
}

async function queryBank(deps: QueryDeps, { bankCode, connection }: AskedBank): Promise<void> {
  const { findPayout } = connection.calls
  if (!findPayout) return // Operators find out.
  const limit = connection.limits.concurrency
  const due = await withTransaction(deps.batchPool, (tx) =>
    claimQueries(tx, deps.clock(), { bankCode, limit }),
  )
  await Promise.all(due.map((query) => ask(deps, { bankCode, query, findPayout })))
}

type Asking = {
  bankCode: string
  query: PayoutQuery
  findPayout: NonNullable<BankConnection['calls']['findPayout']>
}

async function ask(deps: QueryDeps, { bankCode, query, findPayout }: Asking): Promise<void> {
  const { batchPool, sharedAccounts, payoutHooks: hooks, clock } = deps
  const { id, reference, sendingAt } = query
  const sentMs = clock().getTime() - sendingAt.getTime()
  const outcome = outcomeOf(await findPayout(reference, {}), { sentMs, isSent: false })
  if (!outcome) return
  const by = `bank:${bankCode}`
  await withTransaction(batchPool, (tx) =>
    settlePayout(tx, { sharedAccounts, now: clock(), hooks }, { id, outcome, by }),
  )
}

async function alertLongUnknown(tx: Transaction, now: Date): Promise<void> {
  const unknown = await findLongUnknown(tx, now)
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
