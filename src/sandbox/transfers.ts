// Transfers of the sandbox bank: their kinds and amounts, the scenarios of magic amounts, the reports that
// the bank delays or never sends, and simulated credits. The kinds are:
//
//   exact           the amount due; any amount to a collection account
//   under over      less, or more, than is due
//   late            to a payment past its grace period, without moving a clock
//   duplicate       the same transfer reported again, once or more often
//   out_of_order    two halves; the later one is reported first
//   reversed        a transfer that the bank then takes back, at once or later
//   reversal_first  the reversal is reported before its credit, and again after it
//   wrong_currency  in dollars
//   delayed         made now, reported later
//   lost            made now and never reported; found by querying the bank

import { createHash, randomInt } from 'node:crypto'
import type { IncomingCredit } from '#banks/notifications.ts'
import { makeSessionId } from '#banks/nuban.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import type { ClientId, ReportId } from '#ids.ts'
import { AMOUNT_MAX_KOBO, type Kobo, kobo } from '#money.ts'
import { isOpen } from '#payments/payment.ts'
import type { PaymentStatus } from '#payments/states.ts'

export const SANDBOX_TRANSFERS = [
  'exact',
  'under',
  'over',
  'late',
  'duplicate',
  'out_of_order',
  'reversed',
  'reversal_first',
  'wrong_currency',
  'delayed',
  'lost',
] as const
export type SandboxTransfer = (typeof SANDBOX_TRANSFERS)[number]

type SandboxPayment = {
  status: PaymentStatus
  amountKobo: Kobo
  amountPaidKobo: Kobo
  closesAt: Date
}

const OVERPAID_KOBO = 50_000n // The default excess of `over`.
// Kinds that need an amount due, which a collection account does not have.
const TO_PAYMENT_ONLY: readonly SandboxTransfer[] = ['under', 'over', 'late']
const TO_ACCOUNT = SANDBOX_TRANSFERS.filter((kind) => !TO_PAYMENT_ONLY.includes(kind))
const DELAY_SECONDS = 30

// `times` is the number of repetitions of a duplicate, `afterSeconds` the delay of a reversal or a delayed
// transfer.
export type TransferTerms = { times: number; afterSeconds: number }

type RequestedTerms = {
  kind: SandboxTransfer
  times?: number | undefined
  afterSeconds?: number | undefined
}

// Returns the terms of a transfer, with the defaults of its kind. Refuses fields that the kind does not use.
export function transferTerms({ kind, times, afterSeconds }: RequestedTerms): TransferTerms {
  if (times !== undefined && kind !== 'duplicate')
    throw invalidField('times', 'Is for duplicate only.')
  if (afterSeconds !== undefined && kind !== 'reversed' && kind !== 'delayed') {
    throw invalidField('afterSeconds', 'Is for reversed and delayed only.')
  }
  const defaultSeconds = kind === 'delayed' ? DELAY_SECONDS : 0
  return { times: times ?? 1, afterSeconds: afterSeconds ?? defaultSeconds }
}

// A transfer to an account number. `payment` is undefined for a collection account.
type ToNumber = {
  kind: SandboxTransfer
  requestedKobo: Kobo | undefined
  payment: SandboxPayment | undefined
  now: Date
}
type ToPayment = ToNumber & { payment: SandboxPayment }

// Returns the amount of a transfer, and refuses one that does not fit the kind. Without `requestedKobo`,
// chooses an amount that fits.
export function sandboxAmount({ kind, requestedKobo, payment, now }: ToNumber): Kobo {
  const amountKobo = payment
    ? amountToPayment({ kind, requestedKobo, payment, now })
    : amountToAccount(kind, requestedKobo)
  if (kind === 'out_of_order' && amountKobo < 2n)
    throw invalidField('amount', 'Must be at least 0.02.')
  return amountKobo
}

