// When a failed delivery is tried again: by the published retry schedule and the receiver's Retry-After
// header.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ATTEMPTS_MAX, nextAttemptAt, parseRetryAfter } from '#webhooks/retry-schedule.ts'

process.env.TZ = 'Africa/Lagos' // A date without a zone is GMT, wherever the machine stands.

const NOW = new Date('1994-11-06T08:49:37Z')
const DAY_SECONDS = 86_400

const jitters = fc.double({ min: 0, max: 1, noNaN: true })
const attempts = fc.integer({ min: 0, max: ATTEMPTS_MAX - 1 })

test('the ladder is the published one, and ends after ten attempts', () => {
  const seconds = Array.from({ length: 12 }, (_, made) => waitSeconds(made, 0))
  const hours = (count: number) => count * 3_600
  const later = [hours(2), hours(5), hours(10), hours(14), hours(20), hours(24)]
  assert.deepEqual(seconds, [0, 5, 300, 1_800, ...later, null, null])
  assert.equal(ATTEMPTS_MAX, 10)
})

test('jitter never makes an attempt early and adds a tenth at most', () => {
  fc.assert(
    fc.property(attempts, jitters, (made, jitter) => {
      const step = waitSeconds(made, 0) as number
      const wait = waitSeconds(made, jitter) as number
      assert(wait >= step && wait <= step * 1.1)
    }),
  )
  assert.equal(waitSeconds(1, 1), 5.5)
  assert.notEqual(waitSeconds(2, 0.25), waitSeconds(2, 0.75))
})

test('Retry-After puts an attempt off, by a day at most, and never brings it forward', () => {
  assert.equal(waitSeconds(1, 0, 60), 60)
  assert.equal(waitSeconds(2, 0, 60), 300)
  assert.equal(waitSeconds(1, 0, 10 * DAY_SECONDS), DAY_SECONDS)
  assert.equal(waitSeconds(1, 0, Number.POSITIVE_INFINITY), DAY_SECONDS)
  assert.equal(waitSeconds(ATTEMPTS_MAX, 0, 60), null)
  fc.assert(
    fc.property(attempts, jitters, fc.nat(), (made, jitter, requested) => {
      const wait = waitSeconds(made, jitter, requested) as number
      assert(wait >= (waitSeconds(made, jitter) as number))
      assert(wait >= Math.min(requested, DAY_SECONDS) && wait <= DAY_SECONDS * 1.1)
    }),
  )
})

test('a count of attempts or a jitter that makes no sense is our bug', () => {
  for (const made of [-1, 0.5, Number.NaN])
    assert.throws(() => nextAttemptAt({ now: NOW, attemptsMade: made, jitter: 0 }))
  for (const jitter of [-0.1, 1.1, Number.NaN])
    assert.throws(() => nextAttemptAt({ now: NOW, attemptsMade: 1, jitter }))
})

test('Retry-After is read as seconds and as all three spellings of an HTTP date', () => {
  assert.equal(parseRetryAfter('120', NOW), 120)
  assert.equal(parseRetryAfter(' 0 ', NOW), 0)
  assert.equal(parseRetryAfter('Sun, 06 Nov 1994 08:50:37 GMT', NOW), 60)
  assert.equal(parseRetryAfter('Sunday, 06-Nov-94 08:50:37 GMT', NOW), 60)
  assert.equal(parseRetryAfter('Sun Nov  6 08:50:37 1994', NOW), 60)
  assert.equal(parseRetryAfter('Sun, 06 Nov 1994 08:48:37 GMT', NOW), 0)
  assert.equal(parseRetryAfter('Sun, 06 Nov 2044 08:48:37 GMT', NOW), DAY_SECONDS)
  assert.equal(parseRetryAfter('9'.repeat(40), NOW), DAY_SECONDS)
})

test('an unreadable Retry-After says nothing', () => {
  const unreadable = [null, '', '-5', '1.5', '1e3', 'soon', '2044-11-06T08:48:37Z', '0x10']
  const dates = ['Sun, 99 Nov 1994 08:50:37 GMT', 'Sun, 06 Abc 1994 08:50:37 GMT']
  for (const header of [...unreadable, ...dates, '1'.repeat(65), '１２']) {
    assert.equal(parseRetryAfter(header, NOW), undefined)
  }
})

// The seconds until the next attempt; null after the last.
function waitSeconds(attemptsMade: number, jitter: number, retryAfter?: number): number | null {
  const at = nextAttemptAt({ now: NOW, attemptsMade, jitter, retryAfterSeconds: retryAfter })
  return at && (at.getTime() - NOW.getTime()) / 1000
}
