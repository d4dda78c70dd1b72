// Whoever has asked is answered, whatever became of the database: a request that has come whole and
// waits longer than this is told to try again. What it asked for may still be done; to ask again is
// safe. Answers that have begun (files, streams) may take as long as they like.

import type { FastifyInstance, FastifyReply } from 'fastify'
import { Refusal } from '#errors.ts'

// Longer than a batch waits for the database (src/db/deadlines.ts), so that this answers only those
// who were still in line.
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
      if (reply.request.raw.complete === false) continue // Still arriving that may in is said ts.
      waiting.delete(reply)
      if (!reply.sent && !reply.raw.headersSent) reply.send(new Refusal('try_again'))
    }
  }, LOOK_EVERY_MS)
  timer.unref()
  app.addHook('onClose', async () => clearInterval(timer))
}