// Returns the amount for a payment. Refuses if the payment is not open, or an amount that contradicts the
// kind.
function amountToPayment({ kind, requestedKobo, payment, now }: ToPayment): Kobo {
  const isLate = payment.status === 'Expired' || (isOpen(payment.status) && now >= payment.closesAt)
  if (kind === 'late') {
    if (!isLate) throw new Refusal('payment_not_late')
    return requestedKobo ?? payment.amountKobo
  }
  if (isLate || !isOpen(payment.status)) throw new Refusal('payment_not_open')
  const dueKobo = kobo(payment.amountKobo - payment.amountPaidKobo)
  const amountKobo = requestedKobo ?? defaultAmount(kind, dueKobo)
  if (kind === 'exact' && amountKobo !== dueKobo)
    throw invalidField('amount', 'Must be what is due.')
  if (kind === 'under' && amountKobo >= dueKobo)
    throw invalidField('amount', 'Must be less than is due.')
  if (kind === 'over' && amountKobo <= dueKobo)
    throw invalidField('amount', 'Must be more than is due.')
  return amountKobo
}

// Returns the amount for a collection account, which takes any amount that the caller sends.
function amountToAccount(kind: SandboxTransfer, requestedKobo: Kobo | undefined): Kobo {
  if (!TO_ACCOUNT.includes(kind)) {
    throw invalidField(
      'kind',
      `A collection account takes any amount: use ${TO_ACCOUNT.join(', ')}.`,
    )
  }
  if (requestedKobo === undefined)
    throw invalidField('amount', 'Is required for a collection account.')
  return requestedKobo
}

// Returns the default amount of the kind. Returns the amount due if no smaller amount exists (one kobo is
// due) or no larger one (the maximum is due). The caller then refuses the amount.
function defaultAmount(kind: SandboxTransfer, dueKobo: Kobo): Kobo {
  if (kind === 'under') return dueKobo > 1n ? kobo(dueKobo / 2n) : dueKobo
  if (kind !== 'over') return dueKobo
  const moreKobo = kobo(dueKobo + OVERPAID_KOBO)
  return moreKobo < AMOUNT_MAX_KOBO ? moreKobo : AMOUNT_MAX_KOBO
}

export type Scenario = { kind: SandboxTransfer; times?: number; afterSeconds?: number }

const SCENARIOS: ReadonlyMap<bigint, Scenario> = new Map<bigint, Scenario>([
  [7_777_01n, { kind: 'duplicate', times: 1 }],
  [7_777_02n, { kind: 'out_of_order' }],
  [7_777_03n, { kind: 'reversal_first' }],
  [7_777_04n, { kind: 'reversed', afterSeconds: 10 }],
  [7_777_05n, { kind: 'wrong_currency' }],
  [7_777_06n, { kind: 'delayed', afterSeconds: 30 }],
  [7_777_07n, { kind: 'lost' }],
])

// Magic amounts: if a simulate call asks for scenarios, the kobo of ₦7,777 select one. All other amounts, and
// all calls that do not ask for scenarios, make ordinary transfers.
export function scenarioOf(amountKobo: Kobo): Scenario | undefined {
  return SCENARIOS.get(amountKobo)
}

// Reports that the sandbox bank delays or never sends: delayed and lost transfers, and later reversals. They
// are in the database, so they survive a restart.

type NewReport = {
  clientId: ClientId
  bankCode: string
  accountNumber: string
  sessionId: string
  originalSessionId: string | null // The reversed credit; null if the report is about a credit.
  amountKobo: Kobo
  narration: string
  madeAt: Date
  dueAt: Date | null // null if the bank never reports the transfer.
}

export type DueReport = Omit<NewReport, 'dueAt'> & { id: ReportId }

const REPORTS_MAX = 100 // The most reports per round.
export const REPORT_COLUMNS = `
  id, client_id, bank_code, account_number, session_id, original_session_id, amount_kobo, narration,
  made_at`

