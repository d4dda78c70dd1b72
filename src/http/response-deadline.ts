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
  // Oldest first. A response leaves when it ends: a hook of the framework for that would cost every
  // request some 15 µs. What never ends (its caller is gone) leaves when it is due.
  const waiting = new Map<Timed, { reply: FastifyReply; sinceMs: number }>()
  const onRequest: onRequestHookHandler = (_request, reply, done) => {
    const response = reply.raw as Timed
    response.waiting = waiting
    waiting.set(response, { reply, sinceMs: performance.now() })
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
    for (const [response, { reply, sinceMs }] of waiting) {
      if (sinceMs > dueMs) return
      const { raw: request } = reply.request
      // Still arriving: limited in connections.ts.
      if (request.complete === false && !request.destroyed) continue
      waiting.delete(response)
      if (reply.raw.destroyed) continue
      if (!reply.sent && !reply.raw.headersSent) reply.send(new Refusal('try_again'))
    }
  }, LOOK_EVERY_MS)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}
