// GET /dashboard/api/approvals: how many requests the signed-in user may approve now.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { grantedScopes } from '#domain/access/roles.ts'
import { COUNTED_MAX, countPendingApprovals, WORKFLOWS } from '#domain/reports/pending-approvals.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { SESSION, tags } from '#http/routes/access/user-presenters.ts'
import { newSinceOf } from '#http/routes/suspense/approval-presenters.ts'
import { ApiEnvelope, named } from '#http/schemas.ts'

const counts = Object.fromEntries(WORKFLOWS.map((workflow) => [workflow, Type.Integer()]))

const PendingApprovalsBody = named('PendingApprovals', {
  total: Type.Integer({ description: 'Of all workflows.' }),
  ...(counts as Record<(typeof WORKFLOWS)[number], ReturnType<typeof Type.Integer>>),
})

export const pendingApprovalRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sessionCookies } = deps

  app.get(
    '/dashboard/api/approvals',
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        tags,
        security: SESSION,
        querystring: NoQuery,
        operationId: 'countPendingApprovals',
        summary: 'Count what you may approve',
        description:
          'Requests of others that nothing prevents you from approving now, by workflow; at most ' +
          `${COUNTED_MAX} of each are counted.`,
        response: { 200: ApiEnvelope(PendingApprovalsBody) },
      },
    },
    async ({ session: { user, client } }) => {
      const pending = await countPendingApprovals(db, {
        client: { ...client, isOperator: client.isOperator && user.role === 'operator' },
        actor: `user:${user.email}`,
        userId: user.id,
        newSince: newSinceOf(deps),
        scopes: new Set(grantedScopes(user.role, client)),
      })
      const total = WORKFLOWS.reduce((sum, workflow) => sum + pending[workflow], 0)
      return accepted('Pending approvals counted successfully', { total, ...pending })
    },
  )
}
