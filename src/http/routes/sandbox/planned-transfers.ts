// Sends a planned sandbox transfer, as a bank would: the reports of now through the regular path of
// credits and reversals, those of later into the sandbox bank's books. The plan is stored with the
// idempotency key, so that a retry sends the same transfer.

import type { IncomingReversal } from '#banks/notifications.ts'
import { sandboxCredit, sandboxSessionId } from '#banks/sandbox-credits.ts'
import type { Transaction } from '#db/transaction.ts'
import type { CreditDecision } from '#domain/credits/decide-credits.ts'
import type { SandboxTransfer, TransferTerms } from '#domain/sandbox/sandbox-transfers.ts'
import { scheduleReport } from '#domain/sandbox/scheduled-reports.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { reversalAcknowledgement } from '#http/routes/credits/rail-reversals.ts'
import { isReversed, takeReversals } from '#http/routes/credits/reported-reversals.ts'
import type { ClientId } from '#ids.ts'
import { type Kobo, kobo, toNaira } from '#money.ts'

const APART_MS = 1_000 // Of the two transfers of out_of_order.
const SECOND_MS = 1_000

type NewTransfer = {
  kind: SandboxTransfer
  accountNumber: string
  bankCode: string
  amountKobo: Kobo
  terms: TransferTerms
}

// As JSON.
export type PlannedTransfer = TransferTerms & {
  kind: SandboxTransfer
  accountNumber: string
  bankCode: string
  amountKobo: string
  sessionId: string
  otherSessionId: string // Of the reversal, or of the second transfer.
  madeAt: string
}

export type Step = {
  step: 'credit' | 'again' | 'reversal'
  sessionId: string
  responseCode: string
  outcome: string
  reason: string | null
  amountInSuspense: number
}

export type Scheduled = { step: 'credit' | 'reversal'; sessionId: string; dueAt: Date | null }

// `taken` is the first credit; undefined if none was reported yet.
export type SentTransfer = {
  taken: CreditDecision | undefined
  steps: Step[]
  scheduled: Scheduled[]
}

// What is reported later is in the bank's books from here on.
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
    await schedule(tx, { clientId, planned }, { sessionId, originalSessionId: null })
  }
  return planned
}

// Safe to repeat.
export async function sendPlanned(
  deps: Deps,
  clientId: ClientId,
  planned: PlannedTransfer,
): Promise<SentTransfer> {
  const { kind, sessionId, otherSessionId, times, afterSeconds } = planned
  if (isReportedLater(planned)) {
    return { taken: undefined, steps: [], scheduled: [laterStep(planned, 'credit')] }
  }
  const steps: Step[] = []
  if (kind === 'out_of_order') steps.push((await reportSecond(deps, planned)).step)
  if (kind === 'reversal_first') steps.push(await reverse(deps, planned))
  const { taken, step } = await report(deps, planned, firstOf(planned))
  steps.push(step)
  const scheduled: Scheduled[] = []
  if (kind === 'duplicate') {
    for (let time = 0; time < times; time++) steps.push(await again(deps, planned))
  } else if (kind === 'reversed' && afterSeconds > 0) {
    const reversal = { sessionId: otherSessionId, originalSessionId: sessionId }
    await schedule(deps.db, { clientId, planned }, reversal)
    scheduled.push(laterStep(planned, 'reversal'))
  } else if (kind === 'reversed' || kind === 'reversal_first') {
    steps.push(await reverse(deps, planned))
  }
  return { taken, steps, scheduled }
}

function isReportedLater({ kind }: PlannedTransfer): boolean {
  return kind === 'delayed' || kind === 'lost'
}

function dueAt({ kind, madeAt, afterSeconds }: PlannedTransfer): Date | null {
  return kind === 'lost' ? null : new Date(Date.parse(madeAt) + afterSeconds * SECOND_MS)
}

function laterStep(planned: PlannedTransfer, step: Scheduled['step']): Scheduled {
  const sessionId = step === 'credit' ? planned.sessionId : planned.otherSessionId
  return { step, sessionId, dueAt: dueAt(planned) }
}

function narrationOf({ kind }: PlannedTransfer): string {
  return `Sandbox bank: ${kind}`
}

async function schedule(
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
    dueAt: dueAt(planned),
    ...sessions,
  })
}

type Part = { sessionId: string; amountKobo: Kobo; at: Date }

function firstOf({ kind, sessionId, amountKobo, madeAt }: PlannedTransfer): Part {
  const whole = kobo(BigInt(amountKobo))
  const at = new Date(madeAt)
  if (kind !== 'out_of_order') return { sessionId, amountKobo: whole, at }
  const earlier = new Date(at.getTime() - APART_MS)
  return { sessionId, amountKobo: kobo(whole / 2n), at: earlier }
}

function reportSecond(deps: Deps, planned: PlannedTransfer) {
  const { amountKobo } = firstOf(planned)
  const rest = kobo(BigInt(planned.amountKobo) - amountKobo)
  const at = new Date(planned.madeAt)
  return report(deps, planned, { sessionId: planned.otherSessionId, amountKobo: rest, at })
}

function creditOf(planned: PlannedTransfer, { sessionId, amountKobo, at }: Part) {
  const { bankCode, accountNumber, kind } = planned
  const to = { bankCode, accountNumber, amountKobo, source: 'sandbox' } as const
  const currency = kind === 'wrong_currency' ? 'USD' : 'NGN'
  return sandboxCredit(to, at, { narration: narrationOf(planned), sessionId, currency })
}

async function report(
  { writers }: Deps,
  planned: PlannedTransfer,
  part: Part,
): Promise<{ taken: CreditDecision; step: Step }> {
  const taken = await writers.credits.submit(creditOf(planned, part))
  if (taken.status === 'session_reused') throw new Refusal('try_again')
  const { outcome, reason, suspendedKobo } = taken
  const amountInSuspense = toNaira(suspendedKobo)
  const { sessionId } = part
  const step = { step: 'credit', sessionId, responseCode: '00', outcome, reason } as const
  return { taken, step: { ...step, amountInSuspense } }
}

async function again({ writers }: Deps, planned: PlannedTransfer): Promise<Step> {
  const { status } = await writers.credits.submit(creditOf(planned, firstOf(planned)))
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

async function reverse(deps: Deps, planned: PlannedTransfer): Promise<Step> {
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
