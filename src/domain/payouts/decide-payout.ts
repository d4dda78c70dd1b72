// Maker-checker of payouts (I49): approve, reject and cancel while queued. Approving takes another
// person, whose access the maker did not give and which is not too new (the database holds the first
// two: payouts_two_people, payouts_independent_checker), and who did not choose the account paid to.
//
// In the order they are checked: payout_decided, other_person_needed, approver_too_new,
// approver_not_independent; whatever blocks the payout, unless a restore knew it; approver_chose_account.
// Locks: who decides, the payout, then whatever settling it locks.

import type { Transaction } from '#db/transaction.ts'
import {
  type Approver,
  lockApprover,
  refuseMaker,
  refuseUnfitApprover,
} from '#domain/access/approvers.ts'
import type { Client } from '#domain/access/clients.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { PayoutId } from '#ids.ts'
import { formatKobo } from '#money.ts'
import { refuseAccountChooser } from './account-choosers.ts'
import { findBlock } from './blocked-payouts.ts'
import { recordPayoutChanges } from './payout-changes.ts'
import { findPayout } from './payouts.ts'
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
  // What may have been sent is not sent (I82): approving it has the bank asked.
  const block = payout.mayHaveBeenSent ? null : await findBlock(tx, payout.id)
  if (block) throw new Refusal(block)
  const { bankAccountId } = payout
  if (bankAccountId !== null) {
    const chosen = { bankAccountIds: [bankAccountId], subaccountIds: [] }
    await refuseAccountChooser(tx, { ...acting, ...chosen })
  }
  await decide(tx, acting, { payout, approval: 'approved', reason: null })
}

// The money is available again.
export async function rejectPayout(
  tx: Transaction,
  acting: Approver & SettleDeps,
  { reference, reason }: { reference: string; reason: string },
): Promise<void> {
  const payout = await lockDecidable(tx, acting, { reference, decision: 'rejected' })
  if (!payout) return
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
// wait for ever: a settlement is approved for good, and of a refund another part may have been sent.
async function isCancellable(
  tx: Transaction,
  { id, purpose, status }: LockedPayout,
): Promise<boolean> {
  if (purpose === 'payout' || status === 'cancelled') return true
  return (await findBlock(tx, id)) !== null
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
  const { approval, decidedByUser, requestedBy, requestedByUser } = payout
  if (approval === decision && decidedByUser === approver.userId) return undefined
  if (approval !== 'needed' || payout.status !== 'queued') throw new Refusal('payout_decided')
  const maker = { actor: requestedBy, userId: requestedByUser }
  if (decision === 'approved') await refuseUnfitApprover(tx, approver, maker)
  else refuseMaker(approver, maker)
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
