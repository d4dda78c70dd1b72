// Headers of every response. Pages add their own (static-pages.ts); cacheable responses override
// cache-control.

import type { FastifyReply, FastifyRequest } from 'fastify'

const YEAR_SECONDS = 31_536_000

export type SetHeaders = (request: FastifyRequest, reply: FastifyReply) => void

export function responseHeaders(mode: 'sandbox' | 'live'): SetHeaders {
  const https = `max-age=${YEAR_SECONDS}; includeSubDomains`
  return (request, reply) => {
    reply.header('x-request-id', request.id)
    reply.header('cache-control', 'no-store')
    reply.header('x-content-type-options', 'nosniff')
    // A sandbox is on plain http, and a browser would remember its host for a year.
    if (mode === 'live') reply.header('strict-transport-security', https)
  }
}
