// CORS: which calls a page of another site may make from its visitor's browser. None, but those that
// say so (`config: { allowsCrossOrigin: true }`): what a payer does, who has the reference and no token.
// Neither cookies nor tokens may go along.
//
// Own code: the library answers preflights for every address at once, and works for a microsecond on
// every request.

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

// Refusals too: the page must be able to read why.
function allow(_request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  reply.headers(CORS_HEADERS)
  done()
}
