// /api/v1/operator/clients: create, list and retrieve clients.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import { makeSecret } from '#domain/access/client-secrets.ts'
import { getClient, listClients, registerClient } from '#domain/access/manage-clients.ts'
import { readUsage, USAGE_DAYS_MAX } from '#domain/reports/client-usage.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import {
  flag,
  ListEnvelope,
  listResponse,
  NoQuery,
  PageQuery,
  pageById,
  query,
} from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, text } from '#http/schemas.ts'
import {
  CLIENTS,
  ClientBody,
  ClientDetailBody,
  ClientFields,
  ClientId,
  ClientName,
  ClientParams,
  ClientWithSecretBody,
  presentClient,
  presentClientDetail,
  presentDay,
  requireClientId,
  UsageBody,
} from './client-presenters.ts'

const about = { tags: ['Operator'], security: BEARER }

export const operatorClientRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(create, deps)
  await app.register(list, deps)
  await app.register(readOne, deps)
}

const create: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps
  const onRequest = authentication.requires('operator')

  app.post(
    CLIENTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'createClient',
        summary: 'Create a client',
        description: 'The secret is returned only in this response.',
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: Type.Object(
          { name: ClientName, clientId: Type.Optional(ClientId), ...ClientFields },
          { additionalProperties: false },
        ),
        response: { 200: ApiEnvelope(ClientWithSecretBody) },
      },
    },
    async (request, reply) => {
      const { actor, userId, body } = request
      const secret = await makeSecret()
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const madeBy = { userId, clientId: request.client.id }
        const by = { now: clock(), actor, madeBy }
        const client = await registerClient(tx, by, { request: body, secret })
        const data = { ...presentClientDetail(client), secret: secret.secret }
        return accepted('Client created successfully', data)
      })
    },
  )
}

const list: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  const onRequest = authentication.requires('operator')

  app.get(
    CLIENTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listClients',
        summary: 'List clients, oldest first',
        description: 'Every client with its scopes, restrictions and state.',
        querystring: query({
          search: Type.Optional(text(100, 'Part of the client ID or name, case-insensitive.')),
          active: flag('true: active; false: suspended.'),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(ClientBody) },
      },
    },
    async ({ client, query: asked }) => {
      const { search, active } = asked
      const filters = { search, isActive: active && active === 'true' }
      const clients: List = { name: 'clients', clientId: client.id, filters: { search, active } }
      const page = await pageById(sealer, { list: clients, asked }, ({ after, limit }) =>
        listClients(db, { afterId: after as (typeof client)['id'] | null, limit, filters }),
      )
      return listResponse('Clients retrieved successfully', page, presentClient)
    },
  )
}

const readOne: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock } = deps
  const onRequest = authentication.requires('operator')

  app.get(
    `${CLIENTS}/:clientId`,
    {
      onRequest,
      schema: {
        ...about,
        params: ClientParams,
        querystring: NoQuery,
        operationId: 'getClient',
        summary: 'Retrieve a client',
        description: 'Its scopes, allowed addresses, merchant codes and state.',
        response: { 200: ApiEnvelope(ClientDetailBody) },
      },
    },
    async ({ params: { clientId } }) => {
      const client = await getClient(db, clock(), requireClientId(clientId))
      return accepted('Client retrieved successfully', presentClientDetail(client))
    },
  )

  app.get(
    `${CLIENTS}/:clientId/use`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getClientUse',
        summary: 'Retrieve the daily usage of a client',
        description: 'Requests, credits and webhooks of the client, day by day.',
        params: ClientParams,
        querystring: query({
          days: Type.Optional(
            Type.Unsafe<string>({
              type: ['string', 'integer'],
              pattern: '^(?:[1-9]|[12][0-9]|3[01])$',
              description: `Number of days, including today, 1 to ${USAGE_DAYS_MAX}. Default 7.`,
              'x-says': `Must be a whole number from 1 to ${USAGE_DAYS_MAX}.`,
            }),
          ),
        }),
        response: { 200: ApiEnvelope(UsageBody) },
      },
    },
    async ({ params, query: { days = '7' } }) => {
      const { id, clientId } = await getClient(db, clock(), requireClientId(params.clientId))
      const use = await readUsage(db, clock(), { clientId: id, days: Number(days) })
      return accepted('Usage retrieved successfully', { clientId, days: use.map(presentDay) })
    },
  )
}
