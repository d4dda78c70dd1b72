// The types of payouts, the functions that find one, and the events of payouts. A payout is an instruction to
// a bank to pay money to a bank account, under a permanent reference.
//
// I47: a payout is sent at most once. If the bank does not answer, the payout is unknown: a worker queries
// the bank and never sends the payout again. Approval is a separate field, not a status.

import { timestamp } from '#clock.ts'
import { composed, joinConditions } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import {
  type BankAccountId,
  type ClientId,
  type CreditId,
  type FeeRuleId,
  newReference,
  type PayoutId,
  type SettlementId,
  type SubaccountId,
  type UserId,
} from '#ids.ts'
import type { Kobo } from '#money.ts'
import { appendEvents, type NewEventOf } from '#records/events.ts'
import { toStored } from '#routing/decision.ts'
import type { SendingChoice } from './sending-bank.ts'
import type { ApproverCount } from './settings.ts'
import { type PayoutStatus, recordPayoutChanges } from './states.ts'

export const PURPOSES = ['payout', 'settlement', 'refund', 'return'] as const
export type Purpose = (typeof PURPOSES)[number]

export const APPROVALS = ['not_needed', 'needed', 'approved', 'rejected'] as const
export type Approval = (typeof APPROVALS)[number]

export type NewPayout = {
  clientId: ClientId | null // Null for a return of unidentified money.
  purpose: Purpose
  bankCode: string // The bank that sends the payout.
  routing?: SendingChoice | undefined // Why that bank was chosen; undefined if the bank holds the money.
  amountKobo: Kobo
  currency: string
  to: { bankCode: string; accountNumber: string; accountName: string }
  narration: string
  requestedBy: string // The actor.
  requestedByUser: UserId | null // Null for client credentials and workers.
  approversNeeded: ApproverCount
  bankAccountId?: BankAccountId | undefined
  subaccountId?: SubaccountId | undefined
  settlementId?: SettlementId | undefined
  creditId?: CreditId | undefined // Set for refunds and returns.
  reference?: string | undefined // Set for returns, which have a reference already.
  fee?: { feeKobo: Kobo; vatKobo: Kobo; ruleId: FeeRuleId } | undefined // Charged on top of the amount.
}

export type Payout = {
  id: PayoutId
  reference: string
  clientId: ClientId | null
  clientName: string | null // The client's login name.
  purpose: Purpose
  status: PayoutStatus
  approval: Approval
  bankCode: string
  toBankCode: string
  toAccountSealed: Buffer
  toAccountName: string
  amountKobo: Kobo
  currency: string
  narration: string
  feeKobo: Kobo
  vatKobo: Kobo
  costKobo: Kobo
  costVatKobo: Kobo
  bankAccountReference: string | null
  subaccountId: SubaccountId | null
  settlementId: SettlementId | null
  creditId: CreditId | null
  batchId: bigint | null
  fileReference: string | null // The reference of its payout file, if it is in one.
  requestedBy: string
  requestedAt: Date
  firstApprovedBy: string | null
  decidedBy: string | null
  decidedAt: Date | null
  decisionReason: string | null
  sendingAt: Date | null
  queries: number // The number of queries to the bank.
  nextQueryAt: Date | null
  bankReference: string | null
  failureReason: string | null
  settledBy: string | null
  settledAt: Date | null
}

// A payout that is cancelled before a decision keeps the approval `needed`, but awaits none.
export const awaitsApproval = ({ status, approval }: Pick<Payout, 'status' | 'approval'>) =>
  status === 'queued' && approval === 'needed'

const REFERENCE = /^[A-Z]{3}[0-9]{12,15}$/ // For example PYT for payouts, RTN for returns.

export function newPayoutReference(): string {
  return newReference('PYT')
}

