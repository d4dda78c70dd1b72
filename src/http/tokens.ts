// Bearer tokens: short-lived JWTs (HS256), signed with the first token secret and verified against all
// secrets, so that secrets can be rotated without ending any login.
//
// Verified tokens are cached until they expire, because verifying one takes 25 µs. The cache is bounded and
// checks the expiry on every hit.

import { createHash, createSecretKey, type KeyObject } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '#clock.ts'
import { Refusal } from '#errors.ts'

const ISSUER = 'manilla'
const CACHED_MAX = 10_000
const TOKEN_LENGTH_MAX = 1_024

export type TokenClaims = { clientId: string; generation: number }

type TokenOptions = {
  secrets: readonly Uint8Array[]
  mode: string
  ttlSeconds: number
  clock: Clock
}

export class Tokens {
  readonly #keys = new Map<string, KeyObject>()
  readonly #signing: { id: string; key: KeyObject }
  readonly #audience: string
  readonly #clock: Clock
  readonly #verified = new Map<string, TokenClaims & { expiresAtMs: number }>()
  readonly ttlSeconds: number

  constructor({ secrets, mode, ttlSeconds, clock }: TokenOptions) {
    const keys = secrets.map((secret) => ({
      id: createHash('sha256').update(secret).digest('hex').slice(0, 8),
      key: createSecretKey(secret),
    }))
    for (const { id, key } of keys) this.#keys.set(id, key)
    const signingKey = keys[0]
    if (!signingKey) throw new Error('at least one token secret is required')
    this.#signing = signingKey
    this.#audience = `manilla-${mode}`
    this.ttlSeconds = ttlSeconds
    this.#clock = clock
  }

  // Issues a token for a client after its login. `generation` lets the service revoke all earlier tokens.
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

  // Returns the claims of a valid token, as a promise only if the token is not cached. Refuses every other
  // token.
  read(token: string): TokenClaims | Promise<TokenClaims> {
    const cached = this.#verified.get(token)
    if (!cached) return this.#verify(token)
    if (cached.expiresAtMs > this.#clock().getTime()) return cached
    this.#verified.delete(token)
    throw new Refusal('token_expired')
  }

  // Verifies the signature and the expiry of a token, and caches its claims.
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
      this.#cacheClaims(token, claims)
      return claims
    } catch (error) {
      throw new Refusal(error instanceof errors.JWTExpired ? 'token_expired' : 'unauthorized')
    }
  }

  // Finds the key that a token was signed with.
  #key(id: string | undefined): KeyObject {
    const key = this.#keys.get(id ?? '')
    if (!key) throw new Refusal('unauthorized')
    return key
  }

  // If the cache is full, evicts the oldest entry, which a Map has first.
  #cacheClaims(token: string, claims: TokenClaims & { expiresAtMs: number }): void {
    if (this.#verified.size >= CACHED_MAX) {
      const [oldest] = this.#verified.keys()
      this.#verified.delete(oldest as string)
    }
    this.#verified.set(token, claims)
  }
}
