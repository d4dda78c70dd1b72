// Connections of the HTTP server: limits, graceful shutdown and event streams. The service disconnects slow
// senders, slow readers, and addresses with too many connections. Malformed HTTP gets a regular error
// response.

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

// The times for sending the headers, and the whole request, both from the first byte.
const HEADERS_MAX_MS = 10_000
const REQUEST_MAX_MS = 30_000
const CHECKED_EVERY_MS = 2_000
// The longest time without traffic in either direction. Event streams send a heartbeat every 15 seconds.
const SILENCE_MAX_MS = 60_000
// Longer than the idle timeout of load balancers, so that they close idle connections first. If the service
// closed first, a request that the load balancer sends at that moment would be lost.
const KEEP_ALIVE_MS = 72_000
const HEADER_BYTES_MAX = 16_384

// The most connections of the server: room for 10,000 idle ones and the active ones.
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

// Limits all connections (enforced by Node) and the connections of each address. Trusted addresses have no
// limit of their own: a proxy, or a local process, carries the connections of many clients.
export function limitConnections(server: Server, { all, perAddress, trusted }: Limits): void {
  const isTrusted = addressMatcher(trusted)
  const openCounts = new Map<string, number>()
  server.maxConnections = all
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    if (address === undefined || isTrusted(address)) return
    const caller = rateLimitKey(address)
    const count = (openCounts.get(caller) ?? 0) + 1
    if (count > perAddress) return void socket.destroy()
    openCounts.set(caller, count)
    socket.once('close', () => {
      const remaining = (openCounts.get(caller) ?? 1) - 1
      if (remaining === 0) openCounts.delete(caller)
      else openCounts.set(caller, remaining)
    })
  })
}

// Returns the addresses that have no limit of connections: this machine and the configured proxies.
export function trustedAddresses(proxies: readonly string[]): string[] {
  return [...LOCAL, ...proxies]
}

// Serves a request with an Expect header like any other. By default, Node would answer 417.
export function ignoreExpectHeader(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

const longUploads = new WeakSet<Socket>()

// Lifts the time limit of a request for an upload by an identified caller. SILENCE_MAX_MS still limits pauses
// during the upload. After the upload, the caller may wait `waitMaxMs` for the response.
//
// Returns a function that restores the limits. The route calls it when it has read or refused the upload.
export function allowLongRequest({ raw: request }: { raw: IncomingMessage }, waitMaxMs: number) {
  const { socket } = request
  longUploads.add(socket)
  // In tests, injected requests have no real socket, so setTimeout may be missing.
  const allowWait = () => socket.setTimeout?.(waitMaxMs)
  request.once('end', allowWait)
  return () => {
    request.off('end', allowWait)
    socket.setTimeout?.(SILENCE_MAX_MS)
    if (request.complete) return void longUploads.delete(socket)
    // Reads and discards the rest of a refused upload: some senders read the response only after they have
    // sent everything, and the connection's next request follows the upload. Waits one turn, until the reader
    // of the upload has released the request.
    request.once('close', () => longUploads.delete(socket))
    setImmediate(() => request.resume())
  }
}

type ParserError = Error & { code?: string }
type Answering = Socket & { _httpMessage?: { headersSent: boolean } | null }

// Handles errors of connections on which Node could not parse a request. No route can answer them, so this
// function writes the response to the socket and closes the connection.
export function handleClientError(clock: Clock) {
  return (error: ParserError, socket: Answering): void => {
    // Lets a long upload continue: Node reports a slow request only once, and does not close its socket.
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

// Maps an error of Node's HTTP parser to the refusal that the caller gets.
function refusalFor({ code }: ParserError): RefusalCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  return 'invalid_http'
}

// How long to wait at shutdown before closing idle connections. A request that was already on its way when
// the shutdown began arrives within this time.
const DRAIN_MS = 1_000
const LOOK_EVERY_MS = 10

declare module 'fastify' {
  interface FastifyInstance {
    isDraining: boolean
  }
}

// Returns a response class that sends `Connection: close` while the service is draining, also in responses to
// requests that arrived before the signal. A hook of the framework would slow down every request.
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
    await waitForConnectionsToClose(app)
    // Closes connections that got their last response, without `Connection: close`, before the signal.
    Object.assign(app.server, { keepAliveTimeout: 1, keepAliveTimeoutBuffer: 0 })
  })
}

// Resolves when callers have closed all connections, or after DRAIN_MS.
async function waitForConnectionsToClose({ server }: FastifyInstance): Promise<void> {
  if (!server.listening) return
  const untilMs = performance.now() + DRAIN_MS
  while (performance.now() < untilMs) {
    const openCount = await new Promise((resolve) =>
      server.getConnections((_error, count) => resolve(count)),
    )
    if (openCount === 0) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    isStream?: boolean // Stays open as long as the client listens.
  }
}

const RETRY_MS = 2_000 // A browser reconnects to a cut stream after this time.

// The heartbeat of event streams. It is an event and not a comment, because the page must notice when
// heartbeats stop, and browsers do not pass comments to pages. No handler listens to events of this type. The
// data has no leading space, so that old versions of our SDK skip it.
export const BEAT = 'event: beat\ndata:{"type":"beat"}\n\n'

// Opens a stream of server-sent events, or returns undefined if the client has disconnected. `id` is the last
// event before the stream. A client that loses the connection before the first event reconnects with this id
// (Last-Event-ID), and so misses no event.
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
