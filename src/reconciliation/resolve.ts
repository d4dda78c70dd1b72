// Resolves differences between a bank's statement and the books, as a user decides: books the line, matches
// it to an item, or notes the difference. Under maker-checker, a second user must approve.

import {
  type Approver,
  hasMade,
  lockApprover,
  refuseMaker,
  refuseUnfitApprover,
} from '#approvals/approvers.ts'
import { refuseChanged } from '#approvals/revision.ts'
import { lockMakerChecker } from '#approvals/workflow.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import type { DifferenceId, StatementLineId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { bookCharge, bookPayout, bookReversal } from './book.ts'
import {
  allowedActions,
  bookingOf,
  type Difference,
  type DifferenceAction,
  type DifferenceKind,
  isBeingBooked,
  lockDifference,
  type Reading,
  resolutionRevision,
} from './difference.ts'
import {
  type Acting,
  auditDifference,
  type Decision,
  insertPair,
  openRest,
  type Pair,
  readItem,
  writeChange,
  writeDecision,
} from './resolutions.ts'
import { transition } from './states.ts'

// The kind of item that holds the charges of a credit or payout: withheld from a credit, or charged with a
// payout.
const CHARGES_OF: Readonly<Record<string, string>> = { credit: 'charges', payout: 'payout_cost' }

// Confirms that a line is for its suggested item, with the bank's charges if the line is net of them.
// Returns the remainder of the line, which becomes a difference. The caller has locked the difference and
// the matching of its bank.
async function confirmMatch(
  tx: Transaction,
  { now, actor }: { now: Date; actor: string },
  difference: Difference,
): Promise<Kobo> {
  const { suggestedKind, suggestedId, amountKobo } = difference
  const item = { kind: suggestedKind as string, id: suggestedId as bigint }
  const storePair = (pairedItem: Pair['item'], leftKobo: Kobo) =>
    insertPair(tx, now, {
      lineId: difference.lineId as StatementLineId,
      item: pairedItem,
      amountKobo: leftKobo,
      rule: 'confirmed',
      matchedBy: actor,
    })
  const suggestedItem = await readItem(tx, difference, item)
  if (!suggestedItem || suggestedItem.leftKobo === 0n) throw new Refusal('suggestion_gone')
  await storePair(item, suggestedItem.leftKobo)
  const restKobo = kobo(amountKobo - suggestedItem.leftKobo)
  const kind = CHARGES_OF[item.kind]
  if (restKobo === 0n || kind === undefined) return restKobo
  const charges = { kind, id: item.id }
  const withheld = await readItem(tx, difference, charges)
  if (withheld?.leftKobo !== restKobo) return restKobo
  await storePair(charges, restKobo)
  return kobo(0n)
}

type Resolving = Acting & { sharedAccounts: SharedAccounts }
type Checking = Resolving & Approver

type Resolution = {
  id: DifferenceId
  action: DifferenceAction
  reading?: Reading | undefined // How the user reads a debit that is smaller than the credit it names.
  reason: string
}

// Resolves a difference (I66): by one user, or under maker-checker by two independent users.
//
//   open ──▶ asked ──▶ resolved   noted: explained, and still in the arithmetic
//    ▲  ╲      │  ╲
//    │   ╲     │   ╲─▶ cleared    booked or matched: pairs explain it
//    ╰────╲────╯ rejected, withdrawn
//          ╲─▶ resolved, cleared
//
// A credit is booked by a separate batch, so booking it takes two steps. The decision is committed first,
// while the difference stays open. finishBooking() in book.ts does the second step, now or after a crash.
//
// If the client has maker-checker on (lockMakerChecker() returns this), the resolution is only requested, and
// another user must approve it. Client credentials may not request it (people_only). `reading`: whether a
// debit that is smaller than the credit it names is a charge or a partial reversal.
//
// Checks in this order: difference_not_found, a repetition (accepted), difference_asked, difference_resolved,
// action_not_allowed, reading_needed, people_only, then the refusals of the action.
// Locks: the approver, the matching of the bank, the difference, the maker-checker setting.
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

