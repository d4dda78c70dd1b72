// /sandbox/transfers: sends a transfer from the sandbox bank, in any scenario. Only the transfer is
// simulated: its credit, duplicates and reversal take the regular path.

import { type Static, Type } from '@fastify/type-provider-typebox'
import { findNumber } from '#accounts/queries.ts'
import type { IncomingReversal } from '#banks/notifications.ts'
import { SECOND_MS, timestamp } from '#clock.ts'
import type { CreditDecision } from '#credits/decide.ts'
import {
  isReversed,
  reversalAcknowledgement,
  takeReversals,
} from '#credits/rail-reversal-routes.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { resource } from '#http/resource.ts'
import { Amount, accountNumber, named, nullable, wholeNumber } from '#http/schemas.ts'
import { type ClientId, type PaymentId, publicId } from '#ids.ts'
import { type Kobo, kobo, koboOf, toNaira } from '#money.ts'
import { getPayment } from '#payments/payment.ts'
import { sandboxOnly } from './routes.ts'
import {
  SANDBOX_TRANSFERS,
  type SandboxTransfer,
  sandboxAmount,
  sandboxCredit,
  sandboxSessionId,
  scheduleReport,
  type TransferTerms,
  transferTerms,
} from './transfers.ts'

const APART_MS = 1_000 // The time between the two transfers of out_of_order.

type NewTransfer = {
  kind: SandboxTransfer
  accountNumber: string
  bankCode: string
  amountKobo: Kobo
  terms: TransferTerms
}

// A planned transfer in the form in which it is stored with the idempotency key, as JSON.
export type PlannedTransfer = TransferTerms & {
  kind: SandboxTransfer
  accountNumber: string
  bankCode: string
  amountKobo: string
  sessionId: string
  otherSessionId: string // The session id of the reversal, or of the second transfer.
  madeAt: string
}

// A report of the bank that was booked or refused. `again` is a repeated report of the same credit.
type Step = {
  step: 'credit' | 'again' | 'reversal'
  sessionId: string
  responseCode: string
  outcome: string
  reason: string | null
  amountInSuspense: number
}

// A report that the sandbox bank makes later; `dueAt` is null if it never does.
type Scheduled = { step: 'credit' | 'reversal'; sessionId: string; dueAt: Date | null }

// `decision` is the decision on the first credit. It is undefined if the bank has not reported that credit
// yet.
type SentTransfer = {
  decision: CreditDecision | undefined
  steps: Step[]
  scheduled: Scheduled[]
}

// Plans a transfer. The plan is stored with the idempotency key, so that a retry sends the same transfer.
// Also enters a delayed or lost credit into the sandbox bank's books.
export async function planTransfer(
  tx: Transaction,
  { clientId, now }: { clientId: ClientId; now: Date },
  { terms, amountKobo, ...to }: NewTransfer,
): Promise<PlannedTransfer> {
  const planned: PlannedTransfer = {
    ...to,
    ...terms,
    amountKobo: amountKobo.toString(),
    sessionId: sandboxSessionId(now),
    otherSessionId: sandboxSessionId(now),
    madeAt: now.toISOString(),
  }
  if (isReportedLater(planned)) {
    const { sessionId } = planned
    await scheduleLaterReport(tx, { clientId, planned }, { sessionId, originalSessionId: null })
  }
  return planned
}

// Sends a planned transfer, as a bank would. Reports that are due now take the regular path of credits and
// reversals; a later reversal goes into the sandbox bank's books. Safe to repeat.
export async function sendPlanned(
  deps: Deps,
  clientId: ClientId,
  planned: PlannedTransfer,
): Promise<SentTransfer> {
  const { kind, sessionId, otherSessionId, times, afterSeconds } = planned
  if (isReportedLater(planned)) {
    return { decision: undefined, steps: [], scheduled: [laterStep(planned, 'credit')] }
  }
  const steps: Step[] = []
  if (kind === 'out_of_order') steps.push((await reportSecondCredit(deps, planned)).step)
  if (kind === 'reversal_first') steps.push(await reportReversal(deps, planned))
  const { decision, step } = await reportCredit(deps, planned, firstCredit(planned))
  steps.push(step)
  const scheduled: Scheduled[] = []
  if (kind === 'duplicate') {
    for (let time = 0; time < times; time++) steps.push(await reportAgain(deps, planned))
  } else if (kind === 'reversed' && afterSeconds > 0) {
    const reversal = { sessionId: otherSessionId, originalSessionId: sessionId }
    await scheduleLaterReport(deps.db, { clientId, planned }, reversal)
    scheduled.push(laterStep(planned, 'reversal'))
  } else if (kind === 'reversed' || kind === 'reversal_first') {
    steps.push(await reportReversal(deps, planned))
  }
  return { decision, steps, scheduled }
}

