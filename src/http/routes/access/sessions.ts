// /dashboard/api/session: signing in and out. /dashboard/api/sessions: where one is signed in.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { scopesOf } from '#domain/access/roles.ts'
import { endSession, endSessionsOf, listSessions, type Visit } from '#domain/access/sessions.ts'
import { checkPassword, finishSignIn, type SignInOutcome } from '#domain/access/sign-in.ts'
import { recordAction } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import { callerAt } from '#http/caller-addresses.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, listed, NoQuery } from '#http/lists.ts'
import { ApiEnvelope, ApiFailure, Email, text } from '#http/schemas.ts'
import {
  Code,
  idOf,
  Password,
  presentSession,
  SESSION,
  SessionBody,
  tags,
} from './user-presenters.ts'

const VisitBody = Type.Object({
  user: Type.Object({
    id: Type.String(),
    email: Type.String(),
    hasTotp: Type.Boolean(),
    mustChangePassword: Type.Boolean({ description: 'Nothing else works until that is done.' }),
  }),
  role: Type.String(),
  scopes: Type.Array(Type.String()),
  client: Type.Object({
    clientId: Type.String(),
    name: Type.String(),
    mode: Type.String({ description: 'sandbox or live.' }),
  }),
  csrfToken: Type.String({
    description: 'To be sent as x-csrf-token with every POST, PUT, PATCH and DELETE.',
  }),
})

const SignInRequest = Type.Object(
  {
    email: Email,
    password: Password,
    code: Type.Optional(Code),
    clientId: Type.Optional(text(200, 'When one has the same password at several clients.')),
  },
  { additionalProperties: false },
)

const response = { 200: ApiEnvelope(VisitBody), '4xx': ApiFailure }
const Ended = ApiEnvelope(Type.Object({ ended: Type.Integer() }))

export const sessionRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(signingIn, deps)
  await app.register(currentSession, deps)
  await app.register(ownSessions, deps)
  // Not the page that all other addresses below /dashboard show.
  app.get('/dashboard/api/*', { schema: { hide: true } }, async () => {
    throw new Refusal('route_not_found')
  })
}

const signingIn: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, visits, clock } = deps

  app.post(
    '/dashboard/api/session',
    {
      config: { rate: 'login' },
      schema: {
        operationId: 'signIn',
        tags,
        summary: 'Sign in',
        description:
          'Answers with the session cookie: `__Host-manilla_session` over https, ' +
          '`manilla_session` over plain http. 401 code_needed: send it again with a code. ' +
          '429 too_many_attempts: after ten failures with one email address, or a hundred with ' +
          'any, from one IP address within a quarter of an hour; Retry-After says when to try ' +
          'again.',
        querystring: NoQuery,
        body: SignInRequest,
        response,
      },
    },
    async (request, reply) => {
      const { ip, headers } = request
      const from = { address: ip, caller: callerAt(ip), userAgent: headers['user-agent'] }
      const signIn = { ...request.body, ...from, oldToken: visits.tokenOf(request) }
      const checked = await checkPassword(db, clock(), signIn)
      const outcome = await withTransaction(db, (tx) =>
        finishSignIn(tx, { sealer, now: clock() }, signIn, checked),
      )
      if ('refused' in outcome) throw refusalOf(outcome)
      visits.begin(reply, outcome.token)
      reply.header('cache-control', 'no-store')
      const visit = await visits.find(outcome.token)
      if (!visit) throw new Refusal('invalid_sign_in') // Removed this very moment.
      return accepted('Signed in successfully', present(deps, visit, outcome.token))
    },
  )
}

