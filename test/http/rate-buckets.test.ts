// Rate buckets: a caller may spend a minute's worth of requests at once, then as many as the bucket
// refills. The buckets use a limited amount of memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RateBuckets } from '#http/rate-limits.ts'

const NOW_MS = 1_800_000_000_000
const MINUTE_MS = 60_000

// Returns whether the caller may make one more request at this time.
function takes(buckets: RateBuckets, caller: string, nowMs: number): boolean {
  return !buckets.isTooMuch(buckets.take(caller, nowMs))
}

for (const perMinute of [1, 7, 60, 999, 60_000, 6_000_000]) {
  test(`${perMinute} a minute are ${perMinute} at once and not one more`, () => {
    const buckets = new RateBuckets('login', perMinute)
    for (let count = 0; count < perMinute; count++) {
      if (!takes(buckets, 'a', NOW_MS)) assert.fail(`refused after ${count}`)
    }

    assert(!takes(buckets, 'a', NOW_MS))
    assert(takes(buckets, 'b', NOW_MS))
    const oneMs = Math.ceil(MINUTE_MS / perMinute)
    assert(takes(buckets, 'a', NOW_MS + oneMs))
    assert(takes(buckets, 'a', NOW_MS + oneMs + MINUTE_MS))
  })
}

test('however requests come, no minute sees more than two minutes’ worth', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 400 })
  fc.assert(
    fc.property(gaps, fc.integer({ min: 1, max: 40 }), (steps, perMinute) => {
      const buckets = new RateBuckets('login', perMinute)
      const passes: number[] = []
      let nowMs = NOW_MS
      for (const step of steps) {
        nowMs += step
        if (takes(buckets, 'a', nowMs)) passes.push(nowMs)
      }
      for (const from of passes) {
        const within = passes.filter((at) => at >= from && at < from + MINUTE_MS)
        assert(within.length <= 2 * perMinute, `${within.length} of ${perMinute}`)
      }
    }),
    { seed: 7, numRuns: 200 },
  )
})

test('a refusal takes nothing: who waits as long as told gets in', () => {
  const buckets = new RateBuckets('login', 6)
  for (let count = 0; count < 6; count++) buckets.take('a', NOW_MS)
  for (let count = 0; count < 100; count++) assert(!takes(buckets, 'a', NOW_MS))

  const missing = buckets.take('a', NOW_MS + 1_000)
  assert.equal(buckets.waitSeconds(missing), 9)
  assert(!takes(buckets, 'a', NOW_MS + 9_000))
  assert(takes(buckets, 'a', NOW_MS + 10_000))
})

test('the headers tell the policy, what remains and when all is back', () => {
  const few = new RateBuckets('login', 60)
  assert.equal(few.policy, '"login";q=60;w=60')
  assert.equal(few.remaining(few.take('a', NOW_MS)), '"login";r=59;t=1')
  for (let count = 0; count < 58; count++) few.take('a', NOW_MS)
  assert.equal(few.remaining(few.take('a', NOW_MS)), '"login";r=0;t=60')
  assert.equal(few.remaining(few.take('a', NOW_MS)), '"login";r=0;t=60')

  const many = new RateBuckets('client', 6_000)
  assert.equal(many.remaining(many.take('a', NOW_MS)), '"client";r=5999;t=1')
  for (let count = 0; count < 5_500; count++) many.take('a', NOW_MS)
  assert.equal(many.remaining(many.take('a', NOW_MS)), '"client";r=498;t=56')
})

test('the remaining count is exact', () => {
  for (const perMinute of [1, 3, 99, 101, 250, 7_919]) {
    const buckets = new RateBuckets('client', perMinute)
    for (let left = perMinute - 1; left >= 0; left--) {
      const header = buckets.remaining(buckets.take('a', NOW_MS))
      assert.match(header, new RegExp(`;r=${left};`))
    }
  }
})

test('a clock that is set back locks no caller out', () => {
  const buckets = new RateBuckets('login', 2)
  takes(buckets, 'a', NOW_MS)
  takes(buckets, 'a', NOW_MS)
  const beforeMs = NOW_MS - 3_600_000

  assert(!takes(buckets, 'a', beforeMs))
  assert(takes(buckets, 'a', beforeMs + 30_000))
})

test('memory is bounded, and those who are used up are remembered over those who are not', () => {
  const buckets = new RateBuckets('login', 1)
  for (let caller = 0; caller < 15_000; caller++) buckets.take(`gone ${caller}`, NOW_MS)
  const laterMs = NOW_MS + MINUTE_MS + 1
  assert(takes(buckets, 'busy', laterMs))
  for (let caller = 0; caller < 15_000; caller++) buckets.take(`new ${caller}`, laterMs)
  assert(!takes(buckets, 'busy', laterMs))

  for (let caller = 0; caller < 100_000; caller++) buckets.take(`many ${caller}`, laterMs)
  assert(buckets.size <= 20_000)
})
