// Verifies webhooks: Standard Webhooks 1.0, HMAC-SHA256 over `id.timestamp.body`, byte for byte. The
// Web Crypto API compares the signatures, in constant time.

import { parseObject, type WebhookFault, WebhookVerificationError } from './errors.ts'
import type { WebhookEvent } from './webhook-events.ts'

const TOLERANCE_SECONDS = 300
const SIGNATURE_HEADER_LENGTH_MAX = 2_048
const SECRET_PREFIX = 'whsec_'

const MESSAGES: Record<WebhookFault, string> = {
  missing_headers: 'webhook-id, webhook-timestamp or webhook-signature is missing.',
  malformed_headers: 'webhook-id, webhook-timestamp or webhook-signature is malformed.',
  too_old: 'webhook-timestamp is too old.',
  too_new: 'webhook-timestamp is in the future.',
  wrong_signature: 'The signature does not match the body and the secret.',
  malformed_body: 'The body is signed, but is not an event.',
}

/** The body as received, before any parser. */
export type RawBody = string | Uint8Array | ArrayBuffer
/** Headers of Node, of fetch, or any record. */
export type WebhookHeaders =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>
export type VerifyOptions = {
  /** The largest difference between the webhook's time and now; default 300. */
  toleranceSeconds?: number
  /** Default: the current time. */
  now?: Date
}

/**
 * Returns the event; throws a WebhookVerificationError if it is not genuine. With several secrets,
 * one match is enough.
 */
export async function verify(
  rawBody: RawBody,
  headers: WebhookHeaders,
  // Written as a rest parameter, so that callers pass four arguments, as in other libraries of this standard.
  ...[secret, { toleranceSeconds = TOLERANCE_SECONDS, now = new Date() } = {}]: [
    secret: string | readonly string[],
    options?: VerifyOptions,
  ]
): Promise<WebhookEvent> {
  const body = toBytes(rawBody)
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    readHeader(headers, `webhook-${name}`),
  )
  if (!id || !timestamp || !signatures) throw verificationError('missing_headers')
  const isWellFormed =
    /^[\x21-\x2d\x2f-\x7e]{1,256}$/.test(id) &&
    /^[1-9][0-9]{0,11}$/.test(timestamp) &&
    signatures.length <= SIGNATURE_HEADER_LENGTH_MAX
  if (!isWellFormed) throw verificationError('malformed_headers')
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(timestamp)
  // The comparisons are negated so that an invalid `now`, whose age is NaN, is refused.
  if (!(ageSeconds <= toleranceSeconds)) throw verificationError('too_old')
  if (!(ageSeconds >= -toleranceSeconds)) throw verificationError('too_new')

  const signedContent = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), body)
  if (!(await isSigned(signedContent, signatures, [secret].flat())))
    throw verificationError('wrong_signature')
  return parseEvent(body)
}

// Whether one of the signatures matches. Compares all of them, so that the duration reveals nothing.
async function isSigned(
  signedContent: Uint8Array<ArrayBuffer>,
  header: string,
  secrets: readonly string[],
) {
  // Signatures of other versions than v1 are ignored.
  const signatures = header.split(' ').flatMap((entry) => {
    const encoded = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(entry)?.[1]
    return encoded ? [decodeBase64(encoded)] : []
  })
  let isMatch = false
  for (const secret of secrets) {
    const key = await importSecret(secret)
    for (const signature of signatures) {
      isMatch = (await crypto.subtle.verify('HMAC', key, signature, signedContent)) || isMatch
    }
  }
  return isMatch
}

// Parses a secret. The error never contains the secret.
function importSecret(secret: string) {
  const encoded = secret?.startsWith?.(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : ''
  const isBase64 = encoded.length % 4 === 0 && /^[A-Za-z0-9+/]{32,}={0,2}$/.test(encoded)
  if (!isBase64) throw new TypeError('a webhook secret is whsec_ and the base64 of its bytes')
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', decodeBase64(encoded), algorithm, false, ['verify'])
}

// Parses the body after its signature was verified.
function parseEvent(body: Uint8Array): WebhookEvent {
  const event = parseObject(new TextDecoder().decode(body)) as WebhookEvent | undefined
  if (typeof event?.type !== 'string') throw verificationError('malformed_body')
  return event
}

// Returns the bytes of the body, which are signed as they were sent. A parsed body is refused.
function toBytes(body: RawBody): Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof ArrayBuffer) return new Uint8Array(body)
  if (body instanceof Uint8Array) return body as Uint8Array<ArrayBuffer>
  throw new TypeError('rawBody is not text or bytes: pass the body as received, before any parser')
}

// Reads one header. Only webhook-signature may be sent several times, because its value is a list and one
// matching signature is enough. webhook-id and webhook-timestamp must be unique, because they are part of the
// signed content.
function readHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const headerValue = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const values = [headerValue ?? []].flat() as string[]
  // Any other header that is sent twice becomes a blank, which verify() refuses as malformed.
  return values.length > 1 && name !== 'webhook-signature' ? ' ' : values.join(' ')
}

function verificationError(reason: WebhookFault): WebhookVerificationError {
  return new WebhookVerificationError(reason, MESSAGES[reason])
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

function concatenate(start: Uint8Array, end: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(start.length + end.length)
  bytes.set(start)
  bytes.set(end, start.length)
  return bytes
}
