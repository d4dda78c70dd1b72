// What the model makes of when a bank says that a transfer was made.

import type { Books, Lease } from './model-books.ts'
import type { CreditReport } from './model-money.ts'
import { Payment } from './model-places.ts'

const HOUR_MS = 3_600_000
const BELIEVED_MS = 72 * HOUR_MS

// When it was made, where the bank can be believed: not before the payment, not days ago, and not on
// the stroke of midnight in Lagos, which is a mere date.
export function timeOf(books: Books, payment: Payment, { agoMs }: CreditReport): number | null {
  if (agoMs === undefined || agoMs > BELIEVED_MS) return null
  const at = books.now - agoMs
  return at < payment.createdAt || (at + HOUR_MS) % (24 * HOUR_MS) === 0 ? null : at
}

// More than a day: the clocks of banks are not that wrong.
function isBefore(books: Books, payment: Payment, { agoMs }: CreditReport): boolean {
  return agoMs !== undefined && payment.createdAt - (books.now - agoMs) > 24 * HOUR_MS
}

// What a requery finds may be older than the payment.
export function isFoundBefore(books: Books, payment: Payment, credit: CreditReport): boolean {
  return credit.source === 'requery' && isBefore(books, payment, credit)
}

// Sent to whoever had the number before, and so nobody's who has it now.
export function isOfEarlierHolder(
  books: Books,
  { owner, isReused }: Lease,
  credit: CreditReport,
): boolean {
  return isReused === true && owner instanceof Payment && isBefore(books, owner, credit)
}
