// Wires one process. Every role and every test creates its service here.

import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import type { BankConnections } from '#banks/connector.ts'
import { connectBanks } from '#banks/connectors.ts'
import { CallMeter, observeCalls } from '#banks/observe-calls.ts'
import { traceBankCalls } from '#banks/trace-calls.ts'
import { bankConfigurations } from '#config/bank-settings.ts'
import type { Config } from '#config/config.ts'
import { sendByFile } from '#config/payout-file-settings.ts'
import { readDataKeys } from '#config/secrets-file.ts'
import { openProfiles } from '#config/statement-profiles.ts'
import { ageCheckOf, clockCheckOf } from '#db/clock-check.ts'
import { hostsOf } from '#db/hosts.ts'
import { type Connections, openConnections, watchConnections } from '#db/open-connections.ts'
import type { Pool } from '#db/pool.ts'
import { watchReadiness } from '#db/readiness.ts'
import { createAccountLookups } from '#domain/accounts/account-lookups.ts'
import { createWriters, type Writers } from '#domain/batch-writers.ts'
import { bankNames } from '#domain/payments/resource-presenters.ts'
import type { OutcomeHooks } from '#domain/payouts/settle-payout.ts'
import { KeyProblem } from '#domain/privacy/data-keys.ts'
import { settleRefund } from '#domain/refunds/settle-refund.ts'
import { NotificationMeter } from '#domain/requery/bank-measures.ts'
import type { SubmitCredits } from '#domain/requery/take-findings.ts'
import { PaymentRouter } from '#domain/routing/payment-router.ts'
import { withSandboxBank } from '#domain/sandbox/sandbox-bank.ts'
import { finishSettlement } from '#domain/settlement/finish-settlement.ts'
import { settleReturnPayout } from '#domain/suspense/settle-return.ts'
import type { Rendering } from '#domain/webhooks/render-events.ts'
import { buildApp } from '#http/app.ts'
import { Authentication } from '#http/authentication.ts'
import { RateLimits } from '#http/rate-limits.ts'
import { SessionCookies } from '#http/session.ts'
import { Tokens } from '#http/tokens.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { completeErasuresRound } from '#workers/complete-erasures.ts'
import { runNow } from '#workers/loop.ts'
import { listWorkers, type RunningWorkers, runWorkers } from '#workers/run-workers.ts'
import { startTestClocks, wireSandbox } from '#workers/sandbox-workers.ts'
import { findSendingConnections, sendPayoutsRound } from '#workers/send-payouts.ts'
import { settleReportedPayoutsRound } from '#workers/settle-reported-payouts.ts'
import { syncDataKeys } from '#workers/sync-data-keys.ts'
import { syncRoutingRound } from '#workers/sync-routing.ts'
import { writeMeasuresRound } from '#workers/write-measures.ts'
import { clientClock } from './client-time.ts'
import type { Logger } from './log.ts'
import { Metrics } from './metrics.ts'
import { type Monotonic, systemMonotonic } from './monotonic.ts'
import { Notifier } from './notifier.ts'
import { type StartOptions, StartProblem } from './prepare-database.ts'
import { Sealer } from './seal.ts'
import type { Tracer } from './trace-context.ts'
import { startTracing } from './tracing.ts'

const HOUR_MS = 3_600_000
const MEASURES_PAUSE_MS = 5_000
const ROUTING_PAUSE_MS = 2_000
// Limits a request: the upload of a long report does not wait for all of it to be settled.
const SETTLE_REPORTED_MS = 5_000

// Further effects of a payout's outcome (confirmed, failed or cancelled), by its purpose.
export const PAYOUT_HOOKS: OutcomeHooks = {
  settlement: finishSettlement,
  refund: settleRefund,
  return: settleReturnPayout,
}

export type Service = {
  app: FastifyInstance
  db: Pool
  writers: Writers
  metrics: Metrics
  startWorkers(): void
  syncDataKeys: () => Promise<void> // Also runs by itself every other second.
  writeMeasures: () => Promise<void> // Also runs by itself every few seconds.
  syncRouting: () => Promise<void> // Also runs by itself, at once when a call to a bank fails.
  close(): Promise<void>
}

export type ServiceOptions = StartOptions & {
  monotonic?: Monotonic
  readMetrics?: () => Promise<string> // Covers all processes, if there are several.
  patience?: number // Multiplies the usual timeouts for the database and for callers.
}

