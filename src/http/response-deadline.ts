// Response deadline: a complete request without a response by then gets 503 try_again. The work may
// still be done; retrying is safe. Responses in progress (files, streams) are not limited.

import type {
  FastifyInstance,
  FastifyReply,
  onRequestHookHandler,
  onResponseHookHandler,
} from 'fastify'
import { Refusal } from '#errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    isLong?: boolean // Its caller waits for minutes, if need be.
  }
}

// Longer than a batch waits for the database (src/db/deadlines.ts), so it only affects queued
// requests.
export const RESPONSE_MAX_MS = 12_000
const LOOK_EVERY_MS = 500

export function enforceResponseDeadline(app: FastifyInstance): void {
  const waiting = new Map<FastifyReply, number>() // Since when, oldest first.
  const onRequest: onRequestHookHandler = (_request, reply, done) => {
    waiting.set(reply, performance.now())
    done()
  }
  const onResponse: onResponseHookHandler = (_request, reply, done) => {
    waiting.delete(reply)
    done()
  }
  // Routes that queue their work are left out: the batcher and the connection's deadline
  // (src/db/deadlines.ts) answer them in time. Measured: with a third hook, for draining, these cost a
  // credit some 45 µs.
  app.addHook('onRoute', (route) => {
    if (route.config?.queue || route.config?.isLong) return
    route.onRequest = [onRequest, ...[route.onRequest ?? []].flat()]
    route.onResponse = [onResponse, ...[route.onResponse ?? []].flat()]
  })

  const timer = setInterval(() => {
    const dueMs = performance.now() - RESPONSE_MAX_MS
    for (const [reply, sinceMs] of waiting) {
      if (sinceMs > dueMs) return
      if (reply.request.raw.complete === false) continue // Still arriving: limited in connections.ts.
      waiting.delete(reply)
      if (!reply.sent && !reply.raw.headersSent) reply.send(new Refusal('try_again'))
    }
  }, LOOK_EVERY_MS)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}
