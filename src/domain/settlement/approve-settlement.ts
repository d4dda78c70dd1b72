// Approves a settlement: creates one payout for each party and moves its money from settling to paying.
// Closing a settlement also approves it, unless the client's money needs a second person (maker-checker,
// or payouts above an amount). That person is somebody other than the closer, independent of the closer
// and of the chooser of the bank account, and not new (I53: settlement-approvers.ts). Without an account
// to pay to, the settlement stays closed with the reason and can be approved later.
//
// A settlement to an account whose name no bank has confirmed also stays closed. A second person approves
// it and sends the accounts and names, which proves that the person has seen them.
//
// Locks: the client, the settlement, the approver (so that nobody changes their access meanwhile), the
// subaccounts that are paid; then ledger accounts, which closing has locked before. If only an
// unconfirmed account requires the approver, the approver is locked after the subaccounts; no transaction
// takes these two locks in the opposite order.

import type { BankConnections } from '#banks/connector.ts'
import type { Transaction } from '#db/transaction.ts'
import { type Approver, lockApprover } from '#domain/access/approvers.ts'
import { refuseSuspended } from '#domain/access/clients.ts'
import { chooseSendingBank, type SendingChoice } from '#domain/payouts/choose-sending-bank.ts'
import { createPayouts } from '#domain/payouts/create-payouts.ts'
import { holdApprovalRules } from '#domain/payouts/payout-settings.ts'
import type { NewPayout } from '#domain/payouts/payouts.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { BankAccountId, ClientId, PayoutId, SettlementId, UserId } from '#ids.ts'
import { clientOwner, type SharedAccounts, subaccountOwner } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import type { Metrics } from '#metrics.ts'
import { type Kobo, kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { findApprovalObstacle, needsSecondPerson } from './settlement-approvers.ts'
import { emitEvent, recordSettlement } from './settlement-events.ts'
import {
  findObstacle,
  isUnconfirmed,
  lockPayees,
  type Payee,
  type SeenPayees,
} from './settlement-payees.ts'
import { lockSettlement, readSettlement, type Settlement } from './settlements.ts'

export type ApprovalDeps = {
  sharedAccounts: SharedAccounts
  sealer: Sealer
  bankConnections: BankConnections
  metrics?: Metrics
  now: Date
}

// Holds the client's approval rules: a user who turns on maker-checker waits for closings under way.
export async function needsApproval(
  tx: Transaction,
  clientId: ClientId,
  netKobo: Kobo,
): Promise<boolean> {
  await holdApprovalRules(tx, clientId)
  return needsSecondPerson(tx, clientId, netKobo)
}

export async function approveByPolicy(
  tx: Transaction,
  deps: ApprovalDeps,
  { id, actor }: { id: SettlementId; actor: string },
): Promise<void> {
  const settlement = await readSettlement(tx, id)
  const payees = await lockPayees(tx, id)
  const obstacle = settlement.needsApproval ? 'approval_needed' : findObstacle(payees)
  if (obstacle) await hold(tx, id, obstacle)
  else await payOut(tx, deps, { settlement, payees, actor, userId: null })
}

async function hold(tx: Transaction, id: SettlementId, reason: RefusalCode): Promise<void> {
  await tx.query({
    name: 'hold-settlement',
    text: 'update settlements set held_reason = $2 where id = $1',
    values: [id, reason],
  })
}

// Client credentials approve only what needs no second person.
type SettlementApprover = Omit<Approver, 'userId'> & { userId: UserId | null }

type Approval = { reference: string; view: SeenPayees }

// Idempotent for the same actor.
export async function approveSettlement(
  tx: Transaction,
  deps: ApprovalDeps,
  { reference, view, ...by }: SettlementApprover & Approval,
): Promise<Settlement> {
  const clientId = by.client.id
  await refuseSuspended(tx, clientId)
  const settlement = await lockSettlement(tx, clientId, reference)
  const { id, status, approvedBy } = settlement
  if (approvedBy !== null && approvedBy === by.actor) return settlement
  if (status === 'closed' && settlement.firstApprover?.actor === by.actor) return settlement
  if (status !== 'closed') throw new Refusal('settlement_not_closed')
  // The rules may have changed since the settlement was held for another reason.
  const needsPerson =
    settlement.needsApproval || (await needsApproval(tx, clientId, settlement.netKobo))
  if (needsPerson) await lockPerson(tx, by)
  const payees = await lockPayees(tx, id)
  if (!needsPerson && payees.some(isUnconfirmed)) await lockPerson(tx, by)
  const approval = { settlement, payees, needsPerson, view }
  const obstacle = await findApprovalObstacle(tx, by, approval)
  if (obstacle) throw new Refusal(obstacle)
  if (settlement.approversNeeded > 1 && !settlement.firstApprover) {
    await approveFirst(tx, deps.now, { id, ...by })
    return readSettlement(tx, id)
  }
  await payOut(tx, deps, { settlement, payees, actor: by.actor, userId: by.userId })
  return readSettlement(tx, id)
}

// The first of two approvals pays nothing.
async function approveFirst(
  tx: Transaction,
  now: Date,
  { id, actor, userId }: Pick<SettlementApprover, 'actor' | 'userId'> & { id: SettlementId },
): Promise<void> {
  await tx.query({
    name: 'approve-settlement-first',
    text: `update settlements set first_approved_by = $2, first_approved_by_user = $3,
                                  first_approved_at = $4
            where id = $1`,
    values: [id, actor, userId, now],
  })
  await recordSettlement(tx, now, { id, verb: 'approve_first', actor })
}

async function lockPerson(tx: Transaction, { userId, ...by }: SettlementApprover): Promise<void> {
  if (userId !== null) await lockApprover(tx, { ...by, userId })
}

type Approved = {
  settlement: Settlement
  payees: readonly Payee[]
  actor: string
  userId: UserId | null
}

async function payOut(tx: Transaction, deps: ApprovalDeps, approved: Approved): Promise<void> {
  const { settlement, payees, actor, userId } = approved
  const { id, clientId } = settlement
  await tx.query({
    name: 'approve-settlement',
    text: `update settlements
              set status = 'approved', approved_by = $2, approved_by_user = $3, approved_at = $4,
                  held_reason = null
            where id = $1`,
    values: [id, actor, userId, deps.now],
  })
  const unconfirmed = payees.flatMap((payee) => (isUnconfirmed(payee) ? payee.bankAccount : []))
  const more = unconfirmed.length > 0 ? { unconfirmed } : {}
  await recordSettlement(tx, deps.now, { id, verb: 'approve', actor, more })
  if (payees.length === 0) return finishUnpaid(tx, deps.now, id)
  const amountKobo = kobo(payees.reduce((sum, { netKobo }) => sum + netKobo, 0n))
  const sending = { ...deps, currency: settlement.currency, amountKobo }
  const routing = await chooseSendingBank(tx, sending)
  const news = payees.map((payee) => newPayout(deps.sealer, { ...approved, payee, routing }))
  const made = await createPayouts(tx, deps, news)
  const paying = payees.map(({ subaccountId }) => ({
    kind: 'paying' as const,
    owner: subaccountId === null ? clientOwner(clientId) : subaccountOwner(subaccountId),
    currency: settlement.currency,
  }))
  await deps.sharedAccounts.open(paying)
  const transfers = payees.map(({ settlingId, netKobo }, index) => ({
    debitAccountId: settlingId,
    creditAccountId: deps.sharedAccounts.id(paying[index] as (typeof paying)[0]),
    amountKobo: netKobo,
    reason: 'payout' as const,
    payoutId: made[index]?.id as PayoutId,
  }))
  await postTransfers(tx, deps.now, transfers)
}

type Paid = Approved & { payee: Payee; routing: SendingChoice }

function newPayout(sealer: Sealer, { settlement, actor, payee, routing }: Paid): NewPayout {
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
    approversNeeded: 0, // The settlement is approved.
    bankAccountId: payee.bankAccountId as BankAccountId,
    subaccountId: payee.subaccountId ?? undefined,
    settlementId: settlement.id,
  }
}

// All of the money was recovered or held back.
async function finishUnpaid(tx: Transaction, now: Date, id: SettlementId): Promise<void> {
  await tx.query({
    name: 'finish-unpaid-settlement',
    text: `update settlements set status = 'paid', finished_at = $2 where id = $1`,
    values: [id, now],
  })
  const settlement = await readSettlement(tx, id)
  await emitEvent(tx, now, { settlement, type: 'settlement.paid' })
}
