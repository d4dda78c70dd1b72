// Rate limits. Requests with a token count per client, others per IP address; some endpoints have
// their own policy (`config: { rate }`). Counted before the body is read, and per process: n
// processes allow n times as much.
//
// Whether a session or a signature is good is known only after a query, or the whole body. Those that
// are not count for their address; once that is exhausted, it is refused before either.
//
// Headers: RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers (09 and later).
// Measured, with both: 1.2 µs per request.

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '#clock.ts'
import type { RatePolicy, Rates } from '#config/rate-settings.ts'
import { Refusal } from '#errors.ts'
import { BoundedSet } from './bounded-set.ts'
import { RateBuckets } from './rate-buckets.ts'
import { rateLimitKey } from './rate-limit-keys.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    // Counts here instead of as usual; 'none': for the machines that watch us.
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

  // For all routes that are registered from here on.
  register(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => this.#limit(route))
  }

  // For unknown routes and rejected tokens.
  countAddress(request: FastifyRequest, reply: FastifyReply): void {
    if (reply.hasHeader('ratelimit')) return // Counted already.
    this.#take(this.#addresses, rateLimitKey(request.ip), reply)
  }

  // Before any work for somebody who may be a stranger. Takes nothing. An address from which a bank has
  // signed is never refused: strangers who share it, behind a proxy, must not keep its credits out.
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
      // After signature verification: nobody else can use up a bank’s quota.
      route.preHandler = [this.#byBank(), ...toList(route.preHandler)]
      route.onRequest = [this.#unlessExhausted(), ...toList(route.onRequest)]
      return
    }
    const isClients = rate === 'simulate'
    const hook = this.#byCaller(
      isClients ? rate : 'client',
      isClients ? 'address' : (rate ?? 'address'),
    )
    // After whatever finds out who is asking. As a hook of another kind it would cost a µs more.
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
