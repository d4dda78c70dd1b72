// Generates the OpenAPI description from the routes, and registers the reference pages, which show it.

import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { RATES, type RatePolicy } from '#config/policy-settings.ts'
import type { RefusalCode } from '#errors.ts'
import type { ScopedHook } from '#http/authentication.ts'
import { endpointFamily, type Family, failureStatus } from '#http/envelopes.ts'
import { publicAddress } from '#http/pages.ts'
import { markSchemaComponents, shareSchemaComponents } from '#http/schema-components.ts'
import {
  ApiFailure,
  type IdempotencyHeaders,
  OAuthFailure,
  PaymentFailure,
  RailFailure,
} from '#http/schemas.ts'
import { describeWebhooks } from '#webhooks/event-views.ts'
import { COMMON_ERRORS, ERROR_CODES } from './errors.ts'
import {
  type Components,
  exampleOf,
  type Description as Pages,
  type Parameter,
  type Schema,
} from './outline.ts'
import { referencePages } from './pages.ts'

type Route = Pick<RouteOptions, 'method' | 'schema' | 'config'>

// Returns the failure statuses of an operation, derived from its input, its authentication and its errors. A
// test fails if a response has another status (test/support/declared-errors.ts). The statuses of bugs (500)
// and of broken connections (408, 431) are left out.
function failureStatuses({ method, schema = {}, config = {} }: Route): number[] {
  const { params, querystring, headers, body, security } = schema
  const takesBody = ![method].flat().every((name) => name === 'GET' || name === 'HEAD')
  const takesInput = takesBody || [params, querystring, headers, body].some(Boolean)
  const takesKey = 'idempotency-key' in ((headers as typeof IdempotencyHeaders)?.properties ?? {})
  const isProbe = config.rate === 'none'
  const codes: RefusalCode[] = [
    ...(config.errors ?? []),
    ...(takesInput ? (['invalid_request'] as const) : []),
    ...(takesBody ? (['body_too_large', 'media_type_unsupported'] as const) : []),
    ...(security ? (['unauthorized', 'scope_missing'] as const) : []),
    ...(takesKey ? (['idempotency_key_reused'] as const) : []),
    // Probes are neither rate-limited nor shed, nor do they wait for the database.
    ...(isProbe ? [] : (['rate_limited', 'try_again'] as const)),
  ]
  const statuses = codes.map((code) => failureStatus(code, config.isPublished ?? false))
  return [...new Set(statuses)].sort((a, b) => a - b)
}

const SCHEMAS = { api: ApiFailure, payment: PaymentFailure, oauth: OAuthFailure, rail: RailFailure }
const STATUSES = [400, 401, 403, 404, 409, 412, 413, 415, 429, 503]
const RETRY_AFTER = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } }
const HEADERS: Record<number, object> = {
  401: { 'WWW-Authenticate': { schema: { type: 'string' } } },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
}

const FAILURE_RESPONSES = Object.fromEntries(
  Object.entries(SCHEMAS).flatMap(([family, schema]) =>
    STATUSES.map((status) => [
      responseName(family as Family, status),
      {
        description: STATUS_CODES[status],
        ...(HEADERS[status] && { headers: HEADERS[status] }),
        content: { 'application/json': { schema } },
      },
    ]),
  ),
)

function failureReference(path: string, status: number): { $ref: string } {
  return { $ref: `#/components/responses/${responseName(endpointFamily(path), status)}` }
}

// Names the component of a failure response, for example ApiBadRequest or RailServiceUnavailable.
function responseName(family: Family, status: number): string {
  return `${family[0]?.toUpperCase()}${family.slice(1)}${STATUS_CODES[status]?.replaceAll(' ', '')}`
}

// The sidebar of the reference, in the order in which a client integrates.
export const TAG_GROUPS: readonly { name: string; tags: readonly string[] }[] = [
  { name: 'Get started', tags: ['Authentication', 'Sandbox'] },
  {
    name: 'Collect',
    tags: ['Payments', 'Collection accounts', 'Credits', 'Timelines', 'Limits', 'Branding'],
  },
  { name: 'Be notified', tags: ['Webhooks', 'Events', 'Messages'] },
  { name: 'Resolve', tags: ['Suspense', 'Refunds'] },
  { name: 'Pay out', tags: ['Balances', 'Payouts', 'Settlements', 'Fees', 'Splits'] },
  { name: 'Look things up', tags: ['Overview', 'Ledger', 'Reports', 'Audit log'] },
  { name: 'Operate', tags: ['Operator', 'Cases', 'Reconciliation', 'Accounting', 'Operations'] },
  { name: 'Connect a bank', tags: ['Rails'] },
]

// Only the dashboard uses these operations.
export const INTERNAL_TAGS: readonly string[] = ['Dashboard']

const TAGS = TAG_GROUPS.flatMap(({ tags }) => tags.map((name) => ({ name })))

