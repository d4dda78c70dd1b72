// Locates the money of a credit, part by part: the answer to "debited but not credited". A pure function
// of the credit and its suspense items.
//
// The parts always sum to the credit: money that is neither in our accounts nor returned was reversed.

import { type Kobo, kobo } from '#money.ts'
import type { SuspenseReason } from './judge-credit.ts'
import type { ItemState } from './suspense-history.ts'

// The reason why the credit `c`, or a part of it, is in suspense, or was last.
export const REASON_NOW = `coalesce(
  (select (array_agg(reason order by id desc))[1] from suspense_items where credit_id = c.id),
  c.reason)`

export type Place =
  | 'collection_account'
  | 'payment'
  | 'suspense'
  | 'returning'
  | 'returned'
  | 'reversed'

export type CreditLocation = {
  amountKobo: Kobo
  place: Place
  // Account number, payment reference, suspense item, return, or the bank's reference.
  reference: string | null
  reason: string | null // Why it is, or was, in suspense.
  description: string
}

export type ReturnStatus = 'pending' | 'confirmed' | 'failed'

// One attempt to return the money to the payer.
export type TracedReturn = {
  reference: string
  status: ReturnStatus
  amountKobo: Kobo
  bankReference: string | null
  failureReason: string | null
  requestedAt: Date
  settledAt: Date | null
}

export type TracedItem = {
  id: string
  amountKobo: Kobo
  reason: string
  state: ItemState
  accountNumber: string | null // The assigned collection account.
  paymentReference: string | null // The assigned payment.
  returns: TracedReturn[] // Oldest first.
  openedAt: Date
  closedAt: Date | null
}

type Parts = {
  amountKobo: Kobo
  bookedKobo: Kobo
  collectionAccountNumber: string | null
  paymentReference: string | null
  reversedBy: string | null // Session id of the last reversal.
  shortfallKobo: Kobo // Reversed after the money had left us.
  receivableKobo: Kobo // Reversed after the money had left the client.
  items: readonly TracedItem[]
}

export function locateCredit(credit: Parts): CreditLocation[] {
  const places: CreditLocation[] = []
  if (credit.bookedKobo > 0n) {
    const { collectionAccountNumber: number, paymentReference: payment } = credit
    places.push({ amountKobo: credit.bookedKobo, reason: null, ...placeOfOwner(number, payment) })
  }
  for (const item of credit.items) {
    if (item.state !== 'reversed') places.push(ofItem(item))
  }
  const heldKobo = places.reduce((sum, place) => sum + place.amountKobo, 0n)
  const reversedKobo = kobo(credit.amountKobo - heldKobo)
  if (reversedKobo > 0n) {
    places.push({
      amountKobo: reversedKobo,
      place: 'reversed',
      reference: credit.reversedBy,
      reason: null,
      description:
        'Reversed by the bank' +
        (credit.shortfallKobo + credit.receivableKobo > 0n
          ? ', along with funds that had already left.'
          : '.'),
    })
  }
  return places
}

export function sumInPlaces(locations: readonly CreditLocation[], ...places: Place[]): Kobo {
  const among = locations.filter(({ place }) => places.includes(place))
  return kobo(among.reduce((sum, { amountKobo }) => sum + amountKobo, 0n))
}

function ofItem(item: TracedItem): CreditLocation {
  const { amountKobo, reason } = item
  switch (item.state) {
    case 'assigned':
      return { amountKobo, reason, ...placeOfOwner(item.accountNumber, item.paymentReference) }
    case 'returning': {
      const description = 'Being returned to the payer; not yet confirmed by the bank.'
      const reference = item.returns.at(-1)?.reference ?? null
      return { amountKobo, reason, place: 'returning', reference, description }
    }
    case 'returned': {
      const reference = item.returns.at(-1)?.bankReference ?? null
      const description = 'Returned to the payer and confirmed by the bank.'
      return { amountKobo, reason, place: 'returned', reference, description }
    }
    default: {
      const description = `Held in suspense: ${reasonInWords(reason)}.`
      return { amountKobo, reason, place: 'suspense', reference: item.id, description }
    }
  }
}

function placeOfOwner(accountNumber: string | null, paymentReference: string | null) {
  if (accountNumber !== null) {
    const description = `In the balance of collection account ${accountNumber}.`
    return { place: 'collection_account', reference: accountNumber, description } as const
  }
  const description = `Applied to payment ${paymentReference}.`
  return { place: 'payment', reference: paymentReference, description } as const
}

const REASONS: Record<SuspenseReason, string> = {
  unknown_number: 'no virtual account has the number it was sent to',
  wrong_bank: 'another bank reported it than the one that has the number',
  wrong_currency: 'it is not in the currency of the account',
  amount_suspicious: 'the amount is above what is booked without a look',
  account_inactive: 'the collection account is not active',
  already_paid: 'the payment had been settled before',
  cancelled: 'the payment had been cancelled',
  payment_reversed: 'the payment had been reversed',
  late: 'it came after the payment had closed',
  below_minimum: 'it is less than the account accepts at a time',
  above_maximum: 'it is more than the account accepts at a time',
  over_credit_limit: 'it is more than the limit of the account for one credit',
  over_daily_limit: 'with it the account would have taken more than its limit for a day',
  over_balance_limit: 'with it the account would have held more than its limit',
  payer_not_allowed: 'the payer is not among those who may pay',
  amount_mismatch: 'it is not exactly the amount that was due',
  excess: 'it is more than was due',
  underpaid: 'the payment closed before the whole amount was there',
}

function reasonInWords(reason: string): string {
  return REASONS[reason as SuspenseReason] ?? reason.replaceAll('_', ' ')
}
