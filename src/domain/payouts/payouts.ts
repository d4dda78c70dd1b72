// Payouts: money sent to a bank account, for whatever purpose, each with a permanent reference.
//
//   queued ──▶ sending ──▶ confirmed | failed | unknown ──▶ confirmed | failed
//     └──────▶ cancelled
//
// I47: sent at most once. A payout without an answer is unknown: it is asked for, never sent again.
// Whether it needs approval, and has it, is a field of its own.

import type { Queryable } from '#db/pool.ts'
import type {
  BankAccountId,
  ClientId,
  CreditId,
  FeeRuleId,
  PayoutId,
  SettlementId,
  SubaccountId,
} from '#ids.ts'
import type { Kobo } from '#money.ts'
import { newReference } from '#references.ts'
import type { SendingChoice } from './choose-sending-bank.ts'
import type { ApproverCount } from './payout-settings.ts'

export const PURPOSES = ['payout', 'settlement', 'refund', 'return'] as const
export type Purpose = (typeof PURPOSES)[number]

export const PAYOUT_STATUSES = [
  'queued',
  'sending',
  'confirmed',
  'failed',
  'unknown',
  'cancelled',
] as const
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

export const APPROVALS = ['not_needed', 'needed', 'approved', 'rejected'] as const
export type Approval = (typeof APPROVALS)[number]

export type NewPayout = {
  clientId: ClientId | null // Null: a return of unidentified money.
  purpose: Purpose
  bankCode: string // The bank that sends it, …
  routing?: SendingChoice | undefined // … and why it was chosen. Undefined: it has the money.
  amountKobo: Kobo
  currency: string
  to: { bankCode: string; accountNumber: string; accountName: string }
  narration: string
  requestedBy: string // An actor.
  approversNeeded: ApproverCount
  bankAccountId?: BankAccountId | undefined
  subaccountId?: SubaccountId | undefined
  settlementId?: SettlementId | undefined
  creditId?: CreditId | undefined // Of refunds and returns.
  reference?: string | undefined // Returns have theirs.
  fee?: { feeKobo: Kobo; vatKobo: Kobo; ruleId: FeeRuleId } | undefined // On top of the amount.
}

export type Payout = {
  id: PayoutId
  reference: string
  clientId: ClientId | null
  clientName: string | null // Its login name.
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
  fileReference: string | null // Of the payout file that it is in.
  requestedBy: string
  requestedAt: Date
  decidedBy: string | null
  decidedAt: Date | null
  decisionReason: string | null
  sendingAt: Date | null
  queries: number // How often the bank was asked what became of it.
  nextQueryAt: Date | null
  bankReference: string | null
  failureReason: string | null
  settledBy: string | null
  settledAt: Date | null
}

export const awaitsApproval = ({ status, approval }: Pick<Payout, 'status' | 'approval'>) =>
  status === 'queued' && approval === 'needed'

const REFERENCE = /^[A-Z]{3}[0-9]{12,15}$/ // PYT, RTN and whatever else is paid out.

export function newPayoutReference(): string {
  return newReference('PYT')
}

export const SELECT_PAYOUT = `
  select p.id, p.reference, p.client_id as "clientId", o.client_id as "clientName", p.purpose,
         p.status, p.approval, p.bank_code as "bankCode", p.to_bank_code as "toBankCode",
         p.to_account_sealed as "toAccountSealed", p.to_account_name as "toAccountName",
         p.amount_kobo as "amountKobo", p.currency, p.narration, p.fee_kobo as "feeKobo",
         p.vat_kobo as "vatKobo", p.cost_kobo as "costKobo", p.cost_vat_kobo as "costVatKobo",
         a.reference as "bankAccountReference", p.subaccount_id as "subaccountId",
         p.settlement_id as "settlementId", p.credit_id as "creditId", p.batch_id as "batchId",
         f.reference as "fileReference", p.queries, p.next_query_at as "nextQueryAt",
         p.requested_by as "requestedBy", p.requested_at as "requestedAt",
         p.decided_by as "decidedBy", p.decided_at as "decidedAt",
         p.decision_reason as "decisionReason", p.sending_at as "sendingAt",
         p.bank_reference as "bankReference", p.failure_reason as "failureReason",
         p.settled_by as "settledBy", p.settled_at as "settledAt"
    from payouts p
    left join clients o on o.id = p.client_id
    left join bank_accounts a on a.id = p.bank_account_id
    left join payout_files f on f.id = p.batch_id`

// Of one client, or for operators of any.
export async function findPayout(
  db: Queryable,
  { reference, clientId }: { reference: string; clientId?: ClientId | undefined },
): Promise<Payout | undefined> {
  if (!REFERENCE.test(reference)) return undefined
  const { rows } = await db.query<Payout>({
    name: 'find-payout',
    text: `${SELECT_PAYOUT} where p.reference = $1 and ($2::bigint is null or p.client_id = $2)`,
    values: [reference, clientId ?? null],
  })
  return rows[0]
}
