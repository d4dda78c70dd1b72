// What a person may do with a difference: one table, by its kind. Pure.
//
//   book   brings the line into the books: a credit by the path of every credit, a charge or refund
//          of the bank to its cost account, a reversal by the path of every reversal, a payout as
//          paid after all or as come back (payout-differences.ts)
//   match  confirms the item that the line is suggested to be for
//   note   explains it; it stays in the arithmetic

import type { LineKind } from '#banks/statements/statement.ts'
import { AMOUNT_MAX_KOBO, type Kobo } from '#money.ts'

export const ACTIONS = ['book', 'match', 'note'] as const
export type DifferenceAction = (typeof ACTIONS)[number]

export const DIFFERENCE_KINDS = [
  'missing_in_books',
  'missing_at_bank',
  'amount_differs',
  'duplicate_at_bank',
  'duplicate_in_books',
  'wrong_account',
  'reversed_at_bank',
  'payout_paid',
  'payout_returned',
  'fee_differs',
  'unexplained_debit',
  'currency_differs',
  'sequence_gap',
  'balance_gap',
] as const
export type DifferenceKind = (typeof DIFFERENCE_KINDS)[number]

// paid: the client owes what it was given back. returned: it is given what came back. undone: the line
// and another one, by which the bank took and gave back what the books never had as paid.
export type PayoutBooking = 'paid' | 'returned' | 'undone'
export type Booking = 'credit' | 'charge' | 'reversal' | 'payout'

export type Resolvable = {
  kind: DifferenceKind
  amountKobo: Kobo // By how much it makes the statement more than the books.
  lineKind: LineKind | null // Null: it is about an item, or about a statement.
  hasSuggestion: boolean
  payoutBooking: PayoutBooking | null // Of a line that names a payout, as the books are now.
}

type LineDifference = Resolvable & { lineKind: LineKind }
type BookingRule = (difference: LineDifference) => Booking | undefined

const CHARGES: readonly LineKind[] = ['fee', 'vat', 'stamp_duty']

const nothing: BookingRule = () => undefined
const charge: BookingRule = () => 'charge'
const payout: BookingRule = ({ payoutBooking }) => (payoutBooking ? 'payout' : undefined)
const onlyCharges: BookingRule = ({ lineKind }) =>
  CHARGES.includes(lineKind) ? 'charge' : undefined

const BOOKINGS: Readonly<Record<DifferenceKind, BookingRule>> = {
  missing_in_books: (difference) => onlyCharges(difference) ?? creditOf(difference),
  missing_at_bank: nothing,
  amount_differs: nothing,
  duplicate_at_bank: nothing,
  duplicate_in_books: nothing,
  wrong_account: nothing,
  reversed_at_bank: ({ amountKobo }) => (amountKobo < 0n ? 'reversal' : undefined),
  payout_paid: payout,
  payout_returned: payout,
  fee_differs: charge, // Also of a credit of which the bank withheld more than it told.
  unexplained_debit: onlyCharges,
  currency_differs: nothing,
  sequence_gap: nothing,
  balance_gap: nothing,
}

function creditOf({ amountKobo }: LineDifference): Booking | undefined {
  return amountKobo > 0n && amountKobo <= AMOUNT_MAX_KOBO ? 'credit' : undefined
}

// As what it would be booked, if it may be.
export function bookingOf(difference: Resolvable): Booking | undefined {
  const { kind, lineKind, amountKobo } = difference
  if (lineKind === null || amountKobo === 0n) return undefined
  return BOOKINGS[kind]({ ...difference, lineKind })
}

export function allowedActions(difference: Resolvable): DifferenceAction[] {
  const isAllowed: Record<DifferenceAction, boolean> = {
    book: bookingOf(difference) !== undefined,
    match: difference.hasSuggestion && difference.lineKind !== null,
    note: true,
  }
  return ACTIONS.filter((action) => isAllowed[action])
}
