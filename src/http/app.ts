// The HTTP application: every plugin and every route, registered by hand and in order.

import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import { ownClient } from '#http/routes/access/client-credentials.ts'
import { invitationRoutes } from '#http/routes/access/invitations.ts'
import { loginRoutes } from '#http/routes/access/login.ts'
import { clientChanges } from '#http/routes/access/operator-client-changes.ts'
import { operatorClients } from '#http/routes/access/operator-clients.ts'
import { passkeySignInRoutes } from '#http/routes/access/passkey-sign-in.ts'
import { passkeyRoutes } from '#http/routes/access/passkeys.ts'
import { sessionRoutes } from '#http/routes/access/sessions.ts'
import { userCredentialRoutes } from '#http/routes/access/user-credentials.ts'
import { users } from '#http/routes/access/users.ts'
import { days } from '#http/routes/accounting/days.ts'
import { journalRoutes } from '#http/routes/accounting/journal.ts'
import { operatorBalanceRoutes } from '#http/routes/accounting/operator-balances.ts'
import { suspenseAgeingRoutes } from '#http/routes/accounting/suspense-ageing.ts'
import { trialBalanceRoutes } from '#http/routes/accounting/trial-balance.ts'
import { vatRoutes } from '#http/routes/accounting/vat.ts'
import { accountBulkRoutes } from '#http/routes/accounts/account-bulk.ts'
import { accountChangeRoutes } from '#http/routes/accounts/account-changes.ts'
import { accountDetailRoutes } from '#http/routes/accounts/account-details.ts'
import { accountListRoutes } from '#http/routes/accounts/account-list.ts'
import { accountNumberRoutes } from '#http/routes/accounts/account-numbers.ts'
import { statementRoutes } from '#http/routes/accounts/account-statement.ts'
import { collectionAccountRoutes } from '#http/routes/accounts/collection-accounts.ts'
import { limitProfileRoutes } from '#http/routes/accounts/limit-profiles.ts'
import { creditRoutes } from '#http/routes/credits/credits.ts'
import { railItemRoutes } from '#http/routes/credits/rail-items.ts'
import { railRoutes } from '#http/routes/credits/rails.ts'
import { feeRules, ownFeeRules } from '#http/routes/fees/fee-rules.ts'
import { adviceRoutes } from '#http/routes/payments/advices.ts'
import { bankTransferRoutes } from '#http/routes/payments/bank-transfers.ts'
import { brandingRoutes } from '#http/routes/payments/branding.ts'
import { checkoutRoutes } from '#http/routes/payments/checkout.ts'
import { manageAdviceRoutes } from '#http/routes/payments/manage-advices.ts'
import { paymentRoutes } from '#http/routes/payments/payments.ts'
import { verifyPaymentRoutes } from '#http/routes/payments/verify-payment.ts'
import { bankAccountRoutes } from '#http/routes/payouts/bank-accounts.ts'
import { bankRoutes } from '#http/routes/payouts/banks.ts'
import { operatorPayoutRoutes } from '#http/routes/payouts/operator-payouts.ts'
import { payoutDecisionRoutes } from '#http/routes/payouts/payout-decisions.ts'
import { payoutFailureRoutes } from '#http/routes/payouts/payout-failures.ts'
import { payoutFileRoutes } from '#http/routes/payouts/payout-files.ts'
import { payoutSettingRoutes } from '#http/routes/payouts/payout-settings.ts'
import { payoutTariffRoutes } from '#http/routes/payouts/payout-tariffs.ts'
import { payoutRoutes } from '#http/routes/payouts/payouts.ts'
import { erasureRoutes } from '#http/routes/privacy/erasures.ts'
import { differenceOwners } from '#http/routes/reconciliation/assign-differences.ts'
import { dailyProofs } from '#http/routes/reconciliation/daily-proofs.ts'
import { daySides } from '#http/routes/reconciliation/day-sides.ts'
import { differences } from '#http/routes/reconciliation/differences.ts'
import { resolveDifferenceRoutes } from '#http/routes/reconciliation/resolve-differences.ts'
import { statementUploadRoutes } from '#http/routes/reconciliation/statement-upload.ts'
import {
  statementImports,
  statementProfiles,
  statements,
} from '#http/routes/reconciliation/statements.ts'
import { alerts } from '#http/routes/records/alerts.ts'
import { auditLog } from '#http/routes/records/audit-log.ts'
import { adjustmentRoutes } from '#http/routes/refunds/adjustments.ts'
import { refundRoutes } from '#http/routes/refunds/refunds.ts'
import { balanceRoutes } from '#http/routes/reports/balances.ts'
import { exportRoutes } from '#http/routes/reports/exports.ts'
import { ledgerRoutes } from '#http/routes/reports/ledger.ts'
import { ledgerTransfers } from '#http/routes/reports/ledger-transfers.ts'
import { overview } from '#http/routes/reports/overview.ts'
import { pendingApprovalRoutes } from '#http/routes/reports/pending-approvals.ts'
import { searching } from '#http/routes/reports/search.ts'
import { timelineRoutes } from '#http/routes/reports/timelines.ts'
import { bankHealthRoutes } from '#http/routes/requery/bank-health.ts'
import { payerRequeryRoutes } from '#http/routes/requery/payer-requeries.ts'
import { paymentRequeryRoutes } from '#http/routes/requery/payment-requeries.ts'
import { payoutOutcomeRoutes } from '#http/routes/sandbox/payout-outcomes.ts'
import { sandboxClockRoutes } from '#http/routes/sandbox/sandbox-clock.ts'
import { sandboxDataRoutes } from '#http/routes/sandbox/sandbox-data.ts'
import { sandboxTransferRoutes } from '#http/routes/sandbox/sandbox-transfers.ts'
import { simulateRoutes } from '#http/routes/sandbox/simulate.ts'
import { webhookChaosRoutes } from '#http/routes/sandbox/webhook-chaos.ts'
import { settlementChanges } from '#http/routes/settlement/settlement-changes.ts'
import {
  settlementHolidays,
  settlementSettings,
} from '#http/routes/settlement/settlement-settings.ts'
import { settlementStatementRoutes } from '#http/routes/settlement/settlement-statement.ts'
import { settlements } from '#http/routes/settlement/settlements.ts'
import { splits } from '#http/routes/splits/splits.ts'
import { subaccounts } from '#http/routes/splits/subaccounts.ts'
import { approvalRequestRoutes } from '#http/routes/suspense/approval-requests.ts'
import { makerCheckerRoutes } from '#http/routes/suspense/maker-checker-setting.ts'
import { operatorReturnRoutes } from '#http/routes/suspense/returns.ts'
import { suspenseRoutes } from '#http/routes/suspense/suspense.ts'
import { dashboardRoutes } from '#http/routes/system/dashboard.ts'
import { healthRoutes } from '#http/routes/system/health.ts'
import { limitRoutes } from '#http/routes/system/limits.ts'
import { metricsRoutes } from '#http/routes/system/metrics.ts'
import { eventStreamRoutes } from '#http/routes/webhooks/event-stream.ts'
import { events } from '#http/routes/webhooks/events.ts'
import { endpointReplays, eventRedeliveries } from '#http/routes/webhooks/redeliveries.ts'
import { webhookEndpoints } from '#http/routes/webhooks/webhook-endpoints.ts'
import { webhookPushRoutes } from '#http/routes/webhooks/webhook-push.ts'
import { endpointSecrets, webhookSecret } from '#http/routes/webhooks/webhook-secrets.ts'
import { timeOrderedId } from '#ids.ts'
import { serveInClientTime } from './client-time.ts'
import {
  CONNECTION_OPTIONS,
  CONNECTIONS_MAX,
  CONNECTIONS_OF_ADDRESS_MAX,
  handleClientError,
  ignoreExpectHeader,
  limitConnections,
  trustedAddresses,
} from './connections.ts'
import { registerCors } from './cors.ts'
import type { Deps } from './deps.ts'
import { drainOnClose } from './draining.ts'
import { EmptyParameters } from './empty-parameters.ts'
import { frameworkErrors, registerErrorHandler } from './error-handler.ts'
import { parseJsonBodies } from './json-bodies.ts'
import { lazySchemas } from './lazy-schemas.ts'
import { LoadShedder } from './load-shedding.ts'
import { registerOpenApi } from './open-api.ts'
import { serveFromReplica } from './replica-routes.ts'
import { RequestLog } from './request-log.ts'
import { timeRoutes } from './request-metrics.ts'
import { traceRequests } from './request-traces.ts'
import { enforceResponseDeadline } from './response-deadline.ts'
import { headerSetter } from './response-headers.ts'
import { scopeWhereMarked } from './scopes.ts'
import { warnOfUnknownFields } from './unknown-fields.ts'
import { validatorOptions } from './validation.ts'

