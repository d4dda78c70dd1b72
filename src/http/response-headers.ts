// Headers of every response. Pages add their own (static-pages.ts); cacheable responses override
// cache-control.

import type { FastifyReply, FastifyRequest } from 'fastify'

const YEAR_SECONDS = 31_536_000

export type SetHeaders = (request: FastifyRequest, reply: FastifyReply) => void

export function responseHeaders(mode: 'sandbox' | 'live'): Record<string, string> {
  const https = `max-age=${YEAR_SECONDS}; includeSubDomains`
  return {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // A sandbox is on plain http, and a browser would remember its host for a year.
    ...(mode === 'live' ? { 'strict-transport-security': https } : {}),
  }
}

export function headerSetter(mode: 'sandbox' | 'live'): SetHeaders {
  const headers = Object.entries(responseHeaders(mode))
  return (request, reply) => {
    reply.header('x-request-id', request.id)
    for (const [name, value] of headers) reply.header(name, value)
  }
}
