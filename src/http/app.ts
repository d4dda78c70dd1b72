// Builds the HTTP application: registers every hook, plugin and route explicitly, in a fixed order.

import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { clientChanges, operatorClients, ownClient } from '#access/client-routes.ts'
import { ownCredentials } from '#access/credential-routes.ts'
import { loginRoutes } from '#access/login-routes.ts'
import { passkeys } from '#access/passkey-routes.ts'
import { ownProvider, providerSignIn } from '#access/provider-routes.ts'
import { savedViews } from '#access/saved-view-routes.ts'
import { passwordResets, sessions } from '#access/sign-in-routes.ts'
import { invitations, userAddresses, users } from '#access/user-routes.ts'
import { adjustments } from '#accounting/adjustment-routes.ts'
import { days, journalRoutes } from '#accounting/journal-routes.ts'
import { monthRoutes } from '#accounting/month-routes.ts'
import {
  operatorBalanceRoutes,
  stampDutyRoutes,
  suspenseAgeingRoutes,
  trialBalanceRoutes,
  vatRoutes,
  withholdingTaxRoutes,
} from '#accounting/report-routes.ts'
import { taxRates, taxSettings } from '#accounting/tax-routes.ts'
import {
  operatorVatInvoices,
  ownVatInvoices,
  vatInvoicePages,
} from '#accounting/vat-document-routes.ts'
import { accountBulk } from '#accounts/bulk-routes.ts'
import { clientCeilings, collectionCeilings, limitProfiles } from '#accounts/limit-routes.ts'
import { clientNumberCeilings } from '#accounts/number-ceiling-routes.ts'
import { accountNumbers } from '#accounts/number-routes.ts'
import { accountChanges, collectionAccountRoutes, ownAccounts } from '#accounts/routes.ts'
import { statementRoutes } from '#accounts/statement-routes.ts'
import { caseEvidenceRoutes, caseUploadRoutes } from '#cases/evidence-routes.ts'
import { caseExportRoutes } from '#cases/export-routes.ts'
import { caseDeadlines, cases } from '#cases/routes.ts'
import { operatorChat } from '#chat/routes.ts'
import { railItems } from '#credits/rail-item-routes.ts'
import { railRoutes } from '#credits/rail-routes.ts'
import { credits } from '#credits/routes.ts'
import { readingFromReplica, replicatedPool } from '#db/replica.ts'
import { feeRules, ownFeeRules } from '#fees/routes.ts'
import { holdRequests, holds } from '#holds/routes.ts'
import { registerOpenApi } from '#http/reference/open-api.ts'
import { timeOrderedId } from '#ids.ts'
import { messageSuppressions, messages } from '#messages/routes.ts'
import { noticePreviews, noticeSettings } from '#notices/routes.ts'
import { adviceRoutes, advices } from '#payments/advice-routes.ts'
import { branding } from '#payments/branding-routes.ts'
import { checkoutRoutes } from '#payments/checkout-routes.ts'
import { bankTransferRoutes, payments, verifyPaymentRoutes } from '#payments/routes.ts'
import { bankAccounts, institutions } from '#payouts/bank-account-routes.ts'
import { payoutFileRoutes } from '#payouts/file-routes.ts'
import { operatorPayouts, payoutFailures } from '#payouts/operator-routes.ts'
import { payouts } from '#payouts/routes.ts'
import { clientPayoutSettings, payoutSettings } from '#payouts/setting-routes.ts'
import { payoutTariffs } from '#payouts/tariff-routes.ts'
import { accountErasure, adviceErasure } from '#privacy/routes.ts'
import { adjustingEntries } from '#reconciliation/adjusting-entry-routes.ts'
import { differences, reconcilingItems } from '#reconciliation/difference-routes.ts'
import { dailyProofExport, dailyProofs, daySides } from '#reconciliation/proof-routes.ts'
import { differenceOwners, differenceResolutions } from '#reconciliation/resolution-routes.ts'
import {
  statementImports,
  statementProfiles,
  statements,
  statementUploadRoutes,
} from '#reconciliation/statement-routes.ts'
import { alerts, auditLog } from '#records/routes.ts'
import { refunds } from '#refunds/routes.ts'
import { balanceRoutes } from '#reports/balance-routes.ts'
import { exportRoutes } from '#reports/export-routes.ts'
import { ledgerRoutes, ledgerTransfers } from '#reports/ledger-routes.ts'
import { overview, pendingApprovals, searching, timelineRoutes } from '#reports/routes.ts'
import { bankHealth, payerRequeryRoutes, paymentRequeries } from '#requery/routes.ts'
import { sandboxClock } from '#sandbox/clock-routes.ts'
import { payoutOutcome, sandboxReset, sandboxSeed, webhookChaos } from '#sandbox/routes.ts'
import { payerSimulationRoutes, simulateRoutes } from '#sandbox/simulation-routes.ts'
import { sandboxTransfers } from '#sandbox/transfer-routes.ts'
import { reportSchedules, reports } from '#schedules/routes.ts'
import { screeningLists, screeningListUploads } from '#screening/list-routes.ts'
import { screeningDecisions, screeningRequests, screeningRules } from '#screening/routes.ts'
import { settlementChanges, settlements } from '#settlement/routes.ts'
import { holidays, settlementSettings } from '#settlement/setting-routes.ts'
import { settlementStatementRoutes } from '#settlement/statement-routes.ts'
import { splits, subaccounts } from '#splits/routes.ts'
import {
  suspenseRequests,
  suspenseSettingChanges,
  suspenseSettings,
} from '#suspense/approval-routes.ts'
import { returns } from '#suspense/return-routes.ts'
import { suspense, suspenseEscalation } from '#suspense/routes.ts'
import { endpointReplays, eventRedeliveries, events } from '#webhooks/event-routes.ts'
import {
  endpointSecrets,
  webhookEndpoints,
  webhookPushRoutes,
  webhookSecret,
} from '#webhooks/routes.ts'
import { eventStreamRoutes } from '#webhooks/stream-routes.ts'
import {
  CONNECTION_OPTIONS,
  CONNECTIONS_MAX,
  CONNECTIONS_OF_ADDRESS_MAX,
  drainOnClose,
  handleClientError,
  ignoreExpectHeader,
  limitConnections,
  trustedAddresses,
} from './connections.ts'
import { addWorkbooks, registerExports } from './csv.ts'
import type { Deps } from './deps.ts'
import { frameworkErrors, registerErrorHandler } from './envelopes.ts'
import { takeNamesInAnyCase, withReferenceInPath } from './field-names.ts'
import { headerSetter, registerCors } from './headers.ts'
import { LoadShedder } from './load-shedding.ts'
import { enforceResponseDeadline, RequestLog, timeRoutes, traceRequests } from './requests.ts'
import { lazySchemas } from './schema-components.ts'
import { dashboardRoutes, healthRoutes, limitRoutes, metricsRoutes } from './system-routes.ts'
import {
  EmptyParameters,
  parseJsonBodies,
  validatorOptions,
  warnOfUnknownFields,
} from './validation.ts'

