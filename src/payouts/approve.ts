// Maker-checker of payouts (I49): approve, reject, and cancel while queued. The maker cannot approve. The
// approver's access must not come from the maker and must not be too new, and the approver must not have
// chosen the account that is paid. The database enforces the first two rules (payouts_two_people,
// payouts_independent_checker).
//
// Refusals, in the order of the checks: payout_decided; people_only, other_person_needed, approver_too_new,
// approver_not_independent; the block of the payout, unless it may have been sent before a restore;
// approver_chose_account, request_changed.
// Locks: the approver, the payout, then the locks of settling the payout.

import {
  APPROVER_COLUMNS,
  type Approver,
  type Candidate,
  findUnfitnessForEither,
  isFirstOfTwo,
  lockApprover,
  type Maker,
  refuseMaker,
  writeFirstApproval,
} from '#approvals/approvers.ts'
import { refuseChanged, revisionOf } from '#approvals/revision.ts'
import type { Queryable } from '#db/pool.ts'
import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { BankAccountId, PayoutId, SubaccountId, UserId } from '#ids.ts'
import { formatKobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { findBlock, MAY_HAVE_BEEN_SENT } from './holds.ts'
import { awaitsApproval, getPayout, type Payout } from './payout.ts'
import {
  type LockedPayout,
  lockPayout,
  refuseCancelling,
  type SettleDeps,
  settlePayout,
} from './settle.ts'
import { recordPayoutChanges } from './states.ts'

type Approving = {
  userId: UserId
  bankAccountIds: readonly BankAccountId[]
  subaccountIds: readonly SubaccountId[] // The caller has locked them, so that their account cannot change.
}

// SQL scalar: the user who added the account `b`. Older accounts record only the name of the user, who may
// have been removed.
const ADDED_BY = `coalesce(b.added_by_user, (
  select u.id
    from (select id, client_id, email from users
          union all
          select id, client_id, email from removed_users) as u
   where u.client_id = b.client_id and b.created_by = 'user:' || u.email
   limit 1))`

// SQL condition: the user is one of the people `h.by` who chose the account, or got access from them. `at` is
// when the user approved: an approver who became independent, or was removed, later was not independent then.
const choosersStandBehind = (user: string, at = `'infinity'`) =>
  `not was_independent(h.by, ${user}, ${at})`

// SQL subquery: the accounts and the users who chose them. All payouts to an account were requested after its
// `known_at`, so the search for approvals can start there.
const CHOICES = `
  select b.client_id, b.id, null::bigint,
         array[${ADDED_BY}, b.default_by_user] || b.added_by_people || b.default_by_people, b.created_at,
         coalesce(b.default_at, b.created_at)
    from bank_accounts b where b.id = any($1::bigint[])
   union all
  select s.client_id, s.bank_account_id, s.id, 
         s.account_chosen_by_user || s.account_chosen_by_people,
         s.account_chosen_at, s.account_chosen_at
    from subaccounts s where s.id = any($2::bigint[])`

// A user who chose the account that is paid is treated as a maker (I49, I53). Three kinds of users cannot
// approve a payout to a bank account: the user who added the account, made it the default or chose it for a
// subaccount; the people behind that user (I93); and all users to whom these people gave access. The rule
// ends when an independent user approves a payout or settlement to the account. For a subaccount, that payout
// or settlement must have paid the subaccount.
//
// Returns whether this rule keeps the user from approving a payout to one of the accounts. Searches earlier
// approvals only if the user, or a person behind the user, chose the account.
export async function isAccountChooser(
  db: Queryable,
  { userId, bankAccountIds, subaccountIds }: Approving,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'find-accounts-chosen-by-approver',
    text: `select from (${CHOICES}) as c
                    (client_id, bank_account_id, subaccount_id, choosers, known_at, chosen_at)
            cross join lateral (select array_remove(c.choosers, null)) as h (by)
            where case when ${choosersStandBehind('$3')} then not exists (
                    select from payouts p
                      left join settlements s on s.id = p.settlement_id
                     cross join lateral (
                       select coalesce(s.approved_by_user, p.decided_by_user),
                              coalesce(s.approved_at, p.decided_at)) as a (by, at)
                     where p.client_id = c.client_id and p.bank_account_id = c.bank_account_id
                       and (c.subaccount_id is null or p.subaccount_id = c.subaccount_id)
                       and p.requested_at >= c.known_at -- Always true; lets the index payouts_of_day serve.
                       and p.approval <> 'rejected' and a.by is not null
                       and a.at > c.chosen_at
                       and not ${choosersStandBehind('a.by', 'a.at')}) end`,
    values: [numberArray(bankAccountIds), numberArray(subaccountIds), userId],
  })
  return rowCount !== 0
}

