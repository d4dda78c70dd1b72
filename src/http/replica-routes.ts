// The operations that a replica may answer: lists and sums, search, overview, timelines, exports, reports
// and statements. What is looked up to decide something, here or at a merchant's (a payment by its
// reference, a balance before a payout), what concerns sessions, users, secrets and settings, and whatever
// writes is the primary's.

import type { FastifyInstance } from 'fastify'
import { readingFromReplica, replicatedPool } from '#db/replica-reads.ts'
import type { Deps } from './deps.ts'

export const REPLICA_OPERATIONS: ReadonlySet<string> = new Set([
  ...['listCollectionAccounts', 'summarizeCollectionAccounts', 'listAccountTransactions'],
  ...['listPayouts', 'summarizePayouts', 'listAllPayouts', 'summarizeAllPayouts'],
  ...['listCredits', 'summarizeCredits', 'listPayments', 'summarizePayments', 'listAdvices'],
  ...['listRefunds', 'listPaymentRefunds', 'listCreditRefunds', 'listAdjustments'],
  ...['listSuspense', 'summarizeSuspense', 'listSuspenseRequests', 'listReturns'],
  ...['listSettlements', 'listSettlementLines', 'exportSettlement', 'getSettlementStatement'],
  ...['listEvents', 'listEventDeliveries', 'listAuditLog', 'listAlerts', 'listRailItems'],
  ...['search', 'getOverview', 'getOverviewBreakdown', 'getClientUse', 'listBankHealth'],
  ...['getPaymentTimeline', 'getCreditTimeline', 'getAccountTimeline'],
  ...['exportCredits', 'exportCollectionAccounts', 'exportPayments', 'exportSuspense'],
  ...['exportAccountStatement', 'printAccountStatement'],
  ...['exportBalanceStatement', 'printBalanceStatement'],
  ...['exportSubaccountStatement', 'printSubaccountStatement'],
  ...['exportLedgerStatement', 'printLedgerStatement'],
  ...['listMerchantBalances', 'listSubaccountBalances', 'listLedgerAccounts'],
  ...['listLedgerTransfers', 'getLedgerTotals'],
  ...['getDailyProof', 'listDailyProofs', 'getReconciliationAgeing', 'listDifferences'],
  ...['listReconciledLines', 'listReconciledItems'],
  ...['listStatements', 'listStatementLines', 'listStatementImports'],
  ...['listAccountingDays', 'getJournal', 'exportJournal', 'printJournal'],
  ...['getTrialBalance', 'exportTrialBalance', 'printTrialBalance'],
  ...['getVatReport', 'exportVatReport', 'printVatReport'],
  ...['getOperatorBalances', 'exportOperatorBalances'],
  ...['getSuspenseAgeing', 'exportSuspenseAgeing', 'printSuspenseAgeing'],
])

// Before routes are registered. Answers what they are given.
export function serveFromReplica(app: FastifyInstance, deps: Deps): Deps {
  const { replica, metrics } = deps
  if (!replica) return deps
  app.addHook('onRoute', (route) => {
    if (!REPLICA_OPERATIONS.has(route.schema?.operationId ?? '')) return
    const { handler } = route
    route.handler = function (request, reply) {
      return readingFromReplica(replica, () => handler.call(this, request, reply))
    }
  })
  const onServed = (by: string) => metrics.replicaReads.inc({ by })
  return { ...deps, db: replicatedPool(deps.db, replica, onServed) }
}
