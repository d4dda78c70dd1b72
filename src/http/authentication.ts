// Authentication and authorisation. A token identifies a client. Clients are cached for a few seconds, so a
// suspension or restriction applies within that time in other processes and immediately in this one.
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
  withoutAlerts: boolean // Whether the caller is a user of an operator's client without the operator's role.
}

declare module 'fastify' {
  // Set by the hook `requires`. Routes without that hook must not read these fields.
  interface FastifyRequest extends Identity {}
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void

// The scope is for the API reference.
export type ScopedHook = Hook & { scope: Scope }

type Known = Identity & { readAtMs: number; admits: ((address: string) => boolean) | undefined }

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
  readonly #clients = new Map<string, Known>()
  #forgotten = 0

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
        identity.then((known) => {
          assume(request, known)
          done()
        }, done)
        return
      }
      assume(request, identity)
      done()
    }
    return Object.assign(hook, { scope })
  }

  // Checks again the caller of a request whose response is still open, such as an event stream. Unlike a new
  // request, this check is not treated as activity of the person, so an idle session still ends.
  async identifyAgain(request: FastifyRequest, scope: Scope): Promise<Identity> {
    if (!this.#hasSession(request)) return this.#identify(request, scope)
    return toPerson(await this.#sessionCookies.getAgain(request), scope)
  }

  // For public endpoints: admits requests without a token, and refuses an invalid one.
  requiresIfAny(scope: Scope): ScopedHook {
    const require = this.requires(scope)
    const hook: Hook = (request, reply, done) => {
      if (request.headers.authorization === undefined) done()
      else require(request, reply, done)
    }
    return Object.assign(hook, { scope })
  }

  // Invalidates the cache, including lookups in flight.
  forget(clientId: string): void {
    this.#forgotten++
    this.#clients.delete(clientId)
  }

  // Returns the identity itself, and not a promise, if the client and the token are cached.
  #identify(request: FastifyRequest, scope: Scope): Identity | Promise<Identity> {
    if (this.#hasSession(request)) return this.#person(request, scope)
    const token = bearerToken(request.headers.authorization)
    if (token === undefined) throw new Refusal('unauthorized')
    const claims = this.#tokens.read(token)
    const known = claims instanceof Promise ? undefined : this.#findCached(claims.clientId)
    if (known) return checked({ known, claims: claims as TokenClaims, request, scope })
    return this.#identifyLater(claims, { request, scope })
  }

  async #identifyLater(
    reading: TokenClaims | Promise<TokenClaims>,
    { request, scope }: { request: FastifyRequest; scope: Scope },
  ): Promise<Identity> {
    const claims = await reading
    const known = this.#findCached(claims.clientId) ?? (await this.#read(claims.clientId))
    return checked({ known, claims, request, scope })
  }

  #hasSession(request: FastifyRequest): boolean {
    const { authorization } = request.headers
    return authorization === undefined && this.#sessionCookies.tokenOf(request) !== undefined
  }

  async #person(request: FastifyRequest, scope: Scope): Promise<Identity> {
    return toPerson(await this.#sessionCookies.getWithPermanentPassword(request), scope)
  }

  #findCached(clientId: string): Known | undefined {
    const known = this.#clients.get(clientId)
    const isFresh = known && this.#clock().getTime() - known.readAtMs < CLIENT_FRESH_MS
    return isFresh ? known : undefined
  }

  async #read(clientId: string): Promise<Known> {
    const forgotten = this.#forgotten
    const readAtMs = this.#clock().getTime()
    const client = await findClient(this.#db, clientId)
    if (!client?.isActive) {
      this.#clients.delete(clientId)
      throw new Refusal('unauthorized')
    }
    const known = {
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
    if (forgotten === this.#forgotten) this.#clients.set(clientId, known)
    return known
  }
}

// Operator data is hidden from non-operator users of an operator client.
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

function assume(request: FastifyRequest, identity: Identity): void {
  request.client = identity.client
  request.actor = identity.actor
  request.scopes = identity.scopes
  request.isPerson = identity.isPerson
  request.userId = identity.userId
  request.withoutAlerts = identity.withoutAlerts
}

function checked({
  known,
  claims: { generation },
  request,
  scope,
}: {
  known: Known
  claims: TokenClaims
  request: FastifyRequest
  scope: Scope
}): Identity {
  if (generation !== known.client.tokenGeneration) throw new Refusal('unauthorized')
  if (known.admits && !known.admits(request.ip)) throw new Refusal('address_not_allowed')
  const refusal = scopeRefusal(known, scope)
  if (refusal) throw new Refusal(refusal)
  return known
}

// Returns the refusal if the caller lacks the scope.
export function scopeRefusal(
  { scopes, userId }: Pick<Identity, 'scopes' | 'userId'>,
  scope: Scope,
): RefusalCode | undefined {
  if (scopes.has(scope)) return undefined
  return userId === null ? 'scope_missing' : 'role_not_allowed'
}

export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1]
}
