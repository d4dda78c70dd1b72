// The API's description, made from the routes, and the reference page that shows it. The page and
// everything it loads come from here: it works without internet.

import swagger from '@fastify/swagger'
import scalar from '@scalar/fastify-api-reference'
import type { FastifyInstance } from 'fastify'
import { describeWebhooks } from './event-schemas.ts'

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
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      },
    },
  })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
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
  })
}
