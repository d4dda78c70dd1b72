// Own credentials: /dashboard/api/password and /dashboard/api/totp. All require the current
// password, because the session may be hijacked.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { passwordProblem } from '#domain/access/password-rules.ts'
import { hashPassword } from '#domain/access/passwords.ts'
import { beginTotp, confirmTotp, removeTotp, useCode } from '#domain/access/second-factors.ts'
import { endUserSessions, lockUserOf, openSession } from '#domain/access/sessions.ts'
import { finishTakeOver } from '#domain/access/take-over.ts'
import { setPassword, sharedSalt } from '#domain/access/users.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, named } from '#http/schemas.ts'
import { confirmIdentity, record, refuseWrongPassword } from './confirmations.ts'
import { Confirmation } from './passkey-schemas.ts'
import { Code, NewPassword, Password, SESSION, tags } from './user-presenters.ts'

const strict = { additionalProperties: false }
const about = { tags, security: SESSION, querystring: NoQuery }

export const userCredentialRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(ownPassword, deps)
  await app.register(secondFactor, deps)
  await app.register(removingSecondFactor, deps)
}

const ownPassword: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sessionCookies, clock } = deps

  app.put(
    '/dashboard/api/password',
    {
      onRequest: sessionCookies.require,
      schema: {
        ...about,
        operationId: 'changeOwnPassword',
        summary: 'Change your password',
        description: 'Returns a new session and its csrfToken. All your other sessions end.',
        body: Type.Object(
          { currentPassword: Password, newPassword: NewPassword },
          { additionalProperties: false },
        ),
        response: {
          200: ApiEnvelope(named('CsrfToken', { csrfToken: Type.String() })),
        },
      },
    },
    async (request, reply) => {
      const { user } = request.session
      const { currentPassword, newPassword } = request.body
      refuseBadPassword(newPassword, currentPassword, user.email)
      const settle = await refuseWrongPassword(deps, request, currentPassword)
      await settle()
      const hash = await hashPassword(newPassword, await sharedSalt(db, user.email, user.id))
      const from = { address: request.ip, userAgent: request.headers['user-agent'] }
      const token = await withTransaction(db, async (tx) => {
        await lockUserOf(tx, request.session)
        await setPassword(tx, clock(), { id: user.id, hash, isTemporary: false })
        await endUserSessions(tx, user.id)
        await record(tx, clock(), { visitor: user, action: 'user.change_password' })
        return openSession(tx, clock(), { user, from })
      })
      sessionCookies.begin(reply, token)
      reply.header('cache-control', 'no-store')
      const data = { csrfToken: sessionCookies.csrfTokenOf(token) }
      return accepted('Password changed successfully', data)
    },
  )
}

const secondFactor: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, sessionCookies, clock, policy } = deps

  app.post(
    '/dashboard/api/totp',
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'beginTotp',
        summary: 'Start two-factor enrolment',
        description:
          'Returns the secret for the authenticator app. It takes effect once confirmed with a ' +
          'code; until then any existing second factor stays. Who has a second factor confirms ' +
          'with it: a code with the password, or a passkey.',
        body: Confirmation,
        response: {
          200: ApiEnvelope(named('TotpEnrolment', { secret: Type.String(), uri: Type.String() })),
        },
      },
    },
    async (request, reply) => {
      const { use, settle } = await confirmIdentity(deps, request, request.body)
      const data = await withTransaction(db, async (tx) => {
        await use(tx)
        return beginTotp(tx, { sealer, now: clock(), session: request.session })
      })
      await settle()
      reply.header('cache-control', 'no-store')
      return accepted('Two-factor enrolment started successfully', data)
    },
  )

  app.post(
    '/dashboard/api/totp/confirm',
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'confirmTotp',
        summary: 'Confirm two-factor enrolment',
        description: 'With a code of the app. Returns recovery codes, shown once.',
        body: Type.Object({ code: Code }, strict),
        response: {
          200: ApiEnvelope(
            named('RecoveryCodes', {
              recoveryCodes: Type.Array(Type.String(), {
                description: 'Shown only once. Each can be used once instead of a code.',
              }),
            }),
          ),
        },
      },
    },
    async ({ session, body }, reply) => {
      const { user } = session
      const recoveryCodes = await withTransaction(db, async (tx) => {
        await lockUserOf(tx, session)
        const codes = await confirmTotp(tx, { sealer, now: clock(), session, code: body.code })
        await record(tx, clock(), { visitor: user, action: 'user.add_totp' })
        await finishTakeOver(tx, clock(), { user, waitHours: policy.approverWaitHours })
        return codes
      })
      reply.header('cache-control', 'no-store')
      return accepted('Second factor added successfully', { recoveryCodes })
    },
  )
}

const removingSecondFactor: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, sessionCookies, clock } = deps

  app.post(
    '/dashboard/api/totp/remove',
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...about,
        operationId: 'removeTotp',
        summary: 'Remove the second factor',
        description: 'With your password and a code.',
        body: Type.Object({ password: Password, code: Code }, strict),
        response: {
          200: ApiEnvelope(named('TotpState', { hasTotp: Type.Boolean() })),
        },
      },
    },
    async (request) => {
      const { user } = request.session
      const { password, code } = request.body
      const settle = await refuseWrongPassword(deps, request, password)
      await withTransaction(db, async (tx) => {
        await lockUserOf(tx, request.session)
        if (!(await useCode(tx, { sealer, now: clock(), userId: user.id, code })))
          throw new Refusal('invalid_code')
        await removeTotp(tx, user.id)
        await record(tx, clock(), { visitor: user, action: 'user.remove_totp' })
      })
      await settle()
      return accepted('Second factor removed successfully', { hasTotp: false })
    },
  )
}

function refuseBadPassword(chosen: string, current: string, email: string): void {
  const problem =
    chosen === current ? 'Must differ from the current password.' : passwordProblem(chosen, email)
  if (problem) throw new Refusal('invalid_request', [{ field: 'newPassword', message: problem }])
}
