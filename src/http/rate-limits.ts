// Rate limits. Requests with a token are counted per client, others per IP address. Some endpoints have a
// separate policy (`config: { rate }`). Requests are counted before their body is read. Each process counts
// separately, so n processes allow n times as many requests.
//
// Checking a session needs a query, and checking a signature needs the whole body. Requests with an invalid
// session or signature are counted for their address. Once the limit of an address is exhausted, its requests
// are refused before either check.
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
// evenly. To avoid rounding, the arithmetic counts in integer units: a request takes as many units as a
// window has milliseconds, and each millisecond restores as many units as requests are allowed per window. A
// full bucket can be dropped, because a new bucket is full too.
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

  // Takes one request out of a caller's bucket and returns the units that are then missing. If more would be
  // missing than the bucket holds, takes nothing: the caller must refuse the request (isTooMuch).
  take(caller: string, nowMs: number): number {
    const bucket = this.#buckets.get(caller) ?? this.#add(caller, nowMs)
    if (nowMs < bucket.atMs) bucket.atMs = nowMs // The clock was set back.
    const missing = this.#missingNow(bucket, nowMs) + WINDOW_MS
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
    return bucket !== undefined && this.isTooMuch(this.#missingNow(bucket, nowMs) + WINDOW_MS)
  }

  // Whether a caller with so many missing units is over its limit.
  isTooMuch(missing: number): boolean {
    return missing > this.#capacity
  }

  // The value of the RateLimit header: the remaining requests, and the seconds until the bucket is full.
  remaining(missing: number): string {
    const requests = Math.floor(Math.max(0, this.#capacity - missing) / WINDOW_MS)
    const seconds = Math.ceil(((this.#perMinute - requests) * WINDOW_SECONDS) / this.#perMinute)
    return `"${this.#name}";r=${requests};t=${seconds}`
  }

  // The seconds until a refused request would be accepted, for Retry-After.
  waitSeconds(missing: number): number {
    return Math.ceil((missing - this.#capacity) / this.#perMinute / 1000)
  }

  // The units that are missing now, after the refill since `atMs`.
  #missingNow({ missing, atMs }: Bucket, nowMs: number): number {
    return Math.max(0, missing - (nowMs - atMs) * this.#perMinute)
  }

  // Adds a full bucket for a new caller.
  #add(caller: string, nowMs: number): Bucket {
    if (this.#buckets.size >= CALLERS_MAX) this.#evict(nowMs)
    const bucket = { missing: 0, atMs: nowMs }
    this.#buckets.set(caller, bucket)
    return bucket
  }

  // Keeps the number of buckets bounded: drops full buckets, then the oldest until half of the maximum
  // remain. Dropping a bucket restores its caller's limit, but an attacker with this many addresses is not
  // stopped by limits per address anyway.
  #evict(nowMs: number): void {
    for (const [caller, bucket] of this.#buckets) {
      if (this.#missingNow(bucket, nowMs) === 0) this.#buckets.delete(caller)
    }
    for (const caller of this.#buckets.keys()) {
      if (this.#buckets.size <= CALLERS_MAX / 2) return
      this.#buckets.delete(caller)
    }
  }
}

const UNKNOWN = 'unknown' // The caller has disconnected, or the proxy passed on no address.
const CACHED_KEYS_MAX = 1_000

// Returns the key under which requests from an IP address are counted. IPv6 addresses are grouped by /64,
// because one host can use a whole /64. IPv4-mapped IPv6 is treated as IPv4.
export function rateLimitKey(address: string | undefined): string {
  if (address === undefined) return UNKNOWN
  if (address.includes(':')) return cachedKeys.get(address) ?? cacheKey(address)
  return isIP(address) === 4 ? address : UNKNOWN
}

// A cache of keys, because parsing an IPv6 address would take microseconds on every request.
const cachedKeys = new Map<string, string>()

// Computes the key of an IPv6 address and stores it. Starts an empty cache when it is full.
function cacheKey(address: string): string {
  const caller = networkPrefix(address)
  if (cachedKeys.size >= CACHED_KEYS_MAX) cachedKeys.clear()
  cachedKeys.set(address, caller)
  return caller
}

// Returns the /64 network of an IPv6 address, or the IPv4 address that is mapped into it. Ignores a zone, as
// in fe80::1%eth0. A text that is no IPv6 address gives UNKNOWN.
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
  readonly #sizeMax: number
  readonly #values = new Set<string>()

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  has(value: string): boolean {
    return this.#values.has(value)
  }

  add(value: string): void {
    if (this.#values.has(value)) return
    if (this.#values.size >= this.#sizeMax) this.#values.clear()
    this.#values.add(value)
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    // The policy of the route, if it is not the usual one (per client or address). Probes have 'none'.
    rate?: 'simulate' | 'initiate' | 'login' | 'rail' | 'none'
  }
}

type Done = (error?: Error) => void

const BANK_ADDRESSES_MAX = 1_000

// Applies the rate limits to the routes of one process.
export class RateLimits {
  readonly #clock: Clock
  readonly #buckets = new Map<RatePolicy, RateBuckets>()
  readonly #addresses: RateBuckets | undefined
  readonly #bankAddresses = new BoundedSet(BANK_ADDRESSES_MAX) // They have sent valid signatures.

  constructor({ rates, clock }: { rates: Rates; clock: Clock }) {
    this.#clock = clock
    for (const [name, perMinute] of Object.entries(rates) as [RatePolicy, number][]) {
      if (perMinute > 0) this.#buckets.set(name, new RateBuckets(name, perMinute))
    }
    this.#addresses = this.#buckets.get('address')
  }

  // Applies the rate limits to the routes that are registered from now on.
  register(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => this.#addHooks(route))
  }

  // Counts a request for its address, unless a route's hook has counted it already. For requests to unknown
  // routes and requests with rejected tokens.
  countAddress(request: FastifyRequest, reply: FastifyReply): void {
    if (reply.hasHeader('ratelimit')) return // The request was counted already.
    this.#countRequest(this.#addresses, rateLimitKey(request.ip), reply)
  }

  // Refuses a request from an address whose limit is exhausted, and takes nothing from the bucket. Called
  // before any expensive check of an unidentified caller. Never refuses an address from which a bank has sent
  // a valid signature: strangers behind the same proxy must not block the bank's credits.
  refuseExhausted(request: FastifyRequest): void {
    const nowMs = this.#clock().getTime()
    if (!this.#addresses?.hasRefused(nowMs)) return
    const caller = rateLimitKey(request.ip)
    if (this.#bankAddresses.has(caller)) return
    if (this.#addresses.isEmpty(caller, nowMs)) throw new Refusal('rate_limited')
  }

  // Adds the hooks that count requests to a route, according to its policy.
  #addHooks(route: RouteOptions): void {
    const rate = route.config?.rate
    if (rate === 'none') return
    if (rate === 'rail') {
      // Counts after signature verification, so that only the bank itself can use up its quota.
      route.preHandler = [this.#countBank(), ...toList(route.preHandler)]
      route.onRequest = [this.#refuseExhausted(), ...toList(route.onRequest)]
      return
    }
    const isSimulation = rate === 'simulate'
    // The policy `simulate` replaces the usual limit per client; all others replace the limit per address.
    const hook = this.#countCaller(
      isSimulation ? rate : 'client',
      isSimulation ? 'address' : (rate ?? 'address'),
    )
    // Runs after the hook that identifies the caller.
    route.onRequest = [...toList(route.onRequest), hook]
  }

  // Returns a hook that counts a request for its client or, without a client, for its address.
  #countCaller(clientPolicy: RatePolicy, addressPolicy: RatePolicy) {
    const clients = this.#buckets.get(clientPolicy)
    const addresses = this.#buckets.get(addressPolicy)
    return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
      try {
        const client = request.client as FastifyRequest['client'] | undefined
        if (client) this.#countRequest(clients, client.clientId, reply)
        else this.#countRequest(addresses, rateLimitKey(request.ip), reply)
        done()
      } catch (error) {
        done(error as Error)
      }
    }
  }

  // Returns a hook that refuses addresses whose limit is exhausted.
  #refuseExhausted() {
    return (request: FastifyRequest, _reply: FastifyReply, done: Done) => {
      try {
        this.refuseExhausted(request)
        done()
      } catch (error) {
        done(error as Error)
      }
    }
  }

  // Returns a hook that counts a request for the bank, after its signature was verified.
  #countBank() {
    const banks = this.#buckets.get('rail')
    return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
      try {
        this.#bankAddresses.add(rateLimitKey(request.rail.call.address))
        this.#countRequest(banks, (request.params as { bankCode: string }).bankCode, reply)
        done()
      } catch (error) {
        done(error as Error)
      }
    }
  }

  // Counts a request, sets the headers, and refuses the request if its limit is exhausted. Without buckets,
  // the policy is off.
  #countRequest(buckets: RateBuckets | undefined, caller: string, reply: FastifyReply): void {
    if (!buckets) return
    const missing = buckets.take(caller, this.#clock().getTime())
    reply.header('ratelimit', buckets.remaining(missing))
    reply.header('ratelimit-policy', buckets.policy)
    if (!buckets.isTooMuch(missing)) return
    throw new Refusal('rate_limited', [], buckets.waitSeconds(missing))
  }
}

// Returns the hooks of a route as a list: Fastify accepts one hook, a list of hooks, or none.
function toList<T>(hooks: T | T[] | undefined): T[] {
  if (hooks === undefined) return []
  return Array.isArray(hooks) ? hooks : [hooks]
}
