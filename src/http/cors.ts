// CORS: off, except for routes with `config: { allowsCrossOrigin: true }`: payer endpoints that
// need only a reference. Without credentials.
//
// Not the plugin: it answers preflights for every path and costs a microsecond per request.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    allowsCrossOrigin?: boolean
  }
}

const PREFLIGHT_SECONDS = '600'
export const CORS_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'retry-after, ratelimit, ratelimit-policy, x-request-id',
}

export function registerCors(app: FastifyInstance): void {
  const methodsAt = new Map<string, Set<string>>()
  app.addHook('onRoute', function (route) {
    if (!route.config?.allowsCrossOrigin) return
    route.onRequest = [allow, ...[route.onRequest ?? []].flat()]
    const known = methodsAt.get(route.url)
    const methods = known ?? new Set<string>()
    for (const method of [route.method].flat()) methods.add(method)
    if (known) return
    methodsAt.set(route.url, methods)
    this.options(route.url, { schema: { hide: true } }, (_request, reply) =>
      answerPreflight(reply, [...methods].join(', ')),
    )
  })
}

function answerPreflight(reply: FastifyReply, methods: string) {
  return reply
    .code(204)
    .header('access-control-allow-origin', '*')
    .header('access-control-allow-methods', methods)
    .header('access-control-allow-headers', 'content-type')
    .header('access-control-max-age', PREFLIGHT_SECONDS)
    .send()
}

// On errors too, so that the page can read them.
function allow(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.headers(CORS_HEADERS)
  done()
}
