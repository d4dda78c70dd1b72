// Settles a return once, as confirmed or failed, by the first report about it: the bank's answer to its
// payout, the bank's report (POST /rails/{bankCode}/returns), or the report of the operator who executed it.
//
// Locks: the file with the return's payout, the payout, its item, then ledger accounts.

import type { Client } from '#access/permissions.ts'
import { explainReversal } from '#credits/decide-reversal.ts'
import { type ReturnStatus, transitionItem, transitionReturn } from '#credits/states.ts'
import {
  type LockedItem,
  lockItems,
  markCredit,
  readOutcomes,
  recordSuspenseChanges,
  reduceItems,
} from '#credits/suspense-items.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, CreditId, PayoutId, SuspenseItemId } from '#ids.ts'
import { bankOwner, type SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { lockFileOf, requireSameFile } from '#payouts/files.ts'
import { MAY_HAVE_BEEN_SENT } from '#payouts/holds.ts'
import { markSentByHand } from '#payouts/send.ts'
import {
  alertContradiction,
  contradicts,
  findReport,
  type OutcomeHook,
  settlePayout,
} from '#payouts/settle.ts'
import type { PayoutStatus } from '#payouts/states.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { ReversalFacts } from '#records/event-types.ts'
import { appendEvents, type NewEvent } from '#records/events.ts'
import { overviewChanges } from '#records/money-totals.ts'

// Puts the money of a failed return back into suspense. If the bank has reversed the credit since the return
// was requested, the money first covers that shortfall, because the bank already took that part back from
// us. Returns the amount put back.
async function putBack(
  tx: Transaction,
  { sharedAccounts, now }: { sharedAccounts: SharedAccounts; now: Date },
  { item: returningItem, debitAccountId }: { item: LockedItem; debitAccountId: AccountId },
): Promise<Kobo> {
  let item = returningItem
  const { creditId, clientId, currency } = item
  const shortfalls = await lockShortfalls(tx, creditId)
  const transfers: Transfer[] = []
  const events: NewEvent[] = []
  let leftKobo = item.amountKobo
  const shortfall = { kind: 'shortfall', owner: bankOwner(item.bankCode), currency } as const
  await sharedAccounts.open([shortfall])
  for (const { id, shortfallKobo, ...reversal } of shortfalls) {
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
    const change = overviewChanges(currency, { reversed: amountKobo, suspended: -amountKobo })
    const facts = { ...reversal, shortfallKobo: kobo(shortfallKobo - amountKobo) }
    // explainReversal() fills in the facts.
    const event = { clientId, type: 'credit.reversed', creditId, facts: {}, ...change } as const
    events.push(...(await explainReversal(tx, creditId, { reversal: facts, events: [event] })))
  }
  if (leftKobo > 0n) {
    const creditAccountId = item.accountId
    const reopening = { debitAccountId, creditAccountId, amountKobo: leftKobo, creditId }
    transfers.push({ ...reopening, reason: 'return_failed' })
    await transitionItem(tx, {
      name: 'reopen-suspense-item',
      id: item.id,
      from: 'returning',
      to: 'open',
      set: 'closed_at = null',
    })
    await recordSuspenseChanges(tx, now, [{ item, change: 'return_failed' }])
  }
  await postTransfers(tx, now, transfers)
  await appendEvents(tx, now, events)
  return leftKobo
}

// Locks the reversals of a credit that took money which had already left us.
async function lockShortfalls(tx: Transaction, creditId: CreditId) {
  const { rows } = await tx.query<ReversalFacts & { id: CreditId }>({
    name: 'lock-shortfalls',
    text: `select id, session_id, amount_kobo, shortfall_kobo, receivable_kobo
             from reversals
            where credit_id = $1 and shortfall_kobo > 0 order by id for no key update`,
    values: [creditId],
  })
  return rows
}

type Deps = { sharedAccounts: SharedAccounts; now: Date }

// The outcome of a return, as a bank or an operator reports it.
export type Verdict =
  | { status: 'confirmed'; bankReference: string }
  | { status: 'failed'; reason: string | null }

type Settling = {
  reference: string
  verdict: Verdict
  by: string // The actor: a bank such as `bank:035`, or an operator.
  fromBank?: string // The bank, if a bank reports the outcome.
}

// Settles a return as a bank reports it. Returns false if no return with this reference is pending. Alerts
// operators if the report contradicts a settled return.
export async function settleReturn(
  tx: Transaction,
  deps: Deps,
  { reference, verdict, by, fromBank }: Settling,
): Promise<boolean> {
  const payout = await lockPayoutOf(tx, reference)
  const lockedReturn = await lockReturn(tx, reference)
  if (!lockedReturn || (fromBank !== undefined && fromBank !== lockedReturn.item.bankCode))
    return false
  if (lockedReturn.status !== 'pending') {
    const subject = `${payout ? 'payout' : 'return'}/${reference}`
    const { status } = verdict
    if (status !== lockedReturn.status) await alertContradiction(tx, deps.now, { subject, status })
    return false
  }
  await settleWithPayout(tx, deps, { lockedReturn, verdict, by, payout })
  return true
}

// Settles a return as an operator reports it, who executed it by hand or could not. Repeating the report is
// accepted; a different report about a settled return is refused.
export async function settleByHand(
  tx: Transaction,
  deps: Deps & { by: Client; actor: string },
  { reference, verdict }: { reference: string; verdict: Verdict },
): Promise<void> {
  const { now, by, actor } = deps
  const payout = await lockPayoutOf(tx, reference)
  const lockedReturn = await lockReturn(tx, reference)
  if (!lockedReturn) throw new Refusal('return_not_found')
  if (lockedReturn.status !== 'pending') return refuseDifferentReport(lockedReturn, verdict)
  // The worker that is sending the payout will receive the bank's answer.
  if (payout?.status === 'sending' && payout.batchId === null) throw new Refusal('return_sending')
  if (payout && contradicts(await findReport(tx, payout.id), verdict)) {
    throw new Refusal(verdict.status === 'confirmed' ? 'return_failed' : 'return_confirmed')
  }
  if (payout && verdict.status === 'failed' && mayBePaid(payout)) {
    throw new Refusal('return_may_be_paid')
  }
  await settleWithPayout(tx, deps, { lockedReturn, verdict, by: actor, payout })
  const { status, ...facts } = verdict
  const { amountKobo, currency } = lockedReturn.item
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
  id: bigint
  reference: string
  status: ReturnStatus
  bankReference: string | null
  item: LockedItem
}

// Locks the suspense item of a return, and then reads the return. Every transaction that settles a return
// holds this lock, so that the return is settled once.
async function lockReturn(tx: Transaction, reference: string): Promise<LockedReturn | undefined> {
  const itemOf = await tx.query<{ itemId: SuspenseItemId }>({
    name: 'item-of-return',
    text: 'select item_id from returns where reference = $1',
    values: [reference],
  })
  const itemId = itemOf.rows[0]?.itemId
  if (itemId === undefined) return undefined
  const [item] = (await lockItems(tx, 'id', itemId)) as [LockedItem]
  const { rows } = await tx.query<Omit<LockedReturn, 'item'>>({
    name: 'read-locked-return',
    text: `select id, reference, status, bank_reference
             from returns where reference = $1`,
    values: [reference],
  })
  return { ...(rows[0] as Omit<LockedReturn, 'item'>), item }
}

type PayoutOfReturn = {
  id: PayoutId
  status: PayoutStatus
  batchId: bigint | null
  mayHaveBeenSent: boolean // An operator may have sent it in the time that a restore lost.
}

// Whether the bank may pay this payout. Failing it by hand then needs evidence and a second person (I94).
function mayBePaid({ status, batchId, mayHaveBeenSent }: PayoutOfReturn): boolean {
  return status === 'unknown' || batchId !== null || mayHaveBeenSent
}

// Locks and returns the payout of a return; undefined if an operator executes the return without a payout.
// The payout is locked before the item, as settling a payout does, so that the two cannot deadlock.
async function lockPayoutOf(
  tx: Transaction,
  reference: string,
): Promise<PayoutOfReturn | undefined> {
  const fileId = await lockFileOf(tx, reference)
  const { rows } = await tx.query<PayoutOfReturn>({
    name: 'lock-payout-of-return',
    text: `select id, status, batch_id, ${MAY_HAVE_BEEN_SENT} as may_have_been_sent
             from payouts
            where reference = $1 and purpose = 'return' for no key update`,
    values: [reference],
  })
  if (rows[0]) requireSameFile(fileId, rows[0].batchId)
  return rows[0]
}

type ReportedReturn = { lockedReturn: LockedReturn; verdict: Verdict; by: string }

// Settles the return together with its payout, if it has one, so that no worker sends the payout.
async function settleWithPayout(
  tx: Transaction,
  deps: Deps,
  { payout, ...reported }: ReportedReturn & { payout: PayoutOfReturn | undefined },
): Promise<void> {
  if (!payout) return await writeSettlement(tx, deps, reported)
  const { verdict, by } = reported
  // A payout must have been sent before it can be confirmed or fail.
  if (payout.status === 'queued') await markSentByHand(tx, deps.now, { id: payout.id, by })
  const outcome =
    verdict.status === 'confirmed'
      ? verdict
      : ({ status: 'failed', reason: verdict.reason ?? 'No reason given.' } as const)
  // settlePayout() calls the hook, which settles the return.
  const hooks = { return: () => writeSettlement(tx, deps, reported) }
  const result = await settlePayout(tx, { ...deps, hooks }, { id: payout.id, outcome, by })
  if (result !== 'settled') throw new Error(`payout ${payout.id} was settled before its return`)
}

// Settles a return by the bank's answer to its payout.
export const settleReturnPayout: OutcomeHook = async (tx, deps, ...[{ reference }, outcome]) => {
  const lockedReturn = await lockReturn(tx, reference)
  if (lockedReturn?.status !== 'pending') throw new Error(`return ${reference} was settled before`)
  const { rows } = await tx.query<{ by: string }>({
    name: 'who-settled-payout',
    text: 'select settled_by as by from payouts where reference = $1',
    values: [reference],
  })
  const { by } = rows[0] as { by: string }
  const verdict: Verdict =
    outcome.status === 'confirmed' ? outcome : { status: 'failed', reason: outcome.reason }
  await writeSettlement(tx, deps, { lockedReturn, verdict, by })
}

// Refuses a report that differs from the settled outcome, including a confirmation with a different bank
// reference.
function refuseDifferentReport(settled: LockedReturn, verdict: Verdict): void {
  const { reference, status, bankReference } = settled
  if (status === 'failed' && verdict.status === 'failed') return
  if (status === 'failed') throw new Refusal('return_failed')
  const isSame =
    verdict.status === 'confirmed' && [bankReference, reference].includes(verdict.bankReference)
  if (!isSame) throw new Refusal('return_confirmed')
}

// Settles the return itself: a confirmed return leaves the bank's account, and a failed one goes back to
// suspense. Tells the client, if the money is a client's.
async function writeSettlement(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { lockedReturn: { id, reference, status, item }, verdict, by }: ReportedReturn,
): Promise<void> {
  const { bankCode, currency, creditId, amountKobo, clientId } = item
  const owner = bankOwner(bankCode)
  const returning = { kind: 'returning', owner, currency } as const
  const bank = { kind: 'bank', owner, currency } as const
  await sharedAccounts.open([returning, bank])
  const debitAccountId = sharedAccounts.id(returning)
  const isConfirmed = verdict.status === 'confirmed'
  await transitionReturn(tx, {
    name: 'settle-return',
    id,
    from: status,
    to: verdict.status,
    set: 'bank_reference = $2, failure_reason = $3, settled_by = $4, settled_at = $5',
    values: [
      isConfirmed ? verdict.bankReference : null,
      isConfirmed ? null : verdict.reason,
      by,
      now,
    ],
  })
  if (!isConfirmed) {
    const leftKobo = await putBack(tx, { sharedAccounts, now }, { item, debitAccountId })
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
  await transitionItem(tx, {
    name: 'suspense-item-returned',
    id: item.id,
    from: 'returning',
    to: 'returned',
    set: 'closed_at = $2',
    values: [now],
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
  const change = overviewChanges(currency, { returned: amountKobo, suspended: -amountKobo })
  await appendEvents(tx, now, [{ clientId, type: 'credit.returned', creditId, facts, ...change }])
}
