// OpenAPI description, generated from the routes, and the reference page, served without external
// assets.

import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { RATES, type RatePolicy } from '#config/rate-settings.ts'
import { type Description, describeOperations } from '#http/reference/describe-operations.ts'
import { ERROR_CODES } from '#http/reference/error-remedies.ts'
import { FAILURE_RESPONSES, failureStatuses } from '#http/reference/failure-responses.ts'
import { COMMON_ERRORS } from '#http/reference/operation-errors.ts'
import { referencePages } from '#http/reference/reference-page.ts'
import { TAG_GROUPS, TAGS } from '#http/reference/tag-groups.ts'
import { describeWebhooks } from '#http/routes/webhooks/event-schemas.ts'
import type { ScopedHook } from './authentication.ts'
import { publicAddress } from './public-url.ts'
import { markSchemaComponents, shareSchemaComponents } from './schema-components.ts'

const DESCRIPTION = [
  'Virtual bank accounts that turn transfers into booked, notified, reconciled payments.',
  'Log in, then send the token as `Authorization: Bearer …`.',
].join(' ')

export async function registerOpenApi(app: FastifyInstance, { publicUrl }: { publicUrl: string }) {
  app.addHook('onRoute', noteRoute)
  await app.register(swagger, {
    transform: (({ schema, url }: { schema: object; url: string }) => ({
      schema: markSchemaComponents(schema),
      url,
    })) as never,
    transformObject: ((made: Parameters<typeof shareSchemaComponents>[0]) =>
      describeOperations(shareSchemaComponents(made) as Description)) as never,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Manilla',
        version: '1.0.0',
        description: [DESCRIPTION, describeErrors(), describeLimits()].join('\n\n'),
      },
      servers: [{ url: publicUrl }],
      tags: TAGS,
      ...{ 'x-tagGroups': TAG_GROUPS, 'x-error-codes': ERROR_CODES },
      webhooks: describeWebhooks() as never,
      components: {
        responses: markSchemaComponents(FAILURE_RESPONSES) as never,
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-manilla_session',
            description:
              'Session of a dashboard user, with x-csrf-token on POST, PUT, PATCH and DELETE. Named ' +
              'manilla_session over plain http, as in a local sandbox.',
          },
        },
      },
    },
  })
  const describe = () => {
    const servers = [{ url: publicAddress(publicUrl, app.server) }]
    return JSON.stringify({ ...app.swagger(), servers })
  }
  await app.register(referencePages, { describe })
}

function describeErrors(): string {
  return [
    '## Errors',
    'Every error has a machine-readable `code`, a `message` for people and the `requestId`. Each ' +
      'operation lists its own; any may also answer with ' +
      `${COMMON_ERRORS.map((code) => `\`${code}\``).join(', ')}. ` +
      '[All codes, with cause and remedy](/docs/errors).',
  ].join('\n\n')
}

// Defaults; response headers show the limits in force.
function describeLimits(): string {
  const rows = Object.entries(COUNTED).map(([name, who]) => {
    const [live, sandbox] = [RATES.live, RATES.sandbox].map((rates) => rates[name as RatePolicy])
    return `| \`${name}\` | ${who} | ${live?.toLocaleString('en')} | ${sandbox?.toLocaleString('en')} |`
  })
  const head = [
    '| policy | applies to | per minute, live | per minute, sandbox |',
    '|---|---|--:|--:|',
  ]
  return [
    '## Rate limits',
    'Every response carries its policy (`RateLimit-Policy`) and what remains of it ' +
      '(`RateLimit`: `r` requests, fully restored in `t` seconds). Above the limit: 429, code ' +
      '`rate_limited`, with `Retry-After` in seconds.',
    [...head, ...rows].join('\n'),
  ].join('\n\n')
}

const COUNTED: Record<RatePolicy, string> = {
  client: 'each client: requests with its token',
  simulate: 'each client: simulated transfers',
  address: 'each IP address: requests without a valid token',
  initiate: 'each IP address: payment initiation without a token',
  login: 'each IP address: logins',
  rail: 'each bank: signed requests',
}

// For describeOperations: the scope that the route's hooks require, whether it is published, and which
// failures it may answer with.
function noteRoute(route: RouteOptions): void {
  const hooks = [route.onRequest ?? []].flat() as Partial<ScopedHook>[]
  const scope = hooks.find((hook) => hook.scope !== undefined)?.scope
  const notes = {
    'x-failures': failureStatuses(route),
    ...(scope !== undefined && { 'x-scope': scope }),
    ...(route.config?.errors && { 'x-errors': route.config.errors }),
    ...(route.config?.isPublished && { 'x-published': true }),
  }
  if (route.schema?.operationId) route.schema = { ...route.schema, ...notes } as object
}
