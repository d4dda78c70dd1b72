// 10,000 random histories of a payout in which the bank's answers lie, lag and time out, clocks are changed
// and workers restart. A payout that its bank paid never fails (I88), and a payout that the bank did not give
// back is never booked as returned (I104).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALL_MS_MAX } from '#banks/bank-http.ts'
import type { PayoutAnswer } from '#banks/connector.ts'
import { countReversed } from '#payouts/review.ts'
import {
  addAnswer,
  areAnswersEnough,
  isAbsent,
  NO_ANSWERS,
  OBSERVED_MS_NEEDED,
  type ObservedAnswers,
  outcomeOf,
  queryAfterMs,
  SEND_WITHIN_MS,
} from '#payouts/unknown.ts'
import { readSeed, seededRandom } from '../support/random.ts'

type Random = ReturnType<typeof seededRandom>
type Status = 'unknown' | 'confirmed' | 'failed'

const HISTORIES = 10_000
const QUERIES = 60
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const SHOWN_WITHIN_MS = 10 * MINUTE_MS // Required by docs/bank-api.md.
const TIMEOUT: PayoutAnswer = { status: 'unknown', reason: 'timeout' }
const PENDING: PayoutAnswer = { status: 'unknown', reason: 'pending', isAccepted: true }
const NOT_FOUND: PayoutAnswer = { status: 'not_found' }
const PAID: PayoutAnswer = { status: 'confirmed', bankReference: 'B-1' }

// A random bank. It receives the payout at `takenMs` (unless `isTaken` is false), knows it in answers from
// `shownMs` on, and has paid it at `paidMs`: true times, which the service does not know. If its "not found"
// is no proof, it may deny the payout for hours. Any bank may forget a payout that it has shown before.
function drawBank(random: Random) {
  const isProof = random.integer(0, 1) === 1
  const isTaken = random.integer(0, 3) > 0
  const takenMs = random.integer(0, SEND_WITHIN_MS + CALL_MS_MAX)
  const shownMs = takenMs + random.integer(0, isProof ? SHOWN_WITHIN_MS - SECOND_MS : 48 * HOUR_MS)
  const paidMs = takenMs + random.pick([0, SECOND_MS, HOUR_MS, 40 * HOUR_MS])
  const lieRate = isProof ? 0 : random.next() // The share of answers that wrongly deny the payout.
  const forgets = random.integer(0, 9) === 0
  let hasShown = false
  const answer = (nowMs: number): PayoutAnswer => {
    if (random.next() < 0.2) return TIMEOUT
    if (!isTaken || nowMs < shownMs || random.next() < lieRate) return NOT_FOUND
    if (hasShown && forgets) return NOT_FOUND
    hasShown = true
    return nowMs < paidMs ? PENDING : PAID
  }
  return { isProof, isTaken, answer }
}

// Two workers, one of which makes each query. Each worker has its own monotonic clock, which starts anew when
// the worker restarts. Returns a function that picks a worker: `by` names its process, and `read` converts
// the true time to the time on its clock.
function drawWorkers(random: Random) {
  let processes = 0
  const start = (nowMs: number) => ({
    by: `process ${++processes}`,
    baseMs: nowMs - random.integer(0, HOUR_MS),
  })
  const workers = [start(0), start(0)]
  return (nowMs: number) => {
    const index = random.integer(0, 1)
    if (random.next() < 0.1) workers[index] = start(nowMs)
    const { by, baseMs } = workers[index] as (typeof workers)[number]
    return { by, read: (ms: number) => ms - baseMs }
  }
}

// One history: the service queries the bank until the payout is settled, or for 60 queries. Returns the final
// status, and whether the bank really received the payout.
function runHistory(random: Random): { status: Status; isTaken: boolean; isProof: boolean } {
  const bank = drawBank(random)
  const pickWorker = drawWorkers(random)
  let nowMs = 0
  let wallMs = 0
  let nextQueryMs = queryAfterMs(0) // Wall-clock time.
  let isAccepted = false
  let observed: ObservedAnswers = NO_ANSWERS
  for (let queries = 1; queries <= QUERIES; queries++) {
    const waitMs = Math.max(0, nextQueryMs - wallMs)
    nowMs += waitMs
    wallMs += waitMs
    // Now and then somebody sets the machines' wall clock to another time.
    if (random.next() < 0.2) wallMs += random.integer(-3 * HOUR_MS, 6 * HOUR_MS)
    nextQueryMs = wallMs + queryAfterMs(queries)
    const { by, read } = pickWorker(nowMs)
    const queriedAtMs = read(nowMs)
    const answer = bank.answer(nowMs)
    const tookMs = random.integer(0, MINUTE_MS)
    nowMs += tookMs
    wallMs += tookMs
    const outcome = outcomeOf(answer)
    if (outcome) return { ...bank, status: outcome.status as Status }
    if (answer.status === 'unknown') isAccepted ||= answer.isAccepted === true
    if (answer.status !== 'not_found') continue
    observed = addAnswer(observed, { by, queriedAtMs, answeredAtMs: read(nowMs) })
    if (isAbsent({ ...observed, ...bank, isAccepted, isHeld: false }))
      return { ...bank, status: 'failed' }
  }
  return { ...bank, status: 'unknown' }
}