// Only a user can tell a charge from a partial reversal, so the user must choose one.
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
    throw invalidField(
      'reading',
      'Applies only to booking a debit that is smaller than the credit it names.',
    )
  }
}

// Stores that the user reads a debit as a charge, not as a partial reversal of the credit that it names, by
// changing the kind of the difference. If the charge is not booked after all, matching determines the kind
// again.
async function readAsCharge(tx: Transaction, difference: Difference): Promise<Difference> {
  const kind: DifferenceKind = 'fee_differs'
  await tx.query({
    name: 'read-difference-as-charge',
    text: 'update differences set kind = $2 where id = $1',
    values: [difference.id, kind],
  })
  return { ...difference, kind, isPartialReversal: false }
}

// Approves a requested resolution as it was read, and carries it out. Approving it again succeeds for the
// same user, without effect.
export async function approveResolution(
  tx: Transaction,
  acting: Checking,
  { id, revision }: { id: DifferenceId; revision: string },
): Promise<void> {
  await lockApprover(tx, acting)
  const difference = await lockDifference(tx, id)
  if (difference.askedBy !== null && difference.decidedBy === acting.actor) return
  const { action, reason } = requireAsked(difference)
  await refuseUnfitApprover(tx, acting, makerOf(difference))
  refuseChanged(resolutionRevision(difference), revision)
  refuseAction(difference, action)
  await perform(tx, acting, { difference, action, reason })
  await auditDifference(tx, acting, { difference, verb: 'approve', detail: { action, reason } })
}

// Rejects a requested resolution. Rejecting moves no money. So users whose access changed recently, and users
// who received their access from the maker, may reject, although neither may approve
// (approvals/approvers.ts). The maker may not reject.
export async function rejectResolution(
  tx: Transaction,
  acting: Acting,
  { id, reason }: { id: DifferenceId; reason: string },
): Promise<void> {
  const difference = await lockDifference(tx, id)
  const { action } = requireAsked(difference)
  refuseMaker(acting, makerOf(difference))
  await reopen(tx, acting, { difference, change: 'rejected', detail: { reason } })
  const detail = { action, reason }
  await auditDifference(tx, acting, { difference, verb: 'reject', detail })
}

// Withdraws a request. Only its maker may, before it is decided.
export async function withdrawResolution(
  tx: Transaction,
  acting: Acting,
  id: DifferenceId,
): Promise<void> {
  const difference = await lockDifference(tx, id)
  const { action } = requireAsked(difference)
  if (!hasMade(acting, makerOf(difference))) throw new Refusal('own_request_only')
  await reopen(tx, acting, { difference, change: 'withdrawn', detail: {} })
  await auditDifference(tx, acting, { difference, verb: 'withdraw', detail: { action } })
}

type Request = Pick<Decision, 'difference' | 'action' | 'reason'> & Pick<Resolution, 'reading'>

// Stores the resolution as a request, for another user to approve.
async function requestApproval(
  tx: Transaction,
  acting: Resolving,
  { difference, action, reason, reading }: Request,
): Promise<void> {
  const { actor, userId, now } = acting
  if (userId === null) throw new Refusal('people_only')
  await transition(tx, {
    name: 'ask-for-resolution',
    id: difference.id,
    from: 'open',
    to: 'asked',
    set: 'action = $2, reason = $3, asked_by = $4, asked_by_user = $5, asked_at = $6',
    values: [action, reason, actor, userId, now],
  })
  const detail = { action, reading, reason }
  await writeChange(tx, now, { id: difference.id, change: 'asked', actor, detail })
  await auditDifference(tx, acting, { difference, verb: 'request', detail })
}