// Enters a later report into the sandbox bank's books. A retry with the same session id changes nothing.
export async function scheduleReport(db: Queryable, report: NewReport): Promise<void> {
  await db.query({
    name: 'schedule-sandbox-report',
    text: `insert into sandbox_reports
             (client_id, step, bank_code, account_number, session_id, original_session_id,
              amount_kobo, narration, made_at, due_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
           on conflict (session_id) do nothing`,
    values: [
      report.clientId,
      report.originalSessionId === null ? 'credit' : 'reversal',
      report.bankCode,
      report.accountNumber,
      report.sessionId,
      report.originalSessionId,
      report.amountKobo,
      report.narration,
      report.madeAt,
      report.dueAt,
    ],
  })
}

// SQL condition: whether the sandbox bank has a transfer to report now. `clock` comes from the query that
// decides which workers run (DueWork in workers/loop.ts).
export const HAS_DUE_REPORTS = `(
  select min(due_at) from sandbox_reports where reported_at is null) <= clock.now`

// Returns due reports, ordered by due time.
export async function findDueReports(db: Queryable, now: Date): Promise<ReportId[]> {
  const { rows } = await db.query<{ id: ReportId }>({
    name: 'find-due-sandbox-reports',
    text: `select id from sandbox_reports
            where reported_at is null and due_at <= $1
            order by due_at, id limit ${REPORTS_MAX}`,
    values: [now],
  })
  return rows.map(({ id }) => id)
}

// Locks and returns a report. Returns undefined if another worker is reporting it, or it is reported already.
// The caller locks the report before everything that reporting locks.
export async function lockReport(tx: Transaction, id: ReportId): Promise<DueReport | undefined> {
  const { rows } = await tx.query<DueReport>({
    name: 'lock-sandbox-report',
    text: `select ${REPORT_COLUMNS} from sandbox_reports
            where id = $1 and reported_at is null
              for no key update skip locked`,
    values: [id],
  })
  return rows[0]
}

// Stores what became of a report, so that it is not made again.
export async function markReported(
  tx: Transaction,
  now: Date,
  { id, outcome }: { id: ReportId; outcome: string },
): Promise<void> {
  await tx.query({
    name: 'mark-sandbox-report',
    text: 'update sandbox_reports set reported_at = $2, outcome = $3 where id = $1',
    values: [id, now, outcome],
  })
}

// Returns the credit in the form in which the bank reports it, on its own initiative or in answer to a query.
export function creditOf(report: DueReport) {
  const { bankCode, accountNumber, amountKobo, sessionId, narration, madeAt } = report
  const to = { bankCode, accountNumber, amountKobo, source: 'sandbox' } as const
  return sandboxCredit(to, madeAt, { narration, sessionId })
}

// Simulated credits for the sandbox. The batcher books them like credits that a real bank reports.

// The sandbox bank's institution code on the session ids of simulated transfers.
const SANDBOX_INSTITUTION = '999999'
// Simulated credits have a payer's account, so that they can be refunded and returned.
const SANDBOX_PAYER = {
  sourceAccountNumber: '0016563228',
  sourceAccountName: 'Sandbox Payer',
  sourceBankCode: '058',
}

const UNIQUE = 1e12 // A session id ends in twelve digits that make it unique.

// Returns a session id: random, or always the same for the same seed and time.
export function sandboxSessionId(now: Date, seed?: string): string {
  const number = seed === undefined ? randomInt(UNIQUE - 1) : hash(seed) % UNIQUE
  const unique = String(number).padStart(12, '0')
  return makeSessionId({ institution: SANDBOX_INSTITUTION, now, unique })
}

// Returns 48 bits of the hash of a text as a number, for session ids that are always the same for the same
// text.
function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6)
}

type CreditOptions = { narration: string; sessionId?: string; currency?: string }

// Returns a credit from the sandbox's payer, in the form that the batcher takes.
export function sandboxCredit<To extends { accountNumber: string; amountKobo: Kobo }>(
  to: To,
  now: Date,
  { narration, sessionId = sandboxSessionId(now), currency = 'NGN' }: CreditOptions,
): To & IncomingCredit {
  return {
    ...to,
    sessionId,
    currency,
    ...SANDBOX_PAYER,
    narration,
    transactionTime: now,
  }
}
