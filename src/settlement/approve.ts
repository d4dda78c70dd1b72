// Approves settlements and pays them out: the payees, the rules about who may approve, and the approval.

import { refuseSuspended } from '#access/permissions.ts'
import {
  type Approver,
  type Candidate,
  findUnfitnessForEither,
  isFirstOfTwo,
  lockApprover,
  writeFirstApproval,
} from '#approvals/approvers.ts'
import { refuseChanged, revisionOf } from '#approvals/revision.ts'
import { readMakerChecker } from '#approvals/workflow.ts'
import type { BankConnections } from '#banks/connector.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import { refuseHeldClient } from '#holds/hold.ts'
import type {
  AccountId,
  BankAccountId,
  ClientId,
  PayoutId,
  SettlementId,
  SubaccountId,
  UserId,
} from '#ids.ts'
import { clientOwner, type SharedAccounts, subaccountOwner } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Metrics } from '#observability/metrics.ts'
import { isAccountChooser } from '#payouts/approve.ts'
import type { NewPayout } from '#payouts/payout.ts'
import { createPayouts } from '#payouts/request.ts'
import { chooseSendingBank, type SendingChoice } from '#payouts/sending-bank.ts'
import { isAbove, isCredential, lockApprovalRules, readPayoutSettings } from '#payouts/settings.ts'
import type { Sealer } from '#seal.ts'
import {
  emitEvent,
  lockSettlement,
  readSettlement,
  recordSettlement,
  type Settlement,
} from './settlement.ts'
import { transition } from './states.ts'

// A payee of a settlement if it were approved now: the client with its default bank account, or a subaccount
// with its own. A party with a share of zero is not a payee.
export type Payee = {
  subaccountId: SubaccountId | null
  subaccountCode: string | null
  settlingId: AccountId
  netKobo: Kobo
  bankAccountId: BankAccountId | null
  bankAccount: string | null // The reference of the bank account.
  bankCode: string
  accountNumberSealed: Buffer
  accountName: string
  status: 'confirmed' | 'mismatch' | 'unconfirmed'
  isActive: boolean
  chosenAt: Date | null // When the account became the client's default, or was chosen for the subaccount.
}

// Returns the parties that a settlement pays, with the bank accounts that they would now be paid to; the
// client comes first.
export async function readPayees(db: Queryable, id: SettlementId): Promise<Payee[]> {
  const { rows } = await db.query<Payee>({
    name: 'read-settlement-payees',
    text: `select s.subaccount_id, p.subaccount_code, s.account_id as settling_id, s.net_kobo,
                  b.id as bank_account_id, b.reference as bank_account, b.bank_code,
                  b.account_number_sealed, b.account_name, b.status, b.is_active,
                  case when s.subaccount_id is null then b.default_at
                       else u.account_chosen_at end as chosen_at
             from settlement_shares s
             left join settlement_payees p on p.client_id = s.client_id
                                          and p.subaccount_id is not distinct from s.subaccount_id
             left join bank_accounts b on b.id = p.bank_account_id
             left join subaccounts u on u.id = s.subaccount_id
            where s.settlement_id = $1 and s.net_kobo > 0
            order by s.subaccount_id nulls first`,
    values: [id],
  })
  return rows
}

// Returns the payees and locks their subaccounts, so that no other transaction chooses another bank account
// for one.
export async function lockPayees(tx: Transaction, id: SettlementId): Promise<Payee[]> {
  await tx.query({
    name: 'lock-settlement-payees',
    text: `select from subaccounts
            where id in (select subaccount_id from settlement_shares
                          where settlement_id = $1 and net_kobo > 0)
            order by id for share`,
    values: [id],
  })
  return readPayees(tx, id)
}

const UNCONFIRMED = 'bank_account_unconfirmed'

// Returns the reason why the settlement as a whole cannot be paid, or undefined if it can. An unconfirmed
// name comes last, because a second person's approval overcomes it.
export function findObstacle(payees: readonly Payee[]): RefusalCode | undefined {
  const obstacles = payees.flatMap((payee) => obstacleTo(payee) ?? [])
  return obstacles.find((obstacle) => obstacle !== UNCONFIRMED) ?? obstacles[0]
}

// Whether the account is fine except that no bank has confirmed its name.
function isUnconfirmed(payee: Payee): boolean {
  return obstacleTo(payee) === UNCONFIRMED
}

