// The count and the sum of a filtered list, as the API gives them.

import { Type } from '@fastify/type-provider-typebox'
import { SUMMED_MAX, type Summary, type Total } from '#db/summaries.ts'
import { type FieldError, Refusal } from '#errors.ts'
import { type Kobo, koboOf, toNaira } from '#money.ts'
import { Amount, named } from './schemas.ts'

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

export function presentSummary<T extends Total, Shown>(
  { count, isExact, totals }: Summary<T>,
  present: (total: T) => Shown,
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

export function parseAmounts({ minAmount, maxAmount }: AmountRange) {
  const [minKobo, maxKobo] = [minAmount, maxAmount].map((amount) =>
    amount === undefined ? undefined : (koboOf(amount) as Kobo),
  )
  if (minKobo !== undefined && maxKobo !== undefined && minKobo > maxKobo) {
    const message = 'Must not be less than minAmount.'
    throw new Refusal('invalid_request', [{ field: 'maxAmount', message }] satisfies FieldError[])
  }
  return { minKobo, maxKobo }
}
