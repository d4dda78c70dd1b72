// Response deadline: a complete request without a response by then gets 503 try_again. The work may
// still be done; retrying is safe. Responses in progress (files, streams) are not limited.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { Refusal } from '#errors.ts'

// Longer than a batch waits for the database (src/db/deadlines.ts), so it only affects queued
// requests.
export const RESPONSE_MAX_MS = 12_000
const LOOK_EVERY_MS = 500

export function enforceResponseDeadline(app: FastifyInstance): void {
  const waiting = new Map<FastifyReply, number>() // Since when, oldest first.

  app.addHook('onRequest', (_request, reply, done) => {
    waiting.set(reply, performance.now())
    done()
  })
  app.addHook('onResponse', (_request, reply, done) => {
    waiting.delete(reply)
    done()
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
