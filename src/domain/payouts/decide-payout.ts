// Maker-checker of payouts (I49): approve, reject and cancel while queued. Approving takes another
// person, whose access the maker did not give and which is not too new (the database holds the first
// two: payouts_two_people, payouts_independent_checker), and who did not choose the account paid to.
//
// In the order they are checked: payout_decided; people_only, other_person_needed, approver_too_new,
// approver_not_independent; whatever blocks the payout, unless a restore knew it; approver_chose_account.
// Locks: who decides, the payout, then whatever settling it locks.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import {
  APPROVER_COLUMNS,
  type Approver,
  type Candidate,
  findUnfitnessForEither,
  lockApprover,
  type Maker,
  refuseMaker,
} from '#domain/access/approvers.ts'
import type { Client } from '#domain/access/clients.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { PayoutId } from '#ids.ts'
import { formatKobo } from '#money.ts'
import { isAccountChooser } from './account-choosers.ts'
import { findBlock } from './blocked-payouts.ts'
import { MAY_HAVE_BEEN_SENT } from './hold-payouts.ts'
import { recordPayoutChanges } from './payout-changes.ts'
import { awaitsApproval, findPayout } from './payouts.ts'
import {
  type LockedPayout,
  lockPayout,
  refuseCancelling,
  type SettleDeps,
  settlePayout,
} from './settle-payout.ts'

type Decider = Pick<Approver, 'client' | 'actor'>

// Idempotent for the same user.
export async function approvePayout(
  tx: Transaction,
  acting: Approver & { now: Date },
  reference: string,
): Promise<void> {
  const payout = await lockDecidable(tx, acting, { reference, decision: 'approved' })
  if (!payout) return
  const obstacle = await findObstacle(tx, acting, payout)
  if (obstacle) throw new Refusal(obstacle)
  if (payout.approversNeeded > 1 && !payout.firstApprover) {
    return approveFirst(tx, acting, payout)
  }
  await decide(tx, acting, { payout, approval: 'approved', reason: null })
}

// Of two: nothing is sent yet.
async function approveFirst(
  tx: Transaction,
  { client, actor, userId, now }: Approver & { now: Date },
  payout: LockedPayout,
): Promise<void> {
  await tx.query({
    name: 'approve-payout-first',
    text: `update payouts set first_approved_by = $2, first_approved_by_user = $3,
                              first_approved_at = $4
            where id = $1`,
    values: [payout.id, actor, userId, now],
  })
  const change = { change: 'first_approved', changedBy: actor } as const
  await recordPayoutChanges(tx, now, { payoutIds: [payout.id], ...change })
  const action = 'payout.approve_first'
  await audit(tx, { client, actor, now }, { payout, action, note: null })
}

// To an approval, of one that awaits it, by who looks. Null: there is none.
export async function findApprovalObstacle(
  db: Queryable,
  by: Candidate,
  id: PayoutId,
): Promise<RefusalCode | null> {
  const { rows } = await db.query<Judged>({
    name: 'read-payout-to-approve',
    text: `select id, requested_by as "requestedBy", requested_by_user as "requestedByUser",
                  ${APPROVER_COLUMNS},
                  bank_account_id as "bankAccountId", ${MAY_HAVE_BEEN_SENT} as "mayHaveBeenSent"
             from payouts where id = $1`,
    values: [id],
  })
  return findObstacle(db, by, rows[0] as Judged)
}

type Judged = Pick<
  LockedPayout,
  | 'id'
  | 'requestedBy'
  | 'requestedByUser'
  | 'makerPeople'
  | 'firstApprover'
  | 'bankAccountId'
  | 'mayHaveBeenSent'
>

async function findObstacle(
  db: Queryable,
  by: Candidate,
  payout: Judged,
): Promise<RefusalCode | null> {
  const { id, bankAccountId, mayHaveBeenSent, firstApprover } = payout
  const judged = { maker: makerOf(payout), firstApprover }
  const unfitness = await findUnfitnessForEither(db, by, judged)
  if (unfitness) return unfitness
  // What may have been sent is not sent (I82): approving it has the bank asked.
  const block = mayHaveBeenSent ? null : await findBlock(db, id)
  if (block || bankAccountId === null || by.userId === null) return block
  const chosen = { userId: by.userId, bankAccountIds: [bankAccountId], subaccountIds: [] }
  return (await isAccountChooser(db, chosen)) ? 'approver_chose_account' : null
}

const makerOf = ({ requestedBy, requestedByUser, makerPeople }: Judged): Maker => ({
  actor: requestedBy,
  userId: requestedByUser,
  people: makerPeople,
})

