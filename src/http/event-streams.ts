// Opens a stream of server-sent events.

import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'

declare module 'fastify' {
  interface FastifyContextConfig {
    isStream?: boolean // Of events: it is open for as long as somebody listens.
  }
}

const RETRY_MS = 2_000 // After which a browser comes back to a stream that was cut.

// An event rather than a comment, which a browser keeps to itself: a page whose connection died unheard
// can tell. Its data is an object as of any other event, of a type that nobody handles. No space before
// it: our own SDK of earlier versions then skips it.
export const BEAT = 'event: beat\ndata:{"type":"beat"}\n\n'

// Undefined: who asked is gone. With an id, whoever is cut off before the first event misses none.
export function openEventStream(reply: FastifyReply, id?: bigint): ServerResponse | undefined {
  reply.hijack()
  const stream = reply.raw
  if (stream.destroyed) return undefined
  stream.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no', // Else a proxy holds events back until it has a page full.
    'x-request-id': reply.request.id,
    connection: 'close',
  })
  stream.write(`retry: ${RETRY_MS}\n${id === undefined ? '' : `id: ${id}\n`}\n`)
  return stream
}
