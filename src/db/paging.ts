// Helps to build lists: cursors, the statements of filtered lists, their totals, and search by prefix.
//
// A cursor says where the next page starts. It is encrypted, because positions are ids from sequences that
// all clients share, and an id would reveal how much business others do. It is bound to one list (its name,
// caller, filters and order): an altered cursor, or a cursor of another list, is refused. The query of a page
// reads one row more than the page shows, to find out whether there is a next page.
//
// A cursor is: tag (16 bytes) | position. The tag authenticates list and position, and is the initial counter
// for the encryption of the position (as in RFC 5297, SIV). So one position has one cursor, without a random
// nonce.

import { createCipheriv, createDecipheriv, timingSafeEqual } from 'node:crypto'
import type { QueryConfig } from 'pg'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { namedByText } from './sql.ts'

export const LIMIT_DEFAULT = 20
export const LIMIT_MAX = 100

// Lists are ordered by id, which follows time. Both orders use the same index.
export const ORDERS = ['newest', 'oldest'] as const
export type Order = (typeof ORDERS)[number]
export const ORDER_SQL = {
  newest: { sort: 'desc', isAfter: '<', isUpTo: '>=' },
  oldest: { sort: 'asc', isAfter: '>', isUpTo: '<=' },
} as const

// A list with its filters, to which a cursor is bound.
export type List = {
  name: string
  order?: Order | undefined // Default: newest first.
  clientId: ClientId
  filters: Readonly<Record<string, string | undefined>>
}

// The sort key of the last row of a page, and any other values that the query of the next page needs.
type Position = readonly string[]

export type Page<T> = { rows: T[]; nextCursor: string | null }

// The longest cursor that we issue has two merchant labels of 64 characters.
const CURSOR_LENGTH_MAX = 2_000
const CURSOR = /^[A-Za-z0-9_-]+$/
const TAG_BYTES = 16
const CIPHER = 'aes-256-ctr'
// Positions are padded to a multiple of this, so that the length does not reveal the digits of an id.
const PADDED_BYTES = 32

// Returns the cursor of the page that begins after this position.
export function writeCursor(sealer: Sealer, list: List, position: Position): string {
  const tag = computeTag(sealer, list, position)
  const text = padWithSpaces(Buffer.from(JSON.stringify(position)))
  const sealed = createCipheriv(CIPHER, cipherKey(sealer), tag).update(text)
  return Buffer.concat([tag, sealed]).toString('base64url')
}

// Returns the position after which the page begins, or undefined for the first page. Refuses a cursor of
// another list.
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

// Makes a page of rows that were read with `limit + 1`: the last one only shows that there is a next page.
export function toPage<T>(
  rows: readonly T[],
  limit: number,
  cursorAfter: (last: T) => string,
): Page<T> {
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { rows: page, nextCursor: hasMore ? cursorAfter(last) : null }
}

// Decodes the text of a cursor to bytes, and refuses any text that writeCursor() cannot have written.
function decodeCursor(cursor: string): Buffer {
  if (cursor.length > CURSOR_LENGTH_MAX || !CURSOR.test(cursor)) throw new Refusal('invalid_cursor')
  const bytes = Buffer.from(cursor, 'base64url')
  // Refuses trailing bits, which the decoder would drop, so that a page has exactly one cursor.
  const isWhole = bytes.length > TAG_BYTES && (bytes.length - TAG_BYTES) % PADDED_BYTES === 0
  if (!isWhole || bytes.toString('base64url') !== cursor) throw new Refusal('invalid_cursor')
  return bytes
}

// Pads the text with spaces, which JSON ignores.
function padWithSpaces(text: Buffer): Buffer {
  const length = Math.ceil(text.length / PADDED_BYTES) * PADDED_BYTES
  return Buffer.concat([text, Buffer.alloc(length - text.length, ' ')])
}

// Parses a decrypted position. Returns undefined if writeCursor() cannot have written it. The caller must
// still compare the tag.
function parsePosition(text: Buffer): Position | undefined {
  try {
    const parts: unknown = JSON.parse(text.toString('utf8'))
    if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string')) return undefined
    return padWithSpaces(Buffer.from(JSON.stringify(parts))).equals(text) ? parts : undefined
  } catch {
    return undefined
  }
}

// Derives the key of cursors from the hash key of the service.
function cipherKey(sealer: Sealer): Buffer {
  return sealer.hash('cursor key', '')
}

