// Operators get an alert with instructions when a payout waits for a one-time password at the bank.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PayoutAnswer } from '#banks/connector.ts'
import { scripted, UNKNOWN } from '../support/scripted-bank.ts'

const SECOND_MS = 1_000
const WAITING: PayoutAnswer = {
  status: 'unknown',
  reason: 'PENDING_AUTHORIZATION',
  waitsFor: 'authorization',
}

for (const [what, send] of [
  ['answers so when it is sent', WAITING],
  ['answers so when it is asked', UNKNOWN],
] as const) {
  test(`a payout that waits for a one-time password alerts operators: the bank ${what}`, async () => {
    await using world = await scripted({ send, find: WAITING })
    const { bench, rounds, answers, reference } = world
    // The open alerts, each with whether its remedy says to switch off one-time passwords.
    const open = async () => {
      const url = '/api/v1/operator/alerts?kind=payout_needs_authorization&open=true'
      const alerts: { subject: string; remedy: string }[] = (await bench.call({ url })).json().data
      return alerts.map(({ subject, remedy }) => [subject, /switch off one-time/.test(remedy)])
    }
    await rounds.send()
    for (const _ of [1, 2]) {
      bench.advance(60 * SECOND_MS)
      await rounds.query()
    }
    assert.deepEqual(await open(), [[`payout/${reference}`, true]])
    assert.equal(await world.status(), 'unknown')

    answers.find = { status: 'confirmed', bankReference: 'B-1' }
    bench.advance(600 * SECOND_MS)
    await rounds.query()

    assert.equal(await world.status(), 'confirmed')
    assert.deepEqual(await open(), [])
  })
}
