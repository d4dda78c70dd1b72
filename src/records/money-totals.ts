// The seven totals of a client's money, the same in balances, the overview, the CSV of credits and
// the dashboard. 0020_reports.sql defines them for transfers of credits, and reports/hourly-totals.ts
// for transfers of refunds.
//
//   gross      reported by banks for the client's numbers, or assigned to the client from
//              unidentified suspense, at the moment of assignment
//   reversed   taken back by banks, from any account
//   returned   sent back to payers from suspense, as confirmed by the banks
//   refunded   refunded to payers from booked money, as confirmed by the banks
//   suspended  in suspense, or being returned and not yet confirmed
//   fees       charged by the operator, VAT included, less refunded fees (0005_fees.sql)
//   net        gross − reversed − returned − refunded − suspended − fees: the rest of the money booked
//              to collection accounts and payments
//
// I34: each event states the amounts it moved, except refunds, which are read from their transfers. So the
// sums of events, transfers and balances are equal. A reversal of money already returned is a
// shortfall of the bank and moves no client's money.

import { CURRENCY, type Kobo, kobo } from '#money.ts'

export const PARTS = ['gross', 'reversed', 'returned', 'suspended', 'fees'] as const
export type Part = (typeof PARTS)[number]

export type Sums = {
  grossKobo: Kobo
  reversedKobo: Kobo
  returnedKobo: Kobo
  suspendedKobo: Kobo
  feesKobo: Kobo
  refundedKobo: Kobo
}

// Computes the net by its definition in the file header.
export function computeNet(sums: Sums): Kobo {
  const { grossKobo, reversedKobo, returnedKobo, refundedKobo, suspendedKobo, feesKobo } = sums
  return kobo(grossKobo - reversedKobo - returnedKobo - refundedKobo - suspendedKobo - feesKobo)
}

// How an event changes the sums, as stored with the event: amounts are kobo as text. `credits` is 1 for the
// first event of a credit, so that each credit is counted once.
export type Moved = Partial<Record<Part, string>> & { credits?: 1 }

// How an event changes the sums, as the code that books money computes it: amounts are kobo as bigint.
export type Changes = Partial<Record<Part, bigint>> & { credits?: 1 | 0 }

// Returns the field `moved` that an event stores: how the event changes the sums of the overview. Returns
// no field if nothing changes. Other currencies change nothing, because the overview sums one currency;
// balances and the CSV show them.
export function overviewChanges(currency: string, changes: Changes): { moved?: Moved } {
  if (currency !== CURRENCY) return {}
  const moved: Moved = changes.credits ? { credits: 1 } : {}
  let isEmpty = !changes.credits
  for (const part of PARTS) {
    const change = changes[part]
    if (change === undefined || (part === 'fees' && change === 0n)) continue
    moved[part] = change.toString()
    isEmpty = false
  }
  return isEmpty ? {} : { moved }
}