const BODY_BYTES_MAX = 65_536
// Half a second is usual; a machine that stands still for a while must start all the same.
const ROUTES_MAX_MS = 120_000

export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const setHeaders = headerSetter(deps.mode)
  const shedder = new LoadShedder(deps)
  const schemas = lazySchemas(deps.mode)
  const emptyParameters = new EmptyParameters()
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    // A line per request costs a quarter of the throughput: request-log.ts writes some.
    logController: new LogController({ disableRequestLogging: true }),
    // Nor a logger: lines that are written name the request themselves (error-handler.ts).
    childLoggerFactory: (logger) => logger,
    genReqId: () => timeOrderedId(deps.clock()),
    // So that `request.ip` is the caller's, and only our own proxies can set it.
    trustProxy: deps.trustedProxies.length > 0 && [...deps.trustedProxies],
    bodyLimit: BODY_BYTES_MAX,
    pluginTimeout: ROUTES_MAX_MS,
    ...CONNECTION_OPTIONS,
    serverFactory: shedder.createServer as never,
    clientErrorHandler: handleClientError(deps.clock),
    forceCloseConnections: 'idle',
    return503OnClosing: false, // What still comes while we drain is served (draining.ts).
    rewriteUrl: emptyParameters.rewriteUrl,
    // Real clients write /payment/advice and /Payment/Advice.
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 },
    ajv: validatorOptions(deps.mode),
    schemaController: { compilersFactory: schemas.factories },
    frameworkErrors: frameworkErrors(setHeaders) as never,
  })
  scopeWhereMarked(app)
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
  // Hooks of the busiest routes call back rather than promise: a promise less for every request.
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply)
    timeRequest(request, reply)
    done()
  })
  if (deps.tracer) traceRequests(app, deps.tracer)
  enforceResponseDeadline(app, deps.patience)
  drainOnClose(app)
  registerCors(app)
  parseJsonBodies(app)
  registerErrorHandler(app, deps.rateLimits)
  warnOfUnknownFields(app)
  deps.rateLimits.register(app)
  shedder.register(app)
  await registerOpenApi(app, deps)
  await registerRoutes(app, deps)
  return app
}

