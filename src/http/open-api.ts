// OpenAPI description, generated from the routes, and the reference page, served without external
// assets.

import { createHash } from 'node:crypto'
import swagger from '@fastify/swagger'
import Fastify, {
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { RATES, type RatePolicy } from '#config/rate-settings.ts'
import { describeWebhooks } from '#http/routes/webhooks/event-schemas.ts'
import { publicAddress } from './public-url.ts'
import { markSchemaComponents, shareSchemaComponents } from './schema-components.ts'
import { PAGE_HEADERS } from './static-pages.ts'

const SCRIPT_KEPT = 'public, max-age=86400' // Four megabytes, and the same until the next upgrade.

const DESCRIPTION = [
  'Virtual bank accounts that turn transfers into booked, notified, reconciled payments.',
  'Log in, then send the token as `Authorization: Bearer …`.',
].join(' ')

export async function registerOpenApi(app: FastifyInstance, { publicUrl }: { publicUrl: string }) {
  markSchemaComponents(app)
  await app.register(swagger, {
    transformObject: shareSchemaComponents as never,
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Manilla',
        version: '1.0.0',
        description: `${DESCRIPTION}\n\n${describeLimits()}`,
      },
      servers: [{ url: publicUrl }],
      webhooks: describeWebhooks() as never,
      components: {
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
  app.get('/openapi.json', { schema: { hide: true } }, async () => ({
    ...app.swagger(),
    servers: [{ url: publicAddress(publicUrl, app.server) }],
  }))
  await app.register(referencePage)
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

// Loaded on first use, in its own Fastify instance: the page has 4 MB of script.
const referencePage: FastifyPluginAsync = async (app) => {
  let reference: Promise<FastifyInstance> | undefined
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    reference ??= openReference()
    const url = request.url.split('?', 1)[0]?.toLowerCase() as string // Ours match in any case.
    const { statusCode, headers, rawPayload } = await (await reference).inject({ url })
    const type = String(headers['content-type'] ?? 'text/plain')
    if (type.includes('javascript')) reply.header('cache-control', SCRIPT_KEPT)
    if (type.startsWith('text/html')) {
      const policy = referencePolicy(rawPayload.toString('utf8'))
      reply.headers({ ...PAGE_HEADERS, 'content-security-policy': policy })
    }
    if (headers.location !== undefined) reply.header('location', headers.location)
    return reply.code(statusCode).type(type).send(rawPayload)
  }
  for (const url of ['/docs', '/docs/js/scalar.js']) {
    app.get(url, { schema: { hide: true } }, show)
  }
}

async function openReference(): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const reference = Fastify()
  await reference.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      pageTitle: 'Manilla API reference',
      telemetry: false,
      withDefaultFonts: false,
      agent: { disabled: true },
      mcp: { disabled: true },
      hideClientButton: true,
      showDeveloperTools: 'never',
    },
  })
  return reference
}

// As strict as for our own pages, but that it writes its styles itself.
function referencePolicy(page: string): string {
  const scripts = [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)]
  const hashes = scripts.map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
  return PAGE_HEADERS['content-security-policy']
    .replace("script-src 'self'", ["script-src 'self'", ...hashes].join(' '))
    .replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
}
