// Books a line that contradicts the books about a payout (payout-differences.ts):
//
//   paid      Receivable of the client → Bank    the bank did pay money that went back to the client
//   returned  Bank → the payout's source, as for a failed payout; the fee stays charged
//   undone    Shortfall → Bank and back, for both lines: in total the bank took nothing
//
// Books at most the amount of the payout. The rest of the line stays a difference: a charge of the bank.
// Locks: the difference and the matching of its bank, which the caller holds; the payout, so that nobody
// settles it meanwhile; ledger accounts; the client's event counter.

import type { Transaction } from '#db/transaction.ts'
import { recordPayoutChanges } from '#domain/payouts/payout-changes.ts'
import { returnedEvent } from '#domain/payouts/payout-events.ts'
import { givenBackTo } from '#domain/payouts/payout-postings.ts'
import { type LockedPayout, lockPayout } from '#domain/payouts/settle-payout.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { Refusal } from '#errors.ts'
import type { ClientId, DifferenceId, PayoutId } from '#ids.ts'
import { bankOwner, clientOwner, type SharedAccount } from '#ledger/accounts.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { type Difference, getDifference, lockDifference } from './locked-differences.ts'
import { type Booked, type BookingDeps, postBooking } from './post-booking.ts'

type BookedLine = Booked & { difference: Difference }

// Returns the bookings of this line and, if undone, of the other one.
export async function bookPayout(
  tx: Transaction,
  deps: BookingDeps,
  { id, payoutId, payoutBooking }: Difference,
): Promise<BookedLine[]> {
  const payout = await lockPayout(tx, payoutId as PayoutId)
  const difference = await getDifference(tx, id)
  // The payout was settled just now.
  if (difference.payoutBooking !== payoutBooking) throw new Refusal('try_again')
  const lines = [difference]
  if (payoutBooking === 'undone') {
    const twin = await lockDifference(tx, difference.twinId as DifferenceId)
    lines.push(twin)
    lines.sort(debitFirst) // The shortfall must exist before it is given back.
  }
  const booked: BookedLine[] = []
  for (const line of lines) {
    booked.push({
      ...(await bookLine(tx, deps, { line, payout, payoutBooking })),
      difference: line,
    })
  }
  return booked
}

const debitFirst = (one: Difference, other: Difference) => Number(one.amountKobo - other.amountKobo)

type LineBooking = {
  line: Difference
  payout: LockedPayout
  payoutBooking: Difference['payoutBooking']
}

async function bookLine(tx: Transaction, deps: BookingDeps, of: LineBooking): Promise<Booked> {
  const { line, payout, payoutBooking } = of
  const isPaid = line.amountKobo < 0n
  const whole = kobo(isPaid ? -line.amountKobo : line.amountKobo)
  const movedKobo = least(whole, limitOf(of))
  const reason = payout.purpose === 'refund' ? 'refunded' : 'paid'
  const against = otherSide(of)
  const booked = await postBooking(tx, deps, { difference: line, against, movedKobo, reason })
  await recordPayoutChanges(tx, deps.now, {
    payoutIds: [payout.id],
    change: isPaid ? 'paid_at_bank' : 'returned_by_bank',
    changedBy: deps.actor,
    detail: `${formatKobo(movedKobo)} ${line.currency}`,
  })
  if (payoutBooking === 'returned') {
    const returned = { id: payout.id, returnedKobo: movedKobo }
    await appendEvents(tx, deps.now, await returnedEvent(tx, deps.now, returned))
  }
  return booked
}

// The two lines of an undone payout have the same amount, whatever the payout's.
function limitOf({ line, payout, payoutBooking }: LineBooking): Kobo | undefined {
  if (payoutBooking === 'undone') return undefined
  return payoutBooking === 'paid' ? payout.amountKobo : (line.paidKobo as Kobo)
}

const least = (one: Kobo, other: Kobo | undefined) =>
  other === undefined || one < other ? one : other

function otherSide({ line, payout, payoutBooking }: LineBooking): SharedAccount {
  const { bankCode, currency } = line
  if (payoutBooking === 'undone') return { kind: 'shortfall', owner: bankOwner(bankCode), currency }
  if (payoutBooking === 'returned') return givenBackTo(payout)
  return { kind: 'receivable', owner: clientOwner(payout.clientId as ClientId), currency }
}
