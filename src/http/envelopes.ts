// Response envelopes, the error body of each endpoint family, and the handler that turns every error into a
// response. Errors keep the envelope, with the flag false and the payload null.
//
// The endpoints of the published contract respond 400 instead of 404 and 409; other statuses stay.

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '#db/transaction.ts'
import { type FieldError, REFUSALS, Refusal, type RefusalCode } from '#errors.ts'
import { traceFields } from '#log.ts'
import { collectMethods, type SetHeaders } from './headers.ts'
import type { RateLimits } from './rate-limits.ts'
import { fieldErrors } from './validation.ts'

export type Family = 'api' | 'payment' | 'oauth' | 'rail'

// Decides by its path in which form an endpoint returns errors.
export function endpointFamily(url: string): Family {
  const path = url.toLowerCase()
  if (/^\/(?:payment|api\/(?:banks|transaction|webhook))(?:[/?]|$)/.test(path)) return 'payment'
  if (path.startsWith('/oauth/')) return 'oauth'
  if (path.startsWith('/rails/')) return 'rail'
  return 'api'
}

// The success body of /api/… operations.
export function accepted<T>(message: string, data: T) {
  return { isSuccessful: true, message, data }
}

// The success body of the payment family (endpointFamily).
export function paymentAccepted<T>(responseData: T) {
  return { requestSuccessful: true, message: 'Successful', responseCode: '00', responseData }
}

// Returns the HTTP status of a refusal. `isPublished` marks the endpoints of the published contract, whose
// clients expect 400 instead of 404 and 409.
export function failureStatus(code: RefusalCode, isPublished: boolean): number {
  const { status } = REFUSALS[code]
  return isPublished && (status === 404 || status === 409) ? 400 : status
}

// Builds the body of an error response, in the form of the endpoint's family.
export function failureBody(family: Family, refusal: Refusal, requestId: string): object {
  const { code, message, fields } = refusal
  const errors = fields.length > 0 ? { errors: fields as FieldError[] } : {}
  switch (family) {
    case 'payment': {
      const { responseCode } = REFUSALS[code]
      const head = { requestSuccessful: false, message, responseCode, code }
      return { ...head, responseData: null, ...errors, requestId }
    }
    case 'oauth':
      return { error: oauthError(code), error_description: oauthMessage(refusal) }
    case 'rail': {
      const { status } = REFUSALS[code]
      const responseCode = status >= 500 || status === 429 ? '03' : '02' // 03: retry. 02: rejected.
      return { responseCode, responseMessage: message, code, ...errors, requestId }
    }
    case 'api':
      return { isSuccessful: false, message, code, data: null, ...errors, requestId }
  }
}

// OAuth errors have no list of fields, so the message must say what to correct.
function oauthMessage({ code, message }: Refusal): string {
  return code === 'invalid_request' ? REFUSALS.oauth_request.message : message
}

// Maps our code to an OAuth error code (RFC 6749, section 5.2).
function oauthError(code: RefusalCode): string {
  if (code === 'invalid_credentials') return 'invalid_client'
  if (code === 'address_not_allowed') return 'unauthorized_client'
  if (code === 'grant_type_unsupported') return 'unsupported_grant_type'
  if (code === 'rate_limited' || code === 'too_many_attempts') return code
  return REFUSALS[code].status >= 500 ? 'temporarily_unavailable' : 'invalid_request'
}

export const RETRY_AFTER_SECONDS = 1

const FRAMEWORK_CODES: Record<string, RefusalCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'media_type_unsupported',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'body_missing',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'invalid_reference',
  FST_ERR_MAX_PARAM_LENGTH: 'invalid_reference',
  FST_ERR_REQUEST_TIMEOUT: 'request_timeout',
  ERR_STREAM_PREMATURE_CLOSE: 'invalid_request',
}

// Handles errors that Fastify finds before routing, such as a malformed URL. No hook has run yet, so this
// sets the headers.
export function frameworkErrors(setHeaders: SetHeaders) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    setHeaders(request, reply)
    sendError(error, request, reply)
  }
}

