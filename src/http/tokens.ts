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
const REMEMBERED_MAX = 10_000
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
