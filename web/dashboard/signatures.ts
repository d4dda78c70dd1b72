// Checks the signature of a webhook as a receiver would (Standard Webhooks: HMAC-SHA256 over
// `id.timestamp.body`) and explains failures. Runs in the browser, so the secret never leaves it.

import { webhooksStrings } from '../copy.ts'

export type Finding = { tone: 'good' | 'warn' | 'bad'; text: string }
export type Received = { headers: string; body: string; secret: string }

const { findings: strings } = webhooksStrings
const TOLERANCE_SECONDS = 300
const SECRET_BYTES_MIN = 24
const SECRET_BYTES_MAX = 64
const NAMES = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
const bad = (text: string): Finding => ({ tone: 'bad', text })

export async function checkSignature(received: Received, nowMs: number): Promise<Finding[]> {
  const headers = parseHeaders(received.headers)
  const key = keyOf(received.secret)
  const faults = [
    ...NAMES.filter((name) => !headers[name]).map((name) => bad(strings.missing(name))),
    ...(received.body === '' ? [bad(strings.noBody)] : []),
    ...('fault' in key ? [bad(key.fault)] : []),
  ]
  if (faults.length > 0 || 'fault' in key) return faults
  const [id = '', timestamp = '', signature = ''] = NAMES.map((name) => headers[name])
  if (!/^[1-9][0-9]{0,11}$/.test(timestamp)) {
    const isMilliseconds = /^[1-9][0-9]{12}$/.test(timestamp)
    return [bad(isMilliseconds ? strings.milliseconds : strings.badTimestamp)]
  }
  const entries = signature.split(' ').filter((entry) => entry.startsWith('v1,'))
  if (entries.length === 0) return [bad(strings.noVersion)]
  const candidates = entries.map((entry) => entry.slice(3)).filter((text) => text.length === 44)
  if (candidates.length === 0) return [bad(strings.badSignature)]
  const fits = async (body: string) =>
    candidates.includes(await sign(key.bytes, `${id}.${timestamp}.${body}`))
  const age = ageFinding(Number(timestamp), nowMs)
  return [await verdict(received.body, id, fits), ...(age ? [age] : [])]
}

async function verdict(
  body: string,
  id: string,
  fits: (body: string) => Promise<boolean>,
): Promise<Finding> {
  if (await fits(body)) return { tone: 'good', text: strings.good }
  if (await fits(body.replace(/\s+$/, ''))) return bad(strings.lineEnd)
  if (await fits(body.replaceAll('\r\n', '\n'))) return bad(strings.lineEnds)
  const parsed = parseJson(body)
  if (parsed !== undefined && (await fits(JSON.stringify(parsed)))) return bad(strings.reformatted)
  const named = (parsed as { id?: unknown } | null | undefined)?.id
  return bad(typeof named === 'string' && named !== id ? strings.otherEvent : strings.wrong)
}

// Accepts headers as log lines, as curl's -H '…' options, or as JSON.
export function parseHeaders(text: string): Record<string, string> {
  const json = parseJson(text)
  const pairs =
    json !== null && typeof json === 'object'
      ? Object.entries(json).map(([name, value]) => [name, String(value)] as const)
      : text.split(/\r?\n/).map((line) => {
          const [, name = '', value = ''] = /([\w-]+)["']?\s*[:=]\s*(.*)$/.exec(line) ?? []
          return [name, value] as const
        })
  return Object.fromEntries(
    pairs.map(([name, value]) => [
      name.toLowerCase(),
      value.trim().replace(/^["']|["'\\,\s]+$/g, ''),
    ]),
  )
}

function keyOf(secret: string): { bytes: Uint8Array<ArrayBuffer> } | { fault: string } {
  const text = secret.trim()
  if (text === '') return { fault: strings.noSecret }
  if (!text.startsWith('whsec_')) return { fault: strings.noPrefix }
  try {
    const bytes = Uint8Array.from(atob(text.slice(6)), (letter) => letter.charCodeAt(0))
    const isSound = bytes.length >= SECRET_BYTES_MIN && bytes.length <= SECRET_BYTES_MAX
    return isSound ? { bytes } : { fault: strings.badLength(bytes.length) }
  } catch {
    return { fault: strings.notBase64 }
  }
}

async function sign(secret: Uint8Array<ArrayBuffer>, text: string): Promise<string> {
  const how = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', secret, how, false, ['sign'])
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(mac)))
}

function ageFinding(timestamp: number, nowMs: number): Finding | undefined {
  const seconds = Math.floor(nowMs / 1000) - timestamp
  if (Math.abs(seconds) <= TOLERANCE_SECONDS) return undefined
  const age = ageWords(Math.abs(seconds))
  return { tone: 'warn', text: seconds > 0 ? strings.tooOld(age) : strings.tooNew(age) }
}

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