// What a process without an API answers.
const PROBE_ROUTES = [healthRoutes, metricsRoutes]

const ROUTES = [
  ...PROBE_ROUTES,
  loginRoutes,
  invitationRoutes,
  pendingApprovalRoutes,
  collectionAccountRoutes,
  accountListRoutes,
  accountDetailRoutes,
  accountChangeRoutes,
  accountNumberRoutes,
  accountBulkRoutes,
  statementRoutes,
  limitProfileRoutes,
  feeRules,
  ownFeeRules,
  subaccounts,
  splits,
  bankAccountRoutes,
  bankRoutes,
  payoutRoutes,
  payoutDecisionRoutes,
  payoutSettingRoutes,
  erasureRoutes,
  adviceRoutes,
  bankTransferRoutes,
  simulateRoutes,
  sandboxTransferRoutes,
  payoutOutcomeRoutes,
  webhookChaosRoutes,
  sandboxClockRoutes,
  sandboxDataRoutes,
  verifyPaymentRoutes,
  creditRoutes,
  paymentRoutes,
  refundRoutes,
  adjustmentRoutes,
  dailyProofs,
  daySides,
  differences,
  resolveDifferenceRoutes,
  differenceOwners,
  paymentRequeryRoutes,
  timelineRoutes,
  exportRoutes,
  searching,
  manageAdviceRoutes,
  balanceRoutes,
  ledgerRoutes,
  ledgerTransfers,
  overview,
  settlementSettings,
  settlementHolidays,
  settlements,
  settlementChanges,
  settlementStatementRoutes,
  railRoutes,
  suspenseRoutes,
  approvalRequestRoutes,
  makerCheckerRoutes,
  webhookEndpoints,
  webhookSecret,
  endpointSecrets,
  events,
  eventStreamRoutes,
  eventRedeliveries,
  endpointReplays,
  webhookPushRoutes,
  auditLog,
  sessionRoutes,
  passkeySignInRoutes,
  userCredentialRoutes,
  passkeyRoutes,
  users,
  ownClient,
  limitRoutes,
  brandingRoutes,
  checkoutRoutes,
  payerRequeryRoutes,
  dashboardRoutes,
  operatorClients,
  clientChanges,
  operatorReturnRoutes,
  payoutFileRoutes,
  payoutFailureRoutes,
  operatorPayoutRoutes,
  payoutTariffRoutes,
  alerts,
  bankHealthRoutes,
  railItemRoutes,
  days,
  journalRoutes,
  trialBalanceRoutes,
  vatRoutes,
  operatorBalanceRoutes,
  suspenseAgeingRoutes,
  statementUploadRoutes,
  statements,
  statementImports,
  statementProfiles,
]

async function registerRoutes(app: FastifyInstance, given: Deps): Promise<void> {
  const timed = given.mode === 'sandbox' ? serveInClientTime(app, given) : given
  const deps = serveFromReplica(app, timed)
  const all = deps.hasApi ? ROUTES : PROBE_ROUTES
  for (const routes of all) {
    if (typeof routes === 'function') await app.register(routes, deps)
    else routes.register(app, deps)
  }
}
