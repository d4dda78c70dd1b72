// What is counted of a client's money, everywhere the same: in balances, in the overview, in the CSV
// of credits, on the dashboard. 0027_movements.sql has the same for transfers.
//
//   gross      what banks reported for the client's numbers, and what was assigned to the client
//              from unidentified suspense, at the moment of its assignment
//   reversed   what banks took back of it, wherever it was
//   returned   what went back to payers, as the banks confirmed
//   suspended  what of it is in suspense, or on its way back to a payer and not confirmed
//   net        gross − reversed − returned − suspended: on collection accounts and payments
//
// I34: each event says what it moved, so that the sums of events, of transfers and of the balances
// are one. What a bank took back after it had left us is its shortfall: no client's money moves.

import { CURRENCY, type Kobo, kobo } from '#money.ts'

export const PARTS = ['gross', 'reversed', 'returned', 'suspended'] as const
export type Part = (typeof PARTS)[number]

export type Sums = {
  grossKobo: Kobo
  reversedKobo: Kobo
  returnedKobo: Kobo
  suspendedKobo: Kobo
}

export function computeNet({ grossKobo, reversedKobo, returnedKobo, suspendedKobo }: Sums): Kobo {
  return kobo(grossKobo - reversedKobo - returnedKobo - suspendedKobo)
}

// As an event keeps it: changes in kobo, and whether it is the first that tells of a credit.
export type Moved = Partial<Record<Part, string>> & { credits?: 1 }

// The overview's sums are of one currency; what came in another shows in balances and the CSV.
export function moved(
  currency: string,
  changes: Partial<Record<Part, bigint>> & { credits?: 1 | 0 },
): { moved?: Moved } {
  if (currency !== CURRENCY) return {}
  const { credits, ...kobo } = changes
  const parts = Object.entries(kobo).map(([part, change]) => [part, change.toString()])
  return { moved: { ...(credits ? { credits } : {}), ...Object.fromEntries(parts) } }
}