// Computes the tag over everything that a cursor is bound to, in a fixed order of filters. The default order,
// newest first, is not part of the text.
function computeTag(sealer: Sealer, list: List, position: Position): Buffer {
  const { name, clientId, filters, order } = list
  const entries = Object.entries(filters).filter(([, value]) => value !== undefined)
  const sorted = entries.sort(([left], [right]) => (left < right ? -1 : 1))
  const parts = [name, clientId.toString(), sorted, position]
  const text = JSON.stringify(order === 'oldest' ? [...parts, order] : parts)
  return sealer.hash('cursor', text).subarray(0, TAG_BYTES)
}

// listQuery() builds the statement of a filtered list, with only the conditions that apply:
//
//   listQuery({
//     select: SELECT_PAYOUT,
//     where: [['p.client_id = $', clientId], ['p.status = $', status]],
//     id: 'p.id', order, after, limit,
//   })
//
// Each `$` stands for the next value of its condition. If a condition has only one value, every `$` stands
// for that value. A condition with a value that is undefined or null is left out, and so is `false`. A
// condition without values is a plain text.
type Condition = string | false | readonly [sql: string, ...values: unknown[]]
export type Conditions = readonly Condition[]

type ListQuery = {
  select: string
  values?: readonly unknown[] // The values of `select`: $1, $2 …
  where: Conditions
  id: string
  order?: Order | undefined
  after: unknown // The id of the last row before the page, or null for the first page.
  limit: number
}

// Builds the statement of one page of a filtered list.
export function listQuery({
  select,
  values: selectValues = [],
  where,
  id,
  order = 'newest',
  ...page
}: ListQuery): QueryConfig {
  const { sort, isAfter } = ORDER_SQL[order]
  const { sql, values } = joinConditions(
    [...where, [`${id} ${isAfter} $`, page.after]],
    selectValues,
  )
  return composed(`${select} where ${sql} order by ${id} ${sort} limit ${page.limit}`, values)
}

// Joins the conditions that apply, as the text after `where` (see listQuery). `otherValues` are the values of
// the rest of the statement: $1, $2 …
//
// In a condition with several values, each $ stands for the next of them. In a condition with one value,
// every $ stands for that value. A condition with a value that is undefined or null does not apply.
export function joinConditions(
  where: Conditions,
  otherValues: readonly unknown[] = [],
): { sql: string; values: unknown[] } {
  const values = [...otherValues]
  const conditions: string[] = []
  for (const condition of where) {
    if (typeof condition === 'string') conditions.push(condition)
    if (typeof condition !== 'object') continue
    const [sql, ...conditionValues] = condition
    if (conditionValues.some((value) => value === undefined || value === null)) continue
    const placeholders = conditionValues.map((value) => `$${values.push(value)}`)
    conditions.push(
      sql.replaceAll(
        '$',
        () => (placeholders.length > 1 ? placeholders.shift() : placeholders[0]) ?? '',
      ),
    )
  }
  return { sql: conditions.length === 0 ? 'true' : conditions.join(' and '), values }
}

// Names a statement by its text, so that PostgreSQL plans it once per connection and text. A statement with a
// time window has no name, so PostgreSQL plans it each time: the best plan depends on how much of the table
// the window covers.
export function composed(text: string, values: unknown[]): QueryConfig {
  const hasWindow = values.some((value) => value instanceof Date)
  return hasWindow ? { text, values } : namedByText(text, values)
}

// The count and the sum of a filtered list are exact up to SUMMED_MAX items. Beyond that, or if a filter
// without an index leaves some items unread, the count is a lower bound and there is no sum, because readers
// would take a partial sum for the whole. Summing 10,000 payments with their advices takes some 60 ms.
export const SUMMED_MAX = 10_000

export type Total = { currency: string; count: bigint; amountKobo: Kobo }

export type Summary<T extends Total = Total> = {
  count: number
  isExact: boolean
  totals: T[] | null // By currency. Null if there are too many items.
}

// Makes the summary of a list. `totals` cover at most one item more than SUMMED_MAX. `isAll`: every item was
// read.
export function summaryOf<T extends Total>(totals: T[], isAll: boolean): Summary<T> {
  const count = totals.reduce((sum, total) => sum + Number(total.count), 0)
  const isExact = isAll && count <= SUMMED_MAX
  return { count: Math.min(count, SUMMED_MAX), isExact, totals: isExact ? totals : null }
}

// A search by prefix is a range: from the prefix up to, but not including, `pastPrefix`. Columns of
// references compare byte by byte (collate "C"), so that their indexes can serve the search.
const LAST_CHARACTER = '\u{10ffff}'

export const pastPrefix = (prefix: string) => `${prefix}${LAST_CHARACTER}`

// All clients share the index of numbers and session ids, so a search reads at most this many entries of a
// range. A prefix of six of a number's ten digits leaves ten thousand numbers, one of seven a thousand.
export const PREFIX_SCAN_MAX = 2_000
