// A span for every request that is sampled, from its headers to the end of its response. Callers that send
// a traceparent find ours in their trace. Probes are left out.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Span, type Tracer, within } from '#trace-context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span?: Span // Of one that is sampled.
  }
}

const PROBES = ['/health', '/ready', '/metrics']

// Before routes are registered. Without a tracer nothing is added to them.
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.addHook('onRequest', (request, { raw }, done) => {
    const route = request.routeOptions.url ?? 'unknown'
    const span = PROBES.includes(route) ? undefined : startSpan(tracer, request, route)
    if (span) {
      request.span = span
      raw.once('close', () => endSpan(span, request, raw))
    }
    done()
  })
  // Not before the handler: what reads the body would lose the context.
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      return within(request.span, () => handler.call(this, request, reply))
    }
  })
}

function startSpan(tracer: Tracer, request: FastifyRequest, route: string): Span | undefined {
  const { traceparent } = request.headers
  return tracer.start(`${request.method} ${route}`, {
    kind: 'server',
    parent: typeof traceparent === 'string' ? traceparent : undefined,
    attributes: {
      'http.request.method': request.method,
      'http.route': route,
      'manilla.request_id': request.id,
    },
  })
}

function endSpan(
  span: Span,
  { client }: FastifyRequest,
  { statusCode, writableFinished }: { statusCode: number; writableFinished: boolean },
): void {
  if (client) span.set({ 'manilla.client_id': client.clientId })
  if (writableFinished) span.set({ 'http.response.status_code': statusCode })
  const failure = writableFinished ? statusCode >= 500 && statusCode : 'connection_lost'
  span.end(failure ? { code: failure } : undefined)
}