// The operations that a replica may answer: lists and sums, search, overview, timelines, exports, reports and
// statements. The primary answers all others: look-ups on which the service or a merchant bases a decision (a
// payment by its reference, a balance before a payout), operations on sessions, users, secrets and settings,
// and every write.
export const REPLICA_OPERATIONS: ReadonlySet<string> = new Set([
  ...['listCollectionAccounts', 'summarizeCollectionAccounts', 'listAccountTransactions'],
  ...['listPayouts', 'summarizePayouts', 'listAllPayouts', 'summarizeAllPayouts'],
  ...['listCredits', 'summarizeCredits', 'listPayments', 'summarizePayments', 'listAdvices'],
  ...['listRefunds', 'listPaymentRefunds', 'listCreditRefunds', 'listAdjustments'],
  ...['listSuspense', 'summarizeSuspense', 'listSuspenseRequests', 'listReturns'],
  ...['listSettlements', 'listSettlementLines', 'exportSettlement', 'getSettlementStatement'],
  ...['listEvents', 'listEventDeliveries', 'listAuditLog', 'listAlerts', 'listRailItems'],
  ...[
    'search',
    'getOverview',
    'getOverviewPeriod',
    'getOverviewBreakdown',
    'getClientUse',
    'listBankHealth',
  ],
  ...['getPaymentTimeline', 'getCreditTimeline', 'getAccountTimeline'],
  ...['exportCredits', 'exportCollectionAccounts', 'exportPayments', 'exportSuspense'],
  ...['exportPayouts', 'exportAllPayouts', 'exportRefunds', 'exportSettlements', 'exportAdvices'],
  ...['exportAdjustments', 'exportDifferences', 'exportAuditLog', 'exportSubaccounts'],
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
  ...['exportReturns', 'exportStatementLines', 'exportSuspenseRequests'],
  ...['exportLedgerTransfers', 'exportRailItems', 'exportMerchantBalances'],
  ...['exportSubaccountBalances', 'exportDailyProofs'],
])

