// The count and the sum of a filtered list. Both are exact up to SUMMED_MAX items; beyond, or where
// a filter without an index leaves some items unread, the count is a lower bound and there is no
// sum: one of the newest alone would be taken for the whole.

import type { Kobo } from '#money.ts'

// 10,000 payments with their advices take some 60 ms.
export const SUMMED_MAX = 10_000

export type Total = { currency: string; count: bigint; amountKobo: Kobo }

export type Summary<T extends Total = Total> = {
  count: number
  isExact: boolean
  totals: T[] | null // By currency. Null: there are too many.
}

// Of at most one more than are summed; `isAll`: nothing was left unread.
export function summaryOf<T extends Total>(totals: T[], isAll: boolean): Summary<T> {
  const count = totals.reduce((sum, total) => sum + Number(total.count), 0)
  const isExact = isAll && count <= SUMMED_MAX
  return { count: Math.min(count, SUMMED_MAX), isExact, totals: isExact ? totals : null }
}
