// Authentication and authorisation of API requests. A token identifies a client. Clients are cached for a few
// seconds, so a suspension or restriction applies at once in the process that makes it, and within seconds in
// other processes.
//
// Dashboard users have a session instead, with the scopes of their role. A bearer token takes precedence, so
// API requests never need a look-up of a session.

import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  type Client,
  effectiveScopes,
  findClient,
  grantedScopes,
  type Scope,
} from '#access/permissions.ts'
import type { SignedInSession } from '#access/sessions.ts'
import type { Clock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { UserId } from '#ids.ts'
import { addressMatcher } from '#ip-allowlist.ts'
import type { SessionCookies } from './session-cookies.ts'
import type { TokenClaims, Tokens } from './tokens.ts'

export type Identity = {
  client: Client // The tenant.
  actor: string // For the audit log: `client:MAN0000001`, `user:<email>`.
  scopes: ReadonlySet<Scope>
  isPerson: boolean // Whether the caller is a user at the dashboard, where BVNs are masked.
  userId: UserId | null // Null for client credentials.
  // Whether the caller is a user of an operator's client who does not have the operator's role. Such a user
  // sees no alerts.
  withoutAlerts: boolean
}

declare module 'fastify' {
  // Set by the hook `requires`. Routes without that hook must not read these fields.
  interface FastifyRequest extends Identity {}
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

// The API reference and the exports read the scope of a route from its hook.
export type ScopedHook = Hook & { scope: Scope }

type CachedClient = Identity & {
  readAtMs: number
  admits: ((address: string) => boolean) | undefined
}

type Options = {
  db: Queryable
  tokens: Tokens
  sessionCookies: SessionCookies
  clock: Clock
}

const CLIENT_FRESH_MS = 5_000
const CLIENTS_MAX = 10_000

export class Authentication {
  readonly #db: Queryable
  readonly #tokens: Tokens
  readonly #sessionCookies: SessionCookies
  readonly #clock: Clock
  readonly #clients = new Map<string, CachedClient>()
  #forgetCount = 0 // How often forget() was called. A look-up that began before a call is not cached.

  constructor({ db, tokens, sessionCookies, clock }: Options) {
    this.#db = db
    this.#tokens = tokens
    this.#sessionCookies = sessionCookies
    this.#clock = clock
  }

  // Route hook: requires a valid token or session with this scope, before the body is read. If the client and
  // the token are cached, the hook creates no promise.
  requires(scope: Scope): ScopedHook {
    const hook: Hook = (request, _reply, done) => {
      let identity: Identity | Promise<Identity>
      try {
        identity = this.#identify(request, scope)
      } catch (error) {
        return done(error as Error)
      }
      if (identity instanceof Promise) {
        identity.then((verified) => {
          attachIdentity(request, verified)
          done()
        }, done)
        return
      }
      attachIdentity(request, identity)
      done()
    }
    return Object.assign(hook, { scope })
  }

  // Checks again whether the caller of a request may still get its response, which stays open, such as an
  // event stream. The check does not count as activity of the person, so an idle session still ends.
  async identifyAgain(request: FastifyRequest, scope: Scope): Promise<Identity> {
    if (!this.#hasSession(request)) return this.#identify(request, scope)
    return toPerson(await this.#sessionCookies.getAgain(request), scope)
  }

  // Route hook of public endpoints: admits a request without a token, but refuses an invalid token. Clients
  // that have no token send the header all the same, with nothing after Bearer.
  requiresIfTokenSent(scope: Scope): ScopedHook {
    const require = this.requires(scope)
    const hook: Hook = (request, reply, done) => {
      if (/^\s*(?:bearer\s*)?$/i.test(request.headers.authorization ?? '')) done()
      else require(request, reply, done)
    }
    return Object.assign(hook, { scope })
  }

  // Removes a client from the cache after a change of its access. A look-up in flight is not cached, because
  // it may have read the client before the change.
  forget(clientId: string): void {
    this.#forgetCount++
    this.#clients.delete(clientId)
  }

  // Returns the identity itself, and not a promise, if the client and the token are cached.
  #identify(request: FastifyRequest, scope: Scope): Identity | Promise<Identity> {
    if (this.#hasSession(request)) return this.#identifyPerson(request, scope)
    const token = bearerToken(request.headers.authorization)
    if (token === undefined) throw new Refusal('unauthorized')
    const claims = this.#tokens.read(token)
    const cachedClient = claims instanceof Promise ? undefined : this.#findCached(claims.clientId)
    if (cachedClient)
      return refuseUnlessAllowed({ cachedClient, claims: claims as TokenClaims, request, scope })
    return this.#identifyLater(claims, { request, scope })
  }

  // Identifies a caller whose token is not verified yet, or whose client is not cached.
  async #identifyLater(
    pendingClaims: TokenClaims | Promise<TokenClaims>,
    { request, scope }: { request: FastifyRequest; scope: Scope },
  ): Promise<Identity> {
    const claims = await pendingClaims
    const cachedClient = this.#findCached(claims.clientId) ?? (await this.#read(claims.clientId))
    return refuseUnlessAllowed({ cachedClient, claims, request, scope })
  }

  // Whether the request has a session cookie and no token.
  #hasSession(request: FastifyRequest): boolean {
    const { authorization } = request.headers
    return authorization === undefined && this.#sessionCookies.tokenOf(request) !== undefined
  }

  // Identifies a dashboard user by the session, unless the user has a temporary password.
  async #identifyPerson(request: FastifyRequest, scope: Scope): Promise<Identity> {
    const session = await this.#sessionCookies.getWithPermanentPassword(request)
    const identity = toPerson(session, scope)
    request.session = session // A write checks it again (caller.ts).
    return identity
  }

  // Returns a cached client, unless it was read more than CLIENT_FRESH_MS ago.
  #findCached(clientId: string): CachedClient | undefined {
    const cachedClient = this.#clients.get(clientId)
    const isFresh =
      cachedClient && this.#clock().getTime() - cachedClient.readAtMs < CLIENT_FRESH_MS
    return isFresh ? cachedClient : undefined
  }

  // Reads an active client from the database, and caches it.
  async #read(clientId: string): Promise<CachedClient> {
    const forgetCount = this.#forgetCount
    const readAtMs = this.#clock().getTime()
    const client = await findClient(this.#db, clientId)
    if (!client?.isActive) {
      this.#clients.delete(clientId)
      throw new Refusal('unauthorized')
    }
    const cachedClient = {
      client,
      actor: `client:${clientId}`,
      scopes: new Set(effectiveScopes(client.scopes)),
      isPerson: false,
      userId: null,
      withoutAlerts: false,
      admits: client.allowedAddresses ? addressMatcher(client.allowedAddresses) : undefined,
      readAtMs,
    }
    if (this.#clients.size >= CLIENTS_MAX) this.#clients.clear()
    if (forgetCount === this.#forgetCount) this.#clients.set(clientId, cachedClient)
    return cachedClient
  }
}

// Returns the identity of a signed-in user, and refuses a user without the scope. A user of the operator's
// client who does not have the operator's role counts as a user of an ordinary client, and sees no alerts.
function toPerson({ client, user }: SignedInSession, scope: Scope): Identity {
  const scopes = new Set(grantedScopes(user.role, client))
  const refusal = scopeRefusal({ scopes, userId: user.id }, scope)
  if (refusal) throw new Refusal(refusal)
  return {
    client: { ...client, isOperator: client.isOperator && user.role === 'operator' },
    actor: `user:${user.email}`,
    scopes,
    isPerson: true,
    userId: user.id,
    withoutAlerts: client.isOperator && !scopes.has('operator'),
  }
}

// Makes the caller's identity available to the route's handler.
function attachIdentity(request: FastifyRequest, identity: Identity): void {
  request.client = identity.client
  request.actor = identity.actor
  request.scopes = identity.scopes
  request.isPerson = identity.isPerson
  request.userId = identity.userId
  request.withoutAlerts = identity.withoutAlerts
}

// Returns the identity of a client, unless its tokens were revoked (`generation`), its address is not on its
// allowlist, or it lacks the scope.
function refuseUnlessAllowed({
  cachedClient,
  claims: { generation },
  request,
  scope,
}: {
  cachedClient: CachedClient
  claims: TokenClaims
  request: FastifyRequest
  scope: Scope
}): Identity {
  if (generation !== cachedClient.client.tokenGeneration) throw new Refusal('unauthorized')
  if (cachedClient.admits && !cachedClient.admits(request.ip))
    throw new Refusal('address_not_allowed')
  const refusal = scopeRefusal(cachedClient, scope)
  if (refusal) throw new Refusal(refusal)
  return cachedClient
}

// Returns the refusal if the caller lacks the scope.
export function scopeRefusal(
  { scopes, userId }: Pick<Identity, 'scopes' | 'userId'>,
  scope: Scope,
): RefusalCode | undefined {
  if (scopes.has(scope)) return undefined
  return userId === null ? 'scope_missing' : 'role_not_allowed'
}

// Returns the token of an Authorization header, or undefined if the header has another form.
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1]
}
