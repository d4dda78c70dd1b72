// Recovers or writes off a debt. One user requests it, and another, independent user approves it (I60):
//
//   recovery    of a receivable   Available, Collection accounts → Receivable
//               of a shortfall    Bank → Shortfall                 the bank has paid it
//   write_off   of a receivable   Write-off of the client → Receivable
//               of a shortfall    Write-off of the bank → Shortfall
//
// The amount never exceeds the debt at that moment. A shortfall on a pending return is not final: if the
// return fails, its money covers the shortfall (return-suspense.ts).
// Locks: the approver, the adjustment, ledger accounts.

import type { Transaction } from '#db/transaction.ts'
import { type Approver, lockApprover } from '#domain/access/approvers.ts'
import { lockBalances } from '#domain/credits/reversal-locks.ts'
import { drawAvailable } from '#domain/payouts/draw-available.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { AccountId } from '#ids.ts'
import {
  bankOwner,
  clientOwner,
  operatorOwner,
  type SharedAccount,
  type SharedAccounts,
} from '#ledger/accounts.ts'
import { postTransfers, type Transfer } from '#ledger/transfers.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import {
  type Adjustment,
  type AdjustmentState,
  type Debt,
  lockAdjustment,
  newAdjustmentReference,
} from './adjustments.ts'

// A user of the operator.
type Acting = Approver & { now: Date; sharedAccounts: SharedAccounts }

type NewAdjustment = {
  kind: Adjustment['kind']
  debt: Debt
  amountKobo: Kobo
  currency: string
  reason: string
}

