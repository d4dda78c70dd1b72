// I88 over 10,000 histories: status queries lie, lag and time out, clocks are stepped, workers restart. A
// payout that its bank paid is never failed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALL_MS_MAX } from '#banks/call-deadlines.ts'
import type { PayoutAnswer } from '#banks/connector.ts'
import { isAbsent, outcomeOf } from '#domain/payouts/absent-payouts.ts'
import { addAnswer, type ObservedAnswers } from '#domain/payouts/observed-answers.ts'
import { queryAfterMs, SEND_WITHIN_MS } from '#domain/payouts/unknown-payouts.ts'
import { readSeed, seededRandom } from '../support/random.ts'

type Random = ReturnType<typeof seededRandom>
type Status = 'unknown' | 'confirmed' | 'failed'

const HISTORIES = 10_000
const QUERIES = 60
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const SHOWN_WITHIN_MS = 10 * MINUTE_MS // By docs/bank-api.md.
const TIMEOUT: PayoutAnswer = { status: 'unknown', reason: 'timeout' }
const PENDING: PayoutAnswer = { status: 'unknown', reason: 'pending', isAccepted: true }
const NOT_FOUND: PayoutAnswer = { status: 'not_found' }
const PAID: PayoutAnswer = { status: 'confirmed', bankReference: 'B-1' }

// In true time, which nobody sees. A bank that promises nothing may deny what it has for hours; any may
// forget what it said it has.
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

// Two workers. Each reads a monotonic clock of its own, which begins anew when it restarts.
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
  let nextQueryMs = queryAfterMs(0) // By the wall.
  let isAccepted = false
  let seen: ObservedAnswers = { answers: 0, observedMs: 0, by: null, atMs: null }
  for (let queries = 1; queries <= QUERIES; queries++) {
    const waitMs = Math.max(0, nextQueryMs - wallMs)
    nowMs += waitMs
    wallMs += waitMs
    if (random.next() < 0.2) wallMs += random.integer(-3 * HOUR_MS, 6 * HOUR_MS) // A step.
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
