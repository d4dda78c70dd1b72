// Parses setting values. A parser reports the valid format and never quotes the input: a secret in the wrong
// setting must not reach a log.

import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { parseDatabaseUrl } from '#db/hosts.ts'
import { parseAddressRange } from '#ip-allowlist.ts'
import { AMOUNT_MAX_KOBO, type Kobo, parseKobo } from '#money.ts'
import { loadSecret } from '#standard-webhooks.ts'

export type Report = (sentence: string) => void
export type Parser<T> = (text: string, report: Report) => T | undefined
export type DataKey = { readonly id: number; readonly key: Buffer }

export const SECRET_COMMAND =
  `node -e "console.log(require('crypto').randomBytes(32).toString('base64'))"` as const

export const KEY_BYTES = 32
export const KEY_ID_MAX = 255 // The id is stored as one byte before every encrypted value.
const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/i
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

// Returns a parser that accepts only these texts.
export function oneOf<const T extends string>(choices: readonly T[]): Parser<T> {
  return (text, report) => {
    const choice = choices.find((allowed) => allowed === text)
    if (choice === undefined) report(`must be one of: ${choices.join(', ')}`)
    return choice
  }
}

export const language: Parser<string> = (text, report) => {
  if (/^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/.test(text)) return text
  report('must be a language tag in lower case, such as en or pt-br')
  return undefined
}

export const processes: Parser<number | 'auto'> = (text, report) => {
  if (text === 'auto') return 'auto'
  if (/^[1-9][0-9]?$/.test(text)) return Number(text)
  report('must be a whole number from 1 to 99, or auto')
  return undefined
}

// The pattern of account names, with placeholders for the merchant and the customer.
export const accountNameStyle: Parser<string> = (text, report) => {
  if (text.length <= 60 && text.includes('{customer}')) return text
  report('must contain {customer}, may contain {merchant}, and must have at most 60 characters')
  return undefined
}

// Parses an amount in naira and returns kobo.
export const amount: Parser<Kobo> = (text, report) => {
  const kobo = parseKobo(text)
  if (kobo !== undefined && kobo > 0n && kobo <= AMOUNT_MAX_KOBO) return kobo
  report('must be greater than 0 and at most 10000000000000.00, with at most two decimals')
  return undefined
}

// Returns a parser of whole numbers within these bounds.
export function whole(least: number, most: number): Parser<number> {
  return (text, report) => {
    const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : -1
    if (value >= least && value <= most) return value
    report(`must be a whole number from ${least} to ${most}`)
    return undefined
  }
}

export const path: Parser<string> = (text) => resolve(text)

export const host: Parser<string> = (text, report) => {
  const almostAddress = /^[0-9.]+$/.test(text)
  if (isIP(text) !== 0 || (HOST_NAME.test(text) && !almostAddress)) return text
  report('must be an IP address or host name, such as 127.0.0.1')
  return undefined
}

export const addressRanges: Parser<readonly string[]> = (text, report) =>
  splitList(text).flatMap((entry, index) => {
    const range = parseAddressRange(entry)
    if (range) return [range]
    report(`entry ${index + 1} must be an IP address or CIDR range, such as 10.0.0.0/8`)
    return []
  })

