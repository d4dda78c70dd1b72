// Sends HTTP requests to a bank's API. One deadline covers connecting, sending and the response. Redirects
// are not followed. The size of a response is limited. If the bank does not answer, the result is a value and
// not an exception, because the bank may have acted on the request.

import { Agent, request } from 'undici'
import type { CallOptions, Mode, NoAnswer } from './connector.ts'
import type { ConnectorSettings } from './connector-settings.ts'
import { isObject, readNestedJson } from './json-body.ts'

// The longest deadline of one request and its response that settings may choose.
const REQUEST_MS_MAX = 60_000

// A call has at most four requests: a login and the request, and both again if the bank refuses the token
// (json-calls.ts).
const REQUESTS_OF_CALL = 4
export const CALL_MS_MAX = REQUESTS_OF_CALL * REQUEST_MS_MAX

const TIMEOUT_MS = 20_000
const TIMEOUT_BOUNDS = { least: 100, most: REQUEST_MS_MAX }
const RESPONSE_BYTES_MAX = 8_388_608
// The error codes that show that no part of the request was sent: there was no connection yet, or its
// certificate was refused.
const UNSENT = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]

// HTTP/2 is off: if a server says that it refused an HTTP/2 request, undici itself sends the request again,
// even an order to pay.
const dispatcher = new Agent({ allowH2: false })

export type BankRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string // Appended to the base URL.
  query?: Readonly<Record<string, string | undefined>>
  headers?: Readonly<Record<string, string>>
  body?: unknown // Sent as JSON.
  isOrder?: true // An order to pay, which is never repeated.
}

export type BankResponse = {
  status: 'answered'
  httpStatus: number
  rawBody: Buffer
  headers: Readonly<Record<string, string>> // By lower-case name, without headers that occur twice.
}

export type BankHttp = (
  request: BankRequest,
  options: CallOptions,
) => Promise<BankResponse | NoAnswer>

// Reads the settings `baseUrl` and `timeoutMs`. Returns undefined if the bank's API is not configured.
export function findBankHttp(settings: ConnectorSettings, mode: Mode): BankHttp | undefined {
  const baseUrl = settings.findUrl('baseUrl', mode)
  const timeoutMs = settings.findWhole('timeoutMs', TIMEOUT_BOUNDS)
  return baseUrl === undefined ? undefined : bankHttp({ baseUrl, timeoutMs })
}

// Returns the function that sends requests to this address.
export function bankHttp({
  baseUrl,
  timeoutMs = TIMEOUT_MS,
}: {
  baseUrl: string
  timeoutMs?: number | undefined
}): BankHttp {
  return async ({ method, path, query = {}, headers = {}, body }, { signal, isTooLate }) => {
    if (isTooLate?.()) return TOO_LATE
    const deadline = AbortSignal.timeout(timeoutMs)
    const url = new URL(baseUrl + path)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, value)
    }
    try {
      const response = await request(url, {
        dispatcher,
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
      })
      const rawBody = await readBody(response.body)
      const { statusCode: httpStatus } = response
      return { status: 'answered', httpStatus, rawBody, headers: singleHeaders(response.headers) }
    } catch (error) {
      const reason = describeFailure(error, deadline, timeoutMs)
      const isUnsent = UNSENT.includes(reason) || isConnectError(error)
      return { status: 'no_answer', reason, ...(isUnsent && { isUnsent }) }
    }
  }
}

// Leaves out headers that occur more than once, because their value would be ambiguous.
function singleHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const single = Object.entries(headers).filter(([, value]) => typeof value === 'string')
  return Object.fromEntries(single) as Record<string, string>
}

// Returns whether the error occurred while connecting, such as no route to the host. On an open connection,
// the same error code would not show that nothing was sent.
function isConnectError(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isConnectError)
  return (error as { syscall?: unknown }).syscall === 'connect'
}

// The result of a call that was not sent, because its deadline had passed.
const TOO_LATE: NoAnswer = {
  status: 'no_answer',
  reason: 'It was too late to ask.',
}

// Reads the body of a response, up to the size limit.
async function readBody(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.length
    if (size > RESPONSE_BYTES_MAX) throw new Error('the response is too large')
  }
  return Buffer.concat(chunks)
}

// Returns the reason why there is no answer, as text for operators.
function describeFailure(error: unknown, deadline: AbortSignal, timeoutMs: number): string {
  if (deadline.aborted) return `no response within ${timeoutMs} ms`
  const { code, message } = error as Error & { code?: unknown }
  return typeof code === 'string' ? code : message
}

// Parses the body as a JSON object and keeps numbers as written. Any other body, such as a proxy's error
// page, is treated as no answer from the bank.
export function jsonObject(response: BankResponse): Record<string, unknown> | NoAnswer {
  const { httpStatus, rawBody } = response
  const body = readNestedJson(rawBody)
  if ('value' in body && isObject(body.value) && !body.isRepeated) return body.value
  return { status: 'no_answer', reason: `HTTP ${httpStatus} without a JSON object` }
}
