// /api/v1/suspense/settings: whether it takes one person or two for money to leave suspense. One
// person switches it on; another must approve before it is off.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { getRequest } from '#domain/suspense/approval-request-list.ts'
import { requestDisable } from '#domain/suspense/approval-requests.ts'
import { readMakerChecker, setMakerChecker } from '#domain/suspense/maker-checker.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { SESSION } from '#http/routes/access/user-presenters.ts'
import { ApiEnvelope, ApiFailure, BEARER, IdempotencyHeaders, text } from '#http/schemas.ts'
import {
  approverOf,
  presentRequest,
  RequestBody,
  requireUser,
  viewerOf,
} from './approval-presenters.ts'

const REASON_MAX = 500
const SETTINGS = '/api/v1/suspense/settings'

const MakerChecker = Type.Boolean({
  description: 'One person asks, another approves, before money leaves suspense.',
  'x-says': 'Must be true or false.',
})

export const makerCheckerRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(setting, deps)
  await app.register(disabling, deps)
}

const setting: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, sessionCookies, clock } = deps
  const response = {
    200: ApiEnvelope(Type.Object({ makerChecker: MakerChecker })),
    '4xx': ApiFailure,
  }
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
      const makerChecker = await readMakerChecker(db, client.id)
      return accepted('Settings retrieved successfully', { makerChecker })
    },
  )

  app.put(
    SETTINGS,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'setSuspenseSettings',
        summary: 'Need two people at the suspense desk, or one',
        description:
          'For owners and operators, signed in. Off takes two people: it is refused with ' +
          'approval_needed, and asked for at /api/v1/suspense/settings/requests.',
        security: SESSION,
        body: Type.Object({ makerChecker: MakerChecker }, { additionalProperties: false }),
      },
    },
    async ({ session: { client, user }, body: { makerChecker } }) => {
      const by = { client, actor: `user:${user.email}`, role: user.role }
      await withTransaction(db, (tx) =>
        setMakerChecker(tx, clock(), { ...by, hasMakerChecker: makerChecker }),
      )
      return accepted('Settings updated successfully', { makerChecker })
    },
  )
}

const disabling: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication } = deps
  app.post(
    `${SETTINGS}/requests`,
    {
      onRequest: [authentication.requires('suspense:write'), requireUser],
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
      withIdempotency(deps, { request, reply }, async (tx) => {
        const id = await requestDisable(tx, approverOf(deps, request), request.body.reason)
        const shown = await getRequest(tx, viewerOf(deps, request), id)
        return accepted(
          'Asked successfully',
          presentRequest(shown, { actor: request.actor, ...deps }),
        )
      }),
  )
}
