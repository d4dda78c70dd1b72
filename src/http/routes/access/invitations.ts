// /dashboard/api/invitation: a user opens the single-use link of an invitation or of a password reset, and
// chooses a password. The token is in the body: URLs are logged by proxies.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { passwordProblem } from '#domain/access/password-rules.ts'
import { hashPassword } from '#domain/access/passwords.ts'
import { openSession } from '#domain/access/sessions.ts'
import { acceptInvitation, findInvitation, type Invitation } from '#domain/access/take-over.ts'
import { sharedSalt } from '#domain/access/users.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, named } from '#http/schemas.ts'
import { timestamp } from '#wat-time.ts'
import { NewPassword, tags } from './user-presenters.ts'

const INVITATION = '/dashboard/api/invitation'

const Token = Type.String({
  pattern: '^[A-Za-z0-9_-]{43}$',
  description: 'The part of the link after #.',
  'x-says': 'Must be the token of a link.',
})

const about = { tags, querystring: NoQuery }
const strict = { additionalProperties: false }

export const invitationRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(opening, deps)
  await app.register(accepting, deps)
}

async function getInvitation({ db, clock }: Deps, token: string): Promise<Invitation> {
  const invitation = await findInvitation(db, clock(), token)
  if (!invitation) throw new Refusal('invitation_invalid')
  return invitation
}

const opening: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  app.post(
    INVITATION,
    {
      config: { rate: 'login' },
      schema: {
        ...about,
        operationId: 'openInvitation',
        summary: 'Look at an invitation',
        description: 'Whose account the link is for. Does not use it up.',
        body: Type.Object({ token: Token }, strict),
        response: {
          200: ApiEnvelope(
            named('Invitation', {
              email: Type.String(),
              clientName: Type.String(),
              expiresAt: Type.String(),
            }),
          ),
        },
      },
    },
    async ({ body }, reply) => {
      const { email, clientName, expiresAt } = await getInvitation(deps, body.token)
      reply.header('cache-control', 'no-store')
      const data = { email, clientName, expiresAt: timestamp(expiresAt) }
      return accepted('Invitation retrieved successfully', data)
    },
  )
}

const accepting: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, clock, policy, sessionCookies } = deps

  app.post(
    `${INVITATION}/accept`,
    {
      config: { rate: 'login' },
      schema: {
        ...about,
        operationId: 'acceptInvitation',
        summary: 'Take over an account',
        description:
          'Uses the link up and sets your password. Signs you in, unless you have a second factor: ' +
          'then sign in with it. Without one, add one: only then do you count as a person of your ' +
          'own.',
        body: Type.Object({ token: Token, password: NewPassword }, strict),
        response: {
          200: ApiEnvelope(
            named('AcceptedInvitation', {
              email: Type.String(),
              isSignedIn: Type.Boolean({ description: 'False: sign in with your second factor.' }),
            }),
          ),
        },
      },
    },
    async (request, reply) => {
      const { token, password } = request.body
      const { userId, email } = await getInvitation(deps, token)
      const problem = passwordProblem(password, email)
      if (problem) throw new Refusal('invalid_request', [{ field: 'password', message: problem }])
      const passwordHash = await hashPassword(password, await sharedSalt(db, email, userId))
      const from = { address: request.ip, userAgent: request.headers['user-agent'] }
      const waitHours = policy.approverWaitHours
      const opened = await withTransaction(db, async (tx) => {
        const now = clock()
        const acceptance = { token, passwordHash, waitHours, address: request.ip }
        const { user, hasSecondFactor } = await acceptInvitation(tx, now, acceptance)
        return hasSecondFactor ? undefined : openSession(tx, now, { user, from })
      })
      reply.header('cache-control', 'no-store')
      if (opened !== undefined) sessionCookies.begin(reply, opened)
      return accepted('Password set successfully', { email, isSignedIn: opened !== undefined })
    },
  )
}
