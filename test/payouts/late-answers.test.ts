// A bank responds after the payout was already settled in another way; or a worker is frozen for so long that
// it may no longer send what it claimed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CALL_MS_MAX } from '#banks/bank-http.ts'
import type { PayoutAnswer } from '#banks/connector.ts'
import { OBSERVED_MS_NEEDED, queryAfterMs, SEND_WITHIN_MS, STALE_MS } from '#payouts/unknown.ts'
import { findSendingConnections, type SendingBanks, sendPayoutsRound } from '#payouts/workers.ts'
import type { Sealer } from '#seal.ts'
import { failPayout } from '../support/failing.ts'
import { openAlerts } from '../support/payout-desk.ts'
import { askUntilAbsent } from '../support/payouts.ts'
import { scripted, UNKNOWN } from '../support/scripted-bank.ts'

const CONFIRMED: PayoutAnswer = { status: 'confirmed', bankReference: 'B-1' }

for (const source of ['send', 'find'] as const) {
  test(`a payout failed by hand stays failed when the bank confirms it (${source})`, async () => {
    const isSend = source === 'send'
    const answers = { send: isSend ? CONFIRMED : UNKNOWN, find: CONFIRMED }
    await using world = await scripted(answers)
    const { bench, rounds, reference, during } = world
    if (!isSend) await rounds.send()
    during.call = async () => {
      const unknown = `update payouts set status = 'unknown', next_query_at = sending_at`
      // Sets the payout to `unknown`, as a worker does when it finds a payout that was sent long ago.
      if (isSend) await bench.db.query(unknown)
      const failed = await failPayout(bench, reference)
      assert.equal(failed.statusCode, 200, failed.body)
    }
    bench.advance(queryAfterMs(0))
    await (isSend ? rounds.send() : rounds.query())

    assert.equal(await world.status(), 'failed')
    assert.deepEqual(await openAlerts(bench), [`payout/${reference}`])
  })
}

test('a worker that was frozen after its claim does not send: the bank is asked instead', async () => {
  await using world = await scripted({ send: CONFIRMED, find: { status: 'not_found' } })
  const { bench, rounds, sent, status } = world
  const { signal } = new AbortController()
  const [banks] = findSendingConnections(rounds.bankConnections) as [SendingBanks]
  // The worker opens the sealed account number after it claimed the payout and before it calls the bank. Here
  // that takes so long that the worker may no longer send.
  const open = (sealed: Buffer) => {
    bench.advance(SEND_WITHIN_MS + 1)
    return rounds.sealer.open(sealed)
  }
  const sealer = { open } as Sealer
  await sendPayoutsRound({ ...rounds, sealer }, banks)(signal)

  assert.deepEqual([sent.length, await status()], [0, 'unknown'])
  await askUntilAbsent(bench, rounds)
  assert.deepEqual([sent.length, await status()], [0, 'failed'])
})

test('a payout being sent is not stale before the longest call has ended', () => {
  assert(STALE_MS > SEND_WITHIN_MS + CALL_MS_MAX && STALE_MS < OBSERVED_MS_NEEDED)
})

test('nothing is claimed while the bank cannot be logged in to', async () => {
  await using world = await scripted({ send: CONFIRMED })
  const { rounds, sent, status } = world
  const { signal } = new AbortController()
  const [banks] = findSendingConnections(rounds.bankConnections) as [SendingBanks]
  const down = { status: 'no_answer', reason: 'HTTP 503' } as const
  await sendPayoutsRound(rounds, { ...banks, prepareOrders: async () => down })(signal)
  assert.deepEqual([sent.length, await status()], [0, 'queued'])

  const ready = { status: 'ready' } as const
  await sendPayoutsRound(rounds, { ...banks, prepareOrders: async () => ready })(signal)
  assert.deepEqual([sent.length, await status()], [1, 'confirmed'])
})
