// /api/v1/suspense/settings: whether it takes one person or two for money to leave suspense.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { readFourEyes, setFourEyes } from '#domain/four-eyes.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { SESSION } from '#http/people-bodies.ts'
import { ApiEnvelope, ApiFailure, BEARER } from '#http/schemas.ts'

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
          'For owners and operators, signed in. What was asked for before can still be decided.',
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
}