// The money is available again.
export async function rejectPayout(
  tx: Transaction,
  acting: Approver & SettleDeps,
  { reference, reason }: { reference: string; reason: string },
): Promise<void> {
  const payout = await lockDecidable(tx, acting, { reference, decision: 'rejected' })
  if (!payout) return
  refuseMaker(acting, makerOf(payout))
  const outcome = { status: 'cancelled', reason } as const
  const result = await settlePayout(tx, acting, { id: payout.id, outcome, by: acting.actor })
  if (result === 'otherwise') refuseCancelling(payout)
  await decide(tx, acting, { payout, approval: 'rejected', reason })
}

// By anybody who may pay out, while nobody has asked the bank. Idempotent.
export async function cancelPayout(
  tx: Transaction,
  deps: SettleDeps & Decider,
  { reference, reason }: { reference: string; reason: string },
): Promise<void> {
  const { client, actor, now } = deps
  const { id } = await getOwn(tx, { client, reference })
  const payout = await lockPayout(tx, id)
  if (!(await isCancellable(tx, payout))) throw new Refusal('payout_not_queued')
  const result = await settlePayout(tx, deps, {
    id,
    outcome: { status: 'cancelled', reason },
    by: actor,
  })
  if (result === 'otherwise') refuseCancelling(payout)
  if (result === 'same') return
  await audit(tx, { client, actor, now }, { payout, action: 'payout.cancel', note: reason })
}

// What a settlement or refund pays is not cancelled apart from it; unless it is blocked, when it would
// wait for ever: a settlement is approved for good, and of a refund another part may have been sent. A
// suspended client may be resumed.
async function isCancellable(
  tx: Transaction,
  { id, purpose, status }: LockedPayout,
): Promise<boolean> {
  if (purpose === 'payout' || status === 'cancelled') return true
  const block = await findBlock(tx, id)
  return block !== null && block !== 'client_suspended'
}

type Decision = { reference: string; decision: 'approved' | 'rejected' }

// Undefined: the same user has decided so before.
async function lockDecidable(
  tx: Transaction,
  approver: Approver,
  { reference, decision }: Decision,
): Promise<LockedPayout | undefined> {
  const { id } = await getOwn(tx, { client: approver.client, reference })
  await lockApprover(tx, approver)
  const payout = await lockPayout(tx, id)
  const { approval, decidedByUser } = payout
  if (approval === decision && decidedByUser === approver.userId) return undefined
  const isFirst = payout.firstApprover?.userId === approver.userId
  if (decision === 'approved' && isFirst && awaitsApproval(payout)) return undefined
  if (!awaitsApproval(payout)) throw new Refusal('payout_decided')
  return payout
}

async function getOwn(
  tx: Transaction,
  { client, reference }: { client: Client; reference: string },
) {
  const payout = await findPayout(tx, { reference, clientId: client.id })
  if (!payout) throw new Refusal('payout_not_found')
  return payout
}

type Decided = { payout: LockedPayout; approval: 'approved' | 'rejected'; reason: string | null }

async function decide(
  tx: Transaction,
  { client, actor, userId, now }: Approver & { now: Date },
  { payout, approval, reason }: Decided,
): Promise<void> {
  await tx.query({
    name: 'decide-payout',
    text: `update payouts set approval = $2, decided_by = $3, decided_by_user = $4,
                              decided_at = $5, decision_reason = $6
            where id = $1`,
    values: [payout.id, approval, actor, userId, now, reason],
  })
  await record(tx, now, { id: payout.id, approval, actor, reason })
  const action = approval === 'approved' ? 'payout.approve' : 'payout.reject'
  await audit(tx, { client, actor, now }, { payout, action, note: reason })
}

async function record(
  tx: Transaction,
  now: Date,
  decided: { id: PayoutId; approval: Decided['approval']; actor: string; reason: string | null },
): Promise<void> {
  await recordPayoutChanges(tx, now, {
    payoutIds: [decided.id],
    change: decided.approval,
    changedBy: decided.actor,
    detail: decided.reason,
  })
}

type Audited = {
  payout: LockedPayout
  action: `payout.${string}`
  note: string | null
}

function audit(
  tx: Transaction,
  { client, actor, now }: Decider & { now: Date },
  { payout, action, note }: Audited,
): Promise<void> {
  const { reference, amountKobo, currency, requestedBy } = payout
  const detail = { amount: formatKobo(amountKobo), currency, requestedBy, note }
  const subject = `payout/${reference}`
  return writeAuditLog(tx, now, { clientId: client.id, actor, action, subject, detail })
}
