// Tests when the circuit breaker pauses calls and when it resumes them, without a clock or network.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  advanceBreaker,
  FAILING_MAX_MS,
  FAILURES_TO_PAUSE,
  type Health,
  PAUSE_MAX_MS,
  PAUSE_MIN_MS,
  type Result,
} from '#records/call-rates.ts'

const NOW = new Date('2026-11-15T08:00:00Z')
const WELL: Health = { failures: 0, failingSince: null, pausedUntil: null, dueAt: null }
const OK: Result = { isOk: true, isGone: false, isProbe: false, nextAttemptAt: null }
const FAIL: Result = { ...OK, isOk: false }

test('failures in a row are counted, and any success ends the row', () => {
  const failing = advanceBreaker(WELL, [FAIL, FAIL], NOW)
  assert.deepEqual([failing.failures, failing.failingSince, failing.pausedUntil], [2, NOW, null])
  const well = advanceBreaker(failing, [OK], later(1))
  assert.deepEqual(well, { ...WELL, disable: null })
})

test('the pause opens with the fifth failure, and those sent before it are not counted', () => {
  const many = new Array<Result>(20).fill(FAIL)
  const paused = advanceBreaker(WELL, many, NOW)
  assert.equal(paused.failures, FAILURES_TO_PAUSE)
  assert.deepEqual(paused.pausedUntil, later(PAUSE_MIN_MS))
  const still = advanceBreaker(paused, [FAIL, FAIL], later(1))
  assert.deepEqual(still.pausedUntil, paused.pausedUntil)
})

test('a probe that fails doubles the pause, up to five minutes', () => {
  let health: Health = advanceBreaker(WELL, new Array<Result>(5).fill(FAIL), NOW)
  let now = NOW
  const pauses: number[] = []
  for (let i = 0; i < 20; i++) {
    now = health.pausedUntil as Date
    // After a worker has claimed a probe, the breaker is paused until the probe is answered.
    health = { ...health, pausedUntil: new Date(now.getTime() + 60_000) }
    health = advanceBreaker(health, [{ ...FAIL, isProbe: true }], now)
    pauses.push((health.pausedUntil as Date).getTime() - now.getTime())
  }
  assert.deepEqual(
    pauses.slice(0, 4),
    [2, 4, 8, 16].map((times) => times * PAUSE_MIN_MS),
  )
  assert(pauses.slice(5).every((pause) => pause === PAUSE_MAX_MS))
})

test('after a probe that succeeds, what waited is due at once', () => {
  const paused = { ...WELL, failures: 7, failingSince: NOW, pausedUntil: later(60_000) }
  const health = advanceBreaker(paused, [{ ...OK, isProbe: true }], later(10))
  assert.deepEqual(health, { ...WELL, dueAt: later(10), disable: null })
})

test('a retry brings the next look forward, never back', () => {
  const retry = { ...FAIL, nextAttemptAt: later(5_000) }
  assert.deepEqual(advanceBreaker(WELL, [retry], NOW).dueAt, later(5_000))
  assert.deepEqual(advanceBreaker({ ...WELL, dueAt: later(1) }, [retry], NOW).dueAt, later(1))
  assert.deepEqual(
    advanceBreaker({ ...WELL, dueAt: later(9_000) }, [retry], NOW).dueAt,
    later(5_000),
  )
})

test('410 disables at once; five days of failures do, and one success between does not', () => {
  assert.equal(advanceBreaker(WELL, [{ ...FAIL, isGone: true }], NOW).disable, 'gone')
  const failing = advanceBreaker(WELL, [FAIL], NOW)
  assert.equal(advanceBreaker(failing, [FAIL], later(FAILING_MAX_MS - 1)).disable, null)
  assert.equal(advanceBreaker(failing, [FAIL], later(FAILING_MAX_MS)).disable, 'failing')
  assert.equal(advanceBreaker(failing, [OK, FAIL], later(FAILING_MAX_MS)).disable, null)
})

function later(ms: number): Date {
  return new Date(NOW.getTime() + ms)
}
