// Prepares the database and creates the service of one process. Every role and every test uses this.

import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { ProviderConnections } from '#access/providers.ts'
import { createClient, hasSandboxClient, SANDBOX_CLIENT } from '#access/secrets.ts'
import { registerRanges } from '#accounts/numbers.ts'
import { createAccountLookups } from '#accounts/queries.ts'
import type { BankConnections } from '#banks/connector.ts'
import { connectBanks } from '#banks/connectors.ts'
import { bankNames } from '#banks/directory.ts'
import { CallMeter, observeCalls, traceBankCalls } from '#banks/observe-calls.ts'
import { HOUR_MS } from '#clock.ts'
import { bankConfigurations, sendByFile } from '#config/bank-settings.ts'
import { type Config, openProfiles } from '#config/config.ts'
import { readDataKeys } from '#config/secrets-file.ts'
import { createWriters, type Writers } from '#credits/writers.ts'
import { type Connections, openConnections, watchConnections } from '#db/connections.ts'
import {
  ageCheckOf,
  clockCheckOf,
  findClockProblem,
  findLostSettings,
  watchReadiness,
} from '#db/health.ts'
import { hostsOf } from '#db/hosts.ts'
import { migrate } from '#db/migrate.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { findVersionProblem, readServerVersion } from '#db/server-version.ts'
import { buildApp } from '#http/app.ts'
import { Authentication } from '#http/authentication.ts'
import { RateLimits } from '#http/rate-limits.ts'
import { SessionCookies } from '#http/session-cookies.ts'
import { Tokens } from '#http/tokens.ts'
import { httpIdentityService, type IdentityService } from '#identity/identity-api.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import type { Copy } from '#messages/kinds.ts'
import { findCopy, LANGUAGE_NAMES } from '#messages/render.ts'
import { mailsUsers } from '#messages/transports.ts'
import { Metrics } from '#observability/metrics.ts'
import type { OutcomeHooks } from '#payouts/settle.ts'
import {
  findSendingConnections,
  sendPayoutsRound,
  settleReportedPayoutsRound,
} from '#payouts/workers.ts'
import { KeyProblem } from '#privacy/data-keys.ts'
import { completeErasuresRound, syncDataKeys } from '#privacy/workers.ts'
import { settleRefund } from '#refunds/settle.ts'
import type { SubmitCredits } from '#requery/answers.ts'
import { NotificationMeter } from '#requery/bank-health.ts'
import { syncRoutingRound, writeMeasuresRound } from '#requery/workers.ts'
import { PaymentRouter } from '#routing/decision.ts'
import { withSandboxBank } from '#sandbox/bank.ts'
import { sandboxIdentityService } from '#sandbox/identity.ts'
import {
  createSandboxBankAccount,
  createSandboxUser,
  findModeOfMoney,
  hasSandboxUser,
  recordMode,
  SANDBOX_USER,
} from '#sandbox/setup.ts'
import { finishSettlement } from '#settlement/close.ts'
import { settleReturnPayout } from '#suspense/settle.ts'
import type { Tracer, TracingSettings } from '#trace-context.ts'
import type { Rendering } from '#webhooks/render.ts'
import { DueWork, maintainPartitionsRound, runNow } from '#workers/loop.ts'
import {
  followTestClock,
  listWorkers,
  type RunningWorkers,
  runWorkers,
  wireSandbox,
} from '#workers/run-workers.ts'
import { type Clock, type Monotonic, systemMonotonic } from './clock.ts'
import type { Logger } from './log.ts'
import { Notifier } from './notifier.ts'
import { Sealer } from './seal.ts'

type StartOptions = {
  config: Config
  connectionString: string
  clock: Clock
  log: Logger
  patience?: number // Multiplies the usual time limits (deadlines.ts).
  checksClock?: boolean // Compares our clock with the database's. Off in most tests, which choose the time.
}

// An expected problem. The operator sees its message without a stack.
export class StartProblem extends Error {}