// Whether the bank reports even the first credit later, or never.
function isReportedLater({ kind }: PlannedTransfer): boolean {
  return kind === 'delayed' || kind === 'lost'
}

// Returns when the bank reports the scheduled part of the transfer; null if never.
function reportDueAt({ kind, madeAt, afterSeconds }: PlannedTransfer): Date | null {
  return kind === 'lost' ? null : new Date(Date.parse(madeAt) + afterSeconds * SECOND_MS)
}

// Returns a scheduled report as the response shows it.
function laterStep(planned: PlannedTransfer, step: Scheduled['step']): Scheduled {
  const sessionId = step === 'credit' ? planned.sessionId : planned.otherSessionId
  return { step, sessionId, dueAt: reportDueAt(planned) }
}

function narrationOf({ kind }: PlannedTransfer): string {
  return `Sandbox bank: ${kind}`
}

// Enters a report that the bank makes later into the sandbox bank's books.
async function scheduleLaterReport(
  db: Parameters<typeof scheduleReport>[0],
  { clientId, planned }: { clientId: ClientId; planned: PlannedTransfer },
  sessions: { sessionId: string; originalSessionId: string | null },
): Promise<void> {
  const { bankCode, accountNumber, amountKobo, madeAt } = planned
  await scheduleReport(db, {
    clientId,
    bankCode,
    accountNumber,
    amountKobo: kobo(BigInt(amountKobo)),
    narration: narrationOf(planned),
    madeAt: new Date(madeAt),
    dueAt: reportDueAt(planned),
    ...sessions,
  })
}

type CreditPart = { sessionId: string; amountKobo: Kobo; at: Date }

// Returns the transfer's first credit. `out_of_order` makes two credits, each of half the amount: this one is
// the earlier, and the sandbox reports the later one first. Every other kind makes one credit.
function firstCredit({ kind, sessionId, amountKobo, madeAt }: PlannedTransfer): CreditPart {
  const wholeKobo = kobo(BigInt(amountKobo))
  const at = new Date(madeAt)
  if (kind !== 'out_of_order') return { sessionId, amountKobo: wholeKobo, at }
  const earlier = new Date(at.getTime() - APART_MS)
  return { sessionId, amountKobo: kobo(wholeKobo / 2n), at: earlier }
}

// Reports the second half of an `out_of_order` transfer, which has the rest of the amount.
function reportSecondCredit(deps: Deps, planned: PlannedTransfer) {
  const { amountKobo } = firstCredit(planned)
  const restKobo = kobo(BigInt(planned.amountKobo) - amountKobo)
  const at = new Date(planned.madeAt)
  return reportCredit(deps, planned, {
    sessionId: planned.otherSessionId,
    amountKobo: restKobo,
    at,
  })
}

// Returns a part of the transfer in the form that the batcher takes.
function creditOf(planned: PlannedTransfer, { sessionId, amountKobo, at }: CreditPart) {
  const { bankCode, accountNumber, kind } = planned
  const to = { bankCode, accountNumber, amountKobo, source: 'sandbox' } as const
  const currency = kind === 'wrong_currency' ? 'USD' : 'NGN'
  return sandboxCredit(to, at, { narration: narrationOf(planned), sessionId, currency })
}

