// Cursor lists. A cursor says where the next page starts. It is encrypted, because positions are ids
// from sequences that all clients share, and bound to one list (its name, who asks, by which
// filters, in which order): one that was altered, or that belongs to another list, is refused. A
// page is read with one row more than it shows, which tells whether there is a next.
//
// A cursor is: tag (16 bytes) | position. The tag authenticates list and position, and is the
// initial counter that the position is encrypted with (as in RFC 5297, SIV): one position has one
// cursor, and needs no random nonce.

import { createCipheriv, createDecipheriv, timingSafeEqual } from 'node:crypto'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Sealer } from '#seal.ts'

export const LIMIT_DEFAULT = 20
export const LIMIT_MAX = 100

// By id, which is by time. Both run along the same index, one of them backwards.
export const ORDERS = ['newest', 'oldest'] as const
export type Order = (typeof ORDERS)[number]
export const ORDER_SQL = {
  newest: { sort: 'desc', isAfter: '<', isUpTo: '>=' },
  oldest: { sort: 'asc', isAfter: '>', isUpTo: '<=' },
} as const

export type List = {
  name: string
  order?: Order | undefined // Newest first, unless said.
  clientId: ClientId
  filters: Readonly<Record<string, string | undefined>>
}

// What the last row shown is sorted by, and whatever else the next page goes on from.
export type Position = readonly string[]

export type Page<T> = { rows: T[]; nextCursor: string | null }

// Far above the longest that we issue: two merchant labels of 64 characters each.
const CURSOR_LENGTH_MAX = 2_000
const CURSOR = /^[A-Za-z0-9_-]+$/
const TAG_BYTES = 16
const CIPHER = 'aes-256-ctr'
// Padded to a multiple of this, or its length would tell how many digits an id has.
const PADDED_BYTES = 32

export function writeCursor(sealer: Sealer, list: List, position: Position): string {
  const tag = computeTag(sealer, list, position)
  const text = padded(Buffer.from(JSON.stringify(position)))
  const sealed = createCipheriv(CIPHER, cipherKey(sealer), tag).update(text)
  return Buffer.concat([tag, sealed]).toString('base64url')
}

// Undefined: from the beginning.
export function readCursor(
  sealer: Sealer,
  list: List,
  cursor: string | undefined,
): Position | undefined {
  if (cursor === undefined) return undefined
  const bytes = decodeCursor(cursor)
  const tag = bytes.subarray(0, TAG_BYTES)
  const text = createDecipheriv(CIPHER, cipherKey(sealer), tag).update(bytes.subarray(TAG_BYTES))
  const position = parsePosition(text)
  if (!position || !timingSafeEqual(tag, computeTag(sealer, list, position))) {
    throw new Refusal('invalid_cursor')
  }
  return position
}

// `rows` holds up to one more than the limit.
export function toPage<T>(
  rows: readonly T[],
  limit: number,
  cursorAfter: (last: T) => string,
): Page<T> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { rows: shown, nextCursor: hasMore ? cursorAfter(last) : null }
}

function decodeCursor(cursor: string): Buffer {
  if (cursor.length > CURSOR_LENGTH_MAX || !CURSOR.test(cursor)) throw new Refusal('invalid_cursor')
  const bytes = Buffer.from(cursor, 'base64url')
  // The decoder drops what is left over at the end: one page has one cursor, to the letter.
  const isWhole = bytes.length > TAG_BYTES && (bytes.length - TAG_BYTES) % PADDED_BYTES === 0
  if (!isWhole || bytes.toString('base64url') !== cursor) throw new Refusal('invalid_cursor')
  return bytes
}

// With what JSON skips: spaces.
function padded(text: Buffer): Buffer {
  const length = Math.ceil(text.length / PADDED_BYTES) * PADDED_BYTES
  return Buffer.concat([text, Buffer.alloc(length - text.length, ' ')])
}

// Undefined: not ours. The tag covers what was read, so nothing else may read as the same.
function parsePosition(text: Buffer): Position | undefined {
  try {
    const parts: unknown = JSON.parse(text.toString('utf8'))
    if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) return undefined
    return padded(Buffer.from(JSON.stringify(parts))).equals(text) ? parts : undefined
  } catch {
    return undefined
  }
}

function cipherKey(sealer: Sealer): Buffer {
  return sealer.hash('cursor key', '')
}

function computeTag(sealer: Sealer, list: List, position: Position): Buffer {
  const { name, clientId, filters, order } = list
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  const sorted = given.sort(([one], [other]) => (one < other ? -1 : 1))
  const parts = [name, clientId.toString(), sorted, position]
  const text = JSON.stringify(order === 'oldest' ? [...parts, order] : parts)
  return sealer.hash('cursor', text).subarray(0, TAG_BYTES)
}
