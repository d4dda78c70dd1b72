// Sending suspended money back to its payer, in two steps, because a bank must be asked in between
// and nothing may be held while we wait for it:
//
//   open ──requested──▶ returning ──confirmed──▶ returned
//     ▲                     │
//     └───────failed────────┘
//
// While it is on its way, the money stands on the bank's `returning` account.

import type { ReturnInstruction, ReturnResult } from '#banks/connector.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { bankOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { toNaira } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { recordAction } from './actions.ts'
import type { Client } from './clients.ts'
import { appendEvents, type NewEvent } from './events.ts'
import { refuseUnapproved } from './four-eyes.ts'
import { moved } from './movements.ts'
import { explainReversal, type ToldReversal } from './reversed-credits.ts'
import { lockVisibleItem } from './suspense-assignments.ts'
import { recordSuspenseChanges } from './suspense-changes.ts'
import {
  type LockedItem,
  lockItems,
  markCredit,
  readOutcomes,
  reopenItems,
  takeFromItems,
} from './suspense-items.ts'

type Deps = { sharedAccounts: SharedAccounts; now: Date }
type Asking = Deps & {
  by: Client
  actor: string
  note: string | null
  isApproved?: boolean // By a second person, where four eyes are wanted.
}

// Again is fine: money that is on its way, or back, stays so.
export async function requestReturn(
  tx: Transaction,
  { sharedAccounts, now, by, actor, note, isApproved = false }: Asking,
  itemId: bigint,
): Promise<void> {
  const item = await lockVisibleItem(tx, by, itemId)
  if (item.state === 'returning' || item.state === 'returned') return
  if (item.state !== 'open') throw new Refusal('suspense_closed')
  if (!isApproved) await refuseUnapproved(tx, by.id, item.id)
  const { bankCode, currency, creditId, amountKobo } = item
  const returning = { kind: 'returning', owner: bankOwner(bankCode), currency } as const
  await sharedAccounts.open([returning])
  const creditAccountId = sharedAccounts.id(returning)
  await postTransfers(tx, now, [
    { debitAccountId: item.accountId, creditAccountId, amountKobo, creditId, reason: 'return' },
  ])
  await tx.query({
    name: 'suspense-item-returning',
    text: `update suspense_items set state = 'returning', closed_at = $2 where id = $1`,
    values: [item.id, now],
  })
  await recordSuspenseChanges(tx, now, [{ item, change: 'return_requested' }])
  await recordAction(tx, now, {
    clientId: by.id,
    actor,
    action: 'suspense.return',
    subject: `suspense/${item.id}`,
    detail: { note },
  })
}

// What banks are to be told. Sent again until they answer.
export async function findInstructions(
  db: Queryable,
  sealer: Sealer,
  { afterId, limit }: { afterId: bigint; limit: number },
): Promise<(ReturnInstruction & { itemId: bigint })[]> {
  const { rows } = await db.query({
    name: 'return-instructions',
    text: `select i.id, i.amount_kobo, c.bank_code, c.session_id, c.currency,
                  c.source_account_sealed, c.source_account_name, c.source_bank_code
             from suspense_items i join credits c on c.id = i.credit_id
            where i.state = 'returning' and i.id > $1
            order by i.id
            limit $2`,
    values: [afterId, limit],
  })
  return rows.map((row) => ({
    itemId: row.id,
    reference: returnReference(row.id),
    bankCode: row.bank_code,
    sessionId: row.session_id,
    amountKobo: row.amount_kobo,
    currency: row.currency,
    toAccountNumber: row.source_account_sealed && sealer.open(row.source_account_sealed),
    toAccountName: row.source_account_name,
    toBankCode: row.source_bank_code,
  }))
}

export function returnReference(itemId: bigint): string {
  return `RTN${itemId.toString().padStart(12, '0')}`
}

export function parseReturnReference(reference: string): bigint | undefined {
  return /^RTN[0-9]{12,18}$/.test(reference) ? BigInt(reference.slice(3)) : undefined
}

// Answers false when nothing was on its way: it was settled before, or never was.
export async function settleReturn(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  itemId: bigint,
  result: ReturnResult,
  fromBank?: string, // Who says so, when it is a bank.
): Promise<boolean> {
  const [item] = await lockItems(tx, 'id', itemId)
  if (item?.state !== 'returning' || result.status === 'pending') return false
  if (fromBank !== undefined && fromBank !== item.bankCode) return false
  const { bankCode, currency, creditId, amountKobo, clientId } = item
  const owner = bankOwner(bankCode)
  const returning = { kind: 'returning', owner, currency } as const
  const bank = { kind: 'bank', owner, currency } as const
  await sharedAccounts.open([returning, bank])
  const debitAccountId = sharedAccounts.id(returning)
  if (result.status === 'failed') {
    await putBack(tx, { sharedAccounts, now }, item, debitAccountId)
    return true
  }
  const creditAccountId = sharedAccounts.id(bank)
  await postTransfers(tx, now, [
    { debitAccountId, creditAccountId, amountKobo, creditId, reason: 'returned' },
  ])
  await tx.query({
    name: 'suspense-item-returned',
    text: `update suspense_items
              set state = 'returned', closed_at = $2, return_reference = $3 where id = $1`,
    values: [item.id, now, result.bankReference],
  })
  const { bankReference } = result
  await recordSuspenseChanges(tx, now, [{ item, change: 'returned', reference: bankReference }])
  await markCredit(tx, creditId, 'returned')
  if (clientId !== null) {
    const outcome = (await readOutcomes(tx, [creditId])).get(creditId)
    const { reason } = item
    const facts = { amountReturned: toNaira(amountKobo), bankReference, reason, outcome }
    const change = moved(currency, { returned: amountKobo, suspended: -amountKobo })
    await appendEvents(tx, now, [{ clientId, type: 'credit.returned', creditId, facts, ...change }])
  }
  return true
}

// A return that failed is in suspense again; but what the bank took back meanwhile, as a shortfall,
// is made good with it first, or we would hold for a payer what the bank has.
async function putBack(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  sent: LockedItem,
  debitAccountId: bigint,
): Promise<void> {
  let item = sent // What is left of it.
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
    leftKobo -= amountKobo
    const creditAccountId = sharedAccounts.id(shortfall)
    transfers.push({ debitAccountId, creditAccountId, amountKobo, creditId, reason: 'reversal' })
    await tx.query({
      name: 'make-shortfall-good',
      text: 'update reversals set shortfall_kobo = shortfall_kobo - $2 where id = $1',
      values: [id, amountKobo],
    })
    await takeFromItems(tx, now, [{ item, takenKobo: amountKobo }], reversal.sessionId)
    item = { ...item, amountKobo: leftKobo }
    if (clientId === null) continue
    const change = moved(currency, { reversed: amountKobo, suspended: -amountKobo })
    const told = { ...reversal, shortfallKobo: shortfallKobo - amountKobo }
    const event = { clientId, type: 'credit.reversed', creditId, facts: {}, ...change } as const
    events.push(...(await explainReversal(tx, creditId, told, [event])))
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
}

async function lockShortfalls(tx: Transaction, creditId: bigint) {
  const { rows } = await tx.query<ToldReversal & { id: bigint }>({
    name: 'lock-shortfalls',
    text: `select id, session_id as "sessionId", amount_kobo as "amountKobo",
                  shortfall_kobo as "shortfallKobo"
             from reversals
            where credit_id = $1 and shortfall_kobo > 0 order by id for no key update`,
    values: [creditId],
  })
  return rows
}
