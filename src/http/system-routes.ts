// Routes about the service itself: probes, metrics, configured limits and the dashboard's page.
//
// /health: liveness. /ready: readiness (database reachable, writable and migrated; not draining). Both
// respond within two seconds, even if the database does not.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { Gauge, Registry } from 'prom-client'
import { BANKS, bankNames } from '#banks/directory.ts'
import { isSecretEqual } from '#banks/notifications.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import { Refusal } from '#errors.ts'
import { type Kobo, toNaira } from '#money.ts'
import { FIGURES, readFigure } from '#reports/figures.ts'
import { SANDBOX_USER } from '#sandbox/setup.ts'
import { ENDPOINTS_MAX } from '#webhooks/endpoints.ts'
import type { Deps } from './deps.ts'
import { accepted } from './envelopes.ts'
import { NoQuery } from './lists.ts'
import { findBuild, getBuild, PAGE_HEADERS, serveAssets } from './pages.ts'
import { ApiEnvelope, BEARER, named } from './schemas.ts'

const RESPONSE_MAX_MS = 1_500

const Status = named('HealthStatus', { status: Type.String() })

export const healthRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { isReady, patience = 1 } = deps
  const timeoutMs = patience * RESPONSE_MAX_MS
  const tags = ['Operations']

  app.get(
    '/health',
    {
      config: { rate: 'none' },
      schema: {
        operationId: 'health',
        tags,
        summary: 'Liveness',
        description:
          'Answers while the process runs, whatever the database does. For liveness probes.',
        response: { 200: Status },
      },
    },
    async () => ({ status: 'up' }),
  )

  app.get(
    '/ready',
    {
      config: { rate: 'none' },
      schema: {
        operationId: 'ready',
        tags,
        summary: 'Readiness',
        description:
          'Answers 200 when the service can serve requests, 503 while it cannot: starting, ' +
          'draining, or without its database. For load balancers.',
        response: { 200: Status, 503: Status },
      },
    },
    async (_request, reply) => {
      const ready =
        !app.isDraining &&
        (await resolveInTime(
          isReady().catch(() => false),
          timeoutMs,
        ))
      return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not ready' })
    },
  )
}

// Returns whether the service is ready, as `answer` says, or false if the answer does not come in time.
async function resolveInTime(answer: Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), timeoutMs)
  try {
    return await Promise.race([answer, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

const FIGURES_MAX_AGE_MS = 10_000

// GET /metrics, for Prometheus: the counters of all processes of this service, and figures from the database.
// The figures are cached for FIGURES_MAX_AGE_MS, so that many callers cause few queries. In the sandbox the
// route needs no token. In live mode it needs MANILLA_METRICS_TOKEN, and does not exist if that is not set.
export const metricsRoutes: FastifyPluginAsync<Deps> = async (app, deps) => {
  const { mode, metricsToken, metrics, readMetrics } = deps
  if (mode === 'live' && metricsToken === undefined) return
  const figures = cachedFigures(deps)

  app.get(
    '/metrics',
    { config: { rate: 'none' }, schema: { hide: true } },
    async ({ headers }, reply) => {
      const isAllowed =
        metricsToken === undefined ||
        isSecretEqual(headers.authorization ?? '', `Bearer ${metricsToken}`)
      if (!isAllowed) throw new Refusal('unauthorized')
      const [counted, read] = await Promise.all([readMetrics(), figures()])
      reply.type(metrics.registry.contentType)
      return `${counted}\n${read}`
    },
  )
}

// Returns a function that reads the figures, at most every FIGURES_MAX_AGE_MS. If one figure cannot be read,
// the others are still returned, because they are needed most when something is wrong.
function cachedFigures({ probes, clock, log, banks }: Deps): () => Promise<string> {
  let [text, readAtMs] = [Promise.resolve(''), Number.NEGATIVE_INFINITY]
  // Reads the figures, and renders them in the text format of Prometheus.
  const read = async () => {
    const registry = new Registry()
    for (const kind of FIGURES) {
      const { name, help, labels } = kind
      const gauge = new Gauge({ name, help, labelNames: [...labels], registers: [registry] })
      try {
        for (const { labels: labelValues, value } of await readFigure(
          probes,
          { now: clock(), banks },
          kind,
        )) {
          gauge.set(labelValues, value)
        }
      } catch (error) {
        log.warn({ err: error, figure: name }, 'figure not read')
        registry.removeSingleMetric(name)
      }
    }
    return registry.metrics()
  }
  return () => {
    const nowMs = performance.now()
    if (nowMs - readAtMs >= FIGURES_MAX_AGE_MS) [text, readAtMs] = [read(), nowMs]
    return text
  }
}

const limit = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description })

const LimitsBody = named('Limits', {
  requestsPerMinute: Type.Object(
    {
      client: limit('Per client, all requests.'),
      simulate: limit('Per client, simulated transfers.'),
      address: limit('Per IP address, requests without a token.'),
      initiate: limit('Per IP address, payment initiation.'),
      login: limit('Per IP address, logins.'),
    },
    { description: 'Per process. Null: unlimited.' },
  ),
  newAccounts: Type.Object(
    {
      perCredit: limit('Per credit.'),
      perDay: limit('Per day (West Africa Time).'),
    },
    { description: 'Default limits of new collection accounts, in naira. Null: unlimited.' },
  ),
  webhookEndpoints: Type.Integer({ description: 'Maximum number of webhook endpoints.' }),
  expirySeconds: Type.Integer({ description: 'Default payment expiry.' }),
  graceSeconds: Type.Integer({ description: 'Default grace period.' }),
  tokenSeconds: Type.Integer({ description: 'Token lifetime.' }),
})

// GET /api/v1/limits: configured limits.
export const limitRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const data = presentLimits(deps)

  app.get(
    '/api/v1/limits',
    {
      onRequest: deps.authentication.requires('accounts:read'),
      schema: {
        operationId: 'getLimits',
        tags: ['Limits'],
        summary: 'Retrieve limits',
        description: 'Defaults of this service; accounts and advices may override them.',
        security: BEARER,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(LimitsBody) },
      },
    },
    async () => accepted('Limits retrieved successfully', data),
  )
}

