// The model's use of a bank's transfer time.

import type { Books, Lease } from './model-books.ts'
import type { CreditReport } from './model-money.ts'
import { Payment } from './model-places.ts'

const HOUR_MS = 3_600_000
const BELIEVED_MS = 72 * HOUR_MS

// The bank's time, if plausible: not before the payment, not days ago, and not exactly midnight in Lagos,
// which is only a date.
export function timeOf(books: Books, payment: Payment, { agoMs }: CreditReport): number | null {
  if (agoMs === undefined || agoMs > BELIEVED_MS) return null
  const at = books.now - agoMs
  return at < payment.createdAt || (at + HOUR_MS) % (24 * HOUR_MS) === 0 ? null : at
}

// More than a day: bank clocks are not that wrong.
function isBefore(books: Books, payment: Payment, { agoMs }: CreditReport): boolean {
  return agoMs !== undefined && payment.createdAt - (books.now - agoMs) > 24 * HOUR_MS
}

// A requery may find credits that are older than the payment.
export function isFoundBefore(books: Books, payment: Payment, credit: CreditReport): boolean {
  return credit.source === 'requery' && isBefore(books, payment, credit)
}

// Sent for an earlier holder of the number, so it is not the current holder's.
export function isOfEarlierHolder(
  books: Books,
  { owner, isReused }: Lease,
  credit: CreditReport,
): boolean {
  return isReused === true && owner instanceof Payment && isBefore(books, owner, credit)
}