// Makes the replica serve REPLICA_OPERATIONS, if there is one. Must be called before the routes are
// registered. Returns the dependencies to register them with.
function serveFromReplica(app: FastifyInstance, deps: Deps): Deps {
  const { replica, metrics } = deps
  if (!replica) return deps
  app.addHook('onRoute', (route) => {
    // The operation of a workbook has the name of its CSV operation and the ending Xlsx.
    const operation = route.schema?.operationId?.replace(/Xlsx$/, '')
    if (!REPLICA_OPERATIONS.has(operation ?? '')) return
    const { handler } = route
    route.handler = function (request, reply) {
      return readingFromReplica(replica, () => handler.call(this, request, reply))
    }
  })
  const onServed = (by: string) => metrics.replicaReads.inc({ by })
  return { ...deps, db: replicatedPool(deps.db, replica, onServed) }
}

const BODY_BYTES_MAX = 65_536
// The deadline for registering all routes. It usually takes half a second, but a machine that stalls for a
// while must still start.
const ROUTES_MAX_MS = 120_000

// Creates the application of one process. Hooks apply only to routes that are registered after them, so the
// routes come last.
export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const setHeaders = headerSetter(deps.mode)
  const shedder = new LoadShedder({ ...deps, clock: deps.realClock })
  const schemas = lazySchemas(deps.mode)
  const emptyParameters = new EmptyParameters()
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    // Off, because a line per request costs a quarter of the throughput. requests.ts logs some of them.
    logController: new LogController({ disableRequestLogging: true }),
    // Creates no child logger: log lines name the request themselves (envelopes.ts).
    childLoggerFactory: (logger) => logger,
    genReqId: () => timeOrderedId(deps.realClock()),
    // `request.ip` is the caller's address. Only our own proxies can set it.
    trustProxy: deps.trustedProxies.length > 0 && [...deps.trustedProxies],
    bodyLimit: BODY_BYTES_MAX,
    pluginTimeout: ROUTES_MAX_MS,
    ...CONNECTION_OPTIONS,
    serverFactory: shedder.createServer as never,
    clientErrorHandler: handleClientError(deps.realClock),
    forceCloseConnections: 'idle',
    return503OnClosing: false, // Requests that arrive while we drain are served (connections.ts).
    rewriteUrl: ({ method, url }) =>
      emptyParameters.rewriteUrl({ method, url: withReferenceInPath({ method, url }) }),
    // Real clients write /payment/advice and /Payment/Advice.
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 },
    ajv: validatorOptions(deps.mode),
    schemaController: { compilersFactory: schemas.factories },
    frameworkErrors: frameworkErrors(setHeaders) as never,
  })
  emptyParameters.register(app)
  app.decorate('compileSchemas', schemas.compileAll)
  ignoreExpectHeader(app.server)
  limitConnections(app.server, {
    all: CONNECTIONS_MAX,
    perAddress: CONNECTIONS_OF_ADDRESS_MAX,
    trusted: trustedAddresses(deps.trustedProxies),
  })
  const requestLog = new RequestLog({ log: deps.log, share: deps.loggedShare })
  const timeRequest = timeRoutes(app, deps.metrics, requestLog)
  // Hooks of the busiest routes use callbacks, which saves a promise per request.
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply)
    timeRequest(request, reply)
    done()
  })
  if (deps.tracer) traceRequests(app, deps.tracer)
  enforceResponseDeadline(app, deps.patience)
  drainOnClose(app)
  await registerCors(app)
  parseJsonBodies(app)
  registerErrorHandler(app, deps.rateLimits)
  warnOfUnknownFields(app)
  takeNamesInAnyCase(app)
  deps.rateLimits.register(app)
  shedder.register(app)
  await registerOpenApi(app, deps)
  addWorkbooks(app)
  registerExports(app)
  await registerRoutes(app, deps)
  return app
}

// The routes of a process without an API.
const PROBE_ROUTES = [healthRoutes, metricsRoutes]

