// Response deadline: a complete request without a response by then gets 503 try_again. The work may
// still be done; retrying is safe. Responses in progress (files, streams) are not limited.

import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify'
import { Refusal } from '#errors.ts'
import type { Timed } from './request-metrics.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    isLong?: boolean // Its caller waits for minutes, if need be.
  }
}

// Longer than a batch waits for the database (src/db/deadlines.ts), so it only affects queued
// requests.
export const RESPONSE_MAX_MS = 12_000
const LOOK_EVERY_MS = 500

export function enforceResponseDeadline(app: FastifyInstance, patience = 1): void {
  const responses = new AwaitedResponses()
  const onRequest: onRequestHookHandler = (_request, reply, done) => {
    responses.add(reply)
    done()
  }
  // Routes that queue their work are left out: the batcher and the connection's deadline
  // (src/db/deadlines.ts) answer them in time.
  app.addHook('onRoute', (route) => {
    if (route.config?.queue || route.config?.isLong) return
    route.onRequest = [onRequest, ...[route.onRequest ?? []].flat()]
  })

  const timer = setInterval(() => {
    const dueMs = performance.now() - patience * RESPONSE_MAX_MS
    for (const reply of responses.since(dueMs)) {
      const { raw: request } = reply.request
      // Still arriving: limited in connections.ts.
      if (request.complete === false && !request.destroyed) continue
      const response = reply.raw as typeof reply.raw & Timed
      response.leave?.()
      if (response.destroyed) continue
      if (!reply.sent && !response.headersSent) reply.send(new Refusal('try_again'))
    }
  }, LOOK_EVERY_MS)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

// Each has a place, and leaves it when it ends: a hook of the framework for that would cost every request
// some 15 µs. What never ends (its caller is gone) leaves when it is due. Not a Map: one that is filled
// and emptied all the time is copied again and again, and each copy, dead but not collected yet, keeps
// what is in the next, so that every response lived until the next full collection.
class AwaitedResponses {
  readonly #places: ({ reply: FastifyReply; sinceMs: number } | undefined)[] = []
  readonly #free: number[] = []

  add(reply: FastifyReply): void {
    const place = this.#free.pop() ?? this.#places.length
    this.#places[place] = { reply, sinceMs: performance.now() }
    const response = reply.raw as Timed
    response.leave = () => {
      response.leave = undefined
      this.#places[place] = undefined
      this.#free.push(place)
    }
  }

  // That have been awaited since then at least.
  since(ms: number): FastifyReply[] {
    return this.#places.flatMap((each) => (each && each.sinceMs <= ms ? [each.reply] : []))
  }
}
