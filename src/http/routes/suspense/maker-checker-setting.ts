// /api/v1/suspense/settings: whether it takes one person or two for money to leave suspense. One
// person switches it on; another must approve before it is off.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { getRequest } from '#domain/suspense/approval-request-list.ts'
import { askToDisable } from '#domain/suspense/approval-requests.ts'
import { readFourEyes, setFourEyes } from '#domain/suspense/maker-checker.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { answerOnce } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { SESSION } from '#http/routes/access/user-presenters.ts'
import { ApiEnvelope, ApiFailure, BEARER, IdempotencyHeaders, text } from '#http/schemas.ts'
import {
  actingOf,
  peopleOnly,
  presentRequest,
  RequestBody,
  viewerOf,
} from './approval-presenters.ts'

const REASON_MAX = 500
const SETTINGS = '/api/v1/suspense/settings'

const FourEyes = Type.Boolean({
  description: 'One person asks, another approves, before money leaves suspense.',
  'x-says': 'Must be true or false.',
})

export const suspenseSettingRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, visits, clock } = deps
  const response = { 200: ApiEnvelope(Type.Object({ fourEyes: FourEyes })), '4xx': ApiFailure }
  const about = { tags: ['Suspense'], querystring: NoQuery, response }

  app.get(
    SETTINGS,
    {
      onRequest: authentication.requires('suspense:read'),
      schema: {
        ...about,
        operationId: 'getSuspenseSettings',
        summary: 'Whether two people are needed at the suspense desk',
        security: BEARER,
      },
    },
    async ({ client }) => {
      const fourEyes = await readFourEyes(db, client.id)
      return accepted('Settings retrieved successfully', { fourEyes })
    },
  )

  app.put(
    SETTINGS,
    {
      onRequest: visits.requireSettled,
      schema: {
        ...about,
        operationId: 'setSuspenseSettings',
        summary: 'Need two people at the suspense desk, or one',
        description:
          'For owners and operators, signed in. Off takes two people: it is refused with ' +
          'approval_needed, and asked for at /api/v1/suspense/settings/requests.',
        security: SESSION,
        body: Type.Object({ fourEyes: FourEyes }, { additionalProperties: false }),
      },
    },
    async ({ visit: { client, user }, body: { fourEyes } }) => {
      const by = { client, actor: `user:${user.email}`, role: user.role }
      await withTransaction(db, (tx) => setFourEyes(tx, clock(), by, fourEyes))
      return accepted('Settings updated successfully', { fourEyes })
    },
  )

  app.post(
    `${SETTINGS}/requests`,
    {
      onRequest: [authentication.requires('suspense:write'), peopleOnly],
      schema: {
        tags: ['Suspense'],
        querystring: NoQuery,
        response: { 200: ApiEnvelope(RequestBody), '4xx': ApiFailure },
        operationId: 'askToDisableMakerChecker',
        summary: 'Ask another owner or operator to switch maker-checker off',
        description: 'Decided like every request: /api/v1/suspense/requests/{id}/approve.',
        security: SESSION,
        headers: IdempotencyHeaders,
        body: Type.Object(
          { reason: text(REASON_MAX, 'Why; the other person reads it.') },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) =>
      answerOnce(deps, { request, reply }, async (tx) => {
        const id = await askToDisable(tx, actingOf(deps, request), request.body.reason)
        const shown = await getRequest(tx, viewerOf(deps, request), id)
        return accepted(
          'Asked successfully',
          presentRequest(shown, { actor: request.actor, ...deps }),
        )
      }),
  )
}
