// How the model (model.ts) uses the time that a bank reports for a transfer.

import type { Books, Lease } from './model-books.ts'
import type { CreditReport } from './model-money.ts'
import { Payment } from './model-places.ts'

const HOUR_MS = 3_600_000
const BELIEVED_MS = 72 * HOUR_MS

// The bank's time of the transfer, if it is plausible: not before the payment began, at most three days
// ago, and not exactly midnight in Lagos, since some banks report only the date.
export function timeOf(books: Books, payment: Payment, { agoMs }: CreditReport): number | null {
  if (agoMs === undefined || agoMs > BELIEVED_MS) return null
  const bankTime = books.now - agoMs
  const isMidnight = (bankTime + HOUR_MS) % (24 * HOUR_MS) === 0
  return bankTime < payment.createdAt || isMidnight ? null : bankTime
}

// Whether the transfer was made before the payment began: by more than a day, since bank clocks may be
// wrong by less.
function isBefore(books: Books, payment: Payment, { agoMs }: CreditReport): boolean {
  return agoMs !== undefined && payment.createdAt - (books.now - agoMs) > 24 * HOUR_MS
}

// Whether a requery found a credit that is older than the payment.
export function isFoundBefore(books: Books, payment: Payment, credit: CreditReport): boolean {
  return credit.source === 'requery' && isBefore(books, payment, credit)
}

// Whether the payer sent the credit to an earlier holder of the number, so that it is not for the current
// one.
export function isOfEarlierHolder(
  books: Books,
  { owner, isReused }: Lease,
  credit: CreditReport,
): boolean {
  return isReused === true && owner instanceof Payment && isBefore(books, owner, credit)
}