type Decider = Pick<Approver, 'client' | 'actor'>

// Names what an approver reads of a payout: its terms, and who has approved it already.
export function payoutRevision(payout: Payout): string {
  const { reference, purpose, amountKobo, currency, feeKobo, vatKobo, narration } = payout
  const { bankAccountReference, toBankCode, toAccountName } = payout
  const { requestedBy, requestedAt, firstApprovedBy } = payout
  const terms = [reference, purpose, amountKobo, currency, feeKobo, vatKobo, narration]
  const payee = [bankAccountReference, toBankCode, toAccountName]
  return revisionOf([...terms, ...payee, requestedBy, requestedAt, firstApprovedBy])
}

// Approves a payout as it was read, or gives the first of two approvals. Approving again as the same user
// changes nothing.
export async function approvePayout(
  tx: Transaction,
  acting: Approver & { now: Date },
  { reference, revision }: { reference: string; revision: string },
): Promise<void> {
  const payout = await lockDecidable(tx, acting, { reference, decision: 'approved' })
  if (!payout) return // The same user has approved it before.
  const obstacle = await findPayoutObstacle(tx, acting, payout)
  if (obstacle) throw new Refusal(obstacle)
  refuseChanged(payoutRevision(await getPayout(tx, { reference })), revision)
  if (isFirstOfTwo(payout)) return approveFirst(tx, acting, payout)
  await recordDecision(tx, acting, { payout, approval: 'approved', reason: null })
}

// Records the first of two approvals. The payout still awaits the second one.
async function approveFirst(
  tx: Transaction,
  { client, actor, userId, now }: Approver & { now: Date },
  payout: LockedPayout,
): Promise<void> {
  await writeFirstApproval(tx, { actor, userId, now }, { table: 'payouts', id: payout.id })
  const change = { change: 'first_approved', changedBy: actor } as const
  await recordPayoutChanges(tx, now, { payoutIds: [payout.id], ...change })
  const action = 'payout.approve_first'
  await auditDecision(tx, { client, actor, now }, { payout, action, note: null })
}

// Returns why the candidate cannot approve the payout, for views of it. Returns null if the candidate can.
export async function findApprovalObstacle(
  db: Queryable,
  by: Candidate,
  id: PayoutId,
): Promise<RefusalCode | null> {
  const { rows } = await db.query<PayoutToApprove>({
    name: 'read-payout-to-approve',
    text: `select id, requested_by, requested_by_user,
                  ${APPROVER_COLUMNS},
                  bank_account_id, ${MAY_HAVE_BEEN_SENT} as may_have_been_sent
             from payouts where id = $1`,
    values: [id],
  })
  return findPayoutObstacle(db, by, rows[0] as PayoutToApprove)
}

type PayoutToApprove = Pick<
  LockedPayout,
  | 'id'
  | 'requestedBy'
  | 'requestedByUser'
  | 'makerPeople'
  | 'firstApprover'
  | 'bankAccountId'
  | 'mayHaveBeenSent'
>

// Returns the first reason why this user cannot approve the payout: the user is not fit to check this maker
// or first approver, the payout is blocked, or the user chose the account that is paid. Otherwise returns
// null.
async function findPayoutObstacle(
  db: Queryable,
  by: Candidate,
  payout: PayoutToApprove,
): Promise<RefusalCode | null> {
  const { id, bankAccountId, mayHaveBeenSent, firstApprover } = payout
  const people = { maker: makerOf(payout), firstApprover }
  const unfitness = await findUnfitnessForEither(db, by, people)
  if (unfitness) return unfitness
  // A payout that may have been sent is never sent again (I82). Its approval makes a worker query the bank.
  const block = mayHaveBeenSent ? null : await findBlock(db, id)
  if (block || bankAccountId === null || by.userId === null) return block
  const approving = { userId: by.userId, bankAccountIds: [bankAccountId], subaccountIds: [] }
  return (await isAccountChooser(db, approving)) ? 'approver_chose_account' : null
}

const makerOf = ({ requestedBy, requestedByUser, makerPeople }: PayoutToApprove): Maker => ({
  actor: requestedBy,
  userId: requestedByUser,
  people: makerPeople,
})

