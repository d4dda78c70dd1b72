// The states of a bank in routing: it is avoided when its calls fail within a minute, tried with one order at
// growing intervals, and used again step by step. Only elapsed time counts, so a changed clock delays nothing
// for long.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CallMeter } from '#banks/observe-calls.ts'
import {
  advanceRoute,
  FORGET_MS,
  isTrialDue,
  newRoute,
  type Observed,
  RETRY_MAX_MS,
  RETURN_MS,
  type Route,
  retryAfterMs,
  shareOf,
  WINDOW_MS,
} from '#routing/bank-route.ts'

const START_MS = Date.parse('2026-03-02T09:00:00Z')
const at = (ms: number) => new Date(START_MS + ms)
const saw = (counts: Partial<Observed>): Observed => ({
  answered: 0,
  failed: 0,
  isSilent: false,
  ...counts,
})

// The route after these observations, each at its time.
function after(steps: readonly (readonly [ms: number, observed: Partial<Observed>])[]): Route {
  return steps.reduce(
    (route, [ms, observed]) => advanceRoute(route, saw(observed), at(ms)),
    newRoute(at(0)),
  )
}

test('a bank is no longer used after two failures within a minute without an answer', () => {
  assert.equal(after([[0, { failed: 1 }]]).state, 'in_use')
  const left = after([
    [0, { failed: 1 }],
    [50_000, { failed: 1 }],
  ])
  assert.deepEqual([left.state, left.reason, left.since], ['left', 'failing', at(50_000)])
})

test('failures that are further apart, or few among many, are borne', () => {
  assert.equal(
    after([
      [0, { failed: 1 }],
      [WINDOW_MS + 10_000, { failed: 1 }],
    ]).state,
    'in_use',
  )
  assert.equal(
    after([
      [0, { answered: 90 }],
      [1_000, { failed: 40 }],
    ]).state,
    'in_use',
  )
  assert.equal(
    after([
      [0, { answered: 30 }],
      [1_000, { failed: 40 }],
    ]).state,
    'left',
  )
})

test('an answered call brings a bank back: a tenth of the orders at first, all after a minute', () => {
  const back = after([
    [0, { failed: 2 }],
    [30_000, { answered: 1 }],
  ])
  assert.equal(back.state, 'returning')
  const shares = [0, 30_000, 60_000].map((ms) => shareOf(back, at(30_000 + ms)))
  assert.deepEqual(shares, [0.1, 0.5, 1])
  const used = advanceRoute(back, saw({}), at(30_000 + RETURN_MS))
  assert.deepEqual([used.state, used.timesLeft], ['in_use', 0])
})

test('a failure of a returning bank ends its use for longer than before', () => {
  const again = after([
    [0, { failed: 2 }],
    [20_000, { answered: 1 }],
    [25_000, { failed: 1 }],
  ])
  assert.equal(again.state, 'left')
  assert.equal(again.retryAt?.getTime(), START_MS + 25_000 + 30_000)
})

test('an unused bank is tried after 15 seconds, then after twice as long, up to five minutes', () => {
  let route = after([[0, { failed: 2 }]])
  assert.equal(isTrialDue(route, at(14_999)), false)
  assert.equal(isTrialDue(route, at(15_000)), true)
  route = advanceRoute(route, saw({ isTried: true }), at(15_000))
  assert.equal(isTrialDue(route, at(15_000 + 29_999)), false)
  assert.equal(isTrialDue(route, at(15_000 + 30_000)), true)
  assert.equal(retryAfterMs(50), RETRY_MAX_MS)
})

test('a clock that was stepped back puts a trial off by no more than the longest interval', () => {
  const route = after([[0, { failed: 2 }]])
  assert.equal(isTrialDue(route, at(-3_600_000)), true)
})

test('a clock that was stepped back by hours does not hold up the return', () => {
  const back = after([
    [0, { failed: 2 }],
    [30_000, { answered: 1 }],
  ])
  assert.equal(shareOf(back, at(-3_600_000)), 1)
  assert.equal(advanceRoute(back, saw({}), at(-3_600_000)).state, 'in_use')
  assert.equal(
    advanceRoute(back, saw({}), at(-10_000)).state,
    'returning',
    'clocks differ a little',
  )
})

