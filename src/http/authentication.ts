// Authentication and authorisation. A token identifies a client; clients are cached for a few
// seconds, so a suspension or restriction applies within that time in other processes and
// immediately in this one.
//
// Dashboard users have a session instead, with the scopes of their role. A bearer token takes
// precedence, so API requests never pay for session lookup.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ClientTime } from '#client-time.ts'
import type { Clock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { type Client, findClient } from '#domain/access/clients.ts'
import { grantedScopes } from '#domain/access/roles.ts'
import { effectiveScopes, type Scope } from '#domain/access/scopes.ts'
import type { SignedInSession } from '#domain/access/sessions.ts'
import { findTestTime, type TestClocks } from '#domain/records/test-clocks.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { ClientId, UserId } from '#ids.ts'
import { addressMatcher } from '#ip-allowlist.ts'
import type { SessionCookies } from './session.ts'
import type { TokenClaims, Tokens } from './tokens.ts'

export type Identity = {
  client: Client // The tenant.
  actor: string // For the audit log: `client:MAN0000001`, `user:<email>`.
  scopes: ReadonlySet<Scope>
  isPerson: boolean // At the dashboard, where BVNs are masked.
  userId: UserId | null // Of a person.
  withoutAlerts: boolean // A person of an operator's client who is no operator.
}

declare module 'fastify' {
  // Set by `requires`; routes without it must not look.
  interface FastifyRequest extends Identity {
    clientTime?: ClientTime // Of a client with a test clock (client-time.ts).
  }
}

type Done = (error?: Error) => void
type Hook = (request: FastifyRequest, reply: FastifyReply, done: Done) => void

// The scope is for the API reference.
export type ScopedHook = Hook & { scope: Scope }

type Known = Identity & { readAtMs: number; admits: ((address: string) => boolean) | undefined }

type Options = {
  db: Queryable
  tokens: Tokens
  sessionCookies: SessionCookies
  clock: Clock
  testClocks: TestClocks
}

const CLIENT_FRESH_MS = 5_000
const CLIENTS_MAX = 10_000

export class Authentication {
  readonly #db: Queryable
  readonly #tokens: Tokens
  readonly #sessionCookies: SessionCookies
  readonly #clock: Clock
  readonly #testClocks: TestClocks
  readonly #clients = new Map<string, Known>()
  #forgotten = 0

  constructor({ db, tokens, sessionCookies, clock, testClocks }: Options) {
    this.#db = db
    this.#tokens = tokens
    this.#sessionCookies = sessionCookies
    this.#clock = clock
    this.#testClocks = testClocks
  }

  // Route hook: requires a valid token or session with this scope, before the body is read. A client
  // and a token that are known take no promise.
  requires(scope: Scope): ScopedHook {
    const hook: Hook = (request, _reply, done) => {
      let identity: Identity | Promise<Identity>
      try {
        identity = this.#identify(request, scope)
      } catch (error) {
        return done(error as Error)
      }
      if (identity instanceof Promise || this.#testClocks.has(identity.client.id)) {
        this.#assumeLater(request, identity).then(() => done(), done)
        return
      }
      assume(request, identity)
      done()
    }
    return Object.assign(hook, { scope })
  }

  // Again, while a response goes on for long: that keeps no idle session from ending.
  async identifyIdly(request: FastifyRequest, scope: Scope): Promise<Identity> {
    if (!this.#hasSession(request)) return this.#identify(request, scope)
    return toPerson(await this.#sessionCookies.getIdly(request), scope)
  }

  // For public endpoints: no token is fine, an invalid one is not.
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

  // At once where all is known.
  #identify(request: FastifyRequest, scope: Scope): Identity | Promise<Identity> {
    if (this.#hasSession(request)) return this.#person(request, scope)
    const token = bearerToken(request.headers.authorization)
    if (token === undefined) throw new Refusal('unauthorized')
    const claims = this.#tokens.read(token)
    const known = claims instanceof Promise ? undefined : this.#fresh(claims.clientId)
    if (known) return checked({ known, claims: claims as TokenClaims, request, scope })
    return this.#identifyLater(claims, { request, scope })
  }

  async #identifyLater(
    reading: TokenClaims | Promise<TokenClaims>,
    { request, scope }: { request: FastifyRequest; scope: Scope },
  ): Promise<Identity> {
    const claims = await reading
    const known = this.#fresh(claims.clientId) ?? (await this.#read(claims.clientId))
    return checked({ known, claims, request, scope })
  }

  async #assumeLater(request: FastifyRequest, identifying: Identity | Promise<Identity>) {
    const identity = await identifying
    assume(request, identity)
    const { id } = identity.client
    if (this.#testClocks.has(id)) await this.#setTime(request, id)
  }

  #hasSession(request: FastifyRequest): boolean {
    const { authorization } = request.headers
    return authorization === undefined && this.#sessionCookies.tokenOf(request) !== undefined
  }

  async #person(request: FastifyRequest, scope: Scope): Promise<Identity> {
    return toPerson(await this.#sessionCookies.getWithPermanentPassword(request), scope)
  }

  async #setTime(request: FastifyRequest, clientId: ClientId): Promise<void> {
    const now = await findTestTime(this.#db, this.#clock(), clientId)
    if (now) request.clientTime = { clientId, now }
  }

  #fresh(clientId: string): Known | undefined {
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
  const lack = lackOf({ scopes, userId: user.id }, scope)
  if (lack) throw new Refusal(lack)
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
  const lack = lackOf(known, scope)
  if (lack) throw new Refusal(lack)
  return known
}

// What they are refused with for want of the scope; undefined: they have it.
export function lackOf(
  { scopes, userId }: Pick<Identity, 'scopes' | 'userId'>,
  scope: Scope,
): RefusalCode | undefined {
  if (scopes.has(scope)) return undefined
  return userId === null ? 'scope_missing' : 'role_not_allowed'
}

export function bearerToken(authorization: string | undefined): string | undefined {
  return /^bearer +([^\s]+)$/i.exec(authorization ?? '')?.[1]
}
