// Takes the credits, reversals and other items that banks report, and acknowledges each item once it is
// committed.

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
import { hearOfPayout } from '#payouts/review.ts'
import { requeryReported } from '#requery/requery.ts'
import type { CreditResult } from './decide.ts'
import type { IncomingCredit } from './judge.ts'
import { keepRejected, SYSTEM_FAILURE } from './rail-item-routes.ts'
import { type Reversed, reversalAcknowledgement, takeReversals } from './rail-reversal-routes.ts'

// Events about our payouts inside a credit report are handled before the report is acknowledged. After
// `failed`, the bank may safely send the event again.
type PayoutEventResult = 'heard' | 'unknown_payout' | 'failed'

async function hearOfPayouts(
  { batchPool, clock, log }: Deps,
  bankCode: string,
  events: readonly PayoutEvent[],
): Promise<Map<PayoutEvent, PayoutEventResult>> {
  const results = new Map<PayoutEvent, PayoutEventResult>()
  for (const event of events) {
    try {
      const isOurs = await withTransaction(batchPool, (tx) =>
        hearOfPayout(tx, clock(), { bankCode, event }),
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
type Hinted = 'stored' | 'failed'

async function askForTransfers(
  { batchPool, clock, log }: Deps,
  bankCode: string,
  hints: readonly CreditIdentifier[],
): Promise<Map<CreditIdentifier, Hinted>> {
  const results = new Map<CreditIdentifier, Hinted>()
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

type Others = {
  reversed: ReadonlyMap<IncomingReversal, Reversed>
  payoutResults: ReadonlyMap<PayoutEvent, PayoutEventResult>
  hinted: ReadonlyMap<CreditIdentifier, Hinted>
}

const NO_OTHERS: Others = { reversed: new Map(), payoutResults: new Map(), hinted: new Map() }

// Takes credits first, so that a reversal in the same report finds its credit. Throws if it refuses the whole
// report, of which it has then taken nothing. Otherwise calls `done` once.
export function takeReport(deps: Deps, report: Report, done: Done): void {
  const { bankCode, items } = report
  const now = deps.realClock()
  const credits: IncomingCredit[] = []
  for (const item of items) {
    if (item.ok) credits.push({ ...withoutFutureTime(item.credit, now), bankCode })
  }
  deps.writers.credits.enqueue(credits, (results) => {
    deps.notificationMeter.heard(bankCode, now, timesOfNew(credits, results))
    // Nearly every report has only credits, and is answered at once.
    if (credits.length === items.length && !results.some(isReused)) {
      done(undefined, acknowledge(items, results, NO_OTHERS))
    } else {
      finish(deps, report, results).then((answers) => done(undefined, answers), done)
    }
  })
}

// Handles reversals, events about payouts, hints, and items that are stored for an operator.
async function finish(deps: Deps, report: Report, results: Results) {
  const { bankCode, items } = report
  const reversals = items.flatMap((item) => (item.ok ? [] : (item.reversal ?? [])))
  const reversed = await takeReversals(deps, bankCode, reversals)
  const events = items.flatMap((item) => (item.ok ? [] : (item.payout ?? [])))
  const payoutResults = await hearOfPayouts(deps, bankCode, events)
  const hints = items.flatMap((item) => (item.ok ? [] : (item.hint ?? [])))
  const hinted = await askForTransfers(deps, bankCode, hints)
  const answers = acknowledge(items, results, { reversed, payoutResults, hinted })
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
  { reversed, payoutResults, hinted }: Others,
): Acknowledgement {
  const answer = reversal && reversed.get(reversal)
  const event = payout && payoutResults.get(payout)
  const requery = hint && hinted.get(hint)
  const isFailed = answer === 'failed' || event === 'failed' || requery === 'failed'
  if (isFailed) return { sessionId, ...SYSTEM_FAILURE }
  if (requery) return { sessionId, ...TRANSFER_ASKED_FOR }
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