const currentSession: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, visits, clock } = deps

  app.get(
    '/dashboard/api/session',
    {
      onRequest: visits.require,
      schema: {
        operationId: 'getSession',
        tags,
        summary: 'Who is signed in, and what they may do',
        security: SESSION,
        querystring: NoQuery,
        response,
      },
    },
    async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const data = present(deps, request.visit, visits.tokenOf(request) as string)
      return accepted('Session retrieved successfully', data)
    },
  )

  app.delete(
    '/dashboard/api/session',
    {
      onRequest: visits.require,
      schema: {
        operationId: 'signOut',
        tags,
        summary: 'Sign out',
        security: SESSION,
        querystring: NoQuery,
        response: { 200: Ended, '4xx': ApiFailure },
      },
    },
    async ({ visit }, reply) => {
      await withTransaction(db, async (tx) => {
        await endSession(tx, visit.user.id, visit.sessionId)
        await recordAction(tx, clock(), { ...about(visit), action: 'user.sign_out', detail: {} })
      })
      visits.end(reply)
      return accepted('Signed out successfully', { ended: 1 })
    },
  )
}

const ownSessions: FastifyPluginAsyncTypebox<Deps> = async (app, { db, visits, clock }) => {
  const shared = { tags, security: SESSION, querystring: NoQuery }

  app.get(
    '/dashboard/api/sessions',
    {
      onRequest: visits.requireSettled,
      schema: {
        ...shared,
        operationId: 'listSessions',
        summary: 'Where you are signed in',
        response: { 200: ListEnvelope(SessionBody), '4xx': ApiFailure },
      },
    },
    async ({ visit }) => {
      const rows = await listSessions(db, clock(), visit.user.id)
      return listed('Sessions retrieved successfully', { rows, nextCursor: null }, (session) =>
        presentSession(session, visit.sessionId),
      )
    },
  )

  app.delete(
    '/dashboard/api/sessions',
    {
      onRequest: visits.require,
      schema: {
        ...shared,
        operationId: 'signOutEverywhere',
        summary: 'Sign out everywhere, here too',
        response: { 200: Ended, '4xx': ApiFailure },
      },
    },
    async ({ visit }, reply) => {
      const ended = await withTransaction(db, async (tx) => {
        const count = await endSessionsOf(tx, visit.user.id)
        const detail = { sessions: count }
        await recordAction(tx, clock(), { ...about(visit), action: 'user.sign_out', detail })
        return count
      })
      visits.end(reply)
      return accepted('Signed out successfully', { ended })
    },
  )

  app.delete(
    '/dashboard/api/sessions/:id',
    {
      onRequest: visits.requireSettled,
      schema: {
        ...shared,
        operationId: 'endSession',
        summary: 'Sign out elsewhere',
        params: Type.Object({ id: Type.String() }),
        response: { 200: Ended, '4xx': ApiFailure },
      },
    },
    async ({ visit, params }) => {
      const id = idOf(params.id, 'session_not_found')
      await withTransaction(db, async (tx) => {
        const wasThere = await endSession(tx, visit.user.id, id)
        if (!wasThere) throw new Refusal('session_not_found')
        const detail = { session: id }
        await recordAction(tx, clock(), { ...about(visit), action: 'user.sign_out', detail })
      })
      return accepted('Signed out successfully', { ended: 1 })
    },
  )
}

function present({ visits, mode }: Deps, { user, client }: Visit, token: string) {
  const { id, email, hasTotp, role, isPasswordTemporary } = user
  return {
    user: { id, email, hasTotp, mustChangePassword: isPasswordTemporary },
    role,
    scopes: [...scopesOf(role, client)],
    client: { clientId: client.clientId, name: client.name, mode },
    csrfToken: visits.csrfTokenOf(token),
  }
}

function about({ user }: Visit) {
  const { clientId, email } = user
  return { clientId, actor: `user:${email}`, subject: `user/${email}` }
}

function refusalOf({
  refused,
  choices,
  retryAfterSeconds,
}: Extract<SignInOutcome, { refused: unknown }>): Refusal {
  if (!choices) return new Refusal(refused, [], retryAfterSeconds)
  return new Refusal(refused, [{ field: 'clientId', message: `One of ${choices.join(', ')}.` }])
}
