// Connection limits: slow senders and readers, and addresses with too many connections, are
// disconnected. Malformed HTTP gets a regular error response.

import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '#clock.ts'
import { REFUSALS, Refusal, type RefusalCode } from '#errors.ts'
import { timeOrderedId } from '#ids.ts'
import { addressMatcher } from '#ip-allowlist.ts'
import { failureBody } from './envelopes.ts'
import { rateLimitKey } from './rate-limit-keys.ts'

const LOCAL = ['127.0.0.0/8', '::1/128']

// From the first byte of a request to the end of its headers, and to the end of its body.
const HEADERS_MAX_MS = 10_000
const REQUEST_MAX_MS = 30_000
const CHECKED_EVERY_MS = 2_000
// No traffic in either direction; event streams send a heartbeat every 15 seconds.
const SILENCE_MAX_MS = 60_000
// Longer than load balancers’ idle timeout, so that they close first and no request is cut.
const KEEP_ALIVE_MS = 72_000
const HEADER_BYTES_MAX = 16_384

// Room for 10,000 idle ones and those that work.
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

const long = new WeakSet<Socket>()

// For an upload that may take longer than other requests, once its sender is known. A pause is limited
// all the same (SILENCE_MAX_MS) until all of it is here; from then on its sender waits for us.
export function allowLongRequest({ raw: request }: { raw: IncomingMessage }, waitMaxMs: number) {
  const { socket } = request
  long.add(socket)
  // A request without a socket, as tests make them, has no time limit either.
  const wait = () => socket.setTimeout?.(waitMaxMs)
  request.once('end', wait)
  return () => {
    request.off('end', wait)
    socket.setTimeout?.(SILENCE_MAX_MS)
    if (request.complete) return void long.delete(socket)
    // What is left of a refused upload is read and dropped, which may take as long: a sender may look
    // for the answer only at the end, and the next request comes after it. When whoever stopped
    // reading has let go of it.
    request.once('close', () => long.delete(socket))
    setImmediate(() => request.resume())
  }
}

type ParserError = Error & { code?: string }
type Answering = Socket & { _httpMessage?: { headersSent: boolean } | null }

// Errors before a request exists: respond here and close the connection.
export function handleClientError(clock: Clock) {
  return (error: ParserError, socket: Answering): void => {
    // Reported once for a request, which then has no limit.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && long.has(socket)) return
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