// The configured limits as the API shows them. Null means unlimited.
function presentLimits({ rates, policy }: Deps) {
  const { client, simulate, address, initiate, login } = rates
  const naira = (kobo: Kobo | null) => (kobo === null ? null : toNaira(kobo))
  const orNone = (perMinute: number) => (perMinute === 0 ? null : perMinute) // 0 means unlimited.
  return {
    requestsPerMinute: {
      client: orNone(client),
      simulate: orNone(simulate),
      address: orNone(address),
      initiate: orNone(initiate),
      login: orNone(login),
    },
    newAccounts: {
      perCredit: naira(policy.limits.perCreditKobo),
      perDay: naira(policy.limits.perDayKobo),
    },
    webhookEndpoints: ENDPOINTS_MAX,
    expirySeconds: policy.expirySeconds,
    graceSeconds: policy.graceSeconds,
    tokenSeconds: policy.tokenTtlSeconds,
  }
}

const BANKS_SCHEMA = {
  operationId: 'listBanks',
  tags: ['Dashboard'],
  summary: 'List banks by their codes',
  description:
    'Names of banks, for display, and which of them issue numbers to collection accounts.',
  response: {
    200: ApiEnvelope(
      Type.Array(
        named('Bank', {
          code: Type.String(),
          name: Type.String(),
          issuesAccountNumbers: Type.Boolean({
            description: 'Whether a collection account can get a number there.',
          }),
        }),
      ),
    ),
  },
}

const ROOT = '<div id="app">'
const DEMO_ROOT = `<div id="app" data-email="${SANDBOX_USER.email}" data-password="${SANDBOX_USER.password}">`

// /dashboard: a single-page app, whose page is served for every path below. In a sandbox the page has the
// published address and password of the demo user, which fill the sign-in form.
export const dashboardRoutes: FastifyPluginAsync<Deps> = async (app, { banks, mode }) => {
  const build = findBuild()
  const built = build && (await readFile(join(build, 'dashboard/dashboard.html'), 'utf8'))
  const page = mode === 'sandbox' ? built?.replace(ROOT, DEMO_ROOT) : built
  if (build) await serveAssets(app, join(build, 'dashboard'), '/dashboard')

  // Sends the page for every path of the dashboard: the page itself reads the path to choose the view.
  const show = async (_: unknown, reply: FastifyReply) => {
    getBuild(build) // Refuses if the page was not built.
    return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(page)
  }
  const schema = { hide: true }
  app.get('/', { schema }, (_, reply) => reply.redirect('/dashboard'))
  app.get('/dashboard', { schema }, show)
  app.get('/dashboard/*', { schema }, show)
  // Bank names by code, including payers’ banks.
  const nameBank = bankNames(banks)
  const codes = new Set([...BANKS, ...banks].map(({ code }) => code))
  const issuing = banks.filter((bank) => issuesNumbers(bank, 'static')).map(({ code }) => code)
  const bankList = [...codes].map((code) => ({
    code,
    name: nameBank(code),
    issuesAccountNumbers: issuing.includes(code),
  }))
  app.get('/dashboard/api/banks', { schema: BANKS_SCHEMA }, async () =>
    accepted('Banks retrieved successfully', bankList),
  )
  // Under these paths, assets of an older build and unknown routes get an error instead of the page.
  for (const path of ['/dashboard/assets/*', '/dashboard/api/*']) {
    app.get(path, { schema }, async () => {
      throw new Refusal('route_not_found')
    })
  }
}