type Json = { schema?: Schema; example?: unknown; examples?: Record<string, unknown> }
type Content = Record<string, Json>
type Operation = {
  operationId: string
  description?: string
  tags?: readonly string[]
  parameters?: readonly Parameter[]
  security?: readonly Record<string, string[]>[]
  requestBody?: { content?: Content }
  responses: Record<string, { content?: Content; $ref?: string }>
  'x-failures'?: readonly number[]
  'x-errors'?: readonly RefusalCode[]
  'x-scope'?: string
  'x-published'?: true
  'x-internal'?: true
  'x-error-codes'?: readonly RefusalCode[]
}

type Description = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Components; responses: Record<string, unknown> }
}

// Adds to each operation its scope, failures, errors and examples, which the schemas do not contain. Also
// removes the components of failure responses that no operation references.
function describeOperations(description: Description): Description {
  for (const [path, methods] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      methods[method] = describe(operation, { path, components: description.components.schemas })
    }
  }
  const { components } = description
  const text = JSON.stringify(description.paths)
  for (const name of Object.keys(components.responses)) {
    if (!text.includes(`"#/components/responses/${name}"`)) delete components.responses[name]
  }
  return description
}

type OperationContext = { path: string; components: Components }

// Builds the final description of one operation from the notes that annotateSchema() left in its schema.
function describe(operation: Operation, { path, components }: OperationContext): Operation {
  const {
    'x-scope': scope,
    'x-published': isPublished = false,
    'x-failures': failures = [],
    'x-errors': errors,
    ...published
  } = operation
  const codes = errors ?? []
  const failureResponses = failures.map((status) => [status, failureReference(path, status)])
  const isInternal = operation.tags?.some((tag) => INTERNAL_TAGS.includes(tag))
  for (const content of contentsOf(operation)) {
    const json = content['application/json']
    // A route whose fields exclude one another has its own examples (x-examples).
    if (!json?.schema || json.examples) continue
    json.example = exampleOf(json.schema, components, [path, operation.operationId])
  }
  const paragraphs = [
    operation.description,
    scope && `**Scope:** \`${scope}\`.`,
    codes.length > 0 &&
      `**Errors:** ${codes.map((code) => codeLink(code, isPublished)).join(', ')}.`,
  ]
  return {
    ...published,
    ...(published.parameters && { parameters: withoutRepeated(published.parameters) }),
    description: paragraphs.filter(Boolean).join('\n\n'),
    // The route's own descriptions take precedence.
    responses: { ...Object.fromEntries(failureResponses), ...operation.responses },
    ...(codes.length > 0 && { 'x-error-codes': codes }),
    ...(isInternal && { 'x-internal': true as const }),
  }
}

// Leaves out a query parameter that repeats a header, such as lastEventId: generated clients would name the
// two the same. The header's description mentions it.
function withoutRepeated(parameters: readonly Parameter[]): readonly Parameter[] {
  const plain = ({ name }: Parameter) => name.toLowerCase().replaceAll('-', '')
  const headers = parameters.filter((parameter) => parameter.in === 'header').map(plain)
  return parameters.filter((each) => each.in === 'header' || !headers.includes(plain(each)))
}

function contentsOf({ requestBody, responses }: Operation): Content[] {
  const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return [requestBody?.content, ...answers.map(([, { content }]) => content)].filter(
    (content) => content !== undefined,
  )
}

// A link to an error on the page of errors, with its status.
function codeLink(code: RefusalCode, isPublished: boolean): string {
  return `[\`${code}\`](/docs/errors#${code}) (${failureStatus(code, isPublished)})`
}

const DESCRIPTION = [
  'Virtual bank accounts that turn transfers into booked, notified, reconciled payments.',
  'Log in, then send the token as `Authorization: Bearer …`.',
].join(' ')

// Makes Fastify collect the schemas of all routes, and registers the reference. Must be called before the
// routes are registered.
export async function registerOpenApi(
  app: FastifyInstance,
  { publicUrl, mode }: { publicUrl: string; mode: 'sandbox' | 'live' },
) {
  app.addHook('onRoute', annotateSchema)
  await app.register(swagger, {
    transform: (({ schema, url }: { schema: object; url: string }) => ({
      schema: markSchemaComponents(schema),
      url,
    })) as never,
    transformObject: ((generated: Parameters<typeof shareSchemaComponents>[0]) =>
      describeOperations(shareSchemaComponents(generated) as Description)) as never,
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
    return { ...(app.swagger() as object as Pages), servers }
  }
  await app.register(referencePages, { describe, mode })
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

// Describes the default limits. An installation may have others, which its response headers state.
function describeLimits(): string {
  const rows = Object.entries(RATE_POLICY_SUBJECTS).map(([name, who]) => {
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

const RATE_POLICY_SUBJECTS: Record<RatePolicy, string> = {
  client: 'each client: requests with its token',
  simulate: 'each client: simulated transfers',
  address: 'each IP address: requests without a valid token',
  initiate: 'each IP address: payment initiation without a token',
  login: 'each IP address: logins',
  rail: 'each bank: signed requests',
}

// Stores the route's scope, failures and errors in its schema, because describeOperations() sees only
// schemas.
function annotateSchema(route: RouteOptions): void {
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