// Reports a credit to the service, and returns the decision with the step that the response shows.
async function reportCredit(
  { writers }: Deps,
  planned: PlannedTransfer,
  part: CreditPart,
): Promise<{ decision: CreditDecision; step: Step }> {
  const decision = await writers.credits.submit(creditOf(planned, part))
  // The session id, which is random, happened to be that of another transfer.
  if (decision.status === 'session_reused') throw new Refusal('try_again')
  const { outcome, reason, suspendedKobo } = decision
  const amountInSuspense = toNaira(suspendedKobo)
  const { sessionId } = part
  const step = { step: 'credit', sessionId, responseCode: '00', outcome, reason } as const
  return { decision, step: { ...step, amountInSuspense } }
}

// Reports the first credit once more. The service must answer that it is a duplicate. The response codes are
// those of the banks' API: 01 is a duplicate, 02 a rejection.
async function reportAgain({ writers }: Deps, planned: PlannedTransfer): Promise<Step> {
  const { status } = await writers.credits.submit(creditOf(planned, firstCredit(planned)))
  const isDuplicate = status === 'duplicate'
  return {
    step: 'again',
    sessionId: planned.sessionId,
    responseCode: isDuplicate ? '01' : '02',
    outcome: isDuplicate ? 'duplicate' : 'rejected',
    reason: null,
    amountInSuspense: 0,
  }
}

// Reports, as the sandbox bank, that the credit is taken back, and returns the step that the response shows.
async function reportReversal(deps: Deps, planned: PlannedTransfer): Promise<Step> {
  const { bankCode, sessionId: original, otherSessionId: sessionId } = planned
  const amountKobo = kobo(BigInt(planned.amountKobo))
  const reversal: IncomingReversal = {
    sessionId,
    originals: [original],
    amountKobo,
    currency: 'NGN',
  }
  const answer = (await takeReversals(deps, bankCode, [reversal])).get(reversal)
  if (answer === undefined || answer === 'failed') throw new Refusal('try_again')
  const step = { step: 'reversal', sessionId, amountInSuspense: 0 } as const
  if (isReversed(answer)) return { ...step, responseCode: '00', outcome: 'reversed', reason: null }
  const { responseCode, outcome, code = null } = reversalAcknowledgement(answer)
  return { ...step, responseCode, outcome, reason: code }
}

const TIMES_MAX = 20
const AFTER_SECONDS_MAX = 30 * 86_400

const TO = { accountNumber: '1000000015' }
const EXAMPLES = {
  exact: { value: { ...TO, kind: 'exact' } },
  over: { value: { ...TO, kind: 'over', amount: 6500 } },
  duplicate: { value: { ...TO, kind: 'duplicate', times: 3 } },
  reversed: { value: { ...TO, kind: 'reversed', afterSeconds: 60 } },
  delayed: { value: { ...TO, kind: 'delayed', afterSeconds: 120 } },
  lost: { value: { ...TO, kind: 'lost' } },
}

const TransferRequest = named(
  'SandboxTransferRequest',
  {
    accountNumber: accountNumber('Account number to credit.'),
    kind: Type.Unsafe<SandboxTransfer>({
      type: 'string',
      enum: [...SANDBOX_TRANSFERS],
      description:
        'exact, under or over the amount due; late; duplicate; out_of_order: two halves, the later ' +
        'reported first; reversed; reversal_first: reported before its credit; wrong_currency; ' +
        'delayed; lost: never reported, and found by requery.',
      'x-says': `Must be one of ${SANDBOX_TRANSFERS.join(', ')}.`,
    }),
    amount: Type.Optional(Amount),
    times: Type.Optional(
      wholeNumber(1, TIMES_MAX, 'duplicate: how often it is reported again. Default 1.'),
    ),
    afterSeconds: Type.Optional(
      wholeNumber(
        0,
        AFTER_SECONDS_MAX,
        'reversed: when the bank takes it back (default 0, at once). delayed: when it is ' +
          'reported (default 30).',
      ),
    ),
  },
  { additionalProperties: false, 'x-examples': EXAMPLES },
)

const StepBody = named('SandboxTransferStep', {
  step: Type.String({ description: 'credit, again (duplicate report) or reversal.' }),
  sessionId: Type.String(),
  responseCode: Type.String({
    description: 'Response to the bank: 00 accepted, 01 duplicate, 02 rejected.',
  }),
  outcome: Type.String({
    description: 'booked, suspended, duplicate, reversed, rejected or retry.',
  }),
  reason: nullable('string', { description: 'Suspense reason, or why it was rejected.' }),
  amountInSuspense: Type.Number(),
})

