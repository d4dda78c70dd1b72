// The API's description, made from the routes, and the reference page that shows it. The page and
// everything it loads come from here: it works without internet.

import { createHash } from 'node:crypto'
import swagger from '@fastify/swagger'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#errors.ts'
import { describeWebhooks } from './event-schemas.ts'
import { PAGE_HEADERS } from './pages.ts'
import { publicAddress } from './public-address.ts'

const SCRIPT_KEPT = 'public, max-age=86400' // Four megabytes, and the same until the next upgrade.

const DESCRIPTION = `Virtual bank accounts that turn transfers into booked, notified, reconciled
payments. Log in, then send the token as \`Authorization: Bearer …\`.`

export async function registerOpenApi(app: FastifyInstance, { publicUrl }: { publicUrl: string }) {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Manilla', version: '1.0.0', description: DESCRIPTION.replaceAll('\n', ' ') },
      servers: [{ url: publicUrl }],
      webhooks: describeWebhooks() as never,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'manilla_session',
            description: 'Of a person, with x-csrf-token on POST, PUT, PATCH and DELETE.',
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

const referencePage: FastifyPluginAsync = async (app) => {
  let page = ''
  let policy = ''
  // The page's own script stands in it, and never changes: it is let in by its hash.
  app.addHook('onSend', async (_request, reply, payload) => {
    const type = String(reply.getHeader('content-type'))
    if (type.includes('javascript')) reply.header('cache-control', SCRIPT_KEPT)
    if (typeof payload !== 'string' || !type.startsWith('text/html')) return
    if (payload !== page) {
      page = payload
      policy = referencePolicy(page)
    }
    reply.headers({ ...PAGE_HEADERS, 'content-security-policy': policy })
  })
  await app.register(scalar, {
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
    hooks: { onRequest: refuseStrangeHosts },
  })
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

// It makes an address of the Host header, which may hold anything.
function refuseStrangeHosts(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
) {
  const isRight = URL.canParse(request.url, `${request.protocol}://${request.hostname}`)
  done(isRight ? undefined : new Refusal('invalid_http'))
}
