// Dashboard sessions: the session cookie and its CSRF token. SameSite keeps other sites from sending the
// cookie. The CSRF header is a second protection.
//
// Over https the cookie's name has the `__Host-` prefix, so that neither a sibling domain nor a plain-http
// page can set it. Browsers refuse the prefix over plain http, which a sandbox may use, so there the name has
// no prefix. The service reads only the name that it sets itself.

import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import {
  DEVICE_MS,
  findSignedInSession,
  LIFE_MS,
  lookUpSession,
  type SignedInSession,
} from '#access/sessions.ts'
import type { Clock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { Sealer } from '#seal.ts'
import { BoundedSet, type RateLimits } from './rate-limits.ts'

const COOKIE = 'manilla_session'
const DEVICE_COOKIE = 'manilla_device' // Outlives sessions (access/sessions.ts).
const SIGN_IN_COOKIE = 'manilla_sign_in' // Set while the browser is at the client's sign-in provider.
const HOST_PREFIX = '__Host-'
const IDLE_HEADER = 'x-idle'
const KNOWN_MAX = 10_000
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

declare module 'fastify' {
  interface FastifyRequest {
    session: SignedInSession // Undefined unless a hook has identified a person.
  }
}

type CookieOptions = {
  db: Queryable
  sealer: Sealer
  clock: Clock
  isSecure: boolean
  rateLimits: RateLimits
}

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
  // Tokens that were valid before. Requests with these skip the check for an exhausted rate limit, because
  // strangers do not have such tokens.
  readonly #knownTokens = new BoundedSet(KNOWN_MAX)

  constructor({ db, sealer, clock, isSecure, rateLimits }: CookieOptions) {
    this.#rateLimits = rateLimits
    this.#db = db
    this.#sealer = sealer
    this.#clock = clock
    const prefix = isSecure ? HOST_PREFIX : ''
    this.#cookie = `${prefix}${COOKIE}`
    this.#token = tokenPattern(this.#cookie)
    this.#deviceCookie = `${prefix}${DEVICE_COOKIE}`
    this.#deviceToken = tokenPattern(this.#deviceCookie)
    this.#signInCookie = `${prefix}${SIGN_IN_COOKIE}`
    this.#signInToken = tokenPattern(this.#signInCookie)
    this.#attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`
  }

  // Route hook: requires a session. Also admits users with a temporary password.
  readonly require = async (request: FastifyRequest): Promise<void> => {
    request.session = await this.get(request)
  }

  // Route hook: requires a session of a user who has chosen a password.
  readonly requirePermanentPassword = async (request: FastifyRequest): Promise<void> => {
    request.session = await this.getWithPermanentPassword(request)
  }

  // Returns the session of a request. Refuses a request without a valid session, and a change without the
  // CSRF token.
  async get(request: FastifyRequest): Promise<SignedInSession> {
    const token = this.tokenOf(request)
    if (token === undefined) throw new Refusal('session_needed')
    if (!this.#knownTokens.has(token)) this.#rateLimits.refuseExhausted(request)
    const { ip } = request
    const session = await (isAutomatic(request)
      ? this.#findWithoutActivity(token, ip)
      : this.find(token, ip))
    if (!session) throw new Refusal('session_needed')
    this.#knownTokens.add(token)
    if (!isSafe(request)) this.#refuseForged(request, token)
    return session
  }

  // Like get(), but refuses users who still have a temporary password.
  async getWithPermanentPassword(request: FastifyRequest): Promise<SignedInSession> {
    const session = await this.get(request)
    if (session.user.isPasswordTemporary) throw new Refusal('password_change_needed')
    return session
  }

  // Returns the session of a request whose response is still open, such as an event stream. This does not
  // prolong the session, because an open response does not show that a person is there.
  async getAgain(request: FastifyRequest): Promise<SignedInSession> {
    const token = this.tokenOf(request)
    const session = token && (await this.#findWithoutActivity(token, request.ip))
    if (!session || session.user.isPasswordTemporary) throw new Refusal('session_needed')
    return session
  }

  // Derives the CSRF token of a session from its token.
  csrfTokenOf(token: string): string {
    return this.#sealer.hash('csrf', token).toString('base64url')
  }

  // Sets the session cookie after a sign-in.
  begin(reply: FastifyReply, token: string): void {
    this.#knownTokens.add(token)
    const maxAge = Math.floor(LIFE_MS / 1000)
    reply.header('set-cookie', `${this.#cookie}=${token}; Max-Age=${maxAge}; ${this.#attributes}`)
  }

  // Deletes the session cookie after a sign-out.
  end(reply: FastifyReply): void {
    reply.header('set-cookie', `${this.#cookie}=; Max-Age=0; ${this.#attributes}`)
  }

  // Returns the session token of a request, whether it is valid or not.
  tokenOf(request: FastifyRequest): string | undefined {
    return this.#token.exec(request.headers.cookie ?? '')?.[1]
  }

  // Sets the cookie that recognises this browser at later sign-ins.
  keepDevice(reply: FastifyReply, token: string): void {
    const maxAge = Math.floor(DEVICE_MS / 1000)
    const value = `${this.#deviceCookie}=${token}; Max-Age=${maxAge}; ${this.#attributes}`
    reply.header('set-cookie', value)
  }

  deviceTokenOf(request: FastifyRequest): string | undefined {
    return this.#deviceToken.exec(request.headers.cookie ?? '')?.[1]
  }

  // Sets the cookie that ties a browser to its sign-in at the client's provider, until the provider sends the
  // browser back.
  beginSignIn(reply: FastifyReply, token: string, lifeMs: number): void {
    const maxAge = Math.floor(lifeMs / 1000)
    const value = `${this.#signInCookie}=${token}; Max-Age=${maxAge}; ${this.#attributes}`
    reply.header('set-cookie', value)
  }

  // Deletes the cookie of a sign-in at the client's provider.
  endSignIn(reply: FastifyReply): void {
    reply.header('set-cookie', `${this.#signInCookie}=; Max-Age=0; ${this.#attributes}`)
  }

  signInTokenOf(request: FastifyRequest): string | undefined {
    return this.#signInToken.exec(request.headers.cookie ?? '')?.[1]
  }

  // Finds a valid session, and records activity, which prolongs it.
  find(token: string, address: string): Promise<SignedInSession | undefined> {
    return findSignedInSession(this.#db, this.#clock(), { token, address })
  }

  // Finds a valid session without recording activity.
  #findWithoutActivity(token: string, address: string): Promise<SignedInSession | undefined> {
    return lookUpSession(this.#db, this.#clock(), { token, address })
  }

  // Refuses a request whose CSRF token is not the one of its session.
  #refuseForged(request: FastifyRequest, token: string): void {
    const csrfToken = Buffer.from(String(request.headers['x-csrf-token'] ?? ''))
    const expected = Buffer.from(this.csrfTokenOf(token))
    if (csrfToken.length !== expected.length || !timingSafeEqual(csrfToken, expected)) {
      throw new Refusal('csrf_token_wrong')
    }
  }
}

function tokenPattern(cookie: string): RegExp {
  return new RegExp(`(?:^|;)\\s*${cookie}=([A-Za-z0-9_-]{43})\\s*(?:;|$)`)
}

// Whether the method of a request changes nothing, so that it needs no CSRF token.
function isSafe({ method }: FastifyRequest): boolean {
  return SAFE_METHODS.includes(method)
}

// Whether a request was made without a person's action: the page marks requests that it makes by itself
// (x-idle), and event streams reconnect by themselves. Such requests do not prolong a session. A caller who
// sets the mark wrongly only ends its own session sooner.
function isAutomatic(request: FastifyRequest): boolean {
  const isMarked = request.headers[IDLE_HEADER] !== undefined
  return isSafe(request) && (isMarked || request.routeOptions.config.isStream === true)
}
