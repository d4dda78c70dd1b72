// /api/v1/suspense/settings: maker-checker on or off. One user turns it on; turning it off needs
// approval.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { readMakerChecker } from '#domain/access/maker-checker.ts'
import { getRequest } from '#domain/suspense/approval-request-list.ts'
import { requestDisable } from '#domain/suspense/approval-requests.ts'
import { setMakerChecker } from '#domain/suspense/maker-checker.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { SESSION } from '#http/routes/access/user-presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named, text } from '#http/schemas.ts'
import {
  presentRequest,
  RequestBody,
  requireApprover,
  requireUser,
  toViewer,
} from './approval-presenters.ts'

const REASON_MAX = 500
const SETTINGS = '/api/v1/suspense/settings'

const MakerChecker = Type.Boolean({
  description: 'Maker-checker: another user must approve before money leaves suspense.',
  'x-says': 'Must be true or false.',
})

export const makerCheckerRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(setting, deps)
  await app.register(disabling, deps)
}

const setting: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, sessionCookies, clock } = deps
  const response = {
    200: ApiEnvelope(named('SuspenseSettings', { makerChecker: MakerChecker })),
  }
  const about = { tags: ['Suspense'], querystring: NoQuery, response }

  app.get(
    SETTINGS,
    {
      onRequest: authentication.requires('suspense:read'),
      schema: {
        ...about,
        operationId: 'getSuspenseSettings',
        summary: 'Retrieve suspense settings',
        description: 'Whether money leaves suspense only with a second person’s approval.',
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
        summary: 'Update suspense settings',
        description:
          'For signed-in owners and operators. Turning maker-checker off requires approval: it is ' +
          'refused with approval_needed; use /api/v1/suspense/settings/requests.',
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
        response: { 200: ApiEnvelope(RequestBody) },
        operationId: 'askToDisableMakerChecker',
        summary: 'Request approval to disable maker-checker',
        description: 'Approve at /api/v1/suspense/requests/{id}/approve.',
        security: SESSION,
        headers: IdempotencyHeaders,
        body: Type.Object(
          { reason: text(REASON_MAX, 'Reason, shown to the approver.') },
          { additionalProperties: false },
        ),
      },
    },
    async (request, reply) =>
      withIdempotency(deps, { request, reply }, async (tx) => {
        const id = await requestDisable(tx, requireApprover(deps, request), request.body.reason)
        const shown = await getRequest(tx, toViewer(deps, request), id)
        return accepted(
          'Approval requested successfully',
          presentRequest(shown, { actor: request.actor, ...deps }),
        )
      }),
  )
}