// Returns the reason why this payee's bank account cannot be paid; undefined if it can.
export function obstacleTo({ bankAccountId, isActive, status }: Payee): RefusalCode | undefined {
  if (bankAccountId === null) return 'no_default_bank_account'
  if (!isActive) return 'bank_account_inactive'
  if (status === 'mismatch') return 'bank_account_mismatch'
  if (status === 'unconfirmed') return UNCONFIRMED
  return undefined
}

// Names what an approver reads of a settlement: its amounts, and the parties with the accounts that it would
// now be paid to. Accounts that no bank has confirmed are approved by the name that the approver read.
export function settlementRevision(settlement: Settlement, payees: readonly Payee[]): string {
  const { reference, cutOff, currency, netKobo, closedBy, firstApprover } = settlement
  const parties = payees.map(({ subaccountCode, netKobo: partKobo, bankAccount, ...account }) => {
    const { bankCode, accountName, status } = account
    return [subaccountCode, partKobo, bankAccount, bankCode, accountName, status]
  })
  const approved = firstApprover && [firstApprover.actor, firstApprover.userId]
  return revisionOf([reference, cutOff, currency, netKobo, closedBy, approved, parties])
}

// Whether the client's current rules require a second person.
async function needsSecondPerson(
  db: Queryable,
  clientId: ClientId,
  netKobo: Kobo,
): Promise<boolean> {
  if (await readMakerChecker(db, clientId)) return true
  const { approvalAboveKobo } = await readPayoutSettings(db, clientId)
  return isAbove(netKobo, approvalAboveKobo)
}

type Closing = { clientId: ClientId; actor: string; netKobo: Kobo }

// Whether the settlement needs two approvers: it was closed with an API credential, and its amount is above
// the client's limit. Takes no lock; when a settlement is closed, needsApproval() has locked the rules.
export async function takesTwoApprovers(
  db: Queryable,
  { clientId, actor, netKobo }: Closing,
): Promise<boolean> {
  if (!isCredential(actor)) return false
  const { twoApproversAboveKobo } = await readPayoutSettings(db, clientId)
  return isAbove(netKobo, twoApproversAboveKobo)
}

// Returns the reason why the viewer may not approve the settlement, or null if the viewer may.
// `needsPerson`: the rules at its closing, or the current ones, require a second person.
export async function findObstacleToViewer(
  db: Queryable,
  by: Candidate,
  { settlement, payees }: Pick<ApprovalCase, 'settlement' | 'payees'>,
): Promise<RefusalCode | null> {
  const { clientId, netKobo, needsApproval } = settlement
  const needsPerson = needsApproval || (await needsSecondPerson(db, clientId, netKobo))
  return findApprovalObstacle(db, by, { settlement, payees, needsPerson })
}

type ApprovalCase = {
  settlement: Settlement
  payees: readonly Payee[]
  needsPerson: boolean // The client's rules require a second person, whatever the accounts are.
}

// Decides who may approve a settlement (I53). Approving enforces the rule, and reading a settlement shows it
// to the viewer. Returns the first obstacle, or null if there is none:
//
//   people_only, other_person_needed, approver_too_new, approver_not_independent, maker_counts_as_you,
//   second_approver_needed       only if a second person is needed
//   obstacles of the payees' accounts, except an unconfirmed name
//   people_only …                the first list, if only an unconfirmed account requires a second person
//   approver_chose_account       the second person chose the account
export async function findApprovalObstacle(
  db: Queryable,
  by: Candidate,
  { settlement, payees, needsPerson }: ApprovalCase,
): Promise<RefusalCode | null> {
  const { closedBy: actor, closedByUser, makerPeople, firstApprover } = settlement
  const checked = { maker: { actor, userId: closedByUser, people: makerPeople }, firstApprover }
  const ineligibility = needsPerson && (await findUnfitnessForEither(db, by, checked))
  if (ineligibility) return ineligibility
  const obstacle = findObstacle(payees)
  const isReviewed = obstacle === UNCONFIRMED
  if (obstacle && !isReviewed) return obstacle
  if (!needsPerson && !isReviewed) return null
  const { userId } = by
  if (userId === null) return 'people_only'
  const lateIneligibility = needsPerson ? undefined : await findUnfitnessForEither(db, by, checked)
  if (lateIneligibility) return lateIneligibility
  const isChooser = await isAccountChooser(db, { userId, ...idsOf(payees) })
  return isChooser ? 'approver_chose_account' : null
}

