// Shared by all list endpoints: query parameters, envelope, pages, sums and time windows. Unknown query
// parameters are refused: with a misspelt filter, the list would show too much.

import { type TSchema, Type } from '@fastify/type-provider-typebox'
import { parseBankTime } from '#clock.ts'
import type { Window } from '#db/bounds.ts'
import {
  LIMIT_DEFAULT,
  ORDERS,
  type Order,
  type Page,
  SUMMED_MAX,
  type Summary,
  type Total,
} from '#db/paging.ts'
import { type FieldError, invalidField, Refusal } from '#errors.ts'
import { type Kobo, koboOf, toNaira } from '#money.ts'
import { Amount, chosen, named, schemaName, strictObject } from './schemas.ts'

export const NoQuery = strictObject({})

// A query parameter that is a whole number. It arrives as text, so the pattern checks it. `described` has the
// limits that the pattern enforces.
export const wholeQuery = (pattern: string, described: object, texts: object) =>
  Type.Optional(
    Type.String({ pattern, 'x-described': { type: 'integer', ...described }, ...texts }),
  )

export const PageQuery = {
  limit: wholeQuery(
    '^(?:[1-9][0-9]?|100)$',
    { minimum: 1, maximum: 100 },
    {
      description: `Page size, 1 to 100. Default ${LIMIT_DEFAULT}.`,
      'x-says': 'Must be a whole number from 1 to 100.',
    },
  ),
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

// A query parameter that is true or false. parseFlag() converts it.
export const flag = (description: string) =>
  Type.Optional(
    Type.Unsafe<'true' | 'false'>({
      type: 'string',
      enum: ['true', 'false'],
      'x-described': { type: 'boolean' },
      description,
      'x-says': 'Must be true or false.',
    }),
  )

// A filter by one of several values.
export const choice = <T extends string>(values: readonly T[], description?: string) =>
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

// Parses the query parameters `from` and `to`. Refuses text that is no time, and an empty window.
export function parseWindow(range: { from?: string | undefined; to?: string | undefined }): Window {
  const errors: FieldError[] = []
  const readTime = (field: 'from' | 'to') => {
    const text = range[field]
    const time = text === undefined ? undefined : parseBankTime(withPlus(text))
    if (text !== undefined && !time) errors.push({ field, message: NOT_A_TIME })
    return time
  }
  const [from, to] = [readTime('from'), readTime('to')]
  if (from && to && to <= from) errors.push({ field: 'to', message: 'Must be later than from.' })
  if (errors.length > 0) throw new Refusal('invalid_request', errors)
  return { from, to }
}

// Parses the query parameter `at`: the moment in the past for which a report is made. Undefined means now.
export function parseAt({ at }: { at?: string | undefined }, now: Date): Date | undefined {
  if (at === undefined) return undefined
  const time = parseBankTime(withPlus(at))
  const message = time ? 'Must not be in the future.' : NOT_A_TIME
  if (!time || time > now) throw invalidField('at', message)
  return time
}

// Restores the + of a time's offset. An unescaped + in a query means a space, and most clients forget %2B.
function withPlus(text: string): string {
  return text.replace(/(:[0-9.,]+) ([0-9]{2}:?[0-9]{2})$/, '$1+$2')
}

// The schema of a page of results.
export function ListEnvelope<T extends TSchema>(item: T) {
  return named(
    `${schemaName(item)}Page`,
    {
      isSuccessful: Type.Boolean(),
      message: Type.String(),
      data: Type.Array(item),
      hasMore: Type.Boolean(),
      nextCursor: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    },
    { description: 'A page of results.' },
  )
}

// Builds a page from rows that were read with a limit of one more than the page shows. The extra row tells
// that there is a next page. `scannedTo` is the id at which a scan of bounded length stopped, or null if the
// scan reached the end: after such a scan, a short page can have a next page too.
export function scannedPage<T>(
  { rows, scannedTo }: { rows: readonly T[]; scannedTo: string | null },
  options: { limit: number; idOf: (row: T) => string; cursorAfter: (id: string) => string },
): Page<T> {
  const page = rows.slice(0, options.limit)
  const lastId = rows.length > options.limit ? options.idOf(page.at(-1) as T) : scannedTo
  return { rows: page, nextCursor: lastId === null ? null : options.cursorAfter(lastId) }
}

// Builds the body of a list: the page's rows, and the cursor of the next page.
export function listResponse<T, Item>(message: string, page: Page<T>, present: (row: T) => Item) {
  const { rows, nextCursor } = page
  const data = rows.map(present)
  return { isSuccessful: true, message, data, hasMore: nextCursor !== null, nextCursor }
}

const TotalFields = {
  currency: Type.String(),
  count: Type.Integer(),
  amount: Type.Number({ description: 'Sum of the amounts; of accounts, of their balances.' }),
}

const SummaryFields = {
  count: Type.Integer({ description: 'How many fit. If isExact is false, there are more.' }),
  isExact: Type.Boolean({
    description: `False beyond ${SUMMED_MAX.toLocaleString('en')} items, or where not all were read.`,
  }),
}

const summed = { description: 'By currency. Null unless isExact.' }

export const SummaryBody = named('ListSummary', {
  ...SummaryFields,
  totals: Type.Union([Type.Array(named('ListTotal', TotalFields)), Type.Null()], summed),
})

const PaymentTotalBody = named('PaymentTotal', {
  ...TotalFields,
  amountPaid: Type.Number({ description: 'Sum of what was paid.' }),
})

export const PaymentSummaryBody = named('PaymentSummary', {
  ...SummaryFields,
  totals: Type.Union([Type.Array(PaymentTotalBody), Type.Null()], summed),
})

export const SUMMARISED =
  `Takes the filters of the list. Exact up to ${SUMMED_MAX.toLocaleString('en')} items; beyond, or ` +
  'where a filter by amount or name leaves some of the history unread, isExact is false, count is ' +
  'a lower bound and totals is null: narrow the filters, e.g. by date.'

export function presentTotal({ currency, count, amountKobo }: Total) {
  return { currency, count: Number(count), amount: toNaira(amountKobo) }
}

// Returns a list's summary as the API shows it. `present` converts the total of each currency.
export function presentSummary<T extends Total, Item>(
  { count, isExact, totals }: Summary<T>,
  present: (total: T) => Item,
) {
  return { count, isExact, totals: totals === null ? null : totals.map(present) }
}

export const AmountQuery = {
  minAmount: Type.Optional(Amount),
  maxAmount: Type.Optional(Amount),
}

type AmountRange = {
  minAmount?: number | string | undefined
  maxAmount?: number | string | undefined
}

// Parses the query parameters minAmount and maxAmount.
export function parseAmounts({ minAmount, maxAmount }: AmountRange) {
  const [minKobo, maxKobo] = [minAmount, maxAmount].map((amount) =>
    amount === undefined ? undefined : (koboOf(amount) as Kobo),
  )
  if (minKobo !== undefined && maxKobo !== undefined && minKobo > maxKobo) {
    throw invalidField('maxAmount', 'Must not be less than minAmount.')
  }
  return { minKobo, maxKobo }
}