// Returns the reference.
export async function requestAdjustment(
  tx: Transaction,
  acting: Acting,
  { kind, debt, amountKobo, currency, reason }: NewAdjustment,
): Promise<string> {
  const { actor, userId, now } = acting
  if (amountKobo > (await lockOwed(tx, acting, { debt, currency }))) {
    throw new Refusal('adjustment_too_large')
  }
  const reference = newAdjustmentReference()
  await tx.query({
    name: 'request-adjustment',
    text: `insert into adjustments (reference, kind, subject, client_id, bank_code, amount_kobo,
                                    currency, reason, requested_by, requested_by_user, requested_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    values: [
      reference,
      kind,
      debt.of,
      debt.clientId,
      debt.bankCode,
      amountKobo,
      currency,
      reason,
      actor,
      userId,
      now,
    ],
  })
  const adjustment = await lockAdjustment(tx, acting, reference)
  await record(tx, acting, { adjustment, verb: 'request' })
  return reference
}

// Idempotent for the same user.
export async function approveAdjustment(
  tx: Transaction,
  acting: Acting,
  reference: string,
): Promise<void> {
  await lockApprover(tx, acting)
  const adjustment = await lockAdjustment(tx, acting, reference)
  if (isDecidedBy(adjustment, 'approved', acting.actor)) return
  refuseDecided(adjustment)
  if (adjustment.obstacle) throw new Refusal(adjustment.obstacle)
  await move(tx, acting, adjustment)
  await decide(tx, acting, { adjustment, state: 'approved', reason: null })
}

// Rejecting moves no money, so new and dependent users may reject.
export async function rejectAdjustment(
  tx: Transaction,
  acting: Acting,
  { reference, reason }: { reference: string; reason: string },
): Promise<void> {
  const adjustment = await lockAdjustment(tx, acting, reference)
  if (isDecidedBy(adjustment, 'rejected', acting.actor)) return
  refuseDecided(adjustment)
  if (adjustment.obstacle === 'other_person_needed') throw new Refusal('other_person_needed')
  await decide(tx, acting, { adjustment, state: 'rejected', reason })
}

export async function withdrawAdjustment(
  tx: Transaction,
  acting: Acting,
  reference: string,
): Promise<void> {
  const adjustment = await lockAdjustment(tx, acting, reference)
  if (isDecidedBy(adjustment, 'withdrawn', acting.actor)) return
  refuseDecided(adjustment)
  if (adjustment.requestedBy !== acting.actor) throw new Refusal('own_request_only')
  await decide(tx, acting, { adjustment, state: 'withdrawn', reason: null })
}

async function move(tx: Transaction, acting: Acting, adjustment: Adjustment): Promise<void> {
  const { sharedAccounts, now } = acting
  const { id: adjustmentId, kind, amountKobo, currency, clientId } = adjustment
  const owed = debtAccount(adjustment, currency)
  const giver = giverOf(adjustment)
  await sharedAccounts.open([giver, owed])
  const isDrawn = kind === 'recovery' && clientId !== null
  const into = [sharedAccounts.id(owed)]
  const draws = isDrawn
    ? await drawAvailable(tx, sharedAccounts, { clientId, currency, amountKobo, into })
    : [{ accountId: sharedAccounts.id(giver), amountKobo }]
  const others = isDrawn ? [] : [giver]
  if (amountKobo > (await lockOwed(tx, acting, { debt: adjustment, currency, others }))) {
    throw new Refusal('adjustment_too_large')
  }
  const transfers = draws.map(
    (draw): Transfer => ({
      debitAccountId: draw.accountId,
      creditAccountId: sharedAccounts.id(owed),
      amountKobo: draw.amountKobo,
      adjustmentId,
      reason: kind,
    }),
  )
  await postTransfers(tx, now, transfers)
}

function debtAccount({ of, ...debt }: Debt, currency: string): SharedAccount {
  return debt.clientId === null
    ? { kind: 'shortfall', owner: bankOwner(debt.bankCode as string), currency }
    : { kind: 'receivable', owner: clientOwner(debt.clientId), currency }
}

// The account that pays: the client's available money, the bank, or a write-off account.
function giverOf({ kind, currency, clientId, bankCode }: Adjustment): SharedAccount {
  if (clientId === null) {
    const owner = bankOwner(bankCode as string)
    return { kind: kind === 'recovery' ? 'bank' : 'write_off', owner, currency }
  }
  if (kind === 'recovery') return { kind: 'available', owner: clientOwner(clientId), currency }
  return { kind: 'write_off', owner: operatorOwner(clientId), currency }
}

// Locks the debt together with the others, in id order.
async function lockOwed(
  tx: Transaction,
  { sharedAccounts }: Acting,
  { debt, currency, others = [] }: { debt: Debt; currency: string; others?: SharedAccount[] },
): Promise<Kobo> {
  const account = debtAccount(debt, currency)
  await sharedAccounts.open([account])
  const ids: AccountId[] = [account, ...others].map((each) => sharedAccounts.id(each))
  const balances = await lockBalances(tx, ids)
  const owedKobo = -(balances.get(sharedAccounts.id(account)) as Kobo) // A debt grows by debits.
  if (debt.bankCode === null) return kobo(owedKobo)
  return kobo(owedKobo - (await sumOnTheWay(tx, debt.bankCode, currency)))
}

// Money that the bank reversed during its return, which may still come back.
async function sumOnTheWay(tx: Transaction, bankCode: string, currency: string): Promise<bigint> {
  const { rows } = await tx.query<{ kobo: bigint }>({
    name: 'shortfalls-on-the-way',
    text: `select coalesce(sum(least(i.amount_kobo, s.kobo)), 0)::bigint as kobo
             from suspense_items i join credits c on c.id = i.credit_id
            cross join lateral (select coalesce(sum(shortfall_kobo), 0) as kobo
                                  from reversals where credit_id = c.id) as s
            where i.state = 'returning' and c.bank_code = $1 and c.currency = $2`,
    values: [bankCode, currency],
  })
  return rows[0]?.kobo ?? 0n
}

function isDecidedBy({ state, decidedBy }: Adjustment, as: AdjustmentState, actor: string) {
  return state === as && decidedBy === actor
}

function refuseDecided({ state }: Adjustment): void {
  if (state !== 'open') throw new Refusal('request_decided')
}

const VERBS = { approved: 'approve', rejected: 'reject', withdrawn: 'withdraw' } as const
type Verb = 'request' | (typeof VERBS)[keyof typeof VERBS]
type Decision = { adjustment: Adjustment; state: keyof typeof VERBS; reason: string | null }

async function decide(
  tx: Transaction,
  acting: Acting,
  { adjustment, state, reason }: Decision,
): Promise<void> {
  await tx.query({
    name: 'decide-adjustment',
    text: `update adjustments
              set state = $2, decided_by = $3, decided_by_user = $4, decided_at = $5,
                  decision_reason = $6
            where id = $1`,
    values: [adjustment.id, state, acting.actor, acting.userId, acting.now, reason],
  })
  await record(tx, acting, { adjustment, verb: VERBS[state] })
}

// Also writes to the audit log of the client that owes the debt.
async function record(
  tx: Transaction,
  { client, actor, now }: Acting,
  { adjustment, verb }: { adjustment: Adjustment; verb: Verb },
): Promise<void> {
  const { reference, kind, of, clientName, bankCode, reason: note, clientId } = adjustment
  const amount = formatKobo(adjustment.amountKobo)
  const detail = { kind, of, clientId: clientName, bankCode, amount, note }
  const subject = `adjustment/${reference}`
  const action = `adjustment.${verb}` as const
  await writeAuditLog(tx, now, { clientId: client.id, actor, action, subject, detail })
  if (verb !== 'approve' || clientId === null || clientId === client.id) return
  await writeAuditLog(tx, now, {
    clientId,
    actor,
    action: `client.${kind}`,
    subject: `client/${clientName}`,
    detail: { reference, amount, note },
  })
}
