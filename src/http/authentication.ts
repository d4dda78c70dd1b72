// Authentication and authorisation. A token identifies a client. Clients are cached for a few seconds, so a
// suspension or restriction applies within that time in other processes and immediately in this one.
//
// Dashboard users have a session instead, with the scopes of their role. A bearer token takes precedence, so
// API requests never need a look-up of a session.

import { createHash, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { errors, jwtVerify, SignJWT } from 'jose'
import {
  type Client,
  effectiveScopes,
  findClient,
  grantedScopes,
  type Scope,
} from '#access/permissions.ts'
import {
  DEVICE_MS,
  findSignedInSession,
  LIFE_MS,
  lookUpSession,
  type SignedInSession,
} from '#access/sessions.ts'
import type { Clock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { UserId } from '#ids.ts'
import { addressMatcher } from '#ip-allowlist.ts'
import type { Sealer } from '#seal.ts'
import { BoundedSet, type RateLimits } from './rate-limits.ts'

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

const COOKIE = 'manilla_session'
const DEVICE_COOKIE = 'manilla_device' // Outlives sessions (access/sessions.ts).
const SIGN_IN_COOKIE = 'manilla_sign_in' // Set while the browser is at the client's sign-in provider.
const HOST_PREFIX = '__Host-'
const IDLE_HEADER = 'x-idle'
const KNOWN_MAX = 10_000
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

declare module 'fastify' {
  interface FastifyRequest {
    session: SignedInSession // Set by the hooks of SessionCookies. Routes without one must not read it.
  }
}

type CookieOptions = {
  db: Queryable
  sealer: Sealer
  clock: Clock
  isSecure: boolean
  rateLimits: RateLimits
}

// Dashboard sessions: the session cookie and its CSRF token. SameSite blocks cross-site cookies; the CSRF
// header is the second line of defence.
//
// Over https the cookie has the `__Host-` prefix, so that neither a sibling domain nor a plain-http page can
// set it. Browsers refuse the prefix over plain http, which a sandbox may use, so the cookie then has no
// prefix. Only the name that the service sets is accepted.
export class SessionCookies {
  readonly #db: Queryable
  readonly #sealer: Sealer
  readonly #clock: Clock
  readonly #cookie: string
  readonly #token: RegExp
  readonly #deviceCookie: string
  readonly #deviceToken: RegExp
  readonly #signInCookie: string
  readonly #signInToken: RegExp
  readonly #attributes: string
  readonly #rateLimits: RateLimits
  readonly #known = new BoundedSet(KNOWN_MAX) // Tokens that were valid before. Strangers do not have them.

  constructor({ db, sealer, clock, isSecure, rateLimits }: CookieOptions) {
    this.#rateLimits = rateLimits
    this.#db = db
    this.#sealer = sealer
    this.#clock = clock
    const prefix = isSecure ? HOST_PREFIX : ''
    this.#cookie = `${prefix}${COOKIE}`
    this.#token = tokenIn(this.#cookie)
    this.#deviceCookie = `${prefix}${DEVICE_COOKIE}`
    this.#deviceToken = tokenIn(this.#deviceCookie)
    this.#signInCookie = `${prefix}${SIGN_IN_COOKIE}`
    this.#signInToken = tokenIn(this.#signInCookie)
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  }

  // Route hook; also admits users with a temporary password.
  readonly require = async (request: FastifyRequest): Promise<void> => {
    request.session = await this.get(request)
  }

  readonly requirePermanentPassword = async (request: FastifyRequest): Promise<void> => {
    request.session = await this.getWithPermanentPassword(request)
  }

  async get(request: FastifyRequest): Promise<SignedInSession> {
    const token = this.tokenOf(request)
    if (token === undefined) throw new Refusal('session_needed')
    if (!this.#known.has(token)) this.#rateLimits.refuseExhausted(request)
    const { ip } = request
    const session = await (isIdle(request) ? this.#lookUp(token, ip) : this.find(token, ip))
    if (!session) throw new Refusal('session_needed')
    this.#known.add(token)
    if (!isSafe(request)) this.#refuseForged(request, token)
    return session
  }

  async getWithPermanentPassword(request: FastifyRequest): Promise<SignedInSession> {
    const session = await this.get(request)
    if (session.user.isPasswordTemporary) throw new Refusal('password_change_needed')
    return session
  }

  // Returns the session of a GET whose response is still open. Does not prolong the session: an open
  // response does not show that a person is there.
  async getAgain(request: FastifyRequest): Promise<SignedInSession> {
    const token = this.tokenOf(request)
    const session = token && (await this.#lookUp(token, request.ip))
    if (!session || session.user.isPasswordTemporary) throw new Refusal('session_needed')
    return session
  }

  csrfTokenOf(token: string): string {
    return this.#sealer.hash('csrf', token).toString('base64url')
  }

  begin(reply: FastifyReply, token: string): void {
    this.#known.add(token)
    const maxAge = Math.floor(LIFE_MS / 1000)
    reply.header('set-cookie', `${this.#cookie}=${token}; Max-Age=${maxAge}; ${this.#attributes}`)
  }

  end(reply: FastifyReply): void {
    reply.header('set-cookie', `${this.#cookie}=; Max-Age=0; ${this.#attributes}`)
  }

  tokenOf(request: FastifyRequest): string | undefined {
    return this.#token.exec(request.headers.cookie ?? '')?.[1]
  }

  keepDevice(reply: FastifyReply, token: string): void {
    const maxAge = Math.floor(DEVICE_MS / 1000)
    const value = `${this.#deviceCookie}=${token}; Max-Age=${maxAge}; ${this.#attributes}`
    reply.header('set-cookie', value)
  }

  deviceTokenOf(request: FastifyRequest): string | undefined {
    return this.#deviceToken.exec(request.headers.cookie ?? '')?.[1]
  }

  beginSignIn(reply: FastifyReply, token: string, lifeMs: number): void {
    const maxAge = Math.floor(lifeMs / 1000)
    const value = `${this.#signInCookie}=${token}; Max-Age=${maxAge}; ${this.#attributes}`
    reply.header('set-cookie', value)
  }

  endSignIn(reply: FastifyReply): void {
    reply.header('set-cookie', `${this.#signInCookie}=; Max-Age=0; ${this.#attributes}`)
  }

  signInTokenOf(request: FastifyRequest): string | undefined {
    return this.#signInToken.exec(request.headers.cookie ?? '')?.[1]
  }

  find(token: string, address: string): Promise<SignedInSession | undefined> {
    return findSignedInSession(this.#db, this.#clock(), { token, address })
  }

  #lookUp(token: string, address: string): Promise<SignedInSession | undefined> {
    return lookUpSession(this.#db, this.#clock(), { token, address })
  }

  #refuseForged(request: FastifyRequest, token: string): void {
    const csrfToken = Buffer.from(String(request.headers['x-csrf-token'] ?? ''))
    const expected = Buffer.from(this.csrfTokenOf(token))
    if (csrfToken.length !== expected.length || !timingSafeEqual(csrfToken, expected)) {
      throw new Refusal('csrf_token_wrong')
    }
  }
}

function tokenIn(cookie: string): RegExp {
  return new RegExp(`(?:^|;)\\s*${cookie}=([A-Za-z0-9_-]{43})\\s*(?:;|$)`)
}

function isSafe({ method }: FastifyRequest): boolean {
  return SAFE_METHODS.includes(method)
}

// A page marks the requests that it makes by itself, and an event stream reconnects by itself. Neither keeps
// a session alive. A false mark only ends the caller's own session sooner.
function isIdle(request: FastifyRequest): boolean {
  const isByItself = request.headers[IDLE_HEADER] !== undefined
  return isSafe(request) && (isByItself || request.routeOptions.config.isStream === true)
}

const ISSUER = 'manilla'
const REMEMBERED_MAX = 10_000
const TOKEN_LENGTH_MAX = 1_024

type TokenClaims = { clientId: string; generation: number }

type TokenOptions = {
  secrets: readonly Uint8Array[]
  mode: string
  ttlSeconds: number
  clock: Clock
}

// Bearer tokens: short-lived JWTs (HS256), signed with the first token secret and verified against all
// secrets, so that secrets can be rotated without ending any login.
//
// Verified tokens are cached until they expire, because verifying one takes 25 µs. The cache is bounded and
// checks the expiry on every hit.
export class Tokens {
  readonly #keys = new Map<string, KeyObject>()
  readonly #signing: { id: string; key: KeyObject }
  readonly #audience: string
  readonly #clock: Clock
  readonly #remembered = new Map<string, TokenClaims & { expiresAtMs: number }>()
  readonly ttlSeconds: number

  constructor({ secrets, mode, ttlSeconds, clock }: TokenOptions) {
    const keys = secrets.map((secret) => ({
      id: createHash('sha256').update(secret).digest('hex').slice(0, 8),
      key: createSecretKey(secret),
    }))
    for (const { id, key } of keys) this.#keys.set(id, key)
    const first = keys[0]
    if (!first) throw new Error('at least one token secret is required')
    this.#signing = first
    this.#audience = `manilla-${mode}`
    this.ttlSeconds = ttlSeconds
    this.#clock = clock
  }

  issue({ clientId, generation }: TokenClaims): Promise<string> {
    const issuedAt = Math.floor(this.#clock().getTime() / 1000)
    return new SignJWT({ gen: generation })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT', kid: this.#signing.id })
      .setSubject(clientId)
      .setIssuer(ISSUER)
      .setAudience(this.#audience)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + this.ttlSeconds)
      .sign(this.#signing.key)
  }

  // Returns the claims of a valid token, and refuses every other token.
  read(token: string): TokenClaims | Promise<TokenClaims> {
    const known = this.#remembered.get(token)
    if (!known) return this.#verify(token)
    if (known.expiresAtMs > this.#clock().getTime()) return known
    this.#remembered.delete(token)
    throw new Refusal('token_expired')
  }

  async #verify(token: string): Promise<TokenClaims> {
    if (token.length > TOKEN_LENGTH_MAX) throw new Refusal('unauthorized')
    try {
      const { payload } = await jwtVerify(token, ({ kid }) => this.#key(kid), {
        algorithms: ['HS256'],
        issuer: ISSUER,
        audience: this.#audience,
        currentDate: this.#clock(),
        requiredClaims: ['sub', 'exp'],
      })
      const expiresAtMs = (payload.exp as number) * 1000
      // A token that was issued before generations existed has the first generation.
      const generation = typeof payload.gen === 'number' ? payload.gen : 0
      const claims = { clientId: payload.sub as string, generation, expiresAtMs }
      this.#remember(token, claims)
      return claims
    } catch (error) {
      throw new Refusal(error instanceof errors.JWTExpired ? 'token_expired' : 'unauthorized')
    }
  }

  #key(id: string | undefined): KeyObject {
    const key = this.#keys.get(id ?? '')
    if (!key) throw new Refusal('unauthorized')
    return key
  }

  // Evicts the oldest entry: a Map keeps insertion order.
  #remember(token: string, claims: TokenClaims & { expiresAtMs: number }): void {
    if (this.#remembered.size >= REMEMBERED_MAX) {
      const [oldest] = this.#remembered.keys()
      this.#remembered.delete(oldest as string)
    }
    this.#remembered.set(token, claims)
  }
}
