// Settles returns once, as confirmed or failed. The first report counts: from the sender of payouts, the
// bank (POST /rails/{bankCode}/returns) or the operator who executed the return.
//
// Locks: the file with the return's payout, the payout, its item, then ledger accounts.

import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { recordSuspenseChanges } from '#domain/credits/suspense-history.ts'
import {
  type LockedItem,
  lockItems,
  markCredit,
  readOutcomes,
} from '#domain/credits/suspense-items.ts'
import { sendByHand } from '#domain/payouts/claim-payouts.ts'
import { MAY_HAVE_BEEN_SENT } from '#domain/payouts/hold-payouts.ts'
import { lockFileOf, requireSameFile } from '#domain/payouts/payout-files.ts'
import type { PayoutStatus } from '#domain/payouts/payouts.ts'
import { tellContradiction } from '#domain/payouts/settle-as-told.ts'
import { contradicts, findReport } from '#domain/payouts/settle-file-results.ts'
import { type OutcomeHook, settlePayout } from '#domain/payouts/settle-payout.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { moved } from '#domain/records/movements.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { Refusal } from '#errors.ts'
import type { PayoutId, SuspenseItemId } from '#ids.ts'
import { bankOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { formatKobo } from '#money.ts'
import { putBack } from './put-back.ts'

type Deps = { sharedAccounts: SharedAccounts; now: Date }

export type Verdict =
  | { status: 'confirmed'; bankReference: string }
  | { status: 'failed'; reason: string | null }

type Settling = {
  reference: string
  verdict: Verdict
  by: string // `bank:035`, or the operator's actor.
  fromBank?: string // The reporting bank, if a bank reports.
}

// Returns false if no such return is pending. Alerts operators if the bank contradicts a settled return.
export async function settleReturn(
  tx: Transaction,
  deps: Deps,
  { reference, verdict, by, fromBank }: Settling,
): Promise<boolean> {
  const payout = await lockPayoutOf(tx, reference)
  const stored = await lockReturn(tx, reference)
  if (!stored || (fromBank !== undefined && fromBank !== stored.item.bankCode)) return false
  if (stored.status !== 'pending') {
    const subject = `${payout ? 'payout' : 'return'}/${reference}`
    const { status } = verdict
    if (status !== stored.status) await tellContradiction(tx, deps.now, { subject, status })
    return false
  }
  await settleSent(tx, deps, { sent: stored, verdict, by, payout })
  return true
}

// The operator reports a return that was executed by hand, or could not be. A repetition is accepted; a
// different report about a settled return is refused.
export async function settleByHand(
  tx: Transaction,
  deps: Deps & { by: Client; actor: string },
  { reference, verdict }: { reference: string; verdict: Verdict },
): Promise<void> {
  const { now, by, actor } = deps
  const payout = await lockPayoutOf(tx, reference)
  const stored = await lockReturn(tx, reference)
  if (!stored) throw new Refusal('return_not_found')
  if (stored.status !== 'pending') return refuseOtherwise(stored, verdict)
  // The worker that is sending it gets the bank's answer.
  if (payout?.status === 'sending' && payout.batchId === null) throw new Refusal('return_sending')
  if (payout && contradicts(await findReport(tx, payout.id), verdict)) {
    throw new Refusal(verdict.status === 'confirmed' ? 'return_failed' : 'return_confirmed')
  }
  if (payout && verdict.status === 'failed' && mayBePaid(payout)) {
    throw new Refusal('return_may_be_paid')
  }
  await settleSent(tx, deps, { sent: stored, verdict, by: actor, payout })
  const { status, ...facts } = verdict
  const { amountKobo, currency } = stored.item
  const detail = { ...facts, amount: formatKobo(amountKobo), currency }
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

// Reads the return under the lock of its item, which every settlement of the return takes first.
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

type PayoutOfReturn = {
  id: PayoutId
  status: PayoutStatus
  batchId: bigint | null
  mayHaveBeenSent: boolean // Before a restore.
}

// Failing such a payout by hand needs evidence and a second person (I94).
function mayBePaid({ status, batchId, mayHaveBeenSent }: PayoutOfReturn): boolean {
  return status === 'unknown' || batchId !== null || mayHaveBeenSent
}

// Locks the payout before the item, in the order of settling payouts. A return that an operator executes
// has no payout.
async function lockPayoutOf(
  tx: Transaction,
  reference: string,
): Promise<PayoutOfReturn | undefined> {
  const fileId = await lockFileOf(tx, reference)
  const { rows } = await tx.query<PayoutOfReturn>({
    name: 'lock-payout-of-return',
    text: `select id, status, batch_id as "batchId", ${MAY_HAVE_BEEN_SENT} as "mayHaveBeenSent"
             from payouts
            where reference = $1 and purpose = 'return' for no key update`,
    values: [reference],
  })
  if (rows[0]) requireSameFile(fileId, rows[0].batchId)
  return rows[0]
}

type SentReturn = { sent: LockedReturn; verdict: Verdict; by: string }

// Also settles the payout, so that nobody sends it.
async function settleSent(
  tx: Transaction,
  deps: Deps,
  { payout, ...settled }: SentReturn & { payout: PayoutOfReturn | undefined },
): Promise<void> {
  if (!payout) return await settle(tx, deps, settled)
  const { verdict, by } = settled
  if (payout.status === 'queued') await sendByHand(tx, deps.now, { id: payout.id, by })
  const outcome =
    verdict.status === 'confirmed'
      ? verdict
      : ({ status: 'failed', reason: verdict.reason ?? 'No reason given.' } as const)
  const hooks = { return: () => settle(tx, deps, settled) }
  const result = await settlePayout(tx, { ...deps, hooks }, { id: payout.id, outcome, by })
  if (result !== 'settled') throw new Error(`payout ${payout.id} was settled before its return`)
}

// Takes the bank's answer to the payout.
export const settleReturnPayout: OutcomeHook = async (tx, deps, ...[{ reference }, outcome]) => {
  const sent = await lockReturn(tx, reference)
  if (sent?.status !== 'pending') throw new Error(`return ${reference} was settled before`)
  const { rows } = await tx.query<{ by: string }>({
    name: 'who-settled-payout',
    text: 'select settled_by as by from payouts where reference = $1',
    values: [reference],
  })
  const { by } = rows[0] as { by: string }
  const verdict: Verdict =
    outcome.status === 'confirmed' ? outcome : { status: 'failed', reason: outcome.reason }
  await settle(tx, deps, { sent, verdict, by })
}

// A confirmation with a different bank reference is not a repetition.
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
  { sent: { reference, item }, verdict, by }: SentReturn,
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
      outcome: (await readOutcomes(tx, [creditId])).get(creditId),
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
