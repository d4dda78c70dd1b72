// Dashboard sessions: the session cookie and its CSRF token. SameSite blocks cross-site cookies; the CSRF
// header is the second line of defence.
//
// Over https the cookie has the `__Host-` prefix, so that neither a sibling domain nor a plain-http page can
// set it. Browsers refuse the prefix over plain http, which a sandbox may use, so the cookie then has no
// prefix. Only the name that the service sets is accepted.

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