// Carries out a resolution. If it books a credit, only the decision is stored here: the difference stays open
// until finishBooking() books the credit later. Everything else is completed here, and an unexplained
// remainder of the line becomes a new difference.
async function perform(tx: Transaction, acting: Resolving, request: Request): Promise<void> {
  const { difference, action } = request
  const { now } = acting
  if (action === 'note') return writeDecision(tx, acting, { ...request, state: 'resolved' })
  if (action === 'match') {
    const restKobo = await confirmMatch(tx, acting, difference)
    const detail = { item: `${difference.suggestedKind}/${difference.suggestedId}` }
    await writeDecision(tx, acting, { ...request, state: 'cleared', detail })
    return openRest(tx, now, { difference, kind: 'amount_differs', amountKobo: restKobo })
  }
  const reading = request.reading ? { reading: request.reading } : {}
  const booking = bookingOf(difference)
  if (booking === 'credit') return writeDecision(tx, acting, { ...request, state: 'open' })
  if (booking === 'reversal') {
    const reversalId = await bookReversal(tx, acting, difference)
    const detail = { ...reading, item: `reversal/${reversalId}` }
    return writeDecision(tx, acting, { ...request, state: 'cleared', detail })
  }
  const booked =
    booking === 'payout'
      ? await bookPayout(tx, acting, difference)
      : [{ ...(await bookCharge(tx, acting, difference)), difference }]
  for (const { difference: bookedDifference, transferId, restKobo } of booked) {
    const detail = { ...reading, item: `booked/${transferId}` }
    await writeDecision(tx, acting, {
      ...request,
      difference: bookedDifference,
      state: 'cleared',
      detail,
    })
    await openRest(tx, now, {
      difference: bookedDifference,
      kind: 'fee_differs',
      amountKobo: restKobo,
    })
  }
}

type Reopening = { difference: Difference; change: 'rejected' | 'withdrawn'; detail: object }

// Opens the difference again after its request was rejected or withdrawn.
async function reopen(
  tx: Transaction,
  { actor, now }: Acting,
  { difference: { id }, change, detail }: Reopening,
): Promise<void> {
  await transition(tx, {
    name: 'reopen-difference',
    id,
    from: 'asked',
    to: 'open',
    set: 'action = null, reason = null, asked_by = null, asked_by_user = null, asked_at = null',
  })
  await writeChange(tx, now, { id, change, actor, detail })
}

// Whether the request repeats one that the same user made or approved before, so that a retry succeeds.
// Repeating a booking with another reading is not the same.
function isSameAgain(
  { kind, action, askedBy, decidedBy }: Difference,
  { reading, action: requestedAction }: Resolution,
  actor: string,
): boolean {
  // Reading the debit as a charge has changed the kind of the difference (readAsCharge).
  const hasSameReading = reading === undefined || (reading === 'charge') === isCharge(kind)
  return action === requestedAction && hasSameReading && (decidedBy === actor || askedBy === actor)
}

const isCharge = (kind: DifferenceKind) => kind === 'fee_differs'

// Refuses a difference that waits for an approval, or is decided already.
function refuseDecided(difference: Difference): void {
  const { state, entryReference } = difference
  if (state === 'asked' || entryReference !== null) throw new Refusal('difference_asked')
  if (state !== 'open' || isBeingBooked(difference)) throw new Refusal('difference_resolved')
}

// Refuses an action that the difference does not allow. Both the request and the approval call it, because
// matching may have changed the difference in between.
function refuseAction(difference: Difference, action: DifferenceAction): void {
  const allowed = allowedActions(difference)
  if (allowed.includes(action)) return
  const message = `Must be one of ${allowed.join(', ')} for ${difference.kind}.`
  throw new Refusal('action_not_allowed', [{ field: 'action', message }])
}

// Returns the requested action and its reason. Refuses if no request waits for approval.
function requireAsked({ state, action, reason }: Difference) {
  if (state !== 'asked') throw new Refusal('request_decided')
  return { action: action as DifferenceAction, reason: reason as string }
}

function makerOf({ askedBy, askedByUser, makerPeople }: Difference) {
  return { actor: askedBy as string, userId: askedByUser, people: makerPeople }
}
