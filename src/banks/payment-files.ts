// Payments for a bank without an API: a file of orders that somebody uploads at the bank's portal,
// and what the bank says of each afterwards. Formats are pain.001 and pain.002 (banks/iso20022), and
// CSV (payment-csv.ts).

import type { PayoutInstruction } from './connector.ts'

// Ours at the bank, that the orders are paid from.
export type DebitAccount = {
  readonly accountNumber: string
  readonly accountName: string
  readonly customerId?: string | undefined // What the bank calls us.
}

export type PaymentFile = {
  reference: string
  createdAt: Date
  executionDate: string // yyyy-MM-dd
  bankCode: string
  debitAccount: DebitAccount
  orders: readonly PayoutInstruction[]
}

// Done for good, or not yet known.
export type ReportedStatus = 'confirmed' | 'failed' | 'pending'

// One statement of a bank's report: of one order, or of all orders of a file.
export type ReportLine = {
  line: number // From 1, in the order of the report.
  level: 'file' | 'order'
  fileReference: string | undefined // Undefined: the report does not say.
  reference: string | undefined // Of the order.
  statusText: string // As the bank wrote it.
  status: ReportedStatus | undefined // Undefined: we do not know that status.
  isDuplicate?: true // Refused because the bank has it already. Without a status.
  bankReference: string | undefined
  reason: string | undefined
  amount?: { amount: string; currency: string | undefined } | undefined // As the bank repeats it.
}

export type Report = { lines: ReportLine[] } | { malformed: string }

// By the codes of ISO 20022 (ExternalPaymentTransactionStatus1Code). A code that is missing here
// decides nothing.
const STATUSES: Readonly<Record<string, ReportedStatus>> = {
  ACSC: 'confirmed', // Settled on the debtor's account,
  ACCC: 'confirmed', // and on the creditor's.
  RJCT: 'failed',
  RCVD: 'pending',
  ACTC: 'pending',
  ACCP: 'pending',
  ACFC: 'pending',
  ACSP: 'pending',
  ACWC: 'pending',
  ACWP: 'pending',
  PATC: 'pending',
  PART: 'pending', // Of a file: some are accepted, and each says which.
  PDNG: 'pending',
}

export function statusOf(code: string): ReportedStatus | undefined {
  return Object.hasOwn(STATUSES, code) ? STATUSES[code] : undefined
}

// A duplicate of any kind, by its ExternalStatusReason1Code or in words. The bank refuses what it has
// already, and says nothing of what becomes of that: whoever uploads a file twice hears it of one that is
// being paid. Taking another rejection for a duplicate costs an alert; the opposite pays twice.
const DUPLICATES = [
  /\b(?:AM05|DU0[1-5])\b|duplicat/i,
  /\balready (?:been )?(?:paid|process|execut|receiv|sent|submit|settle|complete|exist|used)/i,
]

type Judged = Pick<ReportLine, 'status' | 'isDuplicate'>

export function judgeStatus(
  status: ReportedStatus | undefined,
  reasons: readonly string[],
): Judged {
  const isOfSuch = (reason: string) => DUPLICATES.some((pattern) => pattern.test(reason))
  const isDuplicate = status === 'failed' && reasons.some(isOfSuch)
  return isDuplicate ? { status: undefined, isDuplicate } : { status }
}
