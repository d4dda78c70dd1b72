// Returns suspended money to its payer, in two steps: the bank is called in between, and no
// transaction may stay open meanwhile.
//
//   item    open ──requested──▶ returning ──confirmed──▶ returned
//             ▲                     │
//             └───────failed────────┘
//
// Each request creates a return (returns.ts) with a permanent reference. While it is pending, the
// money is on the bank's `returning` account. A return is written only under the lock of its item.

import type { ReturnResult } from '#banks/return-senders.ts'
import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { explainReversal } from '#domain/credits/reversal-events.ts'
import { recordSuspenseChanges } from '#domain/credits/suspense-history.ts'
import {
  type LockedItem,
  lockItems,
  markCredit,
  readOutcomes,
  reduceItems,
  reopenItems,
} from '#domain/credits/suspense-items.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import type { NewEvent, ReversalFacts } from '#domain/records/event-types.ts'
import { moved } from '#domain/records/movements.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, CreditId, SuspenseItemId } from '#ids.ts'
import { bankOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import { lockVisibleItem } from './assign-suspense.ts'
import { refuseUnapproved } from './maker-checker.ts'
import { newReturnReference } from './returns.ts'

type Deps = { sharedAccounts: SharedAccounts; now: Date }
type Asking = Deps & {
  by: Client
  actor: string
  note: string | null
  isApproved?: boolean // By a second person, where four eyes are wanted.
}

// Idempotent: a return in progress or completed is left as it is.
export async function requestReturn(
  tx: Transaction,
  { sharedAccounts, now, by, actor, note, isApproved = false }: Asking,
  itemId: SuspenseItemId,
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
  const reference = newReturnReference()
  await tx.query({
    name: 'insert-return',
    text: `insert into returns (reference, item_id, amount_kobo, requested_by, requested_at)
           values ($1, $2, $3, $4, $5)`,
    values: [reference, item.id, amountKobo, actor, now],
  })
  await recordSuspenseChanges(tx, now, [{ item, change: 'return_requested', reference }])
  await writeAuditLog(tx, now, {
    clientId: by.id,
    actor,
    action: 'suspense.return',
    subject: `suspense/${item.id}`,
    detail: { note, returnReference: reference },
  })
}

export type Verdict = Exclude<ReturnResult, { status: 'pending' }>

type Settling = {
  reference: string
  verdict: Verdict
  by: string // `bank:035`, or the operator's actor.
  fromBank?: string // Who says so, when it is a bank.
}

// Answers false when no such return is pending: it was settled before, or never was.
export async function settleReturn(
  tx: Transaction,
  deps: Deps,
  { reference, verdict, by, fromBank }: Settling,
): Promise<boolean> {
  const found = await lockReturn(tx, reference)
  if (found?.status !== 'pending') return false
  if (fromBank !== undefined && fromBank !== found.item.bankCode) return false
  await settle(tx, deps, { sent: found, verdict, by })
  return true
}

// The operator executed it at the bank, or could not. The same again is fine; anything else of what
// was settled is refused.
export async function settleByHand(
  tx: Transaction,
  deps: Deps & { by: Client; actor: string },
  { reference, verdict }: { reference: string; verdict: Verdict },
): Promise<void> {
  const { now, by, actor } = deps
  const found = await lockReturn(tx, reference)
  if (!found) throw new Refusal('return_not_found')
  if (found.status !== 'pending') return refuseOtherwise(found, verdict)
  await settle(tx, deps, { sent: found, verdict, by: actor })
  const { status, ...detail } = verdict
  await writeAuditLog(tx, now, {
    clientId: by.id,
    actor,
    action: status === 'confirmed' ? 'return.confirm' : 'return.fail',
    subject: `return/${reference}`,
    detail,
  })
}

type LockedReturn = {
  reference: string
  status: 'pending' | Verdict['status']
  bankReference: string | null
  item: LockedItem
}

// Read again under the lock of its item, which all who settle it take first.
async function lockReturn(tx: Transaction, reference: string): Promise<LockedReturn | undefined> {
  const itemOf = await tx.query<{ itemId: SuspenseItemId }>({
    name: 'item-of-return',
    text: 'select item_id as "itemId" from returns where reference = $1',
    values: [reference],
  })
  const itemId = itemOf.rows[0]?.itemId
  if (itemId === undefined) return undefined
  const [item] = (await lockItems(tx, 'id', itemId)) as [LockedItem]
  const { rows } = await tx.query<Omit<LockedReturn, 'item'>>({
    name: 'read-locked-return',
    text: `select reference, status, bank_reference as "bankReference"
             from returns where reference = $1`,
    values: [reference],
  })
  return { ...(rows[0] as Omit<LockedReturn, 'item'>), item }
}

// A confirmation of the same return under another reference of the bank is not the same again.
function refuseOtherwise(settled: LockedReturn, verdict: Verdict): void {
  const { reference, status, bankReference } = settled
  if (status === 'failed' && verdict.status === 'failed') return
  if (status === 'failed') throw new Refusal('return_failed')
  const isSame =
    verdict.status === 'confirmed' && [bankReference, reference].includes(verdict.bankReference)
  if (!isSame) throw new Refusal('return_confirmed')
}

async function settle(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { sent: { reference, item }, verdict, by }: { sent: LockedReturn; verdict: Verdict; by: string },
): Promise<void> {
  const { bankCode, currency, creditId, amountKobo, clientId } = item
  const owner = bankOwner(bankCode)
  const returning = { kind: 'returning', owner, currency } as const
  const bank = { kind: 'bank', owner, currency } as const
  await sharedAccounts.open([returning, bank])
  const debitAccountId = sharedAccounts.id(returning)
  const isConfirmed = verdict.status === 'confirmed'
  await tx.query({
    name: 'settle-return',
    text: `update returns set status = $2, bank_reference = $3, failure_reason = $4,
                              settled_by = $5, settled_at = $6
            where reference = $1`,
    values: [
      reference,
      verdict.status,
      isConfirmed ? verdict.bankReference : null,
      isConfirmed ? null : verdict.reason,
      by,
      now,
    ],
  })
  if (!isConfirmed) {
    const leftKobo = await putBack(tx, { sharedAccounts, now }, { sent: item, debitAccountId })
    if (clientId === null) return
    const facts = {
      returnReference: reference,
      failureReason: verdict.reason,
      amountSuspendedKobo: leftKobo,
      reason: item.reason,
      outcome: leftKobo > 0n ? 'suspended' : 'reversed',
    }
    await appendEvents(tx, now, [{ clientId, type: 'credit.return_failed', creditId, facts }])
    return
  }
  const creditAccountId = sharedAccounts.id(bank)
  await postTransfers(tx, now, [
    { debitAccountId, creditAccountId, amountKobo, creditId, reason: 'returned' },
  ])
  await tx.query({
    name: 'suspense-item-returned',
    text: `update suspense_items set state = 'returned', closed_at = $2 where id = $1`,
    values: [item.id, now],
  })
  const { bankReference } = verdict
  await recordSuspenseChanges(tx, now, [{ item, change: 'returned', reference: bankReference }])
  await markCredit(tx, creditId, 'returned')
  if (clientId === null) return
  const outcome = (await readOutcomes(tx, [creditId])).get(creditId)
  const facts = {
    amountReturnedKobo: amountKobo,
    returnReference: reference,
    bankReference,
    reason: item.reason,
    outcome,
  }
  const change = moved(currency, { returned: amountKobo, suspended: -amountKobo })
  await appendEvents(tx, now, [{ clientId, type: 'credit.returned', creditId, facts, ...change }])
}

// A return that failed is in suspense again; but what the bank took back meanwhile, as a shortfall,
// is made good with it first, or we would hold for a payer what the bank has. Answers what is left.
async function putBack(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { sent, debitAccountId }: { sent: LockedItem; debitAccountId: AccountId },
): Promise<Kobo> {
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
    const told = { ...reversal, shortfallKobo: kobo(shortfallKobo - amountKobo) }
    const event = { clientId, type: 'credit.reversed', creditId, facts: {}, ...change } as const
    events.push(...(await explainReversal(tx, creditId, { reversal: told, events: [event] })))
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
