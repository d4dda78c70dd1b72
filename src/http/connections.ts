// What a connection may cost us. Whoever sends or reads too slowly, or opens too many connections,
// loses them; what is no HTTP at all is answered as any other mistake.

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { addressMatcher } from '#address-ranges.ts'
import type { Clock } from '#clock.ts'
import { REFUSALS, Refusal, type RefusalCode } from '#errors.ts'
import { timeOrderedId } from '#ids.ts'
import { addressKey } from './caller-addresses.ts'
import { failureBody } from './envelopes.ts'

const LOCAL = ['127.0.0.0/8', '::1/128']

// From the first byte of a request to the end of its headers, and to the end of its body.
const HEADERS_MAX_MS = 10_000
const REQUEST_MAX_MS = 30_000
const CHECKED_EVERY_MS = 2_000
// Nothing comes and nothing is read: an open stream of events says something every 15 seconds.
const SILENCE_MAX_MS = 60_000
// Longer than load balancers keep theirs, so that it is never we who hang up on a request.
const KEEP_ALIVE_MS = 72_000
const HEADER_BYTES_MAX = 16_384

export const CONNECTIONS_MAX = 10_000
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

// Beyond `all` the server hangs up by itself. Of one address, only strangers are counted: a proxy
// brings many callers, and so may a program on this machine.
export function limitConnections(server: Server, { all, perAddress, trusted }: Limits): void {
  const isTrusted = addressMatcher(trusted)
  const open = new Map<string, number>()
  server.maxConnections = all
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress
    if (address === undefined || isTrusted(address)) return
    const caller = addressKey(address)
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

// What a caller expects of us besides an answer is its own affair: the answer comes all the same.
export function ignoreExpectHeader(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response))
}

type ParserError = Error & { code?: string }
type Answering = Socket & { _httpMessage?: { headersSent: boolean } | null }

// What the parser refuses never becomes a request: answered here, and the connection ends.
export function handleClientError(clock: Clock) {
  return (error: ParserError, socket: Answering): void => {
    // An answer that is on its way must not be written into.
    const isAnswering = socket._httpMessage?.headersSent === true
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable || isAnswering) {
      return void socket.destroy()
    }
    const code = refusalOf(error)
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

function refusalOf({ code }: ParserError): RefusalCode {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  if (code === 'HPE_HEADER_OVERFLOW') return 'headers_too_large'
  return 'invalid_http'
}
