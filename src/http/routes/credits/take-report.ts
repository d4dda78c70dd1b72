// Takes what a bank reports, and acknowledges each item once it is committed.

import { withoutFutureTime } from '#banks/credit-fields.ts'
import type {
  Acknowledgement,
  CreditIdentifier,
  IncomingReversal,
  ParsedItem,
  PayoutEvent,
  Rejection,
} from '#banks/notifications.ts'
import type { BatchResult } from '#db/batcher.ts'
import type { CreditResult } from '#domain/credits/decide-credits.ts'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import type { Deps } from '#http/deps.ts'
import { keepRejected, SYSTEM_FAILURE } from './keep-rail-items.ts'
import { reversalAcknowledgement } from './rail-reversals.ts'
import { type Heard, hearOfPayouts } from './reported-payouts.ts'
import { type Reversed, takeReversals } from './reported-reversals.ts'
import { askForTransfers, type Hinted } from './reported-transfers.ts'

type Report = { bankCode: string; rawBody: Buffer; items: readonly ParsedItem[] }
type Results = readonly BatchResult<CreditResult>[]
type Done = (error: unknown, answers?: readonly Acknowledgement[]) => void

type Others = {
  reversed: ReadonlyMap<IncomingReversal, Reversed>
  heard: ReadonlyMap<PayoutEvent, Heard>
  hinted: ReadonlyMap<CreditIdentifier, Hinted>
}

const NO_OTHERS: Others = { reversed: new Map(), heard: new Map(), hinted: new Map() }

// Credits first, so that a reversal in the same report finds its credit. Throws when it refuses the
// report, of which nothing is taken then; otherwise calls `done` once.
export function takeReport(deps: Deps, report: Report, done: Done): void {
  const { bankCode, items } = report
  const now = deps.clock()
  const credits: IncomingCredit[] = []
  for (const item of items) {
    if (item.ok) credits.push({ ...withoutFutureTime(item.credit, now), bankCode })
  }
  deps.writers.credits.enqueue(credits, (results) => {
    deps.notificationMeter.heard(bankCode, now, timesOfNew(credits, results))
    // Nearly always nothing is left to be done, and it is answered at once.
    if (credits.length === items.length && !results.some(isReused)) {
      done(undefined, acknowledge(items, results, NO_OTHERS))
    } else {
      finish(deps, report, results).then((answers) => done(undefined, answers), done)
    }
  })
}

// Reversals, what the bank says about payouts, hints, and items that are kept for an operator.
async function finish(deps: Deps, report: Report, results: Results) {
  const { bankCode, items } = report
  const reversals = items.flatMap((item) => (item.ok ? [] : (item.reversal ?? [])))
  const reversed = await takeReversals(deps, bankCode, reversals)
  const events = items.flatMap((item) => (item.ok ? [] : (item.payout ?? [])))
  const heard = await hearOfPayouts(deps, bankCode, events)
  const hints = items.flatMap((item) => (item.ok ? [] : (item.hint ?? [])))
  const hinted = await askForTransfers(deps, bankCode, hints)
  const answers = acknowledge(items, results, { reversed, heard, hinted })
  return await keepRejected(deps, report, { items, answers })
}

function isReused(result: BatchResult<CreditResult>): boolean {
  return result.ok && result.value.status === 'session_reused'
}

function timesOfNew(credits: readonly IncomingCredit[], results: Results): (Date | null)[] {
  const times: (Date | null)[] = []
  for (let at = 0; at < credits.length; at++) {
    const result = results[at]
    const isNew = result?.ok && result.value.status === 'taken'
    if (isNew) times.push((credits[at] as IncomingCredit).transactionTime)
  }
  return times
}

function acknowledge(
  items: readonly ParsedItem[],
  results: Results,
  others: Others,
): Acknowledgement[] {
  let credits = 0
  return items.map((item) => {
    if (!item.ok) return acknowledgeOther(item, others)
    const { sessionId } = item.credit
    const result = results[credits++]
    if (!result?.ok) return { sessionId, ...SYSTEM_FAILURE }
    return { sessionId, ...toAcknowledgement(result.value) }
  })
}

function acknowledgeOther(
  { sessionId, code, message, reversal, payout, hint }: Rejection,
  { reversed, heard, hinted }: Others,
): Acknowledgement {
  const answer = reversal && reversed.get(reversal)
  const event = payout && heard.get(payout)
  const question = hint && hinted.get(hint)
  const isFailed = answer === 'failed' || event === 'failed' || question === 'failed'
  if (isFailed) return { sessionId, ...SYSTEM_FAILURE }
  if (question) return { sessionId, ...TRANSFER_ASKED_FOR }
  if (event === 'heard') return { sessionId, ...PAYOUT_HEARD }
  if (answer) return { sessionId, ...reversalAcknowledgement(answer) }
  const rejected = { responseCode: '02', outcome: 'rejected' } as const
  return { sessionId, ...rejected, responseMessage: message, code }
}

const PAYOUT_HEARD = {
  responseCode: '00',
  responseMessage: 'Accepted: the payout is asked for',
  outcome: 'accepted',
} as const

const TRANSFER_ASKED_FOR = {
  ...PAYOUT_HEARD,
  responseMessage: 'Accepted: the transfer is asked for',
}

function toAcknowledgement(answer: CreditResult): Omit<Acknowledgement, 'sessionId'> {
  if (answer.status === 'session_reused') {
    const responseMessage = 'Session ID already used with different details'
    return { responseCode: '02', responseMessage, outcome: 'rejected', code: answer.status }
  }
  const code = answer.reason === null ? {} : { code: answer.reason }
  if (answer.status === 'duplicate') {
    const responseMessage = `Duplicate: already ${answer.outcome}`
    return { responseCode: '01', responseMessage, outcome: 'duplicate', ...code }
  }
  const responseMessage = answer.outcome === 'booked' ? 'Accepted' : 'Accepted, in suspense'
  return { responseCode: '00', responseMessage, outcome: answer.outcome, ...code }
}
