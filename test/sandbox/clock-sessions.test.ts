// Sessions of users begin and end in real time, whatever the test clock shows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LIFE_MS } from '#access/sessions.ts'
import { startWithBanks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { newBrowser, SESSION_URL } from '../support/people.ts'

const BANK = {
  code: '035',
  static: { from: 100_000_000, to: 100_000_099 },
  dynamic: { from: 200_000_000, to: 200_000_099 },
}
const bench = closeAfterTests(await startWithBanks([BANK]))

test('a session survives a clock that moves past its life, and ends in real time', async () => {
  const before = await newBrowser(bench)
  const body = { seconds: (2 * LIFE_MS) / 1_000 }
  const moved = dataOf(await bench.call({ url: '/sandbox/clock/advance', body }))
  assert.equal(moved.isComplete, true)
  const after = await newBrowser(bench)

  for (const browser of [before, after]) {
    assert.equal((await browser.call({ url: SESSION_URL })).statusCode, 200)
    const [session] = (await browser.call({ url: '/dashboard/api/sessions' })).json().data
    const isInRealTime = Date.parse(session.expiresAt) <= bench.clock().getTime() + LIFE_MS
    assert(isInRealTime, session.expiresAt)
  }
  bench.advance(LIFE_MS + 1_000)
  for (const browser of [before, after]) {
    assertRefused(await browser.call({ url: SESSION_URL }), { status: 401 })
  }
})
