// Money: kobo in `bigint` inside, decimal naira outside. No floating-point arithmetic anywhere.
//
// Accepted: digits, optionally a point and one or two more digits. Refused: signs, exponents,
// spaces, separators, other alphabets' digits, a third decimal.

import type { Brand } from './ids.ts'

export type Kobo = Brand<bigint, 'Kobo'>

export const CURRENCY = 'NGN'
// 10,000,000,000,000.00. Every amount up to it has at most 15 significant digits or is whole, so a JSON
// number holds it exactly, in both directions. The ledger's bigint holds nine thousand such credits.
export const AMOUNT_MAX_KOBO = kobo(1_000_000_000_000_000n)
const DECIMAL = /^(0|[1-9][0-9]{0,15})(?:\.([0-9]{1,2}))?$/

// Marks the result of arithmetic as money.
export function kobo(value: bigint): Kobo {
  return value as Kobo
}

// Parses an amount in naira, such as 10, 10.5 or 10.50. Returns undefined for anything else.
export function parseKobo(text: string): Kobo | undefined {
  const match = DECIMAL.exec(text)
  if (!match) return undefined
  return kobo(BigInt(match[1] as string) * 100n + BigInt((match[2] ?? '').padEnd(2, '0')))
}

// Parses an amount in naira. A JSON number arrives as a double; its shortest decimal form is exactly the
// number that the sender wrote, because numbers that JSON.parse would round are refused (json-text.ts).
export function koboOf(value: unknown): Kobo | undefined {
  if (typeof value === 'string') return parseKobo(value)
  if (typeof value === 'number' && Number.isFinite(value)) return parseKobo(String(value))
  return undefined
}

// Parses an amount in whole kobo, without decimals, for banks that report amounts in kobo.
export function wholeKoboOf(value: unknown): Kobo | undefined {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && /^[0-9]{1,16}$/.test(text) ? kobo(BigInt(text)) : undefined
}

// Returns the amount in naira for JSON: the nearest double, which prints with at most two decimals. Exact
// below 70,368,744,177,664.00 (2^46, from where doubles are more than a kobo apart), which is seven times the
// largest amount.
export function toNaira(kobo: Kobo): number {
  return Number(formatKobo(kobo))
}

// Formats as naira with two decimals, such as -1234.05.
export function formatKobo(kobo: Kobo): string {
  const sign = kobo < 0n ? '-' : ''
  const digits = (kobo < 0n ? -kobo : kobo).toString().padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

// Groups the digits before the point: -1234567.00 becomes -1,234,567.00. Text that is no amount stays as it
// is.
export function groupThousands(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)([0-9]+)(\.[0-9]{2})$/.exec(text) ?? []
  if (whole === '') return text
  const groups = [whole.slice(0, whole.length % 3)]
  for (let at = whole.length % 3; at < whole.length; at += 3) groups.push(whole.slice(at, at + 3))
  return `${sign}${groups.filter(Boolean).join(',')}${fraction}`
}
