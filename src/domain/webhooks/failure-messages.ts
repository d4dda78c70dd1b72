// Explains failed attempts in plain words, for the merchant's developers. Reveals no library name and no
// address of ours; the receiver's text is cleaned.

export const ATTEMPT_TIMEOUT = 'ATTEMPT_TIMEOUT'
export const ATTEMPT_STOPPED = 'ATTEMPT_STOPPED'

const LOCATION_LENGTH_MAX = 200
const NOT_HTTP = 'the answer is not HTTP'

const WORDS: Record<string, string> = {
  [ATTEMPT_STOPPED]: 'stopped by us before an answer came',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  UND_ERR_SOCKET: 'the connection was closed before an answer came',
  ETIMEDOUT: 'the connection could not be made in time',
  UND_ERR_CONNECT_TIMEOUT: 'the connection could not be made in time',
  EHOSTUNREACH: 'the address could not be reached',
  ENETUNREACH: 'the address could not be reached',
  EADDRNOTAVAIL: 'the address could not be reached',
  ENOTFOUND: 'the name could not be resolved',
  EAI_AGAIN: 'the name could not be resolved: its name server did not answer',
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too large",
  UND_ERR_INVALID_ARG: 'the address or a header is not valid',
  ERR_INVALID_URL: 'the address or a header is not valid',
  EPROTO: 'the secure connection could not be made',
}

const CERTIFICATE_WORDS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its chain ends in a self-signed certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'an intermediate certificate is missing or not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'its issuer is not known',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its issuer is not known',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
}

export function describeError(error: unknown, timeoutMs: number): string {
  const { name, message, code = '' } = error as Error & { code?: string }
  if (code === ATTEMPT_TIMEOUT) return `no answer within ${timeoutMs / 1000} s`
  if (code === 'TARGET_FORBIDDEN') return message
  // undici's parser reports unreadable answers like this, including an unrequested upgrade.
  if (name === 'HTTPParserError' || /^bad (upgrade|response)$/.test(message)) return NOT_HTTP
  const words = WORDS[code]
  if (words) return words
  const certificate = CERTIFICATE_WORDS[code]
  if (certificate) return `the certificate is not valid: ${certificate}`
  if (/CERT/.test(code)) return 'the certificate is not valid'
  if (/SSL|TLS/.test(code)) return 'the secure connection could not be made'
  return 'the request failed'
}

// Null for success.
export function describeStatus(status: number, location: string | null): string | null {
  if (status >= 200 && status < 300) return null
  if (status >= 300 && status < 400 && location) {
    const target = cleanText(location).slice(0, LOCATION_LENGTH_MAX)
    return `redirected to ${target} (redirects are not followed)`
  }
  return `the receiver answered ${status}`
}

// Replaces control characters by spaces (PostgreSQL refuses NUL, and escape sequences colour a terminal),
// and the marks that reverse the direction of text. Keeps tabs and line ends.
export function cleanText(text: string): string {
  return text.replace(
    /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    ' ',
  )
}