// Migrates the database, unless the server's version is refused or the database is of the other mode. Runs
// before the service is created.
export async function prepareDatabase(options: StartOptions) {
  const { config, connectionString, clock, log, patience } = options
  const settingsProblem = await findLostSettings(connectionString, patience)
  if (settingsProblem) throw new StartProblem(settingsProblem)
  const db = createPool({ connectionString, max: 1, patience, onIdleError: () => {} })
  try {
    const versionProblem = findVersionProblem(await readServerVersion(db), config.mode === 'live')
    if (versionProblem?.isRefused) throw new StartProblem(versionProblem.sentence)
    if (versionProblem) log.warn(versionProblem.sentence)
    const applied = await migrate(connectionString, undefined, (holder) =>
      log.info({ holder }, 'waiting for another process that migrates the database'),
    )
    if (applied.length > 0) log.info({ applied }, 'database migrated')
    const problem = options.checksClock ? await findClockProblem(db, clock) : undefined
    if (problem) throw new StartProblem(problem)
    await maintainPartitionsRound({ db, clock, log })()
    const modeOfMoney = await findModeOfMoney(db)
    if (modeOfMoney !== config.mode) refuseMoneyOf(modeOfMoney)
    await registerRanges(db, config.banks)
    if (config.mode === 'live') await refuseSandbox(db, clock)
    else {
      await createClient(db, clock(), SANDBOX_CLIENT)
      await createSandboxUser(db, clock())
      const { data, hash } = config.secrets
      await createSandboxBankAccount(db, new Sealer(data, hash), clock())
    }
    // A database of an old release does not record its mode. If a client has the documented secret, the
    // database is a sandbox's.
    const isSure = config.mode === 'live' || modeOfMoney !== 'unknown'
    if (isSure || (await hasSandboxClient(db, clock()))) await recordMode(db, clock(), config.mode)
  } finally {
    await db.end()
  }
}

// Called if the money in the database is not of the configured mode. `none` (no money) and `unknown` (an old
// sandbox that went live) are accepted in both modes.
function refuseMoneyOf(mode: 'sandbox' | 'live' | 'unknown' | 'none'): void {
  if (mode === 'sandbox') {
    throw new StartProblem('The database has money of the sandbox. Use a new one for live mode.')
  }
  if (mode === 'live') {
    throw new StartProblem('The database has real money. Use another one for the sandbox.')
  }
}

// In live mode, refuses a database in which the documented sandbox credentials still work.
async function refuseSandbox(db: Pool, clock: Clock): Promise<void> {
  if (await hasSandboxClient(db, clock())) {
    throw new StartProblem(
      `Client ${SANDBOX_CLIENT.clientId} still has the documented sandbox secret. Rotate it.`,
    )
  }
  if (await hasSandboxUser(db)) {
    throw new StartProblem(
      `User ${SANDBOX_USER.email} still has the documented sandbox password. Delete it.`,
    )
  }
}

const MEASURES_PAUSE_MS = 5_000
const ROUTING_PAUSE_MS = 2_000
// The upload of a bank's report settles payouts for at most this long. The workers settle the rest.
const SETTLE_REPORTED_MS = 5_000

// Further effects of a payout's outcome (confirmed, failed or cancelled), by the payout's purpose.
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
  // Each of these three functions runs one round of a worker at once. The workers also run by themselves,
  // every few seconds, and the worker of routing also when a call to a bank fails.
  syncDataKeys: () => Promise<void>
  writeMeasures: () => Promise<void>
  syncRouting: () => Promise<void>
  close(): Promise<void>
}

export type ServiceOptions = StartOptions & {
  monotonic?: Monotonic
  readMetrics?: () => Promise<string> // Covers all processes, if there are several.
  patience?: number // Multiplies the usual timeouts for the database and for callers.
}