const ScheduledBody = named('SandboxTransferScheduled', {
  step: Type.String({ description: 'credit or reversal.' }),
  sessionId: Type.String(),
  dueAt: nullable('string', { description: 'When the bank reports it. Null: only when asked.' }),
})

const TransferBody = named('SandboxTransfer', {
  kind: Type.String(),
  accountNumber: Type.String(),
  amount: Type.Number(),
  sessionId: Type.String(),
  creditId: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Null while the transfer is not reported: delayed, lost.',
  }),
  paymentReference: nullable('string'),
  steps: Type.Array(StepBody, { description: 'Each report of the bank and its outcome.' }),
  scheduled: Type.Array(ScheduledBody, { description: 'What the bank reports later.' }),
})

// The plan of a request, as JSON with the idempotency key: the transfer, and the payment that it pays.
type Planned = { transfer: PlannedTransfer; paymentReference: PaymentId | null }

export const sandboxTransfers = resource('/sandbox/transfers', {
  tag: 'Sandbox',
  noun: 'transfer',
  view: TransferBody,
  scopes: { read: 'payments:read', write: 'payments:write' },
}).route('POST', 'sendSandboxTransfer', {
  guard: sandboxOnly,
  route: { config: { rate: 'simulate', queue: 'credits' } },
  summary: 'Send a sandbox transfer (sandbox only)',
  description:
    'Default amount: the amount due, half of it (under) or 500.00 more (over). late requires ' +
    'a payment whose grace period has ended. What is reported later is reported by the ' +
    'workers, also after a restart.',
  isKeyed: true,
  body: TransferRequest,
  errors: ['number_not_found', 'payment_not_late', 'payment_not_open', 'sandbox_only'],
  handle: (call) => {
    const { request, reply, clientId, body } = call
    const begin = async (tx: Transaction) =>
      JSON.stringify(await planRequestedTransfer(tx, call, { clientId, body }))
    return withIdempotentSteps(call, { request, reply, begin }, async (storedPlan) =>
      accepted(
        'Transfer sent successfully',
        await sendTransfer(call, clientId, JSON.parse(storedPlan)),
      ),
    )
  },
})

type TransferPlan = { clientId: ClientId; body: Static<typeof TransferRequest> }

// Checks the request against the account or payment that has the number, and plans the transfer.
async function planRequestedTransfer(
  tx: Transaction,
  { clock }: Deps,
  { clientId, body: { accountNumber, kind, amount, ...options } }: TransferPlan,
): Promise<Planned> {
  const owner = await findNumber(tx, clientId, accountNumber)
  if (!owner) throw new Refusal('number_not_found')
  const { bankCode, paymentId } = owner
  const payment =
    paymentId === null
      ? undefined
      : await getPayment(tx, clientId, { by: 'payment', reference: paymentId })
  const requestedKobo = amount === undefined ? undefined : (koboOf(amount) as Kobo)
  const now = clock()
  const amountKobo = sandboxAmount({ kind, requestedKobo, payment, now })
  const terms = transferTerms({ kind, ...options })
  const to = { kind, accountNumber, bankCode, amountKobo, terms }
  const transfer = await planTransfer(tx, { clientId, now }, to)
  return { transfer, paymentReference: paymentId }
}

// Sends the planned transfer and returns the response. A retry comes here again with the stored plan.
async function sendTransfer(
  deps: Deps,
  clientId: ClientId,
  { transfer, paymentReference }: Planned,
): Promise<Static<typeof TransferBody>> {
  const { kind, accountNumber, amountKobo, sessionId } = transfer
  const { decision, steps, scheduled } = await sendPlanned(deps, clientId, transfer)
  return {
    kind,
    accountNumber,
    amount: toNaira(kobo(BigInt(amountKobo))),
    sessionId,
    creditId: decision ? publicId(deps.sealer, 'credit', decision.creditId) : null,
    paymentReference,
    steps,
    scheduled: scheduled.map(({ dueAt: reportDueAt, ...step }) => ({
      ...step,
      dueAt: reportDueAt && timestamp(reportDueAt),
    })),
  }
}