const ROUTES = [
  ...PROBE_ROUTES,
  loginRoutes,
  invitations,
  passwordResets,
  pendingApprovals,
  collectionAccountRoutes,
  ownAccounts,
  accountChanges,
  accountNumbers,
  accountBulk,
  statementRoutes,
  limitProfiles,
  collectionCeilings,
  clientCeilings,
  clientNumberCeilings,
  feeRules,
  ownFeeRules,
  subaccounts,
  splits,
  bankAccounts,
  institutions,
  payouts,
  payoutSettings,
  clientPayoutSettings,
  adviceRoutes,
  bankTransferRoutes,
  simulateRoutes,
  sandboxTransfers,
  payoutOutcome,
  webhookChaos,
  sandboxClock,
  sandboxReset,
  sandboxSeed,
  verifyPaymentRoutes,
  credits,
  payments,
  refunds,
  adjustments,
  holds,
  holdRequests,
  screeningRules,
  screeningLists,
  screeningListUploads,
  screeningDecisions,
  screeningRequests,
  cases,
  caseDeadlines,
  dailyProofs,
  dailyProofExport,
  daySides,
  adjustingEntries,
  reconcilingItems,
  differences,
  differenceResolutions,
  differenceOwners,
  paymentRequeries,
  timelineRoutes,
  exportRoutes,
  searching,
  advices,
  accountErasure,
  adviceErasure,
  balanceRoutes,
  ledgerRoutes,
  ledgerTransfers,
  overview,
  settlementSettings,
  holidays,
  settlements,
  settlementChanges,
  settlementStatementRoutes,
  railRoutes,
  suspense,
  suspenseRequests,
  suspenseSettings,
  suspenseSettingChanges,
  webhookEndpoints,
  webhookSecret,
  endpointSecrets,
  events,
  eventStreamRoutes,
  eventRedeliveries,
  endpointReplays,
  webhookPushRoutes,
  messages,
  messageSuppressions,
  noticeSettings,
  noticePreviews,
  reportSchedules,
  reports,
  auditLog,
  sessions,
  operatorChat,
  providerSignIn,
  ownProvider,
  userAddresses,
  ownCredentials,
  passkeys,
  savedViews,
  users,
  ownClient,
  limitRoutes,
  branding,
  checkoutRoutes,
  payerRequeryRoutes,
  payerSimulationRoutes,
  dashboardRoutes,
  operatorClients,
  clientChanges,
  returns,
  payoutFileRoutes,
  payoutFailures,
  operatorPayouts,
  payoutTariffs,
  alerts,
  bankHealth,
  railItems,
  days,
  journalRoutes,
  trialBalanceRoutes,
  monthRoutes,
  caseExportRoutes,
  caseEvidenceRoutes,
  caseUploadRoutes,
  vatRoutes,
  stampDutyRoutes,
  withholdingTaxRoutes,
  taxRates,
  taxSettings,
  vatInvoicePages,
  operatorVatInvoices,
  ownVatInvoices,
  operatorBalanceRoutes,
  suspenseAgeingRoutes,
  suspenseEscalation,
  statementUploadRoutes,
  statements,
  statementImports,
  statementProfiles,
]

// Routes about sign-ins, banks and this process use real time, even if a test clock is set.
const REAL_TIME_ROUTES = new Set<(typeof ROUTES)[number]>([
  ...PROBE_ROUTES,
  loginRoutes,
  invitations,
  passwordResets,
  sessions,
  providerSignIn,
  ownProvider,
  userAddresses,
  ownCredentials,
  passkeys,
  users,
  ownClient,
  operatorClients,
  clientChanges,
  bankHealth,
])

// Registers all routes, or only the probes in a process without an API. The clock of a sandbox may be a test
// clock, but some routes always get the real time (REAL_TIME_ROUTES).
async function registerRoutes(app: FastifyInstance, primaryDeps: Deps): Promise<void> {
  const deps = serveFromReplica(app, primaryDeps)
  const realTimeDeps = { ...deps, clock: deps.realClock }
  const eagerApp = completingRoutesAtOnce(app)
  for (const routes of deps.hasApi ? ROUTES : PROBE_ROUTES) {
    const routeDeps = REAL_TIME_ROUTES.has(routes) ? realTimeDeps : deps
    if (typeof routes === 'function') await routes(eagerApp, routeDeps)
    else routes.register(eagerApp, routeDeps)
  }
}

// Returns an instance of the app that completes each route at once. Fastify completes a route in a callback
// of after(), which loads a plugin with a queue of its own: some 630 plugins would take a fifth of the CPU of
// a start and 5 MB. The callback copies settings of the app, such as the error handler, which are all made
// before the routes. Fastify adds the hooks later, when the app is ready.
function completingRoutesAtOnce(app: FastifyInstance): FastifyInstance {
  const after = (complete: (error: null, done: () => void) => void) => complete(null, () => {})
  return Object.create(app, { after: { value: after } })
}
