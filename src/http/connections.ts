// Connections: limits, graceful shutdown and event streams. Slow senders and readers, and addresses with too
// many connections, are disconnected. Malformed HTTP gets a regular error response.

import { type IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Clock } from '#clock.ts'
import { REFUSALS, Refusal, type RefusalCode } from '#errors.ts'
import { timeOrderedId } from '#ids.ts'
import { addressMatcher } from '#ip-allowlist.ts'
import { failureBody } from './envelopes.ts'
import { rateLimitKey } from './rate-limits.ts'

const LOCAL = ['127.0.0.0/8', '::1/128']

// Both times start with the first byte of a request.
const HEADERS_MAX_MS = 10_000
const REQUEST_MAX_MS = 30_000
const CHECKED_EVERY_MS = 2_000
// The longest time without traffic in either direction. Event streams send a heartbeat every 15 seconds.
const SILENCE_MAX_MS = 60_000
// Longer than load balancers’ idle timeout, so that they close first and no request is cut.
const KEEP_ALIVE_MS = 72_000
const HEADER_BYTES_MAX = 16_384

// Room for 10,000 idle connections and the active ones.
export const CONNECTIONS_MAX = 12_000
export const CONNECTIONS_OF_ADDRESS_MAX = 1_000

export const CONNECTION_OPTIONS = {
  requestTimeout: REQUEST_MAX_MS,
  connectionTimeout: SILENCE_MAX_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  http: {
    headersTimeout: HEADERS_MAX_MS,
    connectionsCheckingInterval: CHECKED_EVERY_MS,
    maxHeaderSize: HEADER_BYTES_MAX,
  },
} as const

type Limits = { all: number; perAddress: number; trusted: readonly string[] }

// Node enforces `all`. Per address, only untrusted addresses are counted: a proxy carries many
// clients, and so may a local process.
export function limitConnections(server: Server, { all, perAddress, trusted }: Limits): void {
  const isTrusted = addressMatcher(trusted)
  const open = new Map<string, number>()
  server.maxConnections = all
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    if (address === undefined || isTrusted(address)) return
    const caller = rateLimitKey(address)
    const count = (open.get(caller) ?? 0) + 1
    if (count > perAddress) return void socket.destroy()
    open.set(caller, count)
    socket.once('close', () => {
      const left = (open.get(caller) ?? 1) - 1
      if (left === 0) open.delete(caller)
      else open.set(caller, left)
    })
  })
}

export function trustedAddresses(proxies: readonly string[]): string[] {
  return [...LOCAL, ...proxies]
}

// The Expect header is ignored; the request is served normally.
export function ignoreExpectHeader(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

const longUploads = new WeakSet<Socket>()

// Allows an identified sender an upload that may take longer than other requests. Until the upload is
// complete, SILENCE_MAX_MS still limits its pauses. Afterwards the sender waits for the response.
export function allowLongRequest({ raw: request }: { raw: IncomingMessage }, waitMaxMs: number) {
  const { socket } = request
  longUploads.add(socket)
  // Requests in tests have no socket.
  const wait = () => socket.setTimeout?.(waitMaxMs)
  request.once('end', wait)
  return () => {
    request.off('end', wait)
    socket.setTimeout?.(SILENCE_MAX_MS)
    if (request.complete) return void longUploads.delete(socket)
    // Reads and drops the rest of a refused upload, for as long as an upload may take: some senders read the
    // response only at the end, and the next request follows the upload. Resumes after the upload's reader
    // has released the request.
    request.once('close', () => longUploads.delete(socket))
    setImmediate(() => request.resume())
  }
}

type ParserError = Error & { code?: string }
type Answering = Socket & { _httpMessage?: { headersSent: boolean } | null }

// Handles errors before a request exists: responds here and closes the connection.
export function handleClientError(clock: Clock) {
  return (error: ParserError, socket: Answering): void => {
    // Node reports a late request once, and then no longer limits it.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && longUploads.has(socket)) return
    // Do not write into a response in progress.
    const isAnswering = socket._httpMessage?.headersSent === true
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || isAnswering) {
      return void socket.destroy()
    }
    const code = refusalFor(error)
    const { status } = REFUSALS[code]
    const id = timeOrderedId(clock())
    const body = JSON.stringify(failureBody('api', new Refusal(code), id))
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_WORDS[status]}\r\n` +
        'content-type: application/json; charset=utf-8\r\n' +
        `x-request-id: ${id}\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      () => socket.destroy(),
    )
  }
}

const STATUS_WORDS: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  431: 'Request Header Fields Too Large',
}

function refusalFor({ code }: ParserError): RefusalCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  return 'invalid_http'
}

// Longer than a request and its response are in transit. A connection that is silent for that long is idle
// and may be closed. Closing it at once could lose a request in transit.
const DRAIN_MS = 1_000
const LOOK_EVERY_MS = 10

declare module 'fastify' {
  interface FastifyInstance {
    isDraining: boolean
  }
}

// Sends `Connection: close` while draining, also for requests from before the signal. A hook of the
// framework would cost every request.
export function drainableResponse(isDraining: () => boolean) {
  return class DrainableResponse extends ServerResponse<IncomingMessage> {
    override writeHead(...args: unknown[]): this {
      if (isDraining()) this.shouldKeepAlive = false
      return Reflect.apply(super.writeHead, this, args)
    }
  }
}

// Graceful shutdown. From the signal on, responses carry `Connection: close` and /ready returns 503. Requests
// on open and new connections are still served until load balancers have noticed. Then the server stops
// accepting connections, closes idle ones and finishes responses.
export function drainOnClose(app: FastifyInstance): void {
  app.decorate('isDraining', false)
  app.addHook('preClose', async () => {
    app.isDraining = true
    await connectionsLeave(app)
    // For connections whose last response was sent before the signal.
    Object.assign(app.server, { keepAliveTimeout: 1, keepAliveTimeoutBuffer: 0 })
  })
}

// Resolves at once if there are no connections.
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

declare module 'fastify' {
  interface FastifyContextConfig {
    isStream?: boolean // Stays open as long as the client listens.
  }
}

const RETRY_MS = 2_000 // A browser reconnects to a cut stream after this time.

// A heartbeat is an event and not a comment, because a browser does not pass comments to the page, and the
// page must detect a dead connection. No handler listens to the type of the event. Earlier versions of our
// SDK skip data without a leading space.
export const BEAT = 'event: beat\ndata:{"type":"beat"}\n\n'

// Opens a stream of server-sent events. Returns undefined if the client is gone. With an id, a client that is
// disconnected before the first event misses no event.
export function openEventStream(reply: FastifyReply, id?: bigint): ServerResponse | undefined {
  reply.hijack()
  const stream = reply.raw
  if (stream.destroyed) return undefined
  stream.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no', // Otherwise a proxy delays events until its buffer is full.
    'x-request-id': reply.request.id,
    connection: 'close',
  })
  stream.write(`retry: ${RETRY_MS}\n${id === undefined ? '' : `id: ${id}\n`}\n`)
  return stream
}