test('a bank that falls silent is avoided until it calls again, whatever it answers to our calls', () => {
  const silent = after([[0, { isSilent: true, answered: 5 }]])
  assert.deepEqual([silent.state, silent.reason], ['left', 'silent'])
  assert.equal(advanceRoute(silent, saw({ isSilent: true, answered: 5 }), at(9)).state, 'left')
  assert.equal(advanceRoute(silent, saw({}), at(9)).state, 'returning')
})

test('an avoided bank without further results returns after ten minutes', () => {
  const left = after([[0, { failed: 2 }]])
  assert.equal(advanceRoute(left, saw({}), at(FORGET_MS - 1)).state, 'left')
  assert.equal(advanceRoute(left, saw({}), at(FORGET_MS)).state, 'returning')
})

const steps = fc.array(
  fc.tuple(
    fc.integer({ min: 0, max: 400_000 }),
    fc.record({
      answered: fc.integer({ min: 0, max: 3 }),
      failed: fc.integer({ min: 0, max: 3 }),
      isSilent: fc.boolean(),
      isTried: fc.boolean(),
    }),
  ),
  { maxLength: 60 },
)

test('after any history a state follows its rules, and no order waits longer than five minutes', () => {
  fc.assert(
    fc.property(steps, (all) => {
      let [ms, route] = [0, newRoute(at(0))]
      for (const [laterMs, observed] of all) {
        ms += laterMs
        const before = route
        route = advanceRoute(before, observed, at(ms))
        assert.equal(route.state === 'left', route.reason !== null)
        assert.equal(route.state === 'left', route.retryAt !== null)
        const waitMs = (route.retryAt?.getTime() ?? 0) - at(ms).getTime()
        assert(route.retryAt === null || waitMs <= RETRY_MAX_MS)
        // A bank that was left never comes fully into use in one step.
        assert(!(before.state === 'left' && route.state === 'in_use'))
        if (observed.failed >= 2 && observed.answered === 0 && !before.recent.length) {
          assert.equal(route.state, 'left')
        }
        const share = shareOf(route, at(ms))
        assert(share >= 0 && share <= 1 && (share === 0) === (route.state === 'left'))
      }
    }),
  )
})

// Plays 210 seconds in which 1,389 orders go out through two banks. Each answer is lost with the given
// probability; a lost order is asked for every two seconds until the bank answers. Returns how many orders
// were sent.
function playFlakyBanks(lossRate: number, random: () => number): number {
  const banks = ['058', '044'].map((code) => ({ code, route: newRoute(at(0)), lost: 0 }))
  const meter = new CallMeter()
  let sent = 0
  for (let second = 0; second < 210; second++) {
    const now = at(second * 1000)
    let waiting = Math.ceil((1389 * (second + 1)) / 210) - sent
    for (const bank of banks) {
      const isTried = isTrialDue(bank.route, now)
      const room = { in_use: 10, returning: 1, left: isTried ? 1 : 0 }[bank.route.state]
      const orders = Math.min(room, waiting)
      waiting -= orders
      sent += orders
      if (second % 2 === 0) {
        for (let query = bank.lost; query > 0; query--) {
          const isOk = random() >= lossRate
          meter.noteReach(bank.code, 'out', isOk)
          if (isOk) bank.lost--
        }
      }
      for (let order = 0; order < orders; order++) {
        const isOk = random() >= lossRate
        if (isOk) meter.note(bank.code, 'out', true)
        else meter.noteUnanswered(bank.code)
        if (!isOk) bank.lost++
      }
      if (isTried && orders > 0) bank.route = advanceRoute(bank.route, saw({ isTried }), now)
    }
    const counts = meter.take()
    for (const bank of banks) {
      const { answered, failed } = counts.find(({ bankCode }) => bankCode === bank.code) ?? saw({})
      bank.route = advanceRoute(bank.route, saw({ answered, failed }), now)
    }
  }
  return sent
}

test('two banks that lose every second answer still take orders', () => {
  for (let seed = 1; seed <= 40; seed++) {
    const sent = playFlakyBanks(0.5, randomFrom(seed))
    assert.ok(sent >= 400, `seed ${seed}: ${sent}`)
  }
})

test('two banks that answer nothing get few orders', () => {
  assert.ok(playFlakyBanks(1, randomFrom(1)) <= 60)
})

// Returns numbers from 0 to 1 that look random, always the same for a seed.
function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
