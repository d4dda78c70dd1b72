// The one place where a payout becomes confirmed, failed or cancelled: it posts the money, then calls
// the hook of the payout's purpose, then tells the client, all in one transaction.
//
// I47: a payout is settled once; the same outcome again changes nothing. A bank that confirms what
// failed, or fails what was confirmed, is not believed without a person: the caller is told.
// Locks: the payout; then ledger accounts, whatever the hook locks, and the client's event counter.

import type { Transaction } from '#db/transaction.ts'
import { APPROVER_COLUMNS, type FirstApprover } from '#domain/access/approvers.ts'
import { clearAlert } from '#domain/records/alerts.ts'
import { Refusal } from '#errors.ts'
import type { BankAccountId, PayoutId, UserId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { kobo } from '#money.ts'
import { MAY_HAVE_BEEN_SENT } from './hold-payouts.ts'
import { recordPayoutChanges } from './payout-changes.ts'
import { tellOutcome } from './payout-events.ts'
import { type HeldPayout, paidLegs, toTransfers, unpaidLegs } from './payout-postings.ts'
import { type PayoutCost, readCost } from './payout-tariffs.ts'
import type { Payout, PayoutStatus, Purpose } from './payouts.ts'

export type PayoutOutcome =
  | { status: 'confirmed'; bankReference: string }
  | { status: 'failed' | 'cancelled'; reason: string }

export type SettledPayout = Pick<
  Payout,
  | 'id'
  | 'reference'
  | 'clientId'
  | 'purpose'
  | 'amountKobo'
  | 'currency'
  | 'settlementId'
  | 'creditId'
  | 'subaccountId'
>

type HookDeps = { sharedAccounts: SharedAccounts; now: Date }

export type OutcomeHook = (
  tx: Transaction,
  deps: HookDeps,
  ...settled: [payout: SettledPayout, outcome: PayoutOutcome]
) => Promise<void>

export type OutcomeHooks = Partial<Record<Purpose, OutcomeHook>>

export type SettleDeps = HookDeps & { hooks: OutcomeHooks }

export type LockedPayout = HeldPayout & {
  status: PayoutStatus
  approval: Payout['approval']
  requestedBy: string
  requestedByUser: UserId | null
  makerPeople: readonly UserId[] | null // Behind the maker, where it needs approval.
  approversNeeded: number
  firstApprover: FirstApprover | null
  decidedByUser: UserId | null
  bankAccountId: BankAccountId | null // Of payouts and settlements.
  batchId: bigint | null
  bankReference: string | null
  mayHaveBeenSent: boolean // Before a restore, of which we know nothing (I82).
}

// `settled`: by this call. `same`: it was so before. `otherwise`: it was settled in another way, or
// cannot be settled so (only what is queued, and was so ever since, is cancelled; only what was sent is
// confirmed or fails).
export type SettleResult = 'settled' | 'same' | 'otherwise'

export async function settlePayout(
  tx: Transaction,
  deps: SettleDeps,
  { id, outcome, by }: { id: PayoutId; outcome: PayoutOutcome; by: string },
): Promise<SettleResult> {
  const payout = await lockPayout(tx, id)
  if (payout.status === outcome.status) return isSame(payout, outcome) ? 'same' : 'otherwise'
  const from: readonly PayoutStatus[] =
    outcome.status === 'cancelled' ? ['queued'] : ['sending', 'unknown']
  if (!from.includes(payout.status)) return 'otherwise'
  if (outcome.status === 'cancelled' && payout.mayHaveBeenSent) return 'otherwise'
  await settle(tx, deps, { payout, outcome, by })
  return 'settled'
}

// Why it was not cancelled.
export function refuseCancelling({ status, mayHaveBeenSent }: LockedPayout): never {
  const isForgotten = status === 'queued' && mayHaveBeenSent
  throw new Refusal(isForgotten ? 'payout_may_have_been_sent' : 'payout_not_queued')
}

export async function lockPayout(tx: Transaction, id: PayoutId): Promise<LockedPayout> {
  const { rows } = await tx.query<LockedPayout>({
    name: 'lock-payout',
    text: `select id, reference, client_id as "clientId", purpose, bank_code as "bankCode",
                  amount_kobo as "amountKobo", currency, fee_kobo as "feeKobo",
                  vat_kobo as "vatKobo", settlement_id as "settlementId", credit_id as "creditId",
                  subaccount_id as "subaccountId", status, approval, requested_by as "requestedBy",
                  requested_by_user as "requestedByUser", ${APPROVER_COLUMNS},
                  decided_by_user as "decidedByUser",
                  bank_account_id as "bankAccountId", batch_id as "batchId",
                  bank_reference as "bankReference",
                  ${MAY_HAVE_BEEN_SENT} as "mayHaveBeenSent"
             from payouts where id = $1 for no key update`,
    values: [id],
  })
  if (!rows[0]) throw new Error(`there is no payout ${id}`)
  return rows[0]
}

function isSame({ bankReference }: LockedPayout, outcome: PayoutOutcome): boolean {
  return outcome.status !== 'confirmed' || bankReference === outcome.bankReference
}

type Settling = { payout: LockedPayout; outcome: PayoutOutcome; by: string }

async function settle(tx: Transaction, deps: SettleDeps, settling: Settling): Promise<void> {
  const { sharedAccounts, now, hooks } = deps
  const { payout, outcome, by } = settling
  const cost = await costOfOutcome(tx, now, settling)
  await writeOutcome(tx, now, { ...settling, cost })
  const detail = outcome.status === 'confirmed' ? outcome.bankReference : outcome.reason
  const change = { payoutIds: [payout.id], change: outcome.status, changedBy: by, detail }
  await recordPayoutChanges(tx, now, change)
  const subject = `payout/${payout.reference}`
  await clearAlert(tx, now, { kind: 'payout_unknown', subject })
  await clearAlert(tx, now, { kind: 'payout_needs_authorization', subject })
  if (payout.purpose !== 'return') {
    const legs = outcome.status === 'confirmed' ? paidLegs(payout, cost) : unpaidLegs(payout)
    await sharedAccounts.open(legs.flatMap(({ from, to }) => [from, to]))
    const find = sharedAccounts.id.bind(sharedAccounts)
    await postTransfers(tx, now, toTransfers(payout, legs, find))
  }
  await hooks[payout.purpose]?.(tx, { sharedAccounts, now }, payout, outcome)
  await tellOutcome(tx, now, payout)
}

const NO_COST: PayoutCost = { costKobo: kobo(0n), costVatKobo: kobo(0n) }

// Returns are booked by their hook, at no cost.
function costOfOutcome(
  tx: Transaction,
  now: Date,
  { payout, outcome }: Settling,
): Promise<PayoutCost> | PayoutCost {
  const isPaid = outcome.status === 'confirmed' && payout.purpose !== 'return'
  return isPaid ? readCost(tx, { ...payout, now }) : NO_COST
}

async function writeOutcome(
  tx: Transaction,
  now: Date,
  { payout, outcome, by, cost }: Settling & { cost: PayoutCost },
): Promise<void> {
  await tx.query({
    name: 'settle-payout',
    text: `update payouts
              set status = $2, bank_reference = $3, failure_reason = $4, settled_by = $5,
                  settled_at = $6, cost_kobo = $7, cost_vat_kobo = $8, next_query_at = null
            where id = $1`,
    values: [
      payout.id,
      outcome.status,
      outcome.status === 'confirmed' ? outcome.bankReference : null,
      outcome.status === 'confirmed' ? null : outcome.reason,
      by,
      now,
      cost.costKobo,
      cost.costVatKobo,
    ],
  })
}
