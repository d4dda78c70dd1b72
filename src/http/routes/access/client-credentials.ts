// /dashboard/api/client: API credentials, for the client’s users. Not for the client itself: a
// stolen token must not yield a secret.

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { makeSecret, OVERLAP_SECONDS_DEFAULT } from '#domain/access/client-secrets.ts'
import { getClient, rotateClientSecret } from '#domain/access/manage-clients.ts'
import { mayManageSecrets, type Role } from '#domain/access/roles.ts'
import { lockUserOf, type SignedInSession } from '#domain/access/sessions.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, IdempotencyHeaders } from '#http/schemas.ts'
import { ClientDetailView, ClientWithSecretView, RotationBody } from './client-presenters.ts'
import { SESSION, tags } from './user-presenters.ts'

const OWN = '/dashboard/api/client'
const about = { tags, security: SESSION, querystring: NoQuery }

export const clientCredentialRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sessionCookies, authentication, clock } = deps

  app.get(
    OWN,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'getOwnClient',
        summary: 'Retrieve your client',
        description:
          'For owners and developers; in an operator client, for operators. Secrets are not ' +
          'included.',
        response: { 200: ApiEnvelope(ClientDetailView.schema) },
      },
    },
    async ({ session }) => {
      const { clientId } = requireClient(session, session.user.role)
      const client = await getClient(db, clock(), clientId)
      return accepted('Client retrieved successfully', ClientDetailView.present(client))
    },
  )

  app.post(
    `${OWN}/rotate-secret`,
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'rotateOwnSecret',
        summary: 'Rotate your client secret',
        description:
          'For owners and developers; in an operator client, for operators. The old secret stays ' +
          'valid during the overlap. An overlap of 0 revokes it immediately, with all tokens of ' +
          'the client.',
        headers: IdempotencyHeaders,
        body: RotationBody,
        response: { 200: ApiEnvelope(ClientWithSecretView.schema) },
      },
    },
    async (request, reply) => {
      const { session, body } = request
      const { id, clientId } = requireClient(session, session.user.role)
      const actor = `user:${session.user.email}`
      const secret = await makeSecret()
      const change = { secret, overlapSeconds: body.overlapSeconds ?? OVERLAP_SECONDS_DEFAULT }
      reply.header('cache-control', 'no-store')
      const call = { request, reply, by: { clientId: id, actor } }
      const answer = await withIdempotency(deps, call, async (tx) => {
        requireClient(session, await lockUserOf(tx, session))
        const by = { now: clock(), actor, madeBy: { userId: session.user.id, clientId: id } }
        const client = await rotateClientSecret(tx, by, {
          clientId,
          change,
          action: 'secret.rotate',
        })
        const data = ClientWithSecretView.present({ ...client, secret: secret.secret })
        return accepted('Secret rotated successfully', data)
      })
      authentication.forget(clientId)
      return answer
    },
  )
}

function requireClient({ client }: SignedInSession, role: Role) {
  if (!mayManageSecrets(role, client)) throw new Refusal('role_not_allowed')
  return client
}
