// /dashboard/api/session: signing in and out. /dashboard/api/sessions: where one is signed in.

import { type FastifyPluginAsyncTypebox, type Static, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { checkAssertion, relyingParty } from '#domain/access/passkey-ceremonies.ts'
import {
  endSession,
  endUserSessions,
  listSessions,
  type SignedInSession,
} from '#domain/access/sessions.ts'
import { checkPassword, finishSignIn } from '#domain/access/sign-in.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, listResponse, NoQuery } from '#http/lists.ts'
import { publicAddress } from '#http/public-url.ts'
import { ApiEnvelope, Email, named, text } from '#http/schemas.ts'
import { Assertion } from './passkey-schemas.ts'
import { answerSignIn, CurrentSessionBody, callerOf, presentSignedIn } from './sign-in-answers.ts'
import {
  Code,
  Password,
  presentSession,
  requireId,
  SESSION,
  SessionBody,
  tags,
} from './user-presenters.ts'

const SignInRequest = named(
  'SignInRequest',
  {
    email: Email,
    password: Password,
    code: Type.Optional(Code),
    passkey: Type.Optional(Assertion),
    clientId: Type.Optional(text(200, 'Required for users of several clients.')),
  },
  { additionalProperties: false },
)

const response = { 200: ApiEnvelope(CurrentSessionBody) }
const Ended = ApiEnvelope(named('EndedSessions', { ended: Type.Integer() }))

export const sessionRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(signingIn, deps)
  await app.register(currentSession, deps)
  await app.register(ownSessions, deps)
  // Not the page that other paths below /dashboard serve.
  app.get('/dashboard/api/*', { schema: { hide: true } }, async () => {
    throw new Refusal('route_not_found')
  })
}

const signingIn: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, clock, publicUrl } = deps

  // Before the password, and whatever becomes of that: it takes as long, and the challenge is used up.
  function checkSecondFactor(assertion: Static<typeof Assertion>) {
    const party = relyingParty(publicAddress(publicUrl, app.server))
    const credential = { ...assertion, clientExtensionResults: {} }
    const ceremony = { now: clock(), relyingParty: party }
    return checkAssertion(db, ceremony, { use: { purpose: 'sign_in' }, credential })
  }

  app.post(
    '/dashboard/api/session',
    {
      config: { rate: 'login' },
      schema: {
        operationId: 'signIn',
        tags,
        summary: 'Sign in',
        description:
          'Sets the session cookie: `__Host-manilla_session` over https, `manilla_session` over ' +
          'plain http. 401 code_needed: retry with a code; passkey_needed: with a passkey or a ' +
          'code. 429 too_many_attempts: after 10 failures per email address, or 100 in total, from ' +
          'one IP address within 15 minutes; see Retry-After.',
        querystring: NoQuery,
        body: SignInRequest,
        response,
      },
    },
    async (request, reply) => {
      const { passkey: credential, ...given } = request.body
      const passkey = credential && (await checkSecondFactor(credential))
      const signIn = { ...given, passkey, ...callerOf(deps, request) }
      const checked = await checkPassword(db, clock(), signIn)
      const outcome = await withTransaction(db, (tx) =>
        finishSignIn(tx, { sealer, now: clock() }, { signIn, checked }),
      )
      return answerSignIn(deps, reply, outcome)
    },
  )
}

const currentSession: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sessionCookies, clock } = deps

  app.get(
    '/dashboard/api/session',
    {
      onRequest: sessionCookies.require,
      schema: {
        operationId: 'getSession',
        tags,
        summary: 'Retrieve the current session',
        description: 'The user, its role and scopes, and the CSRF token of the session.',
        security: SESSION,
        querystring: NoQuery,
        response,
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const data = presentSignedIn(deps, request.session, sessionCookies.tokenOf(request) as string)
      return accepted('Session retrieved successfully', data)
    },
  )

  app.delete(
    '/dashboard/api/session',
    {
      onRequest: sessionCookies.require,
      schema: {
        operationId: 'signOut',
        tags,
        summary: 'Sign out',
        description: 'Ends the current session.',
        security: SESSION,
        querystring: NoQuery,
        response: { 200: Ended },
      },
    },
    async ({ session }, reply) => {
      await withTransaction(db, async (tx) => {
        await endSession(tx, session.user.id, session.sessionId)
        await writeAuditLog(tx, clock(), { ...about(session), action: 'user.sign_out', detail: {} })
      })
      sessionCookies.end(reply)
      return accepted('Signed out successfully', { ended: 1 })
    },
  )
}

const ownSessions: FastifyPluginAsyncTypebox<Deps> = async (app, { db, sessionCookies, clock }) => {
  const shared = { tags, security: SESSION, querystring: NoQuery }

  app.get(
    '/dashboard/api/sessions',
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...shared,
        operationId: 'listSessions',
        summary: 'List your sessions',
        description: 'Where you are signed in, with device and time.',
        response: { 200: ListEnvelope(SessionBody) },
      },
    },
    async ({ session }) => {
      const rows = await listSessions(db, clock(), session.user.id)
      return listResponse('Sessions retrieved successfully', { rows, nextCursor: null }, (row) =>
        presentSession(row, session.sessionId),
      )
    },
  )

  app.delete(
    '/dashboard/api/sessions',
    {
      onRequest: sessionCookies.require,
      schema: {
        ...shared,
        operationId: 'signOutEverywhere',
        summary: 'End all your sessions',
        description: 'Ends every session of yours, this one included.',
        response: { 200: Ended },
      },
    },
    async ({ session }, reply) => {
      const ended = await withTransaction(db, async (tx) => {
        const count = await endUserSessions(tx, session.user.id)
        const detail = { sessions: count }
        await writeAuditLog(tx, clock(), { ...about(session), action: 'user.sign_out', detail })
        return count
      })
      sessionCookies.end(reply)
      return accepted('Signed out successfully', { ended })
    },
  )

  app.delete(
    '/dashboard/api/sessions/:id',
    {
      onRequest: sessionCookies.requirePermanentPassword,
      schema: {
        ...shared,
        operationId: 'endSession',
        summary: 'End one of your sessions',
        description: 'That device is signed out at once.',
        params: Type.Object({ id: Type.String() }),
        response: { 200: Ended },
      },
    },
    async ({ session, params }) => {
      const id = requireId(params.id, 'session_not_found')
      await withTransaction(db, async (tx) => {
        const wasThere = await endSession(tx, session.user.id, id)
        if (!wasThere) throw new Refusal('session_not_found')
        const detail = { session: id }
        await writeAuditLog(tx, clock(), { ...about(session), action: 'user.sign_out', detail })
      })
      return accepted('Signed out successfully', { ended: 1 })
    },
  )
}

function about({ user }: SignedInSession) {
  const { clientId, email } = user
  return { clientId, actor: `user:${email}`, subject: `user/${email}` }
}
