// Dashboard sessions: the session cookie and its CSRF token. SameSite blocks cross-site cookies;
// the CSRF header is the second line of defence.
//
// Over https the cookie has the `__Host-` prefix, so that neither a sibling domain nor a plain-http
// page can set it. Browsers refuse the prefix over plain http, where a sandbox may run: there the
// plain name is used. Only the name issued is accepted.

import { timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import {
  findSignedInSession,
  LIFE_MS,
  lookUpSession,
  type SignedInSession,
} from '#domain/access/sessions.ts'
import { Refusal } from '#errors.ts'
import type { Sealer } from '#seal.ts'
import { BoundedSet } from './bounded-set.ts'
import type { RateLimits } from './rate-limits.ts'

const COOKIE = 'manilla_session'
const HOST_COOKIE = `__Host-${COOKIE}`
const IDLE_HEADER = 'x-idle'
const KNOWN_MAX = 10_000
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

declare module 'fastify' {
  interface FastifyRequest {
    session: SignedInSession // Set by the hooks of SessionCookies; routes without one must not look.
  }
}

type Options = {
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
  readonly #attributes: string
  readonly #rateLimits: RateLimits
  readonly #known = new BoundedSet(KNOWN_MAX) // Tokens that were good, and are no stranger's.

  constructor({ db, sealer, clock, isSecure, rateLimits }: Options) {
    this.#rateLimits = rateLimits
    this.#db = db
    this.#sealer = sealer
    this.#clock = clock
    this.#cookie = isSecure ? HOST_COOKIE : COOKIE
    this.#token = new RegExp(`(?:^|;)\\s*${this.#cookie}=([A-Za-z0-9_-]{43})\\s*(?:;|$)`)
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
    const session = await (isIdle(request) ? this.#lookUp(token) : this.find(token))
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

  // Of a GET that is still being answered, which is no sign of anybody there.
  async getIdly(request: FastifyRequest): Promise<SignedInSession> {
    const token = this.tokenOf(request)
    const session = token && (await this.#lookUp(token))
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

  find(token: string): Promise<SignedInSession | undefined> {
    return findSignedInSession(this.#db, this.#clock(), token)
  }

  #lookUp(token: string): Promise<SignedInSession | undefined> {
    return lookUpSession(this.#db, this.#clock(), token)
  }

  #refuseForged(request: FastifyRequest, token: string): void {
    const given = Buffer.from(String(request.headers['x-csrf-token'] ?? ''))
    const expected = Buffer.from(this.csrfTokenOf(token))
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new Refusal('csrf_token_wrong')
    }
  }
}

function isSafe({ method }: FastifyRequest): boolean {
  return SAFE_METHODS.includes(method)
}

// A page that nobody uses says so of what it loads by itself, and an event stream connects again by
// itself. Whoever lies about it only ends their own session sooner.
function isIdle(request: FastifyRequest): boolean {
  const isByItself = request.headers[IDLE_HEADER] !== undefined
  return isSafe(request) && (isByItself || request.routeOptions.config.isStream === true)
}
