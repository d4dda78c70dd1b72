// /api/v1/operator/clients: create, list and retrieve clients.

import { Type } from '@fastify/type-provider-typebox'
import { makeSecret } from '#domain/access/client-secrets.ts'
import { getClient, listClients, registerClient } from '#domain/access/manage-clients.ts'
import { readUsage, USAGE_DAYS_MAX } from '#domain/reports/client-usage.ts'
import { flag, parseFlag } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { text } from '#http/schemas.ts'
import {
  ClientDetailView,
  ClientFields,
  ClientId,
  ClientName,
  ClientView,
  ClientWithSecretView,
  requireClientId,
  UsageView,
} from './client-presenters.ts'

export const operatorClients = resource('/api/v1/operator/clients', {
  tag: 'Operator',
  noun: 'client',
  view: ClientDetailView,
  scopes: { read: 'operator', write: 'operator' },
  params: { clientId: requireClientId },
})
  .create('createClient', {
    summary: 'Create a client',
    description: 'The secret is returned only in this response.',
    body: Type.Object(
      { name: ClientName, clientId: Type.Optional(ClientId), ...ClientFields },
      { additionalProperties: false },
    ),
    view: ClientWithSecretView,
    errors: ['client_id_taken'],
    prepare: makeSecret,
    run: async (tx, { now, actor, userId, clientId, body, prepared: secret }) => {
      const by = { now, actor, madeBy: { userId, clientId } }
      const client = await registerClient(tx, by, { request: body, secret })
      return { ...client, secret: secret.secret }
    },
  })
  .list('listClients', {
    summary: 'List clients, oldest first',
    description: 'Every client with its scopes, restrictions and state.',
    filters: {
      search: Type.Optional(text(100, 'Part of the client ID or name, case-insensitive.')),
      active: flag('true: active; false: suspended.'),
    },
    view: ClientView,
    rows: (db, { query: { search, active }, after, limit }) => {
      const filters = { search, isActive: parseFlag(active) }
      return listClients(db, { afterId: after, limit, filters })
    },
  })
  .get('getClient', {
    summary: 'Retrieve a client',
    description: 'Its scopes, allowed addresses, merchant codes and state.',
    errors: ['client_not_found'],
    run: (db, { now, params }) => getClient(db, now, params.clientId),
  })
  .get('getClientUse', {
    path: '/:clientId/use',
    summary: 'Retrieve the daily usage of a client',
    description: 'Requests, credits and webhooks of the client, day by day.',
    query: {
      days: Type.Optional(
        Type.Unsafe<string>({
          type: ['string', 'integer'],
          pattern: '^(?:[1-9]|[12][0-9]|3[01])$',
          description: `Number of days, including today, 1 to ${USAGE_DAYS_MAX}. Default 7.`,
          'x-says': `Must be a whole number from 1 to ${USAGE_DAYS_MAX}.`,
        }),
      ),
    },
    view: UsageView,
    errors: ['client_not_found'],
    message: 'Usage retrieved successfully',
    run: async (db, { now, params, query: { days = '7' } }) => {
      const { id, clientId } = await getClient(db, now, params.clientId)
      return { clientId, days: await readUsage(db, now, { clientId: id, days: Number(days) }) }
    },
  })
