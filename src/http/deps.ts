// Dependencies of the routes.

import type { Logger } from 'pino'
import type { BankConnections } from '#banks/connector.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Chart } from '#config/chart-settings.ts'
import type { Policy } from '#config/policy-settings.ts'
import type { Rates } from '#config/rate-settings.ts'
import type { StatementProfiles } from '#config/statement-profiles.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import type { Replica } from '#db/replica.ts'
import type { AccountLookups } from '#domain/accounts/account-lookups.ts'
import type { Writers } from '#domain/batch-writers.ts'
import type { NameBank } from '#domain/payments/resource-presenters.ts'
import type { OutcomeHooks } from '#domain/payouts/settle-payout.ts'
import type { TestClocks } from '#domain/records/test-clocks.ts'
import type { NotificationMeter } from '#domain/requery/bank-measures.ts'
import type { ClockMoves } from '#domain/sandbox/clock-moves.ts'
import type { RefusalCode } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Metrics } from '#metrics.ts'
import type { Sealer } from '#seal.ts'
import type { Tracer } from '#trace-context.ts'
import type { Authentication } from './authentication.ts'
import type { RateLimits } from './rate-limits.ts'
import type { SessionCookies } from './session.ts'
import type { Tokens } from './tokens.ts'

export type Deps = {
  mode: 'sandbox' | 'live'
  publicUrl: string // As configured: show `publicAddress`.
  trustedProxies: readonly string[]
  rates: Rates
  rateLimits: RateLimits
  policy: Policy
  chart: Chart // Of accounts, in the journal.
  banks: readonly BankSettings[]
  nameBank: NameBank
  bankConnections: BankConnections
  notificationMeter: NotificationMeter
  clock: Clock // Of routes of a client with a test clock: its time (client-time.ts).
  realClock: Clock
  testClocks: TestClocks
  clockMoves: ClockMoves
  seedNow: (clientId: ClientId) => Promise<void> // For a few seconds; the workers write the rest.
  log: Logger
  db: Pool
  replica: Replica | undefined // Answers reads of marked routes through `db` (replica-routes.ts).
  reads: Queryable // Pipelined single-row lookups.
  accountLookups: AccountLookups
  batchPool: Pool
  settlementPool: Pool // Its statements may take minutes.
  importPool: Pool // Likewise.
  statementProfiles: StatementProfiles
  sharedAccounts: SharedAccounts
  payoutHooks: OutcomeHooks
  // Settles payouts that banks have reported, for a few seconds; the workers settle the rest.
  settleReported: () => Promise<void>
  sendReturns: () => Promise<void>
  eraseTraces: () => Promise<void> // Likewise for pending erasures.
  sealer: Sealer
  writers: Writers
  tokens: Tokens
  authentication: Authentication
  sessionCookies: SessionCookies
  isReady: () => Promise<boolean>
  hasApi: boolean // Without it, only probes and metrics are answered.
  probes: Pool // Of one connection, for readiness and metrics.
  metrics: Metrics
  metricsToken: string | undefined
  loggedShare: number // Of the requests that went well.
  patience: number | undefined // How many times longer than usual a caller waits.
  tracer: Tracer | undefined
  readMetrics: () => Promise<string> // Of all processes of this service.
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isPublished?: boolean // Of the published contract: answers 200 or 400 (envelopes.ts).
    errors?: readonly RefusalCode[] // Beyond those that any operation may answer with.
  }
}
