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
import { findSignedInSession, LIFE_MS, type SignedInSession } from '#domain/access/sessions.ts'
import { Refusal } from '#errors.ts'
import type { Sealer } from '#seal.ts'

const COOKIE = 'manilla_session'
const HOST_COOKIE = `__Host-${COOKIE}`
const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS']

declare module 'fastify' {
  interface FastifyRequest {
    session: SignedInSession // Set by the hooks of SessionCookies; routes without one must not look.
  }
}

type Options = { db: Queryable; sealer: Sealer; clock: Clock; isSecure: boolean }

export class SessionCookies {
  readonly #db: Queryable
  readonly #sealer: Sealer
  readonly #clock: Clock
  readonly #cookie: string
  readonly #token: RegExp
  readonly #attributes: string

  constructor({ db, sealer, clock, isSecure }: Options) {
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
    const session = token === undefined ? undefined : await this.find(token)
    if (!session) throw new Refusal('session_needed')
    if (!SAFE_METHODS.includes(request.method)) this.#refuseForged(request, token as string)
    return session
  }

  async getWithPermanentPassword(request: FastifyRequest): Promise<SignedInSession> {
    const session = await this.get(request)
    if (session.user.isPasswordTemporary) throw new Refusal('password_change_needed')
    return session
  }

  csrfTokenOf(token: string): string {
    return this.#sealer.hash('csrf', token).toString('base64url')
  }

  begin(reply: FastifyReply, token: string): void {
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

  #refuseForged(request: FastifyRequest, token: string): void {
    const given = Buffer.from(String(request.headers['x-csrf-token'] ?? ''))
    const expected = Buffer.from(this.csrfTokenOf(token))
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new Refusal('csrf_token_wrong')
    }
  }
}
