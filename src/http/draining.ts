// Graceful shutdown. From the signal on, responses carry `Connection: close` and /ready returns
// 503; requests on open and new connections are still served until load balancers have noticed.
// Then the server stops accepting, closes idle connections and finishes responses.

import { type IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'

// Longer than a request and its answer are on their way. A connection that was silent for that
// long is idle, and may be closed: hung up on at once, a request that was just being sent would be
// lost.
const DRAIN_MS = 1_000
const LOOK_EVERY_MS = 10

declare module 'fastify' {
  interface FastifyInstance {
    isDraining: boolean
  }
}

// Says `Connection: close` once draining, for requests that came before the signal too. A hook of
// the framework would cost every request.
export function drainableResponse(isDraining: () => boolean) {
  return class DrainableResponse extends ServerResponse<IncomingMessage> {
    override writeHead(...args: unknown[]): this {
      if (isDraining()) this.shouldKeepAlive = false
      return Reflect.apply(super.writeHead, this, args)
    }
  }
}

export function drainOnClose(app: FastifyInstance): void {
  app.decorate('isDraining', false)
  app.addHook('preClose', async () => {
    app.isDraining = true
    await connectionsLeave(app)
    // What was answered before the signal and begins its next request only now.
    Object.assign(app.server, { keepAliveTimeout: 1, keepAliveTimeoutBuffer: 0 })
  })
}

// Immediate if there are no connections.
async function connectionsLeave({ server }: FastifyInstance): Promise<void> {
  if (!server.listening) return
  const untilMs = performance.now() + DRAIN_MS
  while (performance.now() < untilMs) {
    const open = await new Promise((resolve) =>
      server.getConnections((_error, count) => resolve(count)),
    )
    if (open === 0) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}
