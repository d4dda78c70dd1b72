// GET /api/v1/audit-log: manual actions.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { type AuditLogEntry, listAuditLog } from '#domain/records/audit-log.ts'
import type { Deps } from '#http/deps.ts'
import {
  ListEnvelope,
  listResponse,
  PageQuery,
  pageById,
  parseWindow,
  query,
  WindowQuery,
} from '#http/lists.ts'
import { BEARER, named, text } from '#http/schemas.ts'
import { findName, publicId, publicName } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'

const ActionBody = named('AuditLogEntry', {
  id: Type.Integer(),
  actor: Type.String({ description: 'client:<client id>, user:<email>, address:<address>, …' }),
  action: Type.String({ description: 'e.g. suspense.assign, user.sign_in.' }),
  subject: Type.String({ description: 'Object acted on, as type/id.' }),
  detail: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  takenAt: Type.String(),
})

export const auditLogRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    '/api/v1/audit-log',
    {
      onRequest: authentication.requires('actions:read'),
      schema: {
        operationId: 'listAuditLog',
        tags: ['Audit log'],
        summary: 'List audit log entries, newest first',
        description:
          'Manual actions: sign-ins, user changes, suspense, cancellations and so on. Append-only. ' +
          'It tells of all merchants: a client restricted to some is refused (merchants_restricted).',
        security: BEARER,
        querystring: query({
          actor: Type.Optional(text(300, 'Filter by actor, e.g. user:ada@example.com.')),
          action: Type.Optional(text(64, 'Filter by action, e.g. user.sign_in.')),
          subject: Type.Optional(text(300, 'Filter by subject, e.g. user/ada@example.com.')),
          ...WindowQuery,
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(ActionBody) },
      },
    },
    async ({ client, scopes, withoutAlerts, query: asked }) => {
      refuseRestricted(client)
      const { limit: _, cursor: __, ...filters } = asked
      const list: List = { name: 'actions', clientId: client.id, filters }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) => {
        const { actor, action, subject } = asked
        const named = subject && findName(sealer, subject)
        const wanted = { actor, action, subject: named, ...parseWindow(asked) }
        const withAdjustments = scopes.has('accounting:read')
        const seen = { ...wanted, withoutOperators: withoutAlerts, withAdjustments }
        return listAuditLog(db, client, { filters: seen, beforeId: after, limit })
      })
      return listResponse('Audit log retrieved successfully', page, (row) =>
        presentAction(row, sealer),
      )
    },
  )
}

function presentAction(recorded: AuditLogEntry, sealer: Sealer): Static<typeof ActionBody> {
  const { actor, action, detail } = recorded
  return {
    id: publicId(sealer, 'action', recorded.id),
    actor,
    action,
    subject: publicName(sealer, recorded.subject),
    detail,
    takenAt: timestamp(recorded.takenAt),
  }
}
