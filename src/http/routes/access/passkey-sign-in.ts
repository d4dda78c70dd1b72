// /dashboard/api/session/passkey: signing in with a passkey, without a password.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { withTransaction } from '#db/transaction.ts'
import { relyingParty, requestOptions } from '#domain/access/passkey-ceremonies.ts'
import { checkPasskey, finishPasskeySignIn } from '#domain/access/passkey-sign-in.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { publicAddress } from '#http/public-url.ts'
import { ApiEnvelope } from '#http/schemas.ts'
import { Assertion, RequestOptions } from './passkey-schemas.ts'
import { answerSignIn, CurrentSessionBody, callerOf } from './sign-in-answers.ts'
import { tags } from './user-presenters.ts'

const PASSKEY = '/dashboard/api/session/passkey'
const strict = { additionalProperties: false }

export const passkeySignInRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, clock, publicUrl } = deps
  const ceremony = () => {
    const party = relyingParty(publicAddress(publicUrl, app.server))
    return { now: clock(), relyingParty: party }
  }

  app.post(
    `${PASSKEY}/challenge`,
    {
      config: { rate: 'login' },
      schema: {
        operationId: 'challengeSignIn',
        tags,
        summary: 'Start signing in with a passkey',
        description:
          'Returns the options for navigator.credentials.get. What that returns signs in alone ' +
          '(POST /dashboard/api/session/passkey), or as the second factor with a password.',
        querystring: NoQuery,
        response: { 200: ApiEnvelope(RequestOptions) },
      },
    },
    async () => accepted('Challenge created', await requestOptions(db, ceremony())),
  )

  app.post(
    PASSKEY,
    {
      config: { rate: 'login' },
      schema: {
        operationId: 'signInWithPasskey',
        tags,
        summary: 'Sign in with a passkey',
        description:
          'Sets the session cookie, as signing in with a password does. 429 too_many_attempts: ' +
          'after 10 failures per passkey, or 100 in total, from one IP address within 15 minutes.',
        querystring: NoQuery,
        body: Type.Object({ passkey: Assertion }, strict),
        response: { 200: ApiEnvelope(CurrentSessionBody) },
      },
    },
    async (request, reply) => {
      const credential = { ...request.body.passkey, clientExtensionResults: {} }
      const signIn = { ...callerOf(deps, request), credential }
      const checked = await checkPasskey(db, ceremony(), signIn)
      const outcome = await withTransaction(db, (tx) =>
        finishPasskeySignIn(tx, clock(), { signIn, checked }),
      )
      return answerSignIn(deps, reply, outcome)
    },
  )
}
