// The dependencies that every route gets, and scoped() for route files that need a separate Fastify scope.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Logger } from 'pino'
import type { ProviderConnections } from '#access/providers.ts'
import type { AccountLookups } from '#accounts/queries.ts'
import type { BankConnections } from '#banks/connector.ts'
import type { NameBank } from '#banks/directory.ts'
import type { Clock } from '#clock.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Chart } from '#config/chart-settings.ts'
import type { StatementProfiles } from '#config/config.ts'
import type { Policy, Rates } from '#config/policy-settings.ts'
import type { Writers } from '#credits/writers.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import type { Replica } from '#db/replica.ts'
import type { RefusalCode } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Copy } from '#messages/kinds.ts'
import type { Notifier } from '#notifier.ts'
import type { Metrics } from '#observability/metrics.ts'
import type { OutcomeHooks } from '#payouts/settle.ts'
import type { NotificationMeter } from '#requery/bank-health.ts'
import type { ClockMoves, TestClock } from '#sandbox/clock.ts'
import type { Sealer } from '#seal.ts'
import type { Tracer } from '#trace-context.ts'
import type { Authentication } from './authentication.ts'
import type { RateLimits } from './rate-limits.ts'
import type { SessionCookies } from './session-cookies.ts'
import type { Tokens } from './tokens.ts'

export type Deps = {
  mode: 'sandbox' | 'live'
  mailsUsers: boolean // Whether users get mails: by a mail server, or in the inbox of a sandbox.
  messageCopy: Copy // The words of messages to people.
  publicUrl: string // The URL as configured. To show it, use `publicAddress`.
  trustedProxies: readonly string[]
  rates: Rates
  rateLimits: RateLimits
  policy: Policy
  chart: Chart // The chart of accounts for the journal.
  banks: readonly BankSettings[]
  nameBank: NameBank
  bankConnections: BankConnections
  notificationMeter: NotificationMeter
  clock: Clock // In a sandbox, the client's test clock.
  realClock: Clock // For sessions, tokens, signatures, limits and idempotency keys.
  testClock: TestClock
  clockMoves: ClockMoves
  seedNow: (clientId: ClientId) => Promise<void> // Runs for a few seconds; the workers write the rest.
  log: Logger
  db: Pool
  replica: Replica | undefined // Routes do not use it: `db` sends the reads of REPLICA_OPERATIONS to it.
  reads: Queryable // Pipelined single-row lookups.
  accountLookups: AccountLookups
  batchPool: Pool
  settlementPool: Pool // Its statements may take minutes.
  importPool: Pool // Its statements may take minutes.
  statementProfiles: StatementProfiles
  sharedAccounts: SharedAccounts
  payoutHooks: OutcomeHooks
  // Settles payouts that banks have reported, for a few seconds; the workers settle the rest.
  settleReported: () => Promise<void>
  sendReturns: () => Promise<void>
  eraseTraces: () => Promise<void> // Erases for a few seconds; the workers erase the rest.
  sealer: Sealer
  verifiesIdentity: boolean // Whether there is an identity service.
  writers: Writers
  onWritten: () => void // Called after a commit, so that the workers of this process look for work.
  changes: Notifier // Called after a write of this process that may change a checkout.
  tokens: Tokens
  authentication: Authentication
  sessionCookies: SessionCookies
  providers: ProviderConnections
  isReady: () => Promise<boolean>
  hasApi: boolean // If false, the process answers only probes and metrics.
  probes: Pool // A pool of one connection, for readiness and metrics.
  metrics: Metrics
  metricsToken: string | undefined
  loggedShare: number // The share of successful requests that is logged.
  patience: number | undefined // Multiplies the response deadline (requests.ts). Undefined means 1.
  tracer: Tracer | undefined
  readMetrics: () => Promise<string> // Covers all processes of this service.
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isPublished?: boolean // Part of the published contract, which ignores unknown fields.
    errors?: readonly RefusalCode[] // The errors of this route, besides those that any operation may return.
  }
}

type Routes = FastifyPluginAsyncTypebox<Deps>

// Marks a route file that adds its own hooks or parsers, and so needs its own Fastify scope. All other route
// files share the scope of the app, because two hundred scopes would take a third of the start-up time.
export function scoped(plugin: Routes): Routes {
  // Without a name, Fastify searches all loaded modules for each plugin, which takes 20 ms of every start.
  const named = Object.assign(plugin, { [Symbol.for('fastify.display-name')]: plugin.name })
  return async (app, deps) => {
    await app.register(named, deps)
  }
}