// Removes a trailing slash, so that `${publicUrl}/pay/…` is well formed.
export const webAddress: Parser<string> = (text, report) => {
  const url = URL.parse(text)
  const plain = url && !url.username && !url.password && !/[?#\s]/.test(text)
  if (plain && /^https?:$/.test(url.protocol)) {
    return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`
  }
  report('must be an http(s) URL without user, query or fragment, such as https://pay.shop.ng')
  return undefined
}

// Accepts the same addresses as the driver, including several hosts, and an empty host, which means a Unix
// socket.
export const postgresAddress: Parser<string> = (text, report) => {
  const pooler = poolerOf(text)
  if (pooler === null || pooler === 'transaction') return parseDatabaseUrl(text, report) && text
  report('has a pooler that must be transaction, or be left out')
  return undefined
}

const poolerOf = (text: string) => new URLSearchParams(text.split('?')[1]).get('pooler')

// Accepts only one host, because with several hosts the connection would go to the primary. Refuses a pooler,
// because the replay position could come from one standby and the rows from another.
export const replicaAddress: Parser<string> = (text, report) => {
  const url = parseDatabaseUrl(text, report)
  if (url && poolerOf(text) !== null) {
    report('must be the address of the standby itself, without pooler')
    return undefined
  }
  if (!url || url.hosts.length === 1) return url && text
  report('must look like postgres://user:password@host:5432/database, with one host')
  return undefined
}

// A list of secrets. The first one signs, and all of them verify.
export const signingSecrets: Parser<readonly Buffer[]> = (text, report) => {
  const secrets: Buffer[] = []
  splitList(text).forEach((entry, index) => {
    const secret = decodeBase64(entry)
    if (secret && secret.length >= KEY_BYTES) secrets.push(secret)
    else
      report(`entry ${index + 1} must be base64 of ${KEY_BYTES} bytes or more: ${SECRET_COMMAND}`)
  })
  return secrets
}

// Checks the secret and returns its text, so that the settings remain plain values. The code that uses the
// setting calls loadSecret().
export const webhookSecret: Parser<string> = (text, report) => {
  try {
    loadSecret(text)
    return text
  } catch {
    report('must be whsec_ and the base64 of 24 to 64 bytes')
    return undefined
  }
}

// A list of keys such as 2:base64,1:base64. The first one seals new data, and all of them open old data.
export const dataKeys: Parser<readonly DataKey[]> = (text, report) => {
  const keys: DataKey[] = []
  splitList(text).forEach((entry, index) => {
    const [, digits = '', base64 = ''] = /^([0-9]{1,3}):(.*)$/.exec(entry) ?? []
    const id = Number(digits)
    const key = decodeBase64(base64)
    if (id < 1 || id > KEY_ID_MAX || key?.length !== KEY_BYTES) {
      const right = `id:base64 with an id from 1 to ${KEY_ID_MAX} and ${KEY_BYTES} bytes`
      report(
        `entry ${index + 1} must be ${right}, such as 1: followed by the output of ${SECRET_COMMAND}`,
      )
    } else if (keys.some((other) => other.id === id)) {
      report(`entry ${index + 1} repeats the id ${id}`)
    } else {
      keys.push({ id, key })
    }
  })
  return keys
}

export const hashKey: Parser<Buffer> = (text, report) => {
  const key = decodeBase64(text)
  if (key?.length === KEY_BYTES) return key
  report(`must be base64 of exactly ${KEY_BYTES} bytes: ${SECRET_COMMAND}`)
  return undefined
}

// Decodes base64. Returns undefined unless the bytes encode back to the same text. Node's decoder skips
// unknown characters, so it would turn a mistyped key into a shorter one.
export function decodeBase64(base64: string): Buffer | undefined {
  const bytes = Buffer.from(base64, 'base64')
  const isExact =
    bytes.toString('base64').replace(/(?<!=)=+$/, '') === base64.replace(/(?<!=)=+$/, '')
  return BASE64.test(base64) && isExact ? bytes : undefined
}

function splitList(text: string): string[] {
  return text.split(',').map((entry) => entry.trim())
}

// Settings of `npx manilla` and of the SDK's examples. A user may set them in the same shell, so they are not
// reported as unknown.
const CLIENT_SETTINGS = [
  'MANILLA_URL',
  'MANILLA_CLIENT_ID',
  'MANILLA_CLIENT_SECRET',
  'MANILLA_WEBHOOK_SECRET',
]

// Returns a message for each MANILLA_ variable that is not a setting. A mistyped name would silently leave
// the default in force.
export function unknownNames(env: object, names: readonly string[]): string[] {
  return Object.keys(env)
    .filter((name) => /^manilla_/i.test(name) && ![...names, ...CLIENT_SETTINGS].includes(name))
    .map((name) => `${name} is not a setting; did you mean ${nearest(name, names)}?`)
}

// Returns the name that is most like a mistyped one, for the error message. Compares with and without the
// common prefix.
export function nearest(name: string, names: readonly string[]): string | undefined {
  const score = (known: string) =>
    Math.min(distance(name.toUpperCase(), known), distance(name.toUpperCase(), `MANILLA_${known}`))
  return names.toSorted((left, right) => score(left) - score(right))[0]
}

// Returns the edit distance (Levenshtein): the least number of inserted, removed and replaced letters.
// `costs` has the distances from the letters of `from` that were read so far to every beginning of `to`.
function distance(from: string, to: string): number {
  let costs = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...from].entries()) {
    const nextCosts = [index + 1]
    for (const [column, target] of [...to].entries()) {
      const replaced = (costs[column] as number) + (letter === target ? 0 : 1)
      nextCosts.push(
        Math.min(replaced, (costs[column + 1] as number) + 1, (nextCosts[column] as number) + 1),
      )
    }
    costs = nextCosts
  }
  return costs.at(-1) as number
}

// A share from 0 to 1, such as 0.01 for one percent.
export const share: Parser<number> = (text, report) => {
  if (/^(?:0(?:\.[0-9]{1,9})?|1(?:\.0{1,9})?)$/.test(text)) return Number(text)
  report('must be a number from 0 to 1, such as 0.01')
  return undefined
}

export const serviceName: Parser<string> = (text, report) => {
  if (/^[\w.-]{1,100}$/.test(text)) return text
  report('must be 1 to 100 letters, digits, dots, hyphens or underscores')
  return undefined
}

// Accepts names with URL-encoded values, such as authorization=Bearer%20abc,tenant=1.
export const pairs: Parser<Readonly<Record<string, string>>> = (text, report) => {
  const entries = splitList(text).map((entry, index) => {
    const [, name = '', value = ''] = /^([\w.-]+)\s*=\s*([\x21-\x7e]*)$/.exec(entry) ?? []
    const decoded = decodeUrl(value)
    if (!name || decoded === undefined) report(`entry ${index + 1} must be name=value, URL-encoded`)
    return [name, decoded ?? '']
  })
  return Object.fromEntries(entries)
}

// Decodes a URL-encoded value. Returns undefined if it is invalid or could split an HTTP header.
function decodeUrl(text: string): string | undefined {
  try {
    const decoded = decodeURIComponent(text)
    return /[\r\n\0]/.test(decoded) ? undefined : decoded
  } catch {
    return undefined
  }
}

export const metricsToken: Parser<string> = (text, report) => {
  if (/^[\x21-\x7e]{16,200}$/.test(text)) return text
  report('must be 16 to 200 printable characters without spaces')
  return undefined
}
