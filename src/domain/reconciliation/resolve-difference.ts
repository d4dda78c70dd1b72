// Resolves a difference (I66): by one person, or under maker-checker by two independent people.
//
//   open ──▶ asked ──▶ resolved   noted: explained, and still in the arithmetic
//    ▲  ╲      │  ╲
//    │   ╲     │   ╲─▶ cleared    booked or matched: pairs explain it
//    ╰────╲────╯ rejected, withdrawn
//          ╲─▶ resolved, cleared
//
// A credit is taken by a batch of its own, so booking it takes two steps: the decision is committed
// first, with the difference still open, and finish-booking.ts does the rest, now or after a crash.
//
// Checks in this order: difference_not_found, a repetition (accepted), difference_asked,
// difference_resolved, action_not_allowed, reading_needed, people_only, then the refusals of the action.
// Locks: the approver, the matching of the bank, the difference, the maker-checker setting.

import type { Transaction } from '#db/transaction.ts'
import { type Approver, lockApprover, refuseUnfitApprover } from '#domain/access/approvers.ts'
import { lockMakerChecker } from '#domain/access/maker-checker.ts'
import { Refusal } from '#errors.ts'
import type { DifferenceId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import {
  allowedActions,
  bookingOf,
  type DifferenceAction,
  type DifferenceKind,
} from './allowed-actions.ts'
import { bookCharge } from './book-charge.ts'
import { bookPayout } from './book-payout.ts'
import { bookReversal } from './book-reversal.ts'
import { confirmMatch } from './confirm-match.ts'
import { type Difference, isBeingBooked, lockDifference } from './locked-differences.ts'
import {
  type Acting,
  auditDifference,
  type Decision,
  openRest,
  writeChange,
  writeDecision,
} from './record-resolutions.ts'
import type { Reading } from './reversed-credits.ts'

export type Resolving = Acting & { sharedAccounts: SharedAccounts }
export type Checking = Resolving & Approver

export type Resolution = {
  id: DifferenceId
  action: DifferenceAction
  reading?: Reading | undefined // For a debit smaller than the credit that it names.
  reason: string
}

export async function resolveDifference(
  tx: Transaction,
  acting: Resolving,
  resolution: Resolution,
): Promise<void> {
  const { action, reading, reason } = resolution
  const locked = await lockDifference(tx, resolution.id)
  if (isSameAgain(locked, resolution, acting.actor)) return
  refuseDecided(locked)
  refuseAction(locked, action)
  requireReading(locked, resolution)
  const difference = reading === 'charge' ? await readAsCharge(tx, locked) : locked
  const request = { difference, action, reason, reading }
  if (await lockMakerChecker(tx, acting.client.id)) return requestApproval(tx, acting, request)
  await perform(tx, acting, request)
  const detail = { action, reading, reason }
  await auditDifference(tx, acting, { difference, verb: 'resolve', detail })
}

// Only a person can tell a charge from a partial reversal, so the person must choose one.
function requireReading(difference: Difference, { action, reading }: Resolution): void {
  const { isPartialReversal, amountKobo, reversedKobo } = difference
  const isNeeded = isPartialReversal && action === 'book'
  if (isNeeded && reading === undefined) {
    const [debit, credit] = [kobo(-amountKobo), reversedKobo as Kobo].map(formatKobo)
    const message =
      `Must be charge (a charge of ${debit}) or reversal (a partial reversal of ${debit} of the ` +
      `credit of ${credit}).`
    throw new Refusal('reading_needed', [{ field: 'reading', message }])
  }
  if (!isNeeded && reading !== undefined) {
    const message = 'Applies only to booking a debit that is smaller than the credit it names.'
    throw new Refusal('invalid_request', [{ field: 'reading', message }])
  }
}

// The difference is now a charge. If it is not booked after all, matching classifies it again.
async function readAsCharge(tx: Transaction, difference: Difference): Promise<Difference> {
  const kind: DifferenceKind = 'fee_differs'
  await tx.query({
    name: 'read-difference-as-charge',
    text: 'update differences set kind = $2 where id = $1',
    values: [difference.id, kind],
  })
  return { ...difference, kind, isPartialReversal: false }
}

// Idempotent for the same user.
export async function approveResolution(
  tx: Transaction,
  acting: Checking,
  id: DifferenceId,
): Promise<void> {
  await lockApprover(tx, acting)
  const difference = await lockDifference(tx, id)
  if (difference.askedBy !== null && difference.decidedBy === acting.actor) return
  const { action, reason } = requireAsked(difference)
  await refuseUnfitApprover(tx, acting, makerOf(difference))
  refuseAction(difference, action)
  await perform(tx, acting, { difference, action, reason })
  await auditDifference(tx, acting, { difference, verb: 'approve', detail: { action, reason } })
}

// Rejecting moves no money, so new and dependent users may reject.
export async function rejectResolution(
  tx: Transaction,
  acting: Acting,
  { id, reason }: { id: DifferenceId; reason: string },
): Promise<void> {
  const difference = await lockDifference(tx, id)
  const { action } = requireAsked(difference)
  if (isMaker(difference, acting)) throw new Refusal('other_person_needed')
  await reopen(tx, acting, { difference, change: 'rejected', detail: { reason } })
  const detail = { action, reason }
  await auditDifference(tx, acting, { difference, verb: 'reject', detail })
}

export async function withdrawResolution(
  tx: Transaction,
  acting: Acting,
  id: DifferenceId,
): Promise<void> {
  const difference = await lockDifference(tx, id)
  const { action } = requireAsked(difference)
  if (!isMaker(difference, acting)) throw new Refusal('own_request_only')
  await reopen(tx, acting, { difference, change: 'withdrawn', detail: {} })
  await auditDifference(tx, acting, { difference, verb: 'withdraw', detail: { action } })
}

type Request = Pick<Decision, 'difference' | 'action' | 'reason'> & Pick<Resolution, 'reading'>

async function requestApproval(
  tx: Transaction,
  acting: Resolving,
  { difference, action, reason, reading }: Request,
): Promise<void> {
  const { actor, userId, now } = acting
  if (userId === null) throw new Refusal('people_only')
  await tx.query({
    name: 'ask-for-resolution',
    text: `update differences
              set state = 'asked', action = $2, reason = $3, asked_by = $4, asked_by_user = $5,
                  asked_at = $6
            where id = $1`,
    values: [difference.id, action, reason, actor, userId, now],
  })
  const detail = { action, reading, reason }
  await writeChange(tx, now, { id: difference.id, change: 'asked', actor, detail })
  await auditDifference(tx, acting, { difference, verb: 'request', detail })
}

async function perform(tx: Transaction, acting: Resolving, request: Request): Promise<void> {
  const { difference, action } = request
  const { now } = acting
  if (action === 'note') return writeDecision(tx, acting, { ...request, state: 'resolved' })
  if (action === 'match') {
    const restKobo = await confirmMatch(tx, acting, difference)
    const detail = { item: `${difference.suggestedKind}/${difference.suggestedId}` }
    await writeDecision(tx, acting, { ...request, state: 'cleared', detail })
    return openRest(tx, now, { of: difference, kind: 'amount_differs', amountKobo: restKobo })
  }
  const reading = request.reading ? { reading: request.reading } : {}
  const booking = bookingOf(difference)
  if (booking === 'credit') return writeDecision(tx, acting, { ...request, state: 'open' })
  if (booking === 'reversal') {
    const booked = await bookReversal(tx, acting, difference)
    const detail = { ...reading, item: `${booked.kind}/${booked.id}` }
    return writeDecision(tx, acting, { ...request, state: 'cleared', detail })
  }
  const booked =
    booking === 'payout'
      ? await bookPayout(tx, acting, difference)
      : [{ ...(await bookCharge(tx, acting, difference)), difference }]
  for (const { difference: of, transferId, restKobo } of booked) {
    const detail = { ...reading, item: `booked/${transferId}` }
    await writeDecision(tx, acting, { ...request, difference: of, state: 'cleared', detail })
    await openRest(tx, now, { of, kind: 'fee_differs', amountKobo: restKobo })
  }
}

type Reopening = { difference: Difference; change: 'rejected' | 'withdrawn'; detail: object }

async function reopen(
  tx: Transaction,
  { actor, now }: Acting,
  { difference: { id }, change, detail }: Reopening,
): Promise<void> {
  await tx.query({
    name: 'reopen-difference',
    text: `update differences
              set state = 'open', action = null, reason = null, asked_by = null,
                  asked_by_user = null, asked_at = null
            where id = $1`,
    values: [id],
  })
  await writeChange(tx, now, { id, change, actor, detail })
}

// By the same person, whether it was done alone, is still requested or was approved.
function isSameAgain(
  { kind, action, askedBy, decidedBy }: Difference,
  again: Resolution,
  actor: string,
): boolean {
  const isReadAlike = again.reading === undefined || (again.reading === 'charge') === isCharge(kind)
  return action === again.action && isReadAlike && (decidedBy === actor || askedBy === actor)
}

const isCharge = (kind: DifferenceKind) => kind === 'fee_differs'

function refuseDecided(difference: Difference): void {
  if (difference.state === 'asked') throw new Refusal('difference_asked')
  if (difference.state !== 'open' || isBeingBooked(difference)) {
    throw new Refusal('difference_resolved')
  }
}

// Checked again at approval, because matching may have changed the difference meanwhile.
function refuseAction(difference: Difference, action: DifferenceAction): void {
  const allowed = allowedActions(difference)
  if (allowed.includes(action)) return
  const message = `Must be one of ${allowed.join(', ')} for ${difference.kind}.`
  throw new Refusal('action_not_allowed', [{ field: 'action', message }])
}

function requireAsked({ state, action, reason }: Difference) {
  if (state !== 'asked') throw new Refusal('request_decided')
  return { action: action as DifferenceAction, reason: reason as string }
}

function makerOf({ askedBy, askedByUser, makerPeople }: Difference) {
  return { actor: askedBy as string, userId: askedByUser, people: makerPeople }
}

function isMaker({ askedBy, askedByUser }: Difference, { actor, userId }: Acting): boolean {
  return askedBy === actor || (userId !== null && askedByUser === userId)
}
