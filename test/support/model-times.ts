// What the model makes of when a bank says that a transfer was made.

import type { Books } from './model-books.ts'
import type { CreditReport } from './model-money.ts'
import type { Payment } from './model-places.ts'

const HOUR_MS = 3_600_000
const BELIEVED_MS = 72 * HOUR_MS

// When it was made, where the bank can be believed: not before the payment, not days ago, and not on
// the stroke of midnight in Lagos, which is a mere date.
export function timeOf(books: Books, payment: Payment, { agoMs }: CreditReport): number | null {
  if (agoMs === undefined || agoMs > BELIEVED_MS) return null
  const at = books.now - agoMs
  return at < payment.createdAt || (at + HOUR_MS) % (24 * HOUR_MS) === 0 ? null : at
}

// What a requery finds may have been sent to whoever had the number before.
export function isOfEarlierPayment(
  books: Books,
  payment: Payment,
  { agoMs, source }: CreditReport,
) {
  return (
    source === 'requery' &&
    agoMs !== undefined &&
    payment.createdAt - (books.now - agoMs) > 24 * HOUR_MS
  )
}