test(`no payout that was paid is failed, in ${HISTORIES} histories`, () => {
  const seed = readSeed()
  const random = seededRandom(seed)
  const ends = { confirmed: 0, failed: 0, unknown: 0 }
  for (let history = 0; history < HISTORIES; history++) {
    const { status, isTaken, isProof } = runHistory(random)
    ends[status] += 1
    const what = `SEED=${seed}, history ${history}`
    if (isTaken) assert.notEqual(status, 'failed', `${what}: paid, and failed`)
    else assert.notEqual(status, 'confirmed', `${what}: never paid, and confirmed`)
    if (!isProof) assert.notEqual(status, 'failed', `${what}: failed by hearsay`)
  }
  for (const [status, count] of Object.entries(ends)) assert(count > 500, `${status}: ${count}`)
})

const REVERSED: PayoutAnswer = { status: 'failed', reason: 'reversed', isReversed: true }

// A random bank that paid a payout and perhaps reversed it at `reversedMs`. The bank also says "reversed"
// wrongly now and then, but for less time in total than the service requires before it books a return.
function drawReversal(random: Random) {
  const reversedMs = random.integer(0, 1) === 1 ? random.integer(0, 20 * HOUR_MS) : Infinity
  const count = random.integer(0, 4)
  // The periods in which the bank falsely says "reversed". Their lengths add up to one second less than
  // OBSERVED_MS_NEEDED, the time for which the service must have observed this answer.
  const lies = Array.from({ length: count }, () => {
    const fromMs = random.integer(0, 30 * HOUR_MS)
    return { fromMs, toMs: fromMs + Math.floor((OBSERVED_MS_NEEDED - SECOND_MS) / count) }
  })
  const answer = (nowMs: number): PayoutAnswer => {
    if (random.next() < 0.2) return TIMEOUT
    const isLie = lies.some(({ fromMs, toMs }) => nowMs >= fromMs && nowMs < toMs)
    if (isLie || nowMs >= reversedMs) return REVERSED
    return random.next() < 0.1 ? PENDING : PAID
  }
  return { isReversed: reversedMs < Infinity, answer }
}

// One history of a paid payout: the service queries the bank every few seconds or hours. Returns whether it
// booked a return.
function runReversalHistory(random: Random): { isReversed: boolean; isBooked: boolean } {
  const { isReversed, answer } = drawReversal(random)
  const pickWorker = drawWorkers(random)
  let nowMs = 0
  let counted = NO_ANSWERS
  for (let queries = 0; queries < QUERIES; queries++) {
    nowMs += random.integer(SECOND_MS, random.pick([MINUTE_MS, HOUR_MS]))
    const { by, read } = pickWorker(nowMs)
    const queriedAtMs = read(nowMs)
    const response = answer(nowMs)
    nowMs += random.integer(0, MINUTE_MS)
    counted = countReversed(counted, response, { by, queriedAtMs, answeredAtMs: read(nowMs) })
    if (areAnswersEnough(counted)) return { isReversed, isBooked: true }
  }
  return { isReversed, isBooked: false }
}

test(`no payout that its bank kept is returned, in ${HISTORIES} histories`, () => {
  const seed = readSeed()
  const random = seededRandom(seed)
  const ends = { booked: 0, waiting: 0, kept: 0 }
  for (let history = 0; history < HISTORIES; history++) {
    const { isReversed, isBooked } = runReversalHistory(random)
    assert(isReversed || !isBooked, `SEED=${seed}, history ${history}: kept, and returned`)
    ends[isBooked ? 'booked' : isReversed ? 'waiting' : 'kept'] += 1
  }
  for (const [end, count] of Object.entries(ends)) assert(count > 100, `${end}: ${count}`)
})
