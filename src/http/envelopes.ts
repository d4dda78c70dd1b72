// Response envelopes, and the error body of each endpoint family. Errors keep the envelope with the
// flag false and the payload null.
//
// The 404 and 409 of published endpoints become 400; other statuses stay.

import { type FieldError, REFUSALS, type Refusal, type RefusalCode } from '#errors.ts'

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
