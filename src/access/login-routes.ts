// Logging in: POST /api/Account/login, and OAuth 2.0 client credentials at POST /oauth/token.

import formbody from '@fastify/formbody'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { rateLimitKey } from '#http/rate-limits.ts'
import { named, text } from '#http/schemas.ts'
import { addressMatcher } from '#ip-allowlist.ts'
import { countFailedLogin, findLoginLock } from './attempts.ts'
import { logIn } from './secrets.ts'

const TokenBody = named('AccessToken', {
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer(),
})

const CREDENTIAL_LENGTH_MAX = 200

type Credentials = { clientId: string; clientSecret: string }

export const loginRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  app.post(
    '/api/Account/login',
    {
      config: {
        isPublished: true,
        rate: 'login',
        errors: ['address_not_allowed', 'invalid_credentials', 'too_many_attempts'],
      },
      schema: {
        operationId: 'login',
        tags: ['Authentication'],
        summary: 'Exchange client credentials for a bearer token',
        description: 'Send the token as `Authorization: Bearer …` until it expires.',
        body: Type.Object({
          clientId: text(CREDENTIAL_LENGTH_MAX, 'Client ID, e.g. MAN0000001.'),
          clientSecret: text(CREDENTIAL_LENGTH_MAX, 'Client secret.'),
        }),
        response: { 200: TokenBody },
      },
    },
    (request) => issueToken(deps, request, request.body),
  )

  await app.register(async (oauth) => {
    await oauth.register(formbody, { bodyLimit: 8_192 })
    oauth.post(
      '/oauth/token',
      {
        config: {
          rate: 'login',
          errors: [
            'address_not_allowed',
            'grant_type_unsupported',
            'invalid_credentials',
            'too_many_attempts',
          ],
        },
        schema: {
          operationId: 'oauthToken',
          tags: ['Authentication'],
          summary: 'OAuth 2.0 client credentials grant (RFC 6749, section 4.4)',
          description:
            'The same token as POST /api/Account/login, for OAuth 2.0 libraries. Credentials in ' +
            'the form, or by Basic authentication.',
          consumes: ['application/x-www-form-urlencoded'],
          body: Type.Object({
            grant_type: Type.String({ description: 'client_credentials' }),
            client_id: Type.Optional(
              Type.String({ description: 'Alternatively, HTTP Basic authentication.' }),
            ),
            client_secret: Type.Optional(Type.String()),
          }),
          response: { 200: TokenBody },
        },
      },
      (request) => issueToken(deps, request, oauthCredentials(request)),
    )
  })
}

// Responds to both login routes with a bearer token, if the secret and the caller's address are accepted.
async function issueToken(deps: Deps, request: FastifyRequest, credentials: Credentials) {
  const client = await logInWithinLimits(deps, request, credentials)
  // Checked only after the secret: a caller without the secret must not learn that the client exists.
  if (client.allowedAddresses && !addressMatcher(client.allowedAddresses)(request.ip)) {
    throw new Refusal('address_not_allowed')
  }
  const { tokens } = deps
  const { clientId, tokenGeneration: generation } = client
  return {
    access_token: await tokens.issue({ clientId, generation }),
    token_type: 'Bearer' as const,
    expires_in: tokens.ttlSeconds,
  }
}

// Checks the client's secret, unless failed logins have locked this client from this address. A failure
// counts towards that lock.
async function logInWithinLimits(
  { db, clock }: Deps,
  request: FastifyRequest,
  { clientId, clientSecret }: Credentials,
) {
  const login = { clientId, address: request.ip, caller: rateLimitKey(request.ip) }
  const lockSeconds = await findLoginLock(db, clock(), login)
  if (lockSeconds !== undefined) throw new Refusal('too_many_attempts', [], lockSeconds)
  try {
    return await logIn(db, clock(), { clientId, secret: clientSecret })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const newLockSeconds = await withTransaction(db, (tx) => countFailedLogin(tx, clock(), login))
    throw newLockSeconds === undefined
      ? error
      : new Refusal('too_many_attempts', [], newLockSeconds)
  }
}

// Reads the credentials from the form or from a Basic header, never from both (RFC 6749, section 2.3).
function oauthCredentials(request: FastifyRequest): Credentials {
  const form = (request.body ?? {}) as Record<string, unknown>
  if (form.grant_type !== 'client_credentials') {
    throw new Refusal(form.grant_type === undefined ? 'oauth_request' : 'grant_type_unsupported')
  }
  const { authorization } = request.headers
  const inHeader = authorization === undefined ? undefined : basicCredentials(authorization)
  const inForm = form.client_id !== undefined || form.client_secret !== undefined
  if (inHeader && inForm) throw new Refusal('oauth_request')
  const { clientId, clientSecret } = inHeader ?? {
    clientId: form.client_id,
    clientSecret: form.client_secret,
  }
  if (!isCredential(clientId) || !isCredential(clientSecret)) {
    throw new Refusal('invalid_credentials')
  }
  return { clientId, clientSecret }
}

// Reads an HTTP Basic header. OAuth clients percent-encode the ID and the secret in it (RFC 6749, section
// 2.3.1).
function basicCredentials(authorization: string): Credentials {
  const encoded = /^basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1]
  const decoded = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const colonAt = decoded.indexOf(':')
  if (colonAt < 1) throw new Refusal('invalid_credentials')
  try {
    return {
      clientId: decodeURIComponent(decoded.slice(0, colonAt)),
      clientSecret: decodeURIComponent(decoded.slice(colonAt + 1)),
    }
  } catch {
    throw new Refusal('invalid_credentials')
  }
}

// Also refuses null characters, which PostgreSQL cannot store.
function isCredential(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= CREDENTIAL_LENGTH_MAX &&
    !value.includes('\0')
  )
}