export async function createService(options: ServiceOptions): Promise<Service> {
  const { config, connectionString, clock, monotonic = systemMonotonic, log, patience } = options
  const { statementsFolder, trustedProxies, metricsToken, loggedShare, replicaUrl } = config
  const statements = { statementsFolder, statementProfiles: openProfiles(config) }
  const connections = openConnections({ connectionString, replicaUrl, patience }, log)
  const { db, batchPool, reads, probes } = connections
  const notifiers = { dispatcher: new Notifier(), deliverer: new Notifier() }
  const { sealer, keySync, syncDataKeysNow } = await startDataKeys(options, connections)
  const sharedAccounts = new SharedAccounts(db, { clock, hosts: hostsOf(connectionString) })
  const { testClocks, stopFollowing } = await startTestClocks(config.mode, { db, log })
  const logFailure = (batch: string) => (error: unknown) =>
    log.error({ err: error, batch }, 'batch failed')
  const metrics = watchConnections(new Metrics(), connections)
  const tracer = await startTracing(config.tracing, { metrics, log })
  const routing = await startRouting(options, { db, metrics })
  const writers = openWriters(options, {
    ...{ router: routing.router, pool: batchPool, testClocks, sealer, sharedAccounts },
    onError: (error, batch) => logFailure(batch)(error),
    onWritten: () => notifiers.dispatcher.call(),
    onBatch: metrics.observeBatch,
  })
  const tokens = openTokens(options)
  const isSecure = config.mode === 'live' || config.publicUrl.startsWith('https:')
  const rateLimits = new RateLimits({ rates: config.rates, clock })
  const sessionCookies = new SessionCookies({ db, sealer, clock, isSecure, rateLimits })
  const banking = connectedBanks({ db, sealer, callMeter: routing.callMeter }, options, tracer)
  const { notificationMeter, writeMeasures, stopMeasuring } = startMeasuring(options, db)
  const moneyParts = { sealer, sharedAccounts, payoutHooks: PAYOUT_HOOKS }
  const watches = { clock, monotonic, log, metrics, tracer }
  const parts = { ...connections, ...banking, ...moneyParts, ...statements, ...watches }
  const submitCredits: SubmitCredits = (credits) => writers.credits.submitAll(credits)
  const working = { ...parts, ...workerSettings(options, db), submitCredits }
  const sandbox = wireSandbox(config, { ...working, testClocks, dispatcher: notifiers.dispatcher })
  const app = await buildApp({
    ...{ mode: config.mode, publicUrl: config.publicUrl, rates: config.rates },
    ...{ rateLimits, trustedProxies, metricsToken, loggedShare, patience },
    ...{ policy: config.policy, chart: config.chart, hasApi: config.role !== 'worker' },
    ...parts,
    ...{ realClock: clock, testClocks, clockMoves: sandbox.clockMoves, seedNow: sandbox.seedNow },
    notificationMeter,
    accountLookups: createAccountLookups({ db: reads, sealer, onError: logFailure('accounts') }),
    sendReturns: sendReturnsNow(config, parts),
    settleReported: runNow(settleReportedPayoutsRound(parts), log, SETTLE_REPORTED_MS),
    eraseTraces: runNow(completeErasuresRound(parts), log),
    writers,
    tokens,
    sessionCookies,
    authentication: new Authentication({ db, tokens, sessionCookies, clock, testClocks }),
    isReady: watchReadiness({ probes, log, isClockRight: clockCheckOf(options, probes) }),
    readMetrics: options.readMetrics ?? (() => metrics.registry.metrics()),
  })

  let workers: RunningWorkers | undefined
  function startWorkers(): void {
    workers ??= runWorkers(parts, listWorkers({ ...working, notifiers, ...sandbox.rounds }))
  }

  // Drains requests and worker rounds, then their queues, then closes connections.
  async function close(): Promise<void> {
    await Promise.all([app.close(), workers?.stop()])
    await writers.drain()
    await Promise.all([keySync.stop(), stopMeasuring(), routing.stop(), stopFollowing()])
    await connections.end()
    await tracer?.stop()
  }
  return {
    ...{ app, db, writers, metrics, startWorkers, close },
    ...{ syncDataKeys: syncDataKeysNow, writeMeasures, syncRouting: routing.syncNow },
  }
}

type WriterParts = Pick<
  Parameters<typeof createWriters>[0],
  | 'pool'
  | 'testClocks'
  | 'sealer'
  | 'sharedAccounts'
  | 'router'
  | 'onError'
  | 'onWritten'
  | 'onBatch'
>

function openWriters({ config, clock }: ServiceOptions, parts: WriterParts): Writers {
  const { banks, collectionBankCode, policy } = config
  return createWriters({ ...parts, clock, banks, collectionBankCode, policy })
}

