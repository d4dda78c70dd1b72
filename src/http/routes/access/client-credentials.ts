// /dashboard/api/client: API credentials, for the client’s users. Not for the client itself: a
// stolen token must not yield a secret.

import { makeSecret, OVERLAP_SECONDS_DEFAULT } from '#domain/access/client-secrets.ts'
import { getClient, rotateClientSecret } from '#domain/access/manage-clients.ts'
import { mayManageSecrets, type Role } from '#domain/access/roles.ts'
import { lockUserOf, type SignedInSession } from '#domain/access/sessions.ts'
import { Refusal } from '#errors.ts'
import { resource } from '#http/resource.ts'
import { ClientDetailView, ClientWithSecretView, RotationBody } from './client-presenters.ts'

export const ownClient = resource('/dashboard/api/client', {
  tag: 'Dashboard',
  noun: 'client',
  view: ClientDetailView,
  scopes: 'session',
})
  .get('getOwnClient', {
    path: '',
    summary: 'Retrieve your client',
    description:
      'For owners and developers; in an operator client, for operators. Secrets are not ' +
      'included.',
    run: (db, { request: { session }, now }) => {
      const { clientId } = requireClient(session, session.user.role)
      return getClient(db, now, clientId)
    },
  })
  .act('rotateOwnSecret', {
    path: '/rotate-secret',
    summary: 'Rotate your client secret',
    description:
      'For owners and developers; in an operator client, for operators. The old secret stays ' +
      'valid during the overlap. An overlap of 0 revokes it immediately, with all tokens of ' +
      'the client.',
    body: RotationBody,
    view: ClientWithSecretView,
    message: 'Secret rotated successfully',
    parse: ({ request: { session }, reply }) => {
      reply.header('cache-control', 'no-store')
      return requireClient(session, session.user.role)
    },
    prepare: makeSecret,
    run: async (tx, call) => {
      const { now, actor, body, input, prepared: secret } = call
      const { session } = call.request
      requireClient(session, await lockUserOf(tx, session))
      const { overlapSeconds = OVERLAP_SECONDS_DEFAULT } = body
      const by = { now, actor, madeBy: { userId: session.user.id, clientId: input.id } }
      const client = await rotateClientSecret(tx, by, {
        clientId: input.clientId,
        change: { secret, overlapSeconds },
        action: 'secret.rotate',
      })
      return { ...client, secret: secret.secret }
    },
    after: ({ authentication, client }) => authentication.forget(client.clientId),
  })

function requireClient({ client }: SignedInSession, role: Role) {
  if (!mayManageSecrets(role, client)) throw new Refusal('role_not_allowed')
  return client
}
