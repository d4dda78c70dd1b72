// Approves a settlement: one payout for each party, from settling to paying. A client whose money does
// not move without a second person (maker-checker, or payouts above an amount) has it approved by
// somebody other than who closed it, who is independent of them and of who chose the account that is
// paid to, and not new (I53: settlement-approvers.ts); otherwise closing approves. Where there is nowhere
// to pay to, it stays closed with the reason, and can be approved later.
//
// So does one to an account whose name no bank has confirmed: as for a payout, a second person approves it,
// who gives the accounts and their names, and so has seen them.
//
// Locks: the client, the settlement, who approves (so that nobody changes their access meanwhile), the
// subaccounts that are paid; then ledger accounts, which closing has locked before. Who approves is locked
// after the subaccounts where only an unconfirmed account demands them: nobody waits for both the other
// way round.

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
import { findApprovalObstacle, wantsSecondPerson } from './settlement-approvers.ts'
import { recordSettlement, tellSettlement } from './settlement-events.ts'
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

// Whoever switches it on waits for what is being closed: nothing is approved by itself any more.
export async function needsApproval(
  tx: Transaction,
  clientId: ClientId,
  netKobo: Kobo,
): Promise<boolean> {
  await holdApprovalRules(tx, clientId)
  return wantsSecondPerson(tx, clientId, netKobo)
}

// Right after it was closed.
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
export type SettlementApprover = Omit<Approver, 'userId'> & { userId: UserId | null }

type Approval = { reference: string; seen: SeenPayees }

// Idempotent for the same actor.
export async function approveSettlement(
  tx: Transaction,
  deps: ApprovalDeps,
  { reference, seen, ...by }: SettlementApprover & Approval,
): Promise<Settlement> {
  const clientId = by.client.id
  await refuseSuspended(tx, clientId)
  const settlement = await lockSettlement(tx, clientId, reference)
  const { id, status, approvedBy } = settlement
  if (approvedBy !== null && approvedBy === by.actor) return settlement
  if (status === 'closed' && settlement.firstApprover?.actor === by.actor) return settlement
  if (status !== 'closed') throw new Refusal('settlement_not_closed')
  // Also where it was held for another reason, and a second person is wanted since.
  const isWanted =
    settlement.needsApproval || (await needsApproval(tx, clientId, settlement.netKobo))
  if (isWanted) await lockPerson(tx, by)
  const payees = await lockPayees(tx, id)
  if (!isWanted && payees.some(isUnconfirmed)) await lockPerson(tx, by)
  const judged = { settlement, payees, isWanted, seen }
  const obstacle = await findApprovalObstacle(tx, by, judged)
  if (obstacle) throw new Refusal(obstacle)
  if (settlement.approversNeeded > 1 && !settlement.firstApprover) {
    await approveFirst(tx, deps.now, { id, ...by })
    return readSettlement(tx, id)
  }
  await payOut(tx, deps, { settlement, payees, actor: by.actor, userId: by.userId })
  return readSettlement(tx, id)
}

// Of two: nothing is paid yet.
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

// Nothing is left to pay: all of it was recovered or held back.
async function finishUnpaid(tx: Transaction, now: Date, id: SettlementId): Promise<void> {
  await tx.query({
    name: 'finish-unpaid-settlement',
    text: `update settlements set status = 'paid', finished_at = $2 where id = $1`,
    values: [id, now],
  })
  const settlement = await readSettlement(tx, id)
  await tellSettlement(tx, now, { settlement, type: 'settlement.paid' })
}
