// The actions that a person may take on a difference, by its kind. Pure.
//
//   book   brings the line into the books: a credit by the path of every credit, a charge or refund
//          of the bank to its cost account, a reversal by the path of every reversal, a payout as
//          paid after all or as returned (payout-differences.ts)
//   match  confirms the suggested item of the line
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

// paid: the client owes the money it got back. returned: the client gets the returned money. undone: the
// bank took and gave back, in this line and another, money that the books never had as paid.
export type PayoutBooking = 'paid' | 'returned' | 'undone'
export type Booking = 'credit' | 'charge' | 'reversal' | 'payout'

export type Resolvable = {
  kind: DifferenceKind
  amountKobo: Kobo // How much more the statement has than the books.
  lineKind: LineKind | null // Null: the difference is about an item or a statement.
  hasSuggestion: boolean
  payoutBooking: PayoutBooking | null // For a line that names a payout, by the current books.
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
  fee_differs: charge, // Also for a credit from which the bank withheld more than it reported.
  unexplained_debit: onlyCharges,
  currency_differs: nothing,
  sequence_gap: nothing,
  balance_gap: nothing,
}

function creditOf({ amountKobo }: LineDifference): Booking | undefined {
  return amountKobo > 0n && amountKobo <= AMOUNT_MAX_KOBO ? 'credit' : undefined
}

// The booking of the difference, if it may be booked.
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
