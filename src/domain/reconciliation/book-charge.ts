// Books what a statement says that the bank charged us, or gave back of it:
//
//   fee, stamp duty   Bank cost → Bank
//   VAT               Input VAT → Bank
//   given back        the other way, as far as such a cost is booked; the rest stays a difference
//
// and what it took that cannot be booked otherwise (book-reversal.ts): Shortfall → Bank.
//
// Posted now, whatever day the line is of: nothing is posted into the past. Its pair is inserted in
// the same transaction (I67).
// Locks: the difference, which the caller holds; ledger accounts.

import type { Transaction } from '#db/transaction.ts'
import { lockBalances } from '#domain/credits/reversal-locks.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, StatementLineId } from '#ids.ts'
import { bankOwner, type SharedAccount, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Difference } from './locked-differences.ts'
import { insertPair } from './record-resolutions.ts'

type Deps = { sharedAccounts: SharedAccounts; now: Date; actor: string }

type Booked = { transferId: bigint; restKobo: Kobo }

// Answers the item, and what could not be booked.
export function bookCharge(tx: Transaction, deps: Deps, difference: Difference): Promise<Booked> {
  return bookAgainst(tx, deps, { difference, kind: costKind(difference), reason: 'bank_charge' })
}

// Owed by the bank, until it is recovered or written off (adjust-debts.ts).
export function bookShortfall(tx: Transaction, deps: Deps, difference: Difference) {
  return bookAgainst(tx, deps, { difference, kind: 'shortfall', reason: 'reversal' })
}

type Against = {
  difference: Difference
  kind: 'bank_cost' | 'input_vat' | 'shortfall'
  reason: 'bank_charge' | 'reversal'
}

async function bookAgainst(
  tx: Transaction,
  { sharedAccounts, now, actor }: Deps,
  { difference, kind, reason }: Against,
): Promise<Booked> {
  const { id: differenceId, bankCode, currency, amountKobo } = difference
  const owner = bankOwner(bankCode)
  const cost: SharedAccount = { kind, owner, currency }
  const bank: SharedAccount = { kind: 'bank', owner, currency }
  await sharedAccounts.open([bank, cost])
  const [bankId, costId] = [sharedAccounts.id(bank), sharedAccounts.id(cost)]
  const isRefund = amountKobo > 0n
  const movedKobo = isRefund ? await refundable(tx, costId, amountKobo) : kobo(-amountKobo)
  await postTransfers(tx, now, [
    {
      debitAccountId: isRefund ? bankId : costId,
      creditAccountId: isRefund ? costId : bankId,
      amountKobo: movedKobo,
      differenceId,
      reason,
    },
  ])
  const transferId = await findTransfer(tx, difference)
  const bookedKobo = kobo(isRefund ? movedKobo : -movedKobo)
  await insertPair(tx, now, {
    lineId: difference.lineId as StatementLineId,
    item: { kind: 'booked', id: transferId },
    amountKobo: bookedKobo,
    rule: 'booked',
    matchedBy: actor,
  })
  return { transferId, restKobo: kobo(amountKobo - bookedKobo) }
}

// What a bank withheld of a credit is not told apart: all of it is a cost.
function costKind({ lineKind }: Difference): 'bank_cost' | 'input_vat' {
  return lineKind === 'vat' ? 'input_vat' : 'bank_cost'
}

async function refundable(tx: Transaction, costId: AccountId, amountKobo: Kobo): Promise<Kobo> {
  const balances = await lockBalances(tx, [costId])
  const bookedKobo = kobo(-(balances.get(costId) ?? 0n)) // It grows by debits.
  if (bookedKobo <= 0n) throw new Refusal('cost_not_booked')
  return bookedKobo < amountKobo ? bookedKobo : amountKobo
}

async function findTransfer(tx: Transaction, { id }: Difference): Promise<bigint> {
  const { rows } = await tx.query<{ id: bigint }>({
    name: 'transfer-of-difference',
    text: 'select id from transfers where difference_id = $1',
    values: [id],
  })
  return (rows[0] as { id: bigint }).id
}
