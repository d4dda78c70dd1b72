// Errors: the service refused (ManillaError), it could not be reached or did not answer
// (ManillaConnectionError), or a webhook is not genuine (WebhookVerificationError).

import type { ErrorCode } from './api-types.ts'

export type FieldError = { field: string; message: string }

/**
 * Codes of the API, and those of this client: `connection_failed` and `timed_out` for a request,
 * `wait_timed_out` for waitForPayment, `unreadable_response` for an answer that is not the API's.
 */
export type ManillaErrorCode =
  | ErrorCode
  | 'connection_failed'
  | 'timed_out'
  | 'wait_timed_out'
  | 'unreadable_response'

export type ErrorDetails = {
  status?: number | undefined
  errors?: readonly FieldError[] | undefined
  requestId?: string | undefined
  retryAfterSeconds?: number | undefined
  cause?: unknown
}

export class ManillaError extends Error {
  override readonly name: string = 'ManillaError'
  readonly code: ManillaErrorCode
  /** The HTTP status; undefined if there was no answer. */
  readonly status: number | undefined
  /** The wrong fields, for `invalid_request`. */
  readonly errors: readonly FieldError[]
  readonly requestId: string | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ManillaErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined)
    this.code = code
    this.status = details.status
    this.errors = details.errors ?? []
    this.requestId = details.requestId
    this.retryAfterSeconds = details.retryAfterSeconds
  }
}

/** The outcome is unknown, unless the request is repeated with the same idempotency key. */
export class ManillaConnectionError extends ManillaError {
  override readonly name = 'ManillaConnectionError'
}

export type WebhookFault =
  | 'missing_headers'
  | 'malformed_headers'
  | 'too_old'
  | 'too_new'
  | 'wrong_signature'
  | 'malformed_body'

export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
  readonly reason: WebhookFault

  constructor(reason: WebhookFault, message: string) {
    super(message)
    this.reason = reason
  }
}

type FailureBody = {
  code?: string
  message?: string
  errors?: FieldError[]
  requestId?: string
}

// Makes the error of a response whose status is not 2xx.
export function errorOf(response: Response, text: string): ManillaError {
  const { status, headers } = response
  const body = parseObject(text) as FailureBody | undefined
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  const details = {
    status,
    errors: body?.errors,
    requestId: body?.requestId ?? headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: retryAfter >= 0 ? retryAfter : undefined,
  }
  return typeof body?.code === 'string'
    ? new ManillaError(body.code as ErrorCode, body.message ?? body.code, details)
    : new ManillaError('unreadable_response', `Unexpected response: HTTP ${status}.`, details)
}

// Returns undefined for text that is not a JSON object, such as a proxy's HTML page.
export function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
