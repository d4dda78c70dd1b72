// I88 and I104 over 10,000 histories each: status queries lie, lag and time out, clocks are
// stepped, workers restart. A payout that its bank paid never fails, and one that it did not give
// back is never returned.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALL_MS_MAX } from '#banks/bank-http.ts'
import type { PayoutAnswer } from '#banks/connector.ts'
import { countReversed } from '#payouts/review.ts'
import {
  addAnswer,
  areEnough,
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

// In true time, which nobody sees. A bank that promises nothing may deny a payout for hours; any
// bank may forget one that it confirmed.
function drawBank(random: Random) {
  const isProof = random.integer(0, 1) === 1
  const isTaken = random.integer(0, 3) > 0
  const takenMs = random.integer(0, SEND_WITHIN_MS + CALL_MS_MAX)
  const shownMs = takenMs + random.integer(0, isProof ? SHOWN_WITHIN_MS - SECOND_MS : 48 * HOUR_MS)
  const paidMs = takenMs + random.pick([0, SECOND_MS, HOUR_MS, 40 * HOUR_MS])
  const lies = isProof ? 0 : random.next()
  const forgets = random.integer(0, 9) === 0
  let hasShown = false
  const answer = (nowMs: number): PayoutAnswer => {
    if (random.next() < 0.2) return TIMEOUT
    if (!isTaken || nowMs < shownMs || random.next() < lies) return NOT_FOUND
    if (hasShown && forgets) return NOT_FOUND
    hasShown = true
    return nowMs < paidMs ? PENDING : PAID
  }
  return { isProof, isTaken, answer }
}

// Two workers. Each reads its own monotonic clock, which restarts with it.
function drawWorkers(random: Random) {
  let processes = 0
  const start = (nowMs: number) => ({
    by: `process ${++processes}`,
    baseMs: nowMs - random.integer(0, HOUR_MS),
  })
  const workers = [start(0), start(0)]
  return (nowMs: number) => {
    const at = random.integer(0, 1)
    if (random.next() < 0.1) workers[at] = start(nowMs)
    const { by, baseMs } = workers[at] as (typeof workers)[number]
    return { by, read: (ms: number) => ms - baseMs }
  }
}

function live(random: Random): { status: Status; isTaken: boolean; isProof: boolean } {
  const bank = drawBank(random)
  const pickWorker = drawWorkers(random)
  let nowMs = 0
  let wallMs = 0
  let nextQueryMs = queryAfterMs(0) // Wall-clock time.
  let isAccepted = false
  let seen: ObservedAnswers = NO_ANSWERS
  for (let queries = 1; queries <= QUERIES; queries++) {
    const waitMs = Math.max(0, nextQueryMs - wallMs)
    nowMs += waitMs
    wallMs += waitMs
    // A step of the wall clock.
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
    seen = addAnswer(seen, { by, queriedAtMs, answeredAtMs: read(nowMs) })
    if (isAbsent({ ...seen, ...bank, isAccepted, isHeld: false }))
      return { ...bank, status: 'failed' }
  }
  return { ...bank, status: 'unknown' }
}

test(`no payout that was paid is failed, in ${HISTORIES} histories`, () => {
  const seed = readSeed()
  const random = seededRandom(seed)
  const ends = { confirmed: 0, failed: 0, unknown: 0 }
  for (let history = 0; history < HISTORIES; history++) {
    const { status, isTaken, isProof } = live(random)
    ends[status] += 1
    const what = `SEED=${seed}, history ${history}`
    if (isTaken) assert.notEqual(status, 'failed', `${what}: paid, and failed`)
    else assert.notEqual(status, 'confirmed', `${what}: never paid, and confirmed`)
    if (!isProof) assert.notEqual(status, 'failed', `${what}: failed by hearsay`)
  }
  for (const [status, count] of Object.entries(ends)) assert(count > 500, `${status}: ${count}`)
})

const REVERSED: PayoutAnswer = { status: 'failed', reason: 'reversed', isReversed: true }

// A lying bank says "reversed" now and then, but for less than the required time.
function drawReversal(random: Random) {
  const reversedMs = random.integer(0, 1) === 1 ? random.integer(0, 20 * HOUR_MS) : Infinity
  const count = random.integer(0, 4)
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

// The service queries the bank every few seconds or hours: reports come again and again.
function review(random: Random): { isReversed: boolean; isBooked: boolean } {
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
    if (areEnough(counted)) return { isReversed, isBooked: true }
  }
  return { isReversed, isBooked: false }
}

test(`no payout that its bank kept is returned, in ${HISTORIES} histories`, () => {
  const seed = readSeed()
  const random = seededRandom(seed)
  const ends = { booked: 0, waiting: 0, kept: 0 }
  for (let history = 0; history < HISTORIES; history++) {
    const { isReversed, isBooked } = review(random)
    assert(isReversed || !isBooked, `SEED=${seed}, history ${history}: kept, and returned`)
    ends[isBooked ? 'booked' : isReversed ? 'waiting' : 'kept'] += 1
  }
  for (const [end, count] of Object.entries(ends)) assert(count > 100, `${end}: ${count}`)
})
