// Rate limits. Requests with a token are counted per client, others per IP address; some endpoints have a
// separate policy (`config: { rate }`). Requests are counted before the body is read, and per process: n
// processes allow n times as many.
//
// Checking a session takes a query, and checking a signature takes the whole body. Requests with an invalid
// session or signature are counted for their address. Once its limit is exhausted, the address is refused
// before either check.
//
// Headers: RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers (09 and later).

import { isIP } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { Clock } from '#clock.ts'
import type { RatePolicy, Rates } from '#config/policy-settings.ts'
import { Refusal } from '#errors.ts'

const WINDOW_MS = 60_000
const WINDOW_SECONDS = WINDOW_MS / 1000
const CALLERS_MAX = 20_000

type Bucket = { missing: number; atMs: number } // `missing` units were missing at `atMs`.

// The token buckets of one policy, one per caller. Each holds a minute's worth of requests and refills
// evenly. The arithmetic uses integers, without rounding: a request costs as many units as a window has
// milliseconds, and each millisecond restores as many units as requests are allowed per window. Full buckets
// need not be kept.
export class RateBuckets {
  readonly policy: string // The value of the RateLimit-Policy header.
  readonly #name: string
  readonly #perMinute: number
  readonly #capacity: number
  readonly #buckets = new Map<string, Bucket>()
  #refusedAtMs = Number.NEGATIVE_INFINITY

  constructor(name: string, perMinute: number) {
    this.#name = name
    this.#perMinute = perMinute
    this.#capacity = perMinute * WINDOW_MS
    this.policy = `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`
  }

  get size(): number {
    return this.#buckets.size
  }

  // Takes one request out of a caller's bucket and returns the units that are then missing. If more are
  // missing than the bucket holds, the request is refused and nothing is taken.
  take(caller: string, nowMs: number): number {
    const bucket = this.#buckets.get(caller) ?? this.#add(caller, nowMs)
    if (nowMs < bucket.atMs) bucket.atMs = nowMs // The clock was set back.
    const missing = this.#missing(bucket, nowMs) + WINDOW_MS
    if (this.isTooMuch(missing)) {
      this.#refusedAtMs = nowMs
    } else {
      bucket.missing = missing
      bucket.atMs = nowMs
    }
    return missing
  }

  // Whether any caller was refused within the last minute. If not, no bucket is empty.
  hasRefused(nowMs: number): boolean {
    return nowMs - this.#refusedAtMs < WINDOW_MS
  }

