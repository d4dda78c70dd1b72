// Takes the credits, reversals and other items that a bank reports in one message, and acknowledges each item
// once it is committed.

import { withoutFutureTime } from '#banks/credit-fields.ts'
import type {
  Acknowledgement,
  CreditIdentifier,
  IncomingReversal,
  ParsedItem,
  PayoutEvent,
  Rejection,
} from '#banks/notifications.ts'
import { withTransaction } from '#db/transaction.ts'
import type { BatchResult } from '#hot-path/batcher.ts'
import type { Deps } from '#http/deps.ts'
import { recordPayoutReport } from '#payouts/review.ts'
import { requeryReported } from '#requery/requery.ts'
import type { CreditResult } from './decide.ts'
import type { IncomingCredit } from './judge.ts'
import { keepRejected, SYSTEM_FAILURE } from './rail-item-routes.ts'
import { type Reversed, reversalAcknowledgement, takeReversals } from './rail-reversal-routes.ts'

// The result of an event about one of our payouts inside a credit report. Events are handled before the
// report is acknowledged. After `failed`, the bank may safely send the event again.
type PayoutEventResult = 'heard' | 'unknown_payout' | 'failed'

// Handles events about payouts one after another. An event that fails does not affect the others.
async function recordPayoutReports(
  { batchPool, clock, log }: Deps,
  bankCode: string,
  events: readonly PayoutEvent[],
): Promise<Map<PayoutEvent, PayoutEventResult>> {
  const results = new Map<PayoutEvent, PayoutEventResult>()
  for (const event of events) {
    try {
      const isOurs = await withTransaction(batchPool, (tx) =>
        recordPayoutReport(tx, clock(), { bankCode, event }),
      )
      results.set(event, isOurs ? 'heard' : 'unknown_payout')
    } catch (error) {
      log.error({ err: error }, 'failed to take an event about a payout')
      results.set(event, 'failed')
    }
  }
  return results
}

// For each transfer that a bank reports without signing the report (I103), a requery is committed before the
// report is acknowledged. After `failed`, the bank may safely send the report again.
type HintResult = 'stored' | 'failed'

// Plans a requery for each transfer that the bank named without a signature.
async function planRequeries(
  { batchPool, clock, log }: Deps,
  bankCode: string,
  hints: readonly CreditIdentifier[],
): Promise<Map<CreditIdentifier, HintResult>> {
  const results = new Map<CreditIdentifier, HintResult>()
  for (const hint of hints) {
    try {
      await withTransaction(batchPool, (tx) => requeryReported(tx, clock(), { bankCode, hint }))
      results.set(hint, 'stored')
    } catch (error) {
      log.error({ err: error }, 'failed to store a hint')
      results.set(hint, 'failed')
    }
  }
  return results
}

type Report = { bankCode: string; rawBody: Buffer; items: readonly ParsedItem[] }
type Results = readonly BatchResult<CreditResult>[]
type Done = (error: unknown, answers?: readonly Acknowledgement[]) => void

// The results of the items of a report that are not credits.
type Others = {
  reversed: ReadonlyMap<IncomingReversal, Reversed>
  payoutResults: ReadonlyMap<PayoutEvent, PayoutEventResult>
  hintResults: ReadonlyMap<CreditIdentifier, HintResult>
}

const NO_OTHERS: Others = { reversed: new Map(), payoutResults: new Map(), hintResults: new Map() }

// Takes the items of a report: credits first, so that a reversal in the same report finds its credit. Throws
// if it refuses the whole report because of load, before it takes any item. Otherwise calls `done` once, with
// an error or the acknowledgements of all items.
export function takeReport(deps: Deps, report: Report, done: Done): void {
  const { bankCode, items } = report
  const now = deps.realClock()
  const credits: IncomingCredit[] = []
  for (const item of items) {
    if (item.ok) credits.push({ ...withoutFutureTime(item.credit, now), bankCode })
  }
  deps.writers.credits.enqueue(credits, (results) => {
    deps.notificationMeter.countNotification(bankCode, now, timesOfNewCredits(credits, results))
    // Nearly every report has only credits, and is answered at once.
    if (credits.length === items.length && !results.some(isReused)) {
      done(undefined, acknowledge(items, results, NO_OTHERS))
    } else {
      takeOtherItems(deps, report, results).then((answers) => done(undefined, answers), done)
    }
  })
}

// Handles the items of a report after its credits were taken: reversals, events about payouts, hints, and
// rejected items, which are stored for an operator. Returns the acknowledgements of all items.
async function takeOtherItems(deps: Deps, report: Report, results: Results) {
  const { bankCode, items } = report
  const reversals = items.flatMap((item) => (item.ok ? [] : (item.reversal ?? [])))
  const reversed = await takeReversals(deps, bankCode, reversals)
  const events = items.flatMap((item) => (item.ok ? [] : (item.payout ?? [])))
  const payoutResults = await recordPayoutReports(deps, bankCode, events)
  const hints = items.flatMap((item) => (item.ok ? [] : (item.hint ?? [])))
  const hintResults = await planRequeries(deps, bankCode, hints)
  const answers = acknowledge(items, results, { reversed, payoutResults, hintResults })
  return await keepRejected(deps, report, { items, answers })
}

// Returns whether the credit was rejected because another credit has its session id. It then becomes a rail
// item.
function isReused(result: BatchResult<CreditResult>): boolean {
  return result.ok && result.value.status === 'session_reused'
}

// Returns the bank's times of the credits that are not duplicates. They show how late the bank reports.
function timesOfNewCredits(credits: readonly IncomingCredit[], results: Results): (Date | null)[] {
  const times: (Date | null)[] = []
  for (let index = 0; index < credits.length; index++) {
    const result = results[index]
    const isNew = result?.ok && result.value.status === 'taken'
    if (isNew) times.push((credits[index] as IncomingCredit).transactionTime)
  }
  return times
}

// Returns one acknowledgement for each item, in order. `results` has one entry for each credit only.
function acknowledge(
  items: readonly ParsedItem[],
  results: Results,
  others: Others,
): Acknowledgement[] {
  let creditIndex = 0
  return items.map((item) => {
    if (!item.ok) return acknowledgeOther(item, others)
    const { sessionId } = item.credit
    const result = results[creditIndex++]
    if (!result?.ok) return { sessionId, ...SYSTEM_FAILURE }
    return { sessionId, ...toAcknowledgement(result.value) }
  })
}

// Returns the acknowledgement of an item that is not a credit: a reversal, an event about a payout, a hint or
// a rejected item.
function acknowledgeOther(
  { sessionId, code, message, reversal, payout, hint }: Rejection,
  { reversed, payoutResults, hintResults }: Others,
): Acknowledgement {
  const reversalResult = reversal && reversed.get(reversal)
  const payoutResult = payout && payoutResults.get(payout)
  const hintResult = hint && hintResults.get(hint)
  const isFailed =
    reversalResult === 'failed' || payoutResult === 'failed' || hintResult === 'failed'
  if (isFailed) return { sessionId, ...SYSTEM_FAILURE }
  if (hintResult) return { sessionId, ...TRANSFER_ASKED_FOR }
  if (payoutResult === 'heard') return { sessionId, ...PAYOUT_HEARD }
  if (reversalResult) return { sessionId, ...reversalAcknowledgement(reversalResult) }
  // Also an event about a payout that is not ours.
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

// Returns the acknowledgement of a credit. The message and the outcome show the bank whether the credit was
// booked, suspended, known before or rejected.
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
