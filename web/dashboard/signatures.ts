// Checks the signature of a webhook as a receiver would (Standard Webhooks: HMAC-SHA256 over
// `id.timestamp.body`) and explains failures. Runs in the browser, so the secret never leaves it.

import { webhooksStrings } from '../copy.ts'

export type Finding = { tone: 'good' | 'warn' | 'bad'; text: string }
export type Received = { headers: string; body: string; secret: string }

const { findings: strings } = webhooksStrings
const TOLERANCE_SECONDS = 300
const SECRET_BYTES_MIN = 24
const SECRET_BYTES_MAX = 64
const HEADER_NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
const failure = (text: string): Finding => ({ tone: 'bad', text })

// Returns the findings: everything that is missing or malformed, or the verdict on the signature, and a
// warning if it is too old.
export async function checkSignature(received: Received, nowMs: number): Promise<Finding[]> {
  const headers = parseHeaders(received.headers)
  const key = parseSecret(received.secret)
  const faults = [
    ...HEADER_NAMES.filter((name) => !headers[name]).map((name) => failure(strings.missing(name))),
    ...(received.body === '' ? [failure(strings.noBody)] : []),
    ...('fault' in key ? [failure(key.fault)] : []),
  ]
  if (faults.length > 0 || 'fault' in key) return faults
  const [id = '', timestamp = '', signature = ''] = HEADER_NAMES.map((name) => headers[name])
  if (!/^[1-9][0-9]{0,11}$/.test(timestamp)) {
    const isMilliseconds = /^[1-9][0-9]{12}$/.test(timestamp)
    return [failure(isMilliseconds ? strings.milliseconds : strings.badTimestamp)]
  }
  const entries = signature.split(' ').filter((entry) => entry.startsWith('v1,'))
  if (entries.length === 0) return [failure(strings.noVersion)]
  // A signature is the base64 of 32 bytes, which has 44 characters.
  const candidates = entries.map((entry) => entry.slice(3)).filter((text) => text.length === 44)
  if (candidates.length === 0) return [failure(strings.badSignature)]
  const isSignedWith = async (body: string) =>
    candidates.includes(await sign(key.bytes, `${id}.${timestamp}.${body}`))
  const age = ageFinding(Number(timestamp), nowMs)
  return [await verdict(received.body, id, isSignedWith), ...(age ? [age] : [])]
}

// If the signature does not match, tries the usual mistakes to explain it: a changed line end, a body that
// was parsed and formatted again, or the headers of another event.
async function verdict(
  body: string,
  id: string,
  isSignedWith: (body: string) => Promise<boolean>,
): Promise<Finding> {
  if (await isSignedWith(body)) return { tone: 'good', text: strings.good }
  if (await isSignedWith(body.replace(/(?<!\s)\s+$/, ''))) return failure(strings.lineEnd)
  if (await isSignedWith(body.replaceAll('\r\n', '\n'))) return failure(strings.lineEnds)
  const parsed = parseJson(body)
  if (parsed !== undefined && (await isSignedWith(JSON.stringify(parsed))))
    return failure(strings.reformatted)
  const bodyId = (parsed as { id?: unknown } | null | undefined)?.id
  return failure(typeof bodyId === 'string' && bodyId !== id ? strings.otherEvent : strings.wrong)
}

// Accepts headers as log lines, as curl's -H '…' options, or as JSON.
export function parseHeaders(text: string): Record<string, string> {
  const json = parseJson(text)
  const pairs =
    json !== null && typeof json === 'object'
      ? Object.entries(json).map(([name, value]) => [name, String(value)] as const)
      : text.split(/\r?\n/).map((line) => {
          const [, name = '', value = ''] =
            /(?<![\w-])([\w-]+)["']?\s*[:=]\s*([\s\S]*)/.exec(line) ?? []
          return [name, value] as const
        })
  return Object.fromEntries(
    pairs.map(([name, value]) => [
      name.toLowerCase(),
      value.trim().replace(/^["']|(?<!["'\\,\s])["'\\,\s]+$/g, ''),
    ]),
  )
}

// Returns the bytes of the secret, or why it cannot be one.
function parseSecret(secret: string): { bytes: Uint8Array<ArrayBuffer> } | { fault: string } {
  const text = secret.trim()
  if (text === '') return { fault: strings.noSecret }
  if (!text.startsWith('whsec_')) return { fault: strings.noPrefix }
  try {
    const bytes = Uint8Array.from(atob(text.slice(6)), (letter) => letter.charCodeAt(0))
    const isAllowedLength = bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX
    return isAllowedLength ? { bytes } : { fault: strings.badLength(bytes.length) }
  } catch {
    return { fault: strings.notBase64 }
  }
}

// Returns the signature that the service would send for this text.
async function sign(secret: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(mac)))
}

// Receivers should refuse a timestamp that is too old or too far ahead, so the checker warns about one.
function ageFinding(timestamp: number, nowMs: number): Finding | undefined {
  const seconds = Math.floor(nowMs / 1000) - timestamp
  if (Math.abs(seconds) <= TOLERANCE_SECONDS) return undefined
  const age = ageWords(Math.abs(seconds))
  return { tone: 'warn', text: seconds > 0 ? strings.tooOld(age) : strings.tooNew(age) }
}

// Changes to the larger unit at two of it, such as 2 minutes after 119 seconds.
function ageWords(seconds: number): string {
  if (seconds < 120) return strings.seconds(seconds)
  if (seconds < 7_200) return strings.minutes(Math.round(seconds / 60))
  if (seconds < 172_800) return strings.hours(Math.round(seconds / 3_600))
  return strings.days(Math.round(seconds / 86_400))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
