// Load shedding: refuses requests whose queue is too slow (src/db/queue-delay.ts) before reading
// the body or checking credentials.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Writers } from '#domain/batch-writers.ts'
import { Refusal } from '#errors.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    queue?: keyof Omit<Writers, 'drain'> // Where the work of this route waits to be written.
  }
}

type Done = (error?: Error) => void

// For all routes that are registered from here on.
export function shedLoad(app: FastifyInstance, writers: Writers): void {
  app.addHook('onRoute', (route) => {
    const queue = route.config?.queue
    if (!queue) return
    const writer = writers[queue]
    const admit = (_request: FastifyRequest, _reply: FastifyReply, done: Done) => {
      if (writer.isOverloaded) done(new Refusal('busy'))
      else done()
    }
    const others = route.onRequest ?? []
    route.onRequest = [admit, ...(Array.isArray(others) ? others : [others])]
  })
}
