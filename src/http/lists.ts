// Shared by all list endpoints: query parameters, envelope, time windows. Unknown query parameters
// are refused: a misspelt filter would show too much.

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import {
  LIMIT_DEFAULT,
  type List,
  ORDERS,
  type Order,
  type Page,
  readCursor,
  toPage,
  writeCursor,
} from '#db/paging.ts'
import type { Window } from '#db/time-bounds.ts'
import { type FieldError, Refusal } from '#errors.ts'
import type { Sealer } from '#seal.ts'
import { parseBankTime } from '#wat-time.ts'
import { chosen, named, schemaName } from './schemas.ts'

type Properties = Parameters<typeof Type.Object>[0]

export function query<P extends Properties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false })
}

export const NoQuery = query({})

// A query is text on the wire; the description says what the text must be.
const Limit = Type.Unsafe<string>({
  type: ['string', 'integer'],
  pattern: '^(?:[1-9][0-9]?|100)$',
  description: `Page size, 1 to 100. Default ${LIMIT_DEFAULT}.`,
  'x-says': 'Must be a whole number from 1 to 100.',
})

export const PageQuery = {
  limit: Type.Optional(Limit),
  cursor: Type.Optional(
    Type.String({ description: 'nextCursor of the previous page, with the same filters.' }),
  ),
}

export const OrderQuery = {
  order: Type.Optional(
    Type.Unsafe<Order>({
      type: 'string',
      enum: [...ORDERS],
      description: 'Sort order. Default newest. A cursor keeps its order.',
      'x-says': `Must be one of ${ORDERS.join(', ')}.`,
    }),
  ),
}

// A filter that is true or false.
export const flag = (description: string) =>
  Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      type: ['string', 'boolean'],
      enum: ['true', 'false'],
      description,
      'x-says': 'Must be true or false.',
    }),
  )

// A filter by one of some words.
export const choice = <T extends string>(values: readonly T[], description: string) =>
  Type.Optional(chosen(values, description))

export function parseFlag(value: 'true' | 'false' | undefined): boolean | undefined {
  return value === undefined ? undefined : value === 'true'
}

const moment = (description: string) =>
  Type.Optional(Type.String({ description, maxLength: 64, 'x-says': NOT_A_TIME }))

const NOT_A_TIME = 'Must be an ISO 8601 date or time, e.g. 2026-11-15 or 2026-11-15T09:30:00Z.'

export const WindowQuery = {
  from: moment('Start, inclusive (ISO 8601; West Africa Time if it has no offset).'),
  to: moment('End, exclusive (ISO 8601; West Africa Time if it has no offset).'),
}

export const AtQuery = {
  at: moment(
    'As of this moment: what was posted before it counts (ISO 8601; West Africa Time if it has no ' +
      'offset). Default now.',
  ),
}

export function parseLimit({ limit }: { limit?: string | undefined }): number {
  return limit === undefined ? LIMIT_DEFAULT : Number(limit)
}

export function parseWindow(given: { from?: string | undefined; to?: string | undefined }): Window {
  const errors: FieldError[] = []
  const read = (field: 'from' | 'to') => {
    const text = given[field]
    const time = text === undefined ? undefined : parseBankTime(withPlus(text))
    if (text !== undefined && !time) errors.push({ field, message: NOT_A_TIME })
    return time
  }
  const [from, to] = [read('from'), read('to')]
  if (from && to && to <= from) errors.push({ field: 'to', message: 'Must be later than from.' })
  if (errors.length > 0) throw new Refusal('invalid_request', errors)
  return { from, to }
}

export function parseAt({ at }: { at?: string | undefined }, now: Date): Date | undefined {
  if (at === undefined) return undefined
  const time = parseBankTime(withPlus(at))
  const message = time ? 'Must not be in the future.' : NOT_A_TIME
  if (!time || time > now) throw new Refusal('invalid_request', [{ field: 'at', message }])
  return time
}

// An unescaped + in a query means a space; most clients forget %2B.
function withPlus(text: string): string {
  return text.replace(/(:[0-9.,]+) ([0-9]{2}:?[0-9]{2})$/, '$1+$2')
}

// `more`: what a page says beside its items.
export function ListEnvelope<T extends TSchema, More extends Properties = Record<never, never>>(
  item: T,
  more: More = {} as More,
) {
  return named(
    `${schemaName(item)}List`,
    {
      isSuccessful: Type.Boolean(),
      message: Type.String(),
      data: Type.Array(item),
      hasMore: Type.Boolean(),
      nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      ...more,
    },
    { description: 'A page of results.' },
  )
}

type Asked = { limit?: string | undefined; cursor?: string | undefined }
type From = { after: bigint | null; limit: number } // Null: from the beginning.

// A page of a list in the order of its ids, either way. One row more than it shows is read, which
// tells whether there is a next.
export async function pageById<Row extends { id: bigint }>(
  sealer: Sealer,
  { list, asked }: { list: List; asked: Asked },
  read: (from: From) => Promise<readonly Row[]>,
): Promise<Page<Row>> {
  const position = readCursor(sealer, list, asked.cursor)
  const limit = parseLimit(asked)
  const after = position ? BigInt(position[0] as string) : null
  const rows = await read({ after, limit: limit + 1 })
  return toPage(rows, limit, ({ id }) => writeCursor(sealer, list, [id.toString()]))
}

// A page of a list that scans a bounded number of rows at a time.
export function scannedPage<T>(
  { rows, scannedTo }: { rows: readonly T[]; scannedTo: string | null },
  how: { limit: number; idOf: (row: T) => string; cursorAfter: (id: string) => string },
): Page<T> {
  const shown = rows.slice(0, how.limit)
  const last = rows.length > how.limit ? how.idOf(shown.at(-1) as T) : scannedTo
  return { rows: shown, nextCursor: last === null ? null : how.cursorAfter(last) }
}

export function listResponse<T, Shown>(message: string, page: Page<T>, present: (row: T) => Shown) {
  const { rows, nextCursor } = page
  const data = rows.map(present)
  return { isSuccessful: true, message, data, hasMore: nextCursor !== null, nextCursor }
}