// Returns the ids of the payees’ bank accounts and subaccounts. isAccountChooser() looks up who chose these
// accounts.
function idsOf(payees: readonly Payee[]) {
  return {
    bankAccountIds: payees.flatMap(({ bankAccountId }) => bankAccountId ?? []),
    subaccountIds: payees.flatMap(({ subaccountId }) => subaccountId ?? []),
  }
}

export type ApprovalDeps = {
  sharedAccounts: SharedAccounts
  sealer: Sealer
  bankConnections: BankConnections
  metrics?: Metrics
  now: Date
}

// Whether the settlement needs a second person's approval. Locks the client's approval rules, so that a user
// who turns on maker-checker waits for closings under way.
export async function needsApproval(
  tx: Transaction,
  clientId: ClientId,
  netKobo: Kobo,
): Promise<boolean> {
  await lockApprovalRules(tx, clientId)
  return needsSecondPerson(tx, clientId, netKobo)
}

// Approves a settlement that was just closed, or stores the reason why it stays closed.
export async function approveByPolicy(
  tx: Transaction,
  deps: ApprovalDeps,
  { id, actor }: { id: SettlementId; actor: string },
): Promise<void> {
  const settlement = await readSettlement(tx, id)
  const payees = await lockPayees(tx, id)
  const obstacle = settlement.needsApproval ? 'approval_needed' : findObstacle(payees)
  if (obstacle) await storeHeldReason(tx, id, obstacle)
  else await payOut(tx, deps, { settlement, payees, actor, userId: null })
}

// Stores the reason why the settlement was not approved when it was closed.
async function storeHeldReason(
  tx: Transaction,
  id: SettlementId,
  reason: RefusalCode,
): Promise<void> {
  await tx.query({
    name: 'hold-settlement',
    text: 'update settlements set held_reason = $2 where id = $1',
    values: [id, reason],
  })
}

// Client credentials (`userId` null) approve only settlements that need no second person.
type SettlementApprover = Omit<Approver, 'userId'> & { userId: UserId | null }

// Approves a settlement: creates one payout for each party and moves its money from settling to paying.
// Closing a settlement also approves it, unless the client's money needs a second person (maker-checker,
// or payouts above an amount). That person must not be the closer, must be independent of the closer, must
// not have chosen the bank account, and must not be a new user (I53: findApprovalObstacle). Without an
// account to pay to, the settlement stays closed with the reason and can be approved later.
//
// A settlement to an account whose name no bank has confirmed also stays closed, until a second person
// approves it. The revision proves that an approver has seen the accounts and names.
//
// Repeating an approval with the same actor changes nothing.
//
// Locks: the client, the settlement, the approver (so that their access cannot change concurrently), the
// subaccounts that are paid; then ledger accounts, which closing has locked before. If only an
// unconfirmed account requires a second person, the approver is locked after the subaccounts; no
// transaction takes these two locks in the opposite order.
export async function approveSettlement(
  tx: Transaction,
  deps: ApprovalDeps,
  { reference, revision, ...by }: SettlementApprover & { reference: string; revision: string },
): Promise<Settlement> {
  const clientId = by.client.id
  await refuseSuspended(tx, clientId)
  await refuseHeldClient(tx, clientId)
  const settlement = await lockSettlement(tx, clientId, reference)
  const { id, status, approvedBy } = settlement
  if (approvedBy !== null && approvedBy === by.actor) return settlement
  if (status === 'closed' && settlement.firstApprover?.actor === by.actor) return settlement
  if (status !== 'closed') throw new Refusal('settlement_not_closed')
  // The rules may have become stricter since the closing left the settlement unapproved for another reason.
  const needsPerson =
    settlement.needsApproval || (await needsApproval(tx, clientId, settlement.netKobo))
  if (needsPerson) await lockPerson(tx, by)
  const payees = await lockPayees(tx, id)
  if (!needsPerson && payees.some(isUnconfirmed)) await lockPerson(tx, by)
  const approval = { settlement, payees, needsPerson }
  const obstacle = await findApprovalObstacle(tx, by, approval)
  if (obstacle) throw new Refusal(obstacle)
  refuseChanged(settlementRevision(settlement, payees), revision)
  if (isFirstOfTwo(settlement)) {
    await approveFirst(tx, deps.now, { id, ...by })
    return readSettlement(tx, id)
  }
  await payOut(tx, deps, { settlement, payees, actor: by.actor, userId: by.userId })
  return readSettlement(tx, id)
}

