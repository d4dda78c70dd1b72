// Response envelopes, the error body of each endpoint family, and the handler that turns every error into a
// response. Errors keep the envelope, with the flag false and the payload null.
//
// Published endpoints respond 400 instead of 404 and 409; other statuses stay.

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isUnavailable } from '#db/transaction.ts'
import { type FieldError, REFUSALS, Refusal, type RefusalCode } from '#errors.ts'
import { traceFields } from '#log.ts'
import { collectMethods, type SetHeaders } from './headers.ts'
import type { RateLimits } from './rate-limits.ts'
import { fieldErrors } from './validation.ts'

export type Family = 'api' | 'payment' | 'oauth' | 'rail'

export function endpointFamily(url: string): Family {
  const path = url.toLowerCase()
  if (/^\/(?:payment|api\/transaction|api\/webhook)(?:[/?]|$)/.test(path)) return 'payment'
  if (path.startsWith('/oauth/')) return 'oauth'
  if (path.startsWith('/rails/')) return 'rail'
  return 'api'
}

export function accepted<T>(message: string, data: T) {
  return { isSuccessful: true, message, data }
}

export function paymentAccepted<T>(responseData: T) {
  return { requestSuccessful: true, message: 'Successful', responseCode: '00', responseData }
}

export function failureStatus(code: RefusalCode, isPublished: boolean): number {
  const { status } = REFUSALS[code]
  return isPublished && (status === 404 || status === 409) ? 400 : status
}

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
      const responseCode = status >= 500 || status === 429 ? '03' : '02'
      return { responseCode, responseMessage: message, code, ...errors, requestId }
    }
    case 'api':
      return { isSuccessful: false, message, code, data: null, ...errors, requestId }
  }
}

// OAuth errors have no list of fields.
function oauthMessage({ code, message }: Refusal): string {
  return code === 'invalid_request' ? REFUSALS.oauth_request.message : message
}

// RFC 6749, section 5.2.
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

// For errors before routing, when no hook has set the headers.
export function frameworkErrors(setHeaders: SetHeaders) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    setHeaders(request, reply)
    answer(error, request, reply)
  }
}

// Every error becomes a response: refusals as they are, framework errors mapped to refusals. All other errors
// are logged in full and returned as `internal`, with only the request ID.
export function registerErrorHandler(app: FastifyInstance, limits: RateLimits): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    answer(isStrangers(error, request) ? counted(error, request, reply) : error, request, reply)
  })
  const findMethods = collectMethods(app)
  app.setNotFoundHandler((request, reply) => {
    const methods = findMethods(request.url, request.method)
    if (methods.length > 0) reply.header('allow', methods.join(', '))
    const code = methods.length > 0 ? 'method_not_allowed' : 'route_not_found'
    answer(counted(new Refusal(code), request, reply), request, reply)
  })

  // Counts requests towards a rate limit that no route has counted.
  function counted(error: FastifyError | Refusal, request: FastifyRequest, reply: FastifyReply) {
    try {
      limits.countAddress(request, reply)
      return error
    } catch (refusal) {
      return refusal as Refusal
    }
  }
}

// Whether the request was refused before the caller was identified: for a rail call, before its signature was
// verified.
function isStrangers(error: FastifyError | Refusal, { routeOptions, rail }: FastifyRequest) {
  const { status } = REFUSALS[toRefusal(error).code]
  const isUnsigned = routeOptions.config.rate === 'rail' && !rail && status < 500
  return isUnsigned || [401, 403, 429].includes(status)
}

function answer(error: FastifyError | Refusal, request: FastifyRequest, reply: FastifyReply) {
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
  const isForLater = status === 503 || status === 429
  const retryAfterSeconds =
    refusal.retryAfterSeconds ?? (isForLater ? RETRY_AFTER_SECONDS : undefined)
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  // Uses the matched route, because /%50ayment is /Payment.
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

function toRefusal(error: FastifyError | Refusal): Refusal {
  if (error instanceof Refusal) return error
  if (error.validation) {
    const context = error.validationContext
    return new Refusal('invalid_request', fieldErrors(error.validation, context))
  }
  const code = FRAMEWORK_CODES[error.code]
  if (code) return new Refusal(code)
  if (isUnavailable(error)) return new Refusal('try_again')
  const isCallers = error.statusCode !== undefined && error.statusCode < 500
  return new Refusal(isCallers ? 'invalid_request' : 'internal')
}
