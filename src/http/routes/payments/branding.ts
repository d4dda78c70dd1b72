// /api/v1/branding: name and colour of the checkout page.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { type Branding, readBranding, setBranding } from '#domain/payments/branding.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, ApiFailure, BEARER, named, text } from '#http/schemas.ts'
import { DEFAULT_COLOUR } from './brand-colours.ts'

const BRANDING = '/api/v1/branding'
const NAME_MAX = 60

const BrandingRequest = named(
  'BrandingRequest',
  {
    name: Type.Union([text(NAME_MAX, 'Display name. Null: the client’s name.'), Type.Null()]),
    colour: Type.Union([
      Type.String({
        pattern: '^#[0-9a-fA-F]{6}$',
        description: 'As #rrggbb; null for the default. Text on it stays readable.',
        examples: ['#0f5e4d'],
        'x-says': 'Must be a #rrggbb colour or null.',
      }),
      Type.Null(),
    ]),
  },
  { additionalProperties: false },
)

const BrandingBody = named('Branding', {
  name: Type.String(),
  colour: Type.String(),
  isOwnName: Type.Boolean({ description: 'False: the client’s name.' }),
  isOwnColour: Type.Boolean({ description: 'False: the default colour.' }),
})

export const brandingRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const response = { 200: ApiEnvelope(BrandingBody), '4xx': ApiFailure }
  const about = { tags: ['Branding'], security: BEARER, querystring: NoQuery, response }

  app.get(
    BRANDING,
    {
      onRequest: authentication.requires('accounts:read'),
      schema: {
        ...about,
        operationId: 'getBranding',
        summary: 'Retrieve branding',
        description: 'Name, colour and logo of your payer’s page.',
      },
    },
    async ({ client }) =>
      accepted(
        'Branding retrieved successfully',
        present(client, await readBranding(db, client.id)),
      ),
  )

  app.put(
    BRANDING,
    {
      onRequest: authentication.requires('accounts:write'),
      schema: {
        ...about,
        operationId: 'setBranding',
        summary: 'Update branding',
        description: 'The checkout page shows it from the next load.',
        body: BrandingRequest,
      },
    },
    async ({ client, actor, body }) => {
      const branding = { name: body.name, colour: body.colour?.toLowerCase() ?? null }
      await withTransaction(db, (tx) => setBranding(tx, clock(), { client, actor, branding }))
      return accepted('Branding updated successfully', present(client, branding))
    },
  )
}

function present(client: Client, { name, colour }: Branding) {
  return {
    name: name ?? client.name,
    colour: colour ?? DEFAULT_COLOUR,
    isOwnName: name !== null,
    isOwnColour: colour !== null,
  }
}