// Creates the parts of one process and connects them. The caller starts the HTTP server and the workers.
export async function createService(options: ServiceOptions): Promise<Service> {
  const { config, connectionString, clock: realClock, log, patience } = options
  const { trustedProxies, metricsToken, loggedShare, replicaUrl } = config
  const files = openFiles(config)
  const connections = openConnections({ connectionString, replicaUrl, patience }, log)
  const { db, accountPool, batchPool, reads, probes } = connections
  const { changes, ...notifiers } = createNotifiers()
  const { sealer, keySync, syncDataKeysNow } = await startDataKeys(options, connections)
  const hosts = hostsOf(connectionString)
  const sharedAccounts = new SharedAccounts(accountPool, { clock: realClock, hosts })
  const { testClock, stopFollowing } = await followTestClock(config.mode, { db, log, realClock })
  const clock = testClock.read
  const logFailure = (batch: string) => (error: unknown) =>
    log.error({ err: error, batch }, 'batch failed')
  const metrics = watchConnections(new Metrics(), connections)
  const tracer = await startTracing(config.tracing, { metrics, log })
  const routing = await startRouting(options, { db, metrics })
  const moneyParts = { sealer, sharedAccounts, ...identityParts(options) }
  const writers = openWriters(config, {
    ...{ ...moneyParts, router: routing.router, pool: batchPool, clock, realClock },
    onError: (error, batch) => logFailure(batch)(error),
    onWritten: callAll(notifiers.dispatcher, changes),
    onBatch: metrics.observeBatch,
  })
  const dueWork = new DueWork({ db, clock, realClock })
  const shared = { writers, ...openAccess(options, { db, sealer }) }
  const banking = connectedBanks({ db, sealer, clock, ...routing }, config, tracer)
  const { notificationMeter, writeMeasures, stopMeasuring } = startMeasuring(options, db)
  const { monotonic = systemMonotonic } = options
  const watches = { clock, realClock, monotonic, log, metrics, tracer, payoutHooks: PAYOUT_HOOKS }
  const parts = { ...connections, ...banking, ...moneyParts, ...files, ...watches } // For app and workers.
  const submitCredits: SubmitCredits = (credits) => writers.credits.submitAll(credits)
  const timing = { signingClock: realClock, frozenTime: testClock.frozenTime }
  const working = { ...parts, ...timing, ...workerSettings(options, db), submitCredits } // For workers.
  const sandbox = wireSandbox(config, { ...working, testClock, dispatcher: notifiers.dispatcher })
  const app = await buildApp({
    ...{ mode: config.mode, publicUrl: config.publicUrl, rates: config.rates },
    mailsUsers: mailsUsers(config),
    ...{ trustedProxies, metricsToken, loggedShare, patience },
    ...{ policy: config.policy, chart: config.chart, hasApi: config.role !== 'worker' },
    ...parts,
    ...{ testClock, clockMoves: sandbox.clockMoves, seedNow: sandbox.seedNow },
    ...{ notificationMeter, changes, onWritten: callAll(dueWork, changes) },
    accountLookups: createAccountLookups({ db: reads, sealer, onError: logFailure('accounts') }),
    sendReturns: sendReturnsNow(config, parts),
    settleReported: runNow(settleReportedPayoutsRound(parts), log, SETTLE_REPORTED_MS),
    eraseTraces: runNow(completeErasuresRound(parts), log),
    ...shared,
    isReady: watchReadiness({ probes, log, isClockRight: clockCheckOf(options, probes) }),
    readMetrics: options.readMetrics ?? (() => metrics.registry.metrics()),
  })
  let workers: RunningWorkers | undefined
  // Starts this process's workers, once. `sandbox.rounds` (test clock, seeds) is empty in live mode.
  function startWorkers(): void {
    const list = listWorkers({ ...working, notifiers, ...sandbox.rounds })
    workers ??= runWorkers(parts, dueWork.prepareWorkers(list))
  }

  // Drains requests and worker rounds, then their queues, then closes connections.
  async function close(): Promise<void> {
    await Promise.all([app.close(), workers?.stop()])
    await shared.providers.close()
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

// `dispatcher` and `deliverer` wake the webhook workers; `changes` wakes open checkouts.
const createNotifiers = () => ({
  dispatcher: new Notifier(),
  deliverer: new Notifier(),
  changes: new Notifier(),
})

// Returns a function that wakes all of these notifiers.
function callAll(...notifiers: readonly { call(): void }[]): () => void {
  return () => {
    for (const notifier of notifiers) notifier.call()
  }
}

type WriterParts = Pick<
  Parameters<typeof createWriters>[0],
  | 'pool'
  | 'clock'
  | 'realClock'
  | 'sealer'
  | 'sharedAccounts'
  | 'verifiesIdentity'
  | 'router'
  | 'onError'
  | 'onWritten'
  | 'onBatch'
>

function openWriters({ banks, collectionBankCode, policy }: Config, parts: WriterParts): Writers {
  return createWriters({ ...parts, banks, collectionBankCode, policy })
}

// Opens access control. Tokens, sessions and rate limits follow real time, not the test clock.
function openAccess(
  { config, clock }: ServiceOptions,
  { db, sealer }: { db: Pool; sealer: Sealer },
) {
  const { secrets, mode, policy, publicUrl, rates } = config
  const ttlSeconds = policy.tokenTtlSeconds
  const tokens = new Tokens({ secrets: secrets.token, mode, ttlSeconds, clock })
  const isSecure = mode === 'live' || publicUrl.startsWith('https:')
  const rateLimits = new RateLimits({ rates, clock })
  const sessionCookies = new SessionCookies({ db, sealer, clock, isSecure, rateLimits })
  const authentication = new Authentication({ db, tokens, sessionCookies, clock })
  const providers = new ProviderConnections({ mode, clock, sealer })
  return { tokens, rateLimits, sessionCookies, authentication, providers }
}

// Starts to count notifications. Runs in every process that receives them, with or without workers. Writes
// the last counts when it stops.
function startMeasuring({ clock, log }: ServiceOptions, db: Pool) {
  const notificationMeter = new NotificationMeter()
  const round = writeMeasuresRound({ db, clock, notificationMeter })
  const worker = { name: 'write-measures', pauseMs: MEASURES_PAUSE_MS, round }
  const measuring = runWorkers({ log }, [worker])
  const writeMeasures = runNow(round, log)
  // Stops the worker, and then writes the counts since its last round.
  const stopMeasuring = async () => {
    await measuring.stop()
    await writeMeasures()
  }
  return { notificationMeter, writeMeasures, stopMeasuring }
}

// Starts to share the state of routing with other processes. Runs in every process, because every process
// calls banks or chooses them.
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
  // `isDone`: syncNow() above has run the first round.
  const worker = { name: 'sync-routing', pauseMs: ROUTING_PAUSE_MS, notifier, isDone: true, round }
  const { stop } = runWorkers({ log }, [worker])
  return { callMeter, router, syncNow, stop }
}

// Sends returns within their request, but only in the sandbox, where a return is confirmed before its request
// is answered. In live mode the workers send them, so that no caller waits for a bank.
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

// Loads the data keys and keeps them up to date. Reads secrets.json again each time, because a rotation adds
// keys to it.
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

type BankParts = { db: Pool; sealer: Sealer; clock: Clock; callMeter: CallMeter }
// Connects the banks. Only calls to configured banks are counted, because failures that the sandbox bank
// simulates say nothing about a bank's health.
function connectedBanks(
  { db, sealer, clock, callMeter }: BankParts,
  config: Config,
  tracer?: Tracer,
) {
  const { mode, banks, policy } = config
  const connected = observeCalls(connectBanks(bankConfigurations(config)), callMeter)
  const sandbox = { db, sealer, clock, banks }
  const withSandbox = mode === 'sandbox' ? withSandboxBank(sandbox, connected) : connected
  const bankConnections = sendByFile(traceBankCalls(withSandbox, tracer), banks)
  return { banks, bankConnections, nameBank: bankNames(banks), nameStyle: policy.accountName }
}

// Returns the identity service. Signatures follow real time, not the test clock.
function identityParts({ config: { identity, mode }, clock }: ServiceOptions) {
  const { service, timeoutMs } = identity
  const sandboxService = mode === 'sandbox' ? sandboxIdentityService : undefined
  const identityService: IdentityService | undefined = service
    ? httpIdentityService({ ...service, timeoutMs, clock })
    : sandboxService
  const verifiesIdentity = identityService !== undefined
  return { identityService, verifiesIdentity, identityTimeoutMs: timeoutMs }
}

// The settings that only workers need, and their checks of the clock.
function workerSettings(options: ServiceOptions, db: Pool) {
  const { graceSeconds, bankTimeMaxAgeHours, suspiciousKobo, screeningLateMinutes } =
    options.config.policy
  const bankTimeMaxAgeMs = bankTimeMaxAgeHours * HOUR_MS
  const rendering = renderingFor(options.config)
  const { monotonic = systemMonotonic, patience } = options
  const isClockRight = clockCheckOf(options, db)
  const areAgesKnown = ageCheckOf({ ...options, monotonic }, isClockRight)
  // Names this process in the observations that it stores about payout queries (payouts/query-workers.ts).
  const observer = randomUUID()
  const checks = { isClockRight, areAgesKnown, observer }
  const judging = { bankTimeMaxAgeMs, suspiciousKobo }
  const { mode, publicUrl, messages } = options.config
  const sending = { mode, publicUrl, messages }
  const late = { graceSeconds, screeningLateMinutes }
  return { rendering, ...late, ...judging, ...checks, ...sending, patience }
}

// Opens the files that the settings name: the folder of statements, their profiles, and the texts of
// messages.
function openFiles(config: Config) {
  const { statementsFolder } = config
  return {
    statementsFolder,
    statementProfiles: openProfiles(config),
    messageCopy: messageCopyOf(config),
  }
}

// The texts of messages to people, in the configured language.
function messageCopyOf({ language }: Config): Copy {
  const copy = findCopy(language)
  if (copy) return copy
  throw new StartProblem(
    `MANILLA_LANGUAGE must be a language of the messages to people: ${LANGUAGE_NAMES.join(', ')}`,
  )
}

function renderingFor({ mode, banks, policy }: Config): Rendering {
  return { mode, nameBank: bankNames(banks), nameStyle: policy.accountName }
}

// Returns the start-up banner: addresses, sandbox credentials, a first command.
export function welcome(config: Config, port: number): string {
  const baseUrl = `http://localhost:${port}`
  const lines = [
    '',
    `  Manilla is running in ${config.mode} mode.`,
    '',
    `    API           ${baseUrl}`,
    `    Reference     ${baseUrl}/docs`,
    ...(config.databaseUrl ? [] : [`    Data          ${config.dataDir}`]),
  ]
  if (config.mode === 'sandbox') {
    lines.push(
      '',
      '    Client id     MAN0000001',
      '    Client secret sandbox-secret',
      '',
      `    Dashboard     ${baseUrl}/dashboard`,
      '    Sign in as    demo@sandbox.example',
      '    Password      sandbox-password',
      '',
      '  Next, in another terminal:',
      '',
      `    curl -s ${baseUrl}/api/Account/login -H 'content-type: application/json' \\`,
      `      -d '{"clientId":"MAN0000001","clientSecret":"sandbox-secret"}'`,
    )
  }
  lines.push('', '  Stop with Ctrl-C.', '', '')
  return lines.join('\n')
}

const WARN_EVERY_MS = 60_000

// Traces requests, batches, deliveries and rounds (docs/observability.md) if a collector is configured;
// otherwise OpenTelemetry is not loaded.
export async function startTracing(
  settings: TracingSettings | undefined,
  { metrics, log }: { metrics: Metrics; log: Logger },
): Promise<Tracer | undefined> {
  if (!settings) return undefined
  const { openTelemetry } = await import('#observability/open-telemetry.ts')
  let lastWarningMs = Number.NEGATIVE_INFINITY
  // Called after each export of spans, with whether the collector accepted them.
  const onSent = (spans: number, isAccepted: boolean) => {
    metrics.spans.inc({ result: isAccepted ? 'sent' : 'lost' }, spans)
    if (isAccepted || performance.now() - lastWarningMs < WARN_EVERY_MS) return
    lastWarningMs = performance.now()
    log.warn({ spans }, 'traces not taken by the collector')
  }
  return openTelemetry({ ...settings, onSent })
}
