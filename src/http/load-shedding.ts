// Refuses what would have to wait too long (src/db/queue-delay.ts), before anything is done for it:
// no body is read, no signature or token checked. Under four times the load that can be served,
// three requests in four end here.

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
