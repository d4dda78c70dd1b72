// The HTTP application: every plugin and every route, registered by hand and in order.

import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Logger } from 'pino'
import type { BankSettings } from '#bank-settings.ts'
import type { Clock } from '#clock.ts'
import type { Policy } from '#config.ts'
import type { Pool } from '#db/pool.ts'
import type { Writers } from '#domain/writers.ts'
import { timeOrderedId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Sealer } from '#seal.ts'
import type { Authentication } from './authentication.ts'
import { parseJsonBodies } from './bodies.ts'
import { answerFailures } from './failures.ts'
import { registerOpenApi } from './open-api.ts'
import { adviceRoutes } from './routes/advices.ts'
import { balanceRoutes } from './routes/balances.ts'
import { bankTransferRoutes } from './routes/bank-transfers.ts'
import { collectionAccountRoutes } from './routes/collection-accounts.ts'
import { creditRoutes } from './routes/credits.ts'
import { healthRoutes } from './routes/health.ts'
import { loginRoutes } from './routes/login.ts'
import { paymentRoutes } from './routes/payments.ts'
import { railRoutes } from './routes/rails.ts'
import { statementRoutes } from './routes/statements.ts'
import { suspenseRoutes } from './routes/suspense.ts'
import { transactionRoutes } from './routes/transactions.ts'
import type { Tokens } from './tokens.ts'
import { validatorOptions } from './validation.ts'

export type Deps = {
  mode: 'sandbox' | 'live'
  publicUrl: string
  policy: Policy
  banks: readonly BankSettings[]
  clock: Clock
  log: Logger
  db: Pool
  batchPool: Pool
  sharedAccounts: SharedAccounts
  // Tells banks of the returns that were asked for; the workers do the same by and by.
  sendReturns: () => Promise<void>
  sealer: Sealer
  writers: Writers
  tokens: Tokens
  authentication: Authentication
  isReady: () => Promise<boolean>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isPublished?: boolean // Of the published contract: answers 200 or 400 (envelopes.ts).
  }
}

const BODY_BYTES_MAX = 65_536
const REQUEST_TIMEOUT_MS = 30_000

export async function buildApp(deps: Deps): Promise<FastifyInstance> {
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    // A line per request costs a quarter of the throughput.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => timeOrderedId(deps.clock()),
    bodyLimit: BODY_BYTES_MAX,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    // Real clients write /payment/advice and /Payment/Advice.
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 },
    ajv: validatorOptions(deps.mode),
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
  })
  parseJsonBodies(app)
  answerFailures(app)
  await registerOpenApi(app, deps)

  await app.register(healthRoutes, deps)
  await app.register(loginRoutes, deps)
  await app.register(collectionAccountRoutes, deps)
  await app.register(statementRoutes, deps)
  await app.register(adviceRoutes, deps)
  await app.register(bankTransferRoutes, deps)
  await app.register(transactionRoutes, deps)
  await app.register(creditRoutes, deps)
  await app.register(paymentRoutes, deps)
  await app.register(balanceRoutes, deps)
  await app.register(railRoutes, deps)
  await app.register(suspenseRoutes, deps)
  return app
}