// Stores the first of two approvals. The settlement stays closed until the second.
async function approveFirst(
  tx: Transaction,
  now: Date,
  { id, actor, userId }: Pick<SettlementApprover, 'actor' | 'userId'> & { id: SettlementId },
): Promise<void> {
  await writeFirstApproval(tx, { actor, userId, now }, { table: 'settlements', id })
  await recordSettlement(tx, now, { id, verb: 'approve_first', actor })
}

// Locks the approver, so that their access cannot change concurrently. Client credentials have no user to
// lock.
async function lockPerson(tx: Transaction, { userId, ...by }: SettlementApprover): Promise<void> {
  if (userId !== null) await lockApprover(tx, { ...by, userId })
}

type Approved = {
  settlement: Settlement
  payees: readonly Payee[]
  actor: string
  userId: UserId | null
}

// Marks the settlement as approved, creates a payout for each payee, and moves their money from settling to
// paying. Routing chooses one bank that sends all the payouts.
async function payOut(tx: Transaction, deps: ApprovalDeps, approved: Approved): Promise<void> {
  const { settlement, payees, actor, userId } = approved
  const { id, clientId } = settlement
  await transition(tx, {
    name: 'approve-settlement',
    id,
    from: 'closed',
    to: 'approved',
    set: 'approved_by = $2, approved_by_user = $3, approved_at = $4, held_reason = null',
    values: [actor, userId, deps.now],
  })
  const unconfirmed = payees.flatMap((payee) => (isUnconfirmed(payee) ? payee.bankAccount : []))
  const extraDetail = unconfirmed.length > 0 ? { unconfirmed } : {}
  await recordSettlement(tx, deps.now, { id, verb: 'approve', actor, extraDetail })
  if (payees.length === 0) return finishUnpaid(tx, deps.now, id)
  const amountKobo = kobo(payees.reduce((sum, { netKobo }) => sum + netKobo, 0n))
  const sending = { ...deps, currency: settlement.currency, amountKobo }
  const routing = await chooseSendingBank(tx, sending)
  const newPayouts = payees.map((payee) => newPayout(deps.sealer, { ...approved, payee, routing }))
  const payouts = await createPayouts(tx, deps, newPayouts)
  const payingAccounts = payees.map(({ subaccountId }) => ({
    kind: 'paying' as const,
    owner: subaccountId === null ? clientOwner(clientId) : subaccountOwner(subaccountId),
    currency: settlement.currency,
  }))
  await deps.sharedAccounts.open(payingAccounts)
  const transfers = payees.map(({ settlingId, netKobo }, index) => ({
    debitAccountId: settlingId,
    creditAccountId: deps.sharedAccounts.id(payingAccounts[index] as (typeof payingAccounts)[0]),
    amountKobo: netKobo,
    reason: 'payout' as const,
    payoutId: payouts[index]?.id as PayoutId,
  }))
  await postTransfers(tx, deps.now, transfers)
}

type Paid = Approved & { payee: Payee; routing: SendingChoice }

// Returns the payout that pays one payee its part of the settlement. Its sending bank was chosen for all
// payees.
function newPayout(sealer: Sealer, { settlement, actor, userId, payee, routing }: Paid): NewPayout {
  return {
    clientId: settlement.clientId,
    purpose: 'settlement',
    bankCode: routing.bankCode,
    routing,
    amountKobo: payee.netKobo,
    currency: settlement.currency,
    to: {
      bankCode: payee.bankCode,
      accountNumber: sealer.open(payee.accountNumberSealed),
      accountName: payee.accountName,
    },
    narration: `Settlement ${settlement.reference}`,
    requestedBy: actor,
    requestedByUser: userId,
    approversNeeded: 0, // The settlement is approved.
    bankAccountId: payee.bankAccountId as BankAccountId,
    subaccountId: payee.subaccountId ?? undefined,
    settlementId: settlement.id,
  }
}

// Finishes a settlement without a payout: all of its money was recovered or held back.
async function finishUnpaid(tx: Transaction, now: Date, id: SettlementId): Promise<void> {
  await transition(tx, {
    name: 'finish-unpaid-settlement',
    id,
    from: 'approved',
    to: 'paid',
    set: 'finished_at = $2',
    values: [now],
  })
  const settlement = await readSettlement(tx, id)
  await emitEvent(tx, now, { settlement, type: 'settlement.paid' })
}
