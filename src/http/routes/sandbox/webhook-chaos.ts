// /sandbox/webhook-endpoints/{id}/chaos: how deliveries to an endpoint are disturbed.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { deleteChaos, readChaos, setChaos } from '#domain/webhooks/webhook-chaos.ts'
import { lockUnlessForAlerts } from '#domain/webhooks/webhook-endpoints.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { requireEndpointId } from '#http/routes/webhooks/webhook-presenters.ts'
import { ApiEnvelope, BEARER, Deleted, named } from '#http/schemas.ts'
import { sandboxOnly } from './sandbox-only.ts'

const CHAOS = '/sandbox/webhook-endpoints/:id/chaos'
const DELAY_MS_MAX = 600_000
const DUPLICATE_MAX = 10
const DROP_MAX = 1_000

const Count = (most: number, description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: most,
    description,
    'x-says': `Must be a whole number from 0 to ${most}.`,
  })

const Fields = {
  delayMs: Count(DELAY_MS_MAX, 'Milliseconds from the event to its first delivery.'),
  duplicate: Count(DUPLICATE_MAX, 'How often each delivery is sent again.'),
  reorder: Type.Boolean({
    description: 'Hold an event back until a later one has been sent, for at most 5 seconds.',
    'x-says': 'Must be true or false.',
  }),
  dropNext: Count(DROP_MAX, 'How many of the next attempts are not sent. Counts down.'),
}
const ChaosBody = named('WebhookChaos', Fields)
const ChaosRequest = named(
  'WebhookChaosRequest',
  {
    delayMs: Type.Optional(Fields.delayMs),
    duplicate: Type.Optional(Fields.duplicate),
    reorder: Type.Optional(Fields.reorder),
    dropNext: Type.Optional(Fields.dropNext),
  },
  {
    additionalProperties: false,
    'x-examples': {
      drop: { value: { dropNext: 3 } },
      all: { value: { delayMs: 2000, duplicate: 1, reorder: true, dropNext: 3 } },
    },
  },
)

const Params = Type.Object({ id: Type.String() })
const response = { 200: ApiEnvelope(ChaosBody) }
const about = { tags: ['Sandbox'], security: BEARER, params: Params, querystring: NoQuery }

export const webhookChaosRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, clock, authentication } = deps
  const mayWrite = [authentication.requires('webhooks:write'), sandboxOnly(deps)]

  app.get(
    CHAOS,
    {
      onRequest: [authentication.requires('webhooks:read'), sandboxOnly(deps)],
      schema: {
        ...about,
        operationId: 'getWebhookChaos',
        summary: 'Retrieve the chaos settings of a webhook endpoint (sandbox only)',
        description: 'How its deliveries are disturbed, and how many are still to be dropped.',
        response,
      },
    },
    async ({ client, params }) => {
      const own = { clientId: client.id, id: requireEndpointId(params.id) }
      return accepted('Chaos settings retrieved successfully', await readChaos(db, own))
    },
  )

  app.put(
    CHAOS,
    {
      onRequest: mayWrite,
      schema: {
        ...about,
        operationId: 'setWebhookChaos',
        summary: 'Disturb the deliveries to a webhook endpoint (sandbox only)',
        description:
          'Delays, repeats, reorders or drops them, to prove that your handler copes. The delivery ' +
          'log says what was done. Replaces all settings; those omitted are off.',
        body: ChaosRequest,
        response,
      },
    },
    async ({ client, withoutAlerts, params, body }) => {
      const own = { clientId: client.id, id: requireEndpointId(params.id) }
      const chaos: Partial<Static<typeof ChaosBody>> = body
      const set = await withTransaction(db, async (tx) => {
        if (withoutAlerts) await lockUnlessForAlerts(tx, client.id, own.id)
        return setChaos(tx, clock(), { ...own, chaos })
      })
      return accepted('Chaos settings updated successfully', set)
    },
  )

  app.delete(
    CHAOS,
    {
      onRequest: mayWrite,
      schema: {
        ...about,
        operationId: 'deleteWebhookChaos',
        summary: 'Stop disturbing the deliveries to a webhook endpoint (sandbox only)',
        description: 'What is held back at this moment is sent at its time.',
        response: { 200: ApiEnvelope(Deleted) },
      },
    },
    async ({ client, withoutAlerts, params }) => {
      const id = requireEndpointId(params.id)
      await withTransaction(db, async (tx) => {
        if (withoutAlerts) await lockUnlessForAlerts(tx, client.id, id)
        await deleteChaos(tx, { clientId: client.id, id })
      })
      return accepted('Chaos settings deleted successfully', { id })
    },
  )
}
