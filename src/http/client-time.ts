// Handlers of a client with a test clock run at its time, which authentication has read
// (authentication.ts). Not before the handler: what reads the body would lose the context.

import type { FastifyPluginAsync } from 'fastify'
import { atClientTime, clientClock } from '#client-time.ts'
import type { Deps } from './deps.ts'

export function inClientTime(routes: FastifyPluginAsync<Deps>): FastifyPluginAsync<Deps> {
  return async (app, deps) => {
    app.addHook('onRoute', (route) => {
      const { handler } = route
      route.handler = function (request, reply) {
        const handle = () => handler.call(this, request, reply)
        return request.clientTime ? atClientTime(request.clientTime, handle) : handle()
      }
    })
    await routes(app, { ...deps, clock: clientClock(deps.clock) })
  }
}
