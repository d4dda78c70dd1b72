// How a sign-in is answered, with whatever it was proved: the cookie, and who is signed in.

import { Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { grantedScopes } from '#domain/access/roles.ts'
import type { SignedInSession } from '#domain/access/sessions.ts'
import type { SignInCaller, SignInOutcome } from '#domain/access/sign-in-outcomes.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { rateLimitKey } from '#http/rate-limit-keys.ts'
import { named, oneOf } from '#http/schemas.ts'

export const CurrentSessionBody = named('SignedInSession', {
  user: named('SignedInUser', {
    id: Type.String(),
    email: Type.String(),
    hasTotp: Type.Boolean(),
    mustChangePassword: Type.Boolean({
      description: 'The password must be changed before anything else.',
    }),
  }),
  role: Type.String(),
  scopes: Type.Array(Type.String()),
  client: named('SignedInClient', {
    clientId: Type.String(),
    name: Type.String(),
    isOperator: Type.Boolean(),
    mode: oneOf(['sandbox', 'live'], 'Which kind of service this is.'),
  }),
  csrfToken: Type.String({
    description: 'Send as x-csrf-token with every POST, PUT, PATCH and DELETE.',
  }),
})

export function callerOf({ sessionCookies }: Deps, request: FastifyRequest): SignInCaller {
  const { ip, headers } = request
  return {
    address: ip,
    caller: rateLimitKey(ip),
    userAgent: headers['user-agent'],
    oldToken: sessionCookies.tokenOf(request),
  }
}

export async function answerSignIn(deps: Deps, reply: FastifyReply, outcome: SignInOutcome) {
  const { sessionCookies } = deps
  if ('refused' in outcome) throw refusalFor(outcome)
  sessionCookies.begin(reply, outcome.token)
  reply.header('cache-control', 'no-store')
  const session = await sessionCookies.find(outcome.token)
  if (!session) throw new Refusal('session_needed') // Removed this very moment.
  return accepted('Signed in successfully', presentSignedIn(deps, session, outcome.token))
}

export function presentSignedIn(
  { sessionCookies, mode }: Deps,
  { user, client }: SignedInSession,
  token: string,
) {
  const { id, email, hasTotp, role, isPasswordTemporary } = user
  const { clientId, name, isOperator } = client
  return {
    user: { id, email, hasTotp, mustChangePassword: isPasswordTemporary },
    role,
    scopes: [...grantedScopes(role, client)],
    client: { clientId, name, isOperator, mode },
    csrfToken: sessionCookies.csrfTokenOf(token),
  }
}

function refusalFor({
  refused,
  choices,
  retryAfterSeconds,
}: Extract<SignInOutcome, { refused: unknown }>): Refusal {
  if (!choices) return new Refusal(refused, [], retryAfterSeconds)
  return new Refusal(refused, [{ field: 'clientId', message: `One of ${choices.join(', ')}.` }])
}