// Turns every error into a response: refusals as they are, framework errors mapped to refusals. All other
// errors are logged in full and returned as `internal`, with only the request ID.
export function registerErrorHandler(app: FastifyInstance, limits: RateLimits): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const isUnidentified = isBeforeIdentification(error, request)
    sendError(isUnidentified ? countForAddress(error, request, reply) : error, request, reply)
  })
  const findMethods = collectMethods(app)
  app.setNotFoundHandler((request, reply) => {
    const methods = findMethods(request.url, request.method)
    if (methods.length > 0) reply.header('allow', methods.join(', '))
    const code = methods.length > 0 ? 'method_not_allowed' : 'route_not_found'
    sendError(countForAddress(new Refusal(code), request, reply), request, reply)
  })

  // Counts a request towards the rate limit of its address, because no route has counted it. Returns the
  // error to respond with: the given one, or a refusal because the limit is exhausted.
  function countForAddress(
    error: FastifyError | Refusal,
    request: FastifyRequest,
    reply: FastifyReply,
  ) {
    try {
      limits.countAddress(request, reply)
      return error
    } catch (refusal) {
      return refusal as Refusal
    }
  }
}

// Whether the request was refused before the caller was identified. A call of a bank (rail) is identified by
// its signature: `request.rail` is set once it is verified.
function isBeforeIdentification(
  error: FastifyError | Refusal,
  { routeOptions, rail }: FastifyRequest,
) {
  const { status } = REFUSALS[toRefusal(error).code]
  const isUnsigned = routeOptions.config.rate === 'rail' && !rail && status < 500
  return isUnsigned || [401, 403, 429].includes(status)
}

// Logs an error and sends its response, in the form of the endpoint's family.
function sendError(error: FastifyError | Refusal, request: FastifyRequest, reply: FastifyReply) {
  const refusal = isHungUp(request) ? new Refusal('invalid_http') : toRefusal(error)
  const isPublished = request.routeOptions?.config?.isPublished ?? false
  const status = failureStatus(refusal.code, isPublished)
  request.refusalCode = refusal.code
  if (refusal.code === 'internal' || refusal.code === 'try_again') {
    request.log.error(
      {
        reqId: request.id,
        err: error,
        url: request.routeOptions?.url,
        ...traceFields(request.span),
      },
      'request failed',
    )
  } else {
    request.log.debug(
      { reqId: request.id, code: refusal.code, url: request.routeOptions?.url },
      'request refused',
    )
  }
  const isRetryable = status === 503 || status === 429
  const retryAfterSeconds =
    refusal.retryAfterSeconds ?? (isRetryable ? RETRY_AFTER_SECONDS : undefined)
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  // Prefers the matched route to the URL, which may be escaped: /%50ayment is /Payment.
  const family = endpointFamily(request.routeOptions?.url ?? request.url)
  if (status === 401) {
    const scheme = family === 'oauth' ? 'Basic' : 'Bearer'
    reply.header('www-authenticate', `${scheme} realm="manilla"`)
  }
  const body = failureBody(family, refusal, request.id)
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body))
}

// Whether the client disconnected before its request was complete.
function isHungUp({ raw }: FastifyRequest): boolean {
  return raw.errored !== null && !raw.complete
}

// Maps any error to the refusal that the caller gets.
function toRefusal(error: FastifyError | Refusal): Refusal {
  if (error instanceof Refusal) return error
  if (error.validation) {
    const context = error.validationContext
    return new Refusal('invalid_request', fieldErrors(error.validation, context))
  }
  const code = FRAMEWORK_CODES[error.code]
  if (code) return new Refusal(code)
  if (isUnavailable(error)) return new Refusal('try_again')
  const isCallersFault = error.statusCode !== undefined && error.statusCode < 500
  return new Refusal(isCallersFault ? 'invalid_request' : 'internal')
}
