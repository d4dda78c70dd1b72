// Rate limits. Requests with a token count per client, others per IP address; some endpoints have
// their own policy (`config: { rate }`). Counted before the body is read, and per process: n
// processes allow n times as much.
//
// Headers: RateLimit and RateLimit-Policy of draft-ietf-httpapi-ratelimit-headers (09 and later).
// Measured, with both: 1.2 µs per request.

import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { Clock } from '#clock.ts'
import type { RatePolicy, Rates } from '#config/rate-settings.ts'
import { Refusal } from '#errors.ts'
import { RateBuckets } from './rate-buckets.ts'
import { rateLimitKey } from './rate-limit-keys.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    // Counts here instead of as usual; 'none': for the machines that watch us.
    rate?: 'simulate' | 'initiate' | 'login' | 'rail' | 'none'
  }
}

type Done = (error?: Error) => void

export class RateLimits {
  readonly #clock: Clock
  readonly #buckets = new Map<RatePolicy, RateBuckets>()

  constructor({ rates, clock }: { rates: Rates; clock: Clock }) {
    this.#clock = clock
    for (const [name, perMinute] of Object.entries(rates) as [RatePolicy, number][]) {
      if (perMinute > 0) this.#buckets.set(name, new RateBuckets(name, perMinute))
    }
  }

  // For all routes that are registered from here on.
  register(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => this.#limit(route))
  }

  // For unknown routes and rejected tokens.
  countAddress(request: FastifyRequest, reply: FastifyReply): void {
    if (reply.hasHeader('ratelimit')) return // Counted already.
    this.#take(this.#buckets.get('address'), rateLimitKey(request.ip), reply)
  }

  #limit(route: RouteOptions): void {
    const rate = route.config?.rate
    if (rate === 'none') return
    if (rate === 'rail') {
      // After signature verification: nobody else can use up a bank’s quota.
      route.preHandler = [this.#byBank(), ...toList(route.preHandler)]
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

  #byBank() {
    const banks = this.#buckets.get('rail')
    return (request: FastifyRequest, reply: FastifyReply, done: Done) => {
      try {
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