export const SELECT_PAYOUT = `
  select p.id, p.reference, p.client_id, o.client_id as client_name, p.purpose, p.status,
         p.approval, p.bank_code, p.to_bank_code, p.to_account_sealed, p.to_account_name,
         p.amount_kobo, p.currency, p.narration, p.fee_kobo, p.vat_kobo, p.cost_kobo,
         p.cost_vat_kobo, a.reference as bank_account_reference, p.subaccount_id, p.settlement_id,
         p.credit_id, p.batch_id, f.reference as file_reference, p.queries, p.next_query_at,
         p.requested_by, p.requested_at, p.first_approved_by, p.decided_by, p.decided_at, p.decision_reason,
         p.sending_at, p.bank_reference, p.failure_reason, p.settled_by, p.settled_at
    from payouts p
    left join clients o on o.id = p.client_id
    left join bank_accounts a on a.id = p.bank_account_id
    left join payout_files f on f.id = p.batch_id`

// Finds a payout by its reference. Without `clientId`, finds a payout of any client, for operators.
export async function findPayout(
  db: Queryable,
  { reference, clientId }: { reference: string; clientId?: ClientId | undefined },
): Promise<Payout | undefined> {
  if (!REFERENCE.test(reference)) return undefined
  const { sql, values } = joinConditions([
    ['p.reference = $', reference],
    ['p.client_id = $', clientId],
  ])
  const { rows } = await db.query<Payout>(composed(`${SELECT_PAYOUT} where ${sql}`, values))
  return rows[0]
}

export async function getPayout(
  db: Queryable,
  key: { reference: string; clientId?: ClientId | undefined },
): Promise<Payout> {
  const payout = await findPayout(db, key)
  if (!payout) throw new Refusal('payout_not_found')
  return payout
}

// Records in the history which bank was chosen to send each payout.
export async function recordRouting(
  tx: Transaction,
  now: Date,
  { payoutIds, routing }: { payoutIds: readonly PayoutId[]; routing: SendingChoice },
): Promise<void> {
  const detail = JSON.stringify({ bank: routing.bankCode, ...toStored(routing) })
  await recordPayoutChanges(tx, now, { payoutIds, change: 'routed', changedBy: 'routing', detail })
}

// Appends the event of a payout or settlement payout that the bank confirmed or failed. Refunds and returns
// have separate events. A cancellation has no event, because the client asked for it.
export async function appendOutcomeEvent(
  tx: Transaction,
  now: Date,
  { id, purpose }: Pick<Payout, 'id' | 'purpose'>,
): Promise<void> {
  if (purpose !== 'payout' && purpose !== 'settlement') return
  const payout = await readPayout(tx, id)
  const { clientId, status } = payout
  if (clientId === null || (status !== 'confirmed' && status !== 'failed')) return
  const facts = { ...sharedFacts(payout), purpose, status, settledAt: timestamp(now) }
  await appendEvents(tx, now, [{ clientId, type: `payout.${status}`, facts }])
}

// Builds the event for a paid payout or refund that the bank sent back. The caller appends it. Returns no
// event for a return of suspended money, or for a payout without a client.
export async function returnedEvent(
  tx: Transaction,
  now: Date,
  { id, returnedKobo }: { id: PayoutId; returnedKobo: Kobo },
): Promise<NewEventOf<'payout.returned'>[]> {
  const payout = await readPayout(tx, id)
  const { clientId, purpose, status } = payout
  if (clientId === null || purpose === 'return') return []
  const facts = {
    ...sharedFacts(payout),
    purpose,
    status,
    settledAt: timestamp(payout.settledAt as Date),
    returnedAmountKobo: returnedKobo,
    returnedAt: timestamp(now),
  }
  return [{ clientId, type: 'payout.returned', facts }]
}

// The facts that all events of payouts have.
function sharedFacts(payout: Payout) {
  return {
    reference: payout.reference,
    amountKobo: payout.amountKobo,
    currency: payout.currency,
    feeKobo: payout.feeKobo,
    vatKobo: payout.vatKobo,
    bankAccount: payout.bankAccountReference,
    bankCode: payout.toBankCode,
    accountName: payout.toAccountName,
    narration: payout.narration,
    bankReference: payout.bankReference,
    failureReason: payout.failureReason,
    requestedAt: timestamp(payout.requestedAt),
  }
}

// Reads a payout after its change in this transaction.
async function readPayout(tx: Transaction, id: PayoutId): Promise<Payout> {
  const { rows } = await tx.query<Payout>({
    name: 'read-settled-payout',
    text: `${SELECT_PAYOUT} where p.id = $1`,
    values: [id],
  })
  return rows[0] as Payout
}
