// /api/v1/operator/alerts: list, retrieve and acknowledge alerts.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import { ALERT_KIND_NAMES, ALERT_KINDS, type AlertKind } from '#domain/records/alert-kinds.ts'
import { type Alert, acknowledgeAlert, getAlert, listAlerts } from '#domain/records/alerts.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import {
  ListEnvelope,
  listResponse,
  NoQuery,
  PageQuery,
  pageById,
  parseWindow,
  query,
  WindowQuery,
} from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named, nullable } from '#http/schemas.ts'
import { timestamp } from '#wat-time.ts'

const ALERTS = '/api/v1/operator/alerts'
const about = { tags: ['Operator'], security: BEARER }

const oneOf = <T extends string>(values: readonly T[], description: string) =>
  Type.Optional(
    Type.Unsafe<T>({
      type: 'string',
      enum: [...values],
      description,
      'x-says': `Must be one of ${values.join(', ')}.`,
    }),
  )

const AlertBody = named('Alert', {
  id: Type.Integer(),
  kind: Type.String({ description: `One of ${ALERT_KIND_NAMES.join(', ')}.` }),
  title: Type.String(),
  remedy: Type.String({ description: 'Recommended action.' }),
  subject: Type.String({ description: 'Object the alert refers to.' }),
  detail: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  isOpen: Type.Boolean({ description: 'Neither acknowledged nor cleared.' }),
  raisedAt: Type.String(),
  acknowledgedAt: nullable('string'),
  acknowledgedBy: nullable('string'),
  clearedAt: nullable('string', { description: 'When the condition ended.' }),
})

const Params = Type.Object({ id: Type.String() })
const response = { 200: ApiEnvelope(AlertBody) }

export const operatorAlertRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(reading, deps)
  await app.register(acknowledging, deps)
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  const onRequest = authentication.requires('operator')

  app.get(
    ALERTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listAlerts',
        summary: 'List alerts, newest first',
        description: 'What needs an operator, with its remedy. Some clear by themselves.',
        querystring: query({
          kind: oneOf<AlertKind>(ALERT_KIND_NAMES, 'Filter by kind.'),
          open: oneOf(['true', 'false'], 'true: only what nobody has acknowledged and stands.'),
          ...WindowQuery,
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(AlertBody) },
      },
    },
    async ({ client, query: asked }) => {
      const { kind, open, from, to } = asked
      const list: List = { name: 'alerts', clientId: client.id, filters: { kind, open, from, to } }
      const isOpen = open === undefined ? undefined : open === 'true'
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listAlerts(db, { kind, isOpen, ...parseWindow(asked), beforeId: after, limit }),
      )
      return listResponse('Alerts retrieved successfully', page, present)
    },
  )

  app.get(
    `${ALERTS}/:id`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getAlert',
        summary: 'Retrieve an alert',
        description: 'What happened, since when, and what to do about it.',
        params: Params,
        querystring: NoQuery,
        response,
      },
    },
    async ({ params }) => {
      const alert = await getAlert(db, requireAlertId(params.id))
      return accepted('Alert retrieved successfully', present(alert))
    },
  )
}

const acknowledging: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, clock } = deps
  const onRequest = authentication.requires('operator')

  app.post(
    `${ALERTS}/:id/acknowledge`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'acknowledgeAlert',
        summary: 'Acknowledge an alert',
        description: 'Idempotent: the first acknowledgement stays.',
        headers: IdempotencyHeaders,
        params: Params,
        querystring: NoQuery,
        body: Type.Object({}, { additionalProperties: false }),
        response,
      },
    },
    async (request, reply) => {
      const { client, actor, params } = request
      const id = requireAlertId(params.id)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const by = { now: clock(), clientId: client.id, actor }
        const alert = await acknowledgeAlert(tx, by, id)
        return accepted('Alert acknowledged successfully', present(alert))
      })
    },
  )
}

function requireAlertId(given: string): bigint {
  if (!/^[0-9]{1,18}$/.test(given)) throw new Refusal('alert_not_found')
  return BigInt(given)
}

function present(alert: Alert) {
  const { kind, acknowledgedAt, clearedAt } = alert
  const { title, remedy } = ALERT_KINDS[kind]
  return {
    id: Number(alert.id),
    kind,
    title,
    remedy,
    subject: alert.subject,
    detail: alert.detail,
    isOpen: acknowledgedAt === null && clearedAt === null,
    raisedAt: timestamp(alert.raisedAt),
    acknowledgedAt: acknowledgedAt && timestamp(acknowledgedAt),
    acknowledgedBy: alert.acknowledgedBy,
    clearedAt: clearedAt && timestamp(clearedAt),
  }
}
