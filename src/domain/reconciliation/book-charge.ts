// Books a bank's charge that is on a statement, or its refund:
//
//   fee, stamp duty   Bank cost → Bank
//   VAT               Input VAT → Bank
//   refund            the other way, up to the booked cost; the rest stays a difference
//
// Also books debits that cannot be booked otherwise (book-reversal.ts): Shortfall → Bank.
// Locks: the difference, which the caller holds; ledger accounts.

import type { Transaction } from '#db/transaction.ts'
import { lockBalances } from '#domain/credits/reversal-locks.ts'
import { Refusal } from '#errors.ts'
import { bankOwner, type SharedAccount, type SharedAccounts } from '#ledger/accounts.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Difference } from './locked-differences.ts'
import { type Booked, type BookingDeps, postBooking } from './post-booking.ts'

// Returns the item and the amount that was not booked.
export async function bookCharge(
  tx: Transaction,
  deps: BookingDeps,
  difference: Difference,
): Promise<Booked> {
  const { bankCode, currency, amountKobo } = difference
  const cost: SharedAccount = { kind: costKind(difference), owner: bankOwner(bankCode), currency }
  const movedKobo =
    amountKobo > 0n
      ? await refundable(tx, deps.sharedAccounts, { cost, amountKobo })
      : kobo(-amountKobo)
  return postBooking(tx, deps, { difference, against: cost, movedKobo, reason: 'bank_charge' })
}

// The bank owes the money until it is recovered or written off (adjust-debts.ts).
export function bookShortfall(
  tx: Transaction,
  deps: BookingDeps,
  difference: Difference,
): Promise<Booked> {
  const { bankCode, currency, amountKobo } = difference
  const against: SharedAccount = { kind: 'shortfall', owner: bankOwner(bankCode), currency }
  const movedKobo = kobo(-amountKobo)
  return postBooking(tx, deps, { difference, against, movedKobo, reason: 'reversal' })
}

// Bank fee and stamp duty are booked as bank cost.
function costKind({ lineKind }: Difference): 'bank_cost' | 'input_vat' {
  return lineKind === 'vat' ? 'input_vat' : 'bank_cost'
}

async function refundable(
  tx: Transaction,
  sharedAccounts: SharedAccounts,
  { cost, amountKobo }: { cost: SharedAccount; amountKobo: Kobo },
): Promise<Kobo> {
  await sharedAccounts.open([cost])
  const costId = sharedAccounts.id(cost)
  const balances = await lockBalances(tx, [costId])
  const bookedKobo = kobo(-(balances.get(costId) ?? 0n)) // A cost grows by debits.
  if (bookedKobo <= 0n) throw new Refusal('cost_not_booked')
  return bookedKobo < amountKobo ? bookedKobo : amountKobo
}
