// Puts the money of a failed return back into suspense.

import type { Transaction } from '#db/transaction.ts'
import { explainReversal } from '#domain/credits/reversal-events.ts'
import { recordSuspenseChanges } from '#domain/credits/suspense-history.ts'
import { type LockedItem, reduceItems, reopenItems } from '#domain/credits/suspense-items.ts'
import type { NewEvent, ReversalFacts } from '#domain/records/event-types.ts'
import { moved } from '#domain/records/movements.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import type { AccountId, CreditId } from '#ids.ts'
import { bankOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'

type Deps = { sharedAccounts: SharedAccounts; now: Date }

// If the bank reversed the credit meanwhile, the money first covers that shortfall; otherwise we would
// hold for the payer money that the bank has. Returns the remaining amount.
export async function putBack(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { sent, debitAccountId }: { sent: LockedItem; debitAccountId: AccountId },
): Promise<Kobo> {
  let item = sent
  const { creditId, clientId, currency } = item
  const owed = await lockShortfalls(tx, creditId)
  const transfers: Transfer[] = []
  const events: NewEvent[] = []
  let leftKobo = item.amountKobo
  const shortfall = { kind: 'shortfall', owner: bankOwner(item.bankCode), currency } as const
  await sharedAccounts.open([shortfall])
  for (const { id, shortfallKobo, ...reversal } of owed) {
    const isEnough = leftKobo >= shortfallKobo
    const amountKobo = isEnough ? shortfallKobo : leftKobo
    if (amountKobo === 0n) break
    leftKobo = kobo(leftKobo - amountKobo)
    const creditAccountId = sharedAccounts.id(shortfall)
    transfers.push({ debitAccountId, creditAccountId, amountKobo, creditId, reason: 'reversal' })
    await tx.query({
      name: 'make-shortfall-good',
      text: 'update reversals set shortfall_kobo = shortfall_kobo - $2 where id = $1',
      values: [id, amountKobo],
    })
    await reduceItems(tx, now, {
      takings: [{ item, takenKobo: amountKobo }],
      reference: reversal.sessionId,
    })
    item = { ...item, amountKobo: leftKobo }
    if (clientId === null) continue
    const change = moved(currency, { reversed: amountKobo, suspended: -amountKobo })
    const facts = { ...reversal, shortfallKobo: kobo(shortfallKobo - amountKobo) }
    const event = { clientId, type: 'credit.reversed', creditId, facts: {}, ...change } as const
    events.push(...(await explainReversal(tx, creditId, { reversal: facts, events: [event] })))
  }
  if (leftKobo > 0n) {
    const creditAccountId = item.accountId
    const put = { debitAccountId, creditAccountId, amountKobo: leftKobo, creditId }
    transfers.push({ ...put, reason: 'return_failed' })
    await reopenItems(tx, [item.id])
    await recordSuspenseChanges(tx, now, [{ item, change: 'return_failed' }])
  }
  await postTransfers(tx, now, transfers)
  await appendEvents(tx, now, events)
  return leftKobo
}

async function lockShortfalls(tx: Transaction, creditId: CreditId) {
  const { rows } = await tx.query<ReversalFacts & { id: CreditId }>({
    name: 'lock-shortfalls',
    text: `select id, session_id as "sessionId", amount_kobo as "amountKobo",
                  shortfall_kobo as "shortfallKobo", receivable_kobo as "receivableKobo"
             from reversals
            where credit_id = $1 and shortfall_kobo > 0 order by id for no key update`,
    values: [creditId],
  })
  return rows
}