// Rejects a payout that awaits approval, and makes its money available again. Refuses the payout's maker.
// Rejecting again as the same user changes nothing.
export async function rejectPayout(
  tx: Transaction,
  acting: Approver & SettleDeps,
  { reference, reason }: { reference: string; reason: string },
): Promise<void> {
  const payout = await lockDecidable(tx, acting, { reference, decision: 'rejected' })
  if (!payout) return // The same user has rejected it before.
  refuseMaker(acting, makerOf(payout))
  const outcome = { status: 'cancelled', reason } as const
  const result = await settlePayout(tx, acting, { id: payout.id, outcome, by: acting.actor })
  // `otherwise`: nothing was changed, because the payout may have been sent before a restore.
  if (result === 'otherwise') refuseCancelling(payout)
  await recordDecision(tx, acting, { payout, approval: 'rejected', reason })
}

// Any user or credential that may create payouts may cancel one, until a worker begins to send it. Cancelling
// again changes nothing.
export async function cancelPayout(
  tx: Transaction,
  deps: SettleDeps & Decider,
  { reference, reason }: { reference: string; reason: string },
): Promise<void> {
  const { client, actor, now } = deps
  const { id } = await getPayout(tx, { reference, clientId: client.id })
  const payout = await lockPayout(tx, id)
  // True also for a cancelled payout, so that cancelling again succeeds.
  if (!(await isCancellable(tx, payout))) throw new Refusal('payout_not_queued')
  const result = await settlePayout(tx, deps, {
    id,
    outcome: { status: 'cancelled', reason },
    by: actor,
  })
  // `otherwise`: nothing was changed, because the payout is no longer queued, or may have been sent.
  if (result === 'otherwise') refuseCancelling(payout)
  if (result === 'same') return // It was cancelled before.
  await auditDecision(tx, { client, actor, now }, { payout, action: 'payout.cancel', note: reason })
}

// A payout of a settlement or refund can be cancelled alone only while it is blocked, because a blocked
// payout would wait for ever. Otherwise it cannot be cancelled alone: an approved settlement is final, and
// another payout of the refund may have been sent. The block of a suspended client does not allow it either,
// because the client may be resumed.
async function isCancellable(
  tx: Transaction,
  { id, purpose, status }: LockedPayout,
): Promise<boolean> {
  if (purpose === 'payout' || status === 'cancelled') return true
  const block = await findBlock(tx, id)
  return block !== null && block !== 'client_suspended'
}

// Locks a payout that awaits approval. Returns undefined if the same user has already made this decision, so
// that a repeated request changes nothing.
async function lockDecidable(
  tx: Transaction,
  approver: Approver,
  { reference, decision }: { reference: string; decision: 'approved' | 'rejected' },
): Promise<LockedPayout | undefined> {
  const { id } = await getPayout(tx, { reference, clientId: approver.client.id })
  await lockApprover(tx, approver)
  const payout = await lockPayout(tx, id)
  const { approval, decidedByUser } = payout
  if (approval === decision && decidedByUser === approver.userId) return undefined
  // The user has given the first of two approvals. Repeating it changes nothing.
  const hasApprovedFirst = payout.firstApprover?.userId === approver.userId
  if (decision === 'approved' && hasApprovedFirst && awaitsApproval(payout)) return undefined
  if (!awaitsApproval(payout)) throw new Refusal('payout_decided')
  return payout
}

// Writes the decision to the payout, its history and the audit log.
async function recordDecision(
  tx: Transaction,
  { client, actor, userId, now }: Approver & { now: Date },
  {
    payout,
    approval,
    reason,
  }: { payout: LockedPayout; approval: 'approved' | 'rejected'; reason: string | null },
): Promise<void> {
  await tx.query({
    name: 'decide-payout',
    text: `update payouts set approval = $2, decided_by = $3, decided_by_user = $4,
                              decided_at = $5, decision_reason = $6
            where id = $1`,
    values: [payout.id, approval, actor, userId, now, reason],
  })
  const change = { change: approval, changedBy: actor, detail: reason }
  await recordPayoutChanges(tx, now, { payoutIds: [payout.id], ...change })
  const action = approval === 'approved' ? 'payout.approve' : 'payout.reject'
  await auditDecision(tx, { client, actor, now }, { payout, action, note: reason })
}

// Writes a decision on a payout to the audit log of its client.
function auditDecision(
  tx: Transaction,
  { client, actor, now }: Decider & { now: Date },
  {
    payout,
    action,
    note,
  }: { payout: LockedPayout; action: `payout.${string}`; note: string | null },
): Promise<void> {
  const { reference, amountKobo, currency, requestedBy } = payout
  const detail = { amount: formatKobo(amountKobo), currency, requestedBy, note }
  const subject = `payout/${reference}`
  return writeAuditLog(tx, now, { clientId: client.id, actor, action, subject, detail })
}