  // Whether the next request would be refused.
  isEmpty(caller: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(caller)
    return bucket !== undefined && this.isTooMuch(this.#missing(bucket, nowMs) + WINDOW_MS)
  }

  isTooMuch(missing: number): boolean {
    return missing > this.#capacity
  }

  // The value of RateLimit: the remaining requests, and the seconds until the bucket is full.
  remaining(missing: number): string {
    const left = Math.floor(Math.max(0, this.#capacity - missing) / WINDOW_MS)
    const seconds = Math.ceil(((this.#perMinute - left) * WINDOW_SECONDS) / this.#perMinute)
    return `"${this.#name}";r=${left};t=${seconds}`
  }

  waitSeconds(missing: number): number {
    return Math.ceil((missing - this.#capacity) / this.#perMinute / 1000)
  }

  #missing({ missing, atMs }: Bucket, nowMs: number): number {
    return Math.max(0, missing - (nowMs - atMs) * this.#perMinute)
  }

  #add(caller: string, nowMs: number): Bucket {
    if (this.#buckets.size >= CALLERS_MAX) this.#forget(nowMs)
    const bucket = { missing: 0, atMs: nowMs }
    this.#buckets.set(caller, bucket)
    return bucket
  }

  // Evicts full buckets first, then the older half, so that memory stays bounded. Limits per address do not
  // stop an attacker with that many addresses anyway.
  #forget(nowMs: number): void {
    for (const [caller, bucket] of this.#buckets) {
      if (this.#missing(bucket, nowMs) === 0) this.#buckets.delete(caller)
    }
    for (const caller of this.#buckets.keys()) {
      if (this.#buckets.size <= CALLERS_MAX / 2) return
      this.#buckets.delete(caller)
    }
  }
}

const UNKNOWN = 'unknown' // The caller is gone, or the proxy passed on no address.
const REMEMBERED_MAX = 1_000

// Returns the rate-limiting key of an IP address. IPv6 is grouped by /64, because one host has a whole /64.
// IPv4-mapped IPv6 is treated as IPv4.
export function rateLimitKey(address: string | undefined): string {
  if (address === undefined) return UNKNOWN
  if (address.includes(':')) return remembered.get(address) ?? cache(address)
  return isIP(address) === 4 ? address : UNKNOWN
}

// Caches keys, because parsing an IPv6 address takes microseconds on every request.
const remembered = new Map<string, string>()

function cache(address: string): string {
  const caller = networkPrefix(address)
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(address, caller)
  return caller
}

function networkPrefix(address: string): string {
  const plain = address.split('%', 1)[0] as string
  if (isIP(plain) !== 6) return UNKNOWN
  const parsed = ipaddr.process(plain)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const network = parsed.parts.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(':')}::/64`
}

// A set that clears itself when it is full.
export class BoundedSet {
  readonly #most: number
  readonly #values = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  has(value: string): boolean {
    return this.#values.has(value)
  }

  add(value: string): void {
    if (this.#values.has(value)) return
    if (this.#values.size >= this.#most) this.#values.clear()
    this.#values.add(value)
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    // The policy of the route, if it is not the usual one. Probes have 'none'.
    rate?: 'simulate' | 'initiate' | 'login' | 'rail' | 'none'
  }
}

type Done = (error?: Error) => void

const BANK_ADDRESSES_MAX = 1_000

export class RateLimits {
  readonly #clock: Clock
  readonly #buckets = new Map<RatePolicy, RateBuckets>()
  readonly #addresses: RateBuckets | undefined
  readonly #bankAddresses = new BoundedSet(BANK_ADDRESSES_MAX)

  constructor({ rates, clock }: { rates: Rates; clock: Clock }) {
    this.#clock = clock
    for (const [name, perMinute] of Object.entries(rates) as [RatePolicy, number][]) {
      if (perMinute > 0) this.#buckets.set(name, new RateBuckets(name, perMinute))
    }
    this.#addresses = this.#buckets.get('address')
  }

  // Applies to routes registered from now on.
  register(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => this.#limit(route))
  }

  // Counts requests to unknown routes and requests with rejected tokens.
  countAddress(request: FastifyRequest, reply: FastifyReply): void {
    if (reply.hasHeader('ratelimit')) return // The request was counted already.
    this.#take(this.#addresses, rateLimitKey(request.ip), reply)
  }

  // Runs before any work for an unidentified caller, and takes nothing from the bucket. Never refuses an
  // address from which a bank has signed: strangers who share it behind a proxy must not block the bank's
  // credits.
  refuseExhausted(request: FastifyRequest): void {
    const nowMs = this.#clock().getTime()
    if (!this.#addresses?.hasRefused(nowMs)) return
    const caller = rateLimitKey(request.ip)
    if (this.#bankAddresses.has(caller)) return
    if (this.#addresses.isEmpty(caller, nowMs)) throw new Refusal('rate_limited')
  }

  #limit(route: RouteOptions): void {
    const rate = route.config?.rate
    if (rate === 'none') return
    if (rate === 'rail') {
      // Counts after signature verification, so that only the bank itself can use up its quota.
      route.preHandler = [this.#byBank(), ...toList(route.preHandler)]
      route.onRequest = [this.#unlessExhausted(), ...toList(route.onRequest)]
      return
    }
    const isClients = rate === 'simulate'
    const hook = this.#byCaller(
      isClients ? rate : 'client',
      isClients ? 'address' : (rate ?? 'address'),
    )
    // Runs after the hook that identifies the caller.
    route.onRequest = [...toList(route.onRequest), hook]
  }

  #byCaller(ofClients: RatePolicy, ofAddresses: RatePolicy) {
    const clients = this.#buckets.get(ofClients)
    const addresses = this.#buckets.get(ofAddresses)
    return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
      try {
        const client = request.client as FastifyRequest['client'] | undefined
        if (client) this.#take(clients, client.clientId, reply)
        else this.#take(addresses, rateLimitKey(request.ip), reply)
        done()
      } catch (error) {
        done(error as Error)
      }
    }
  }

  #unlessExhausted() {
    return (request: FastifyRequest, _reply: FastifyReply, done: Done) => {
      try {
        this.refuseExhausted(request)
        done()
      } catch (error) {
        done(error as Error)
      }
    }
  }

  #byBank() {
    const banks = this.#buckets.get('rail')
    return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
      try {
        this.#bankAddresses.add(rateLimitKey(request.rail.call.address))
        this.#take(banks, (request.params as { bankCode: string }).bankCode, reply)
        done()
      } catch (error) {
        done(error as Error)
      }
    }
  }

  #take(buckets: RateBuckets | undefined, caller: string, reply: FastifyReply): void {
    if (!buckets) return
    const missing = buckets.take(caller, this.#clock().getTime())
    reply.header('ratelimit', buckets.remaining(missing))
    reply.header('ratelimit-policy', buckets.policy)
    if (!buckets.isTooMuch(missing)) return
    throw new Refusal('rate_limited', [], buckets.waitSeconds(missing))
  }
}

function toList<T>(hooks: T | T[] | undefined): T[] {
  if (hooks === undefined) return []
  return Array.isArray(hooks) ? hooks : [hooks]
}
