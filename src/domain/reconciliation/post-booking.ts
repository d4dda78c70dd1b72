// Posts a line into the books, against the bank's account, and pairs the two (I67).
//
// Posts at the current time, whatever day the line has: nothing is posted into the past.
// Locks: the difference, which the caller holds; ledger accounts.

import type { Transaction } from '#db/transaction.ts'
import type { StatementLineId } from '#ids.ts'
import { bankOwner, type SharedAccount, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Difference } from './locked-differences.ts'
import { insertPair } from './record-resolutions.ts'

export type BookingDeps = { sharedAccounts: SharedAccounts; now: Date; actor: string }

type Posting = {
  difference: Difference
  against: SharedAccount
  movedKobo: Kobo // At most the amount of the line.
  reason: Transfer['reason']
}

// `restKobo`: the unbooked rest of the line.
export type Booked = { transferId: bigint; restKobo: Kobo }

export async function postBooking(
  tx: Transaction,
  { sharedAccounts, now, actor }: BookingDeps,
  { difference, against, movedKobo, reason }: Posting,
): Promise<Booked> {
  const { id: differenceId, bankCode, currency, amountKobo } = difference
  const bank: SharedAccount = { kind: 'bank', owner: bankOwner(bankCode), currency }
  await sharedAccounts.open([bank, against])
  const [bankId, againstId] = [sharedAccounts.id(bank), sharedAccounts.id(against)]
  const isCredit = amountKobo > 0n
  await postTransfers(tx, now, [
    {
      debitAccountId: isCredit ? bankId : againstId,
      creditAccountId: isCredit ? againstId : bankId,
      amountKobo: movedKobo,
      differenceId,
      reason,
    },
  ])
  const transferId = await findTransfer(tx, difference)
  const bookedKobo = kobo(isCredit ? movedKobo : -movedKobo)
  await insertPair(tx, now, {
    lineId: difference.lineId as StatementLineId,
    item: { kind: 'booked', id: transferId },
    amountKobo: bookedKobo,
    rule: 'booked',
    matchedBy: actor,
  })
  return { transferId, restKobo: kobo(amountKobo - bookedKobo) }
}

async function findTransfer(tx: Transaction, { id }: Difference): Promise<bigint> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'transfer-of-difference',
    text: 'select id from transfers where difference_id = $1',
    values: [id],
  })
  return (rows[0] as { id: bigint }).id
}