function openTokens({ config, clock }: ServiceOptions): Tokens {
  const { secrets, mode, policy } = config
  return new Tokens({ secrets: secrets.token, mode, ttlSeconds: policy.tokenTtlSeconds, clock })
}

// In every process that receives notifications, with or without workers. Writes the last counts at
// the end.
function startMeasuring({ clock, log }: ServiceOptions, db: Pool) {
  const notificationMeter = new NotificationMeter()
  const round = writeMeasuresRound({ db, clock, notificationMeter })
  const worker = { name: 'write-measures', pauseMs: MEASURES_PAUSE_MS, round }
  const measuring = runWorkers({ log }, [worker])
  const writeMeasures = runNow(round, log)
  const stopMeasuring = async () => {
    await measuring.stop()
    await writeMeasures()
  }
  return { notificationMeter, writeMeasures, stopMeasuring }
}

// Runs in every process, because every process calls banks or chooses them.
async function startRouting(
  { config: { banks }, clock, log }: ServiceOptions,
  { db, metrics }: { db: Pool; metrics: Metrics },
) {
  const callMeter = new CallMeter()
  const router = new PaymentRouter({
    banks,
    clock,
    onChoice: ({ bankCode, why }) =>
      metrics.routed.inc({ kind: 'payment', bank: bankCode ?? 'none', reason: why }),
  })
  const round = syncRoutingRound({ db, clock, banks, callMeter, paymentRouter: router })
  const notifier = new Notifier()
  callMeter.onFailure = () => notifier.call()
  const syncNow = runNow(round, log)
  await syncNow()
  const worker = { name: 'sync-routing', pauseMs: ROUTING_PAUSE_MS, notifier, isDone: true, round }
  const { stop } = runWorkers({ log }, [worker])
  return { callMeter, router, syncNow, stop }
}

// In the sandbox a return is confirmed before its request is answered. For a real bank no caller
// waits: the workers send.
function sendReturnsNow(
  { mode }: Config,
  parts: Parameters<typeof sendPayoutsRound>[0] & { bankConnections: BankConnections; log: Logger },
): () => Promise<void> {
  const sending = mode === 'live' ? [] : findSendingConnections(parts.bankConnections)
  const rounds = sending.map((banks) => runNow(sendPayoutsRound(parts, banks), parts.log))
  return async () => {
    for (const round of rounds) await round()
  }
}

// Reads secrets.json again each time, because a rotation adds keys.
async function startDataKeys({ config, clock, log }: ServiceOptions, connections: Connections) {
  const { data, hash, areDataKeysStored } = config.secrets
  const sealer = new Sealer(data, hash)
  const readKeys = () => (areDataKeysStored ? readDataKeys(config.dataDir) : data)
  try {
    const holder = await syncDataKeys({ db: connections.db, clock, sealer, readKeys })
    const keySync = runWorkers({ log }, [holder])
    return { sealer, keySync, syncDataKeysNow: runNow(holder.round, log) }
  } catch (error) {
    await connections.end()
    throw error instanceof KeyProblem ? new StartProblem(error.message) : error
  }
}

type BankParts = { db: Pool; sealer: Sealer; callMeter: CallMeter }
// What the sandbox's own bank rehearses is not its health.
function connectedBanks(
  { callMeter, ...parts }: BankParts,
  { config, clock }: ServiceOptions,
  tracer?: Tracer,
) {
  const { mode, banks, policy } = config
  const connected = observeCalls(connectBanks(bankConfigurations(config)), callMeter)
  const sandbox = { ...parts, clock: clientClock(clock), banks }
  const sending = mode === 'sandbox' ? withSandboxBank(sandbox, connected) : connected
  const bankConnections = sendByFile(traceBankCalls(sending, tracer), banks)
  return { banks, bankConnections, nameBank: bankNames(banks), nameStyle: policy.accountName }
}

function workerSettings(options: ServiceOptions, db: Pool) {
  const { graceSeconds, bankTimeMaxAgeHours, suspiciousKobo } = options.config.policy
  const bankTimeMaxAgeMs = bankTimeMaxAgeHours * HOUR_MS
  const rendering = renderingFor(options.config)
  const { monotonic = systemMonotonic, patience } = options
  const isClockRight = clockCheckOf(options, db)
  const areAgesKnown = ageCheckOf({ ...options, monotonic }, isClockRight)
  const observer = randomUUID()
  const checks = { isClockRight, areAgesKnown, observer }
  const judging = { bankTimeMaxAgeMs, suspiciousKobo }
  return { rendering, graceSeconds, ...judging, ...checks, patience }
}

function renderingFor({ mode, banks, policy }: Config): Rendering {
  return { mode, nameBank: bankNames(banks), nameStyle: policy.accountName }
}
