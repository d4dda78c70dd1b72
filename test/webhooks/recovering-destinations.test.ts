// A paused destination that fails each event's first attempt recovers, because its probes are events that it
// has seen before.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PAUSE_MAX_MS, PAUSE_MIN_MS } from '#records/call-rates.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { listener, startWebhookBench } from '../support/webhook-bench.ts'

const EVENTS = 60

test('a receiver that fails each event’s first attempt recovers: the oldest event is the probe', async () => {
  const eventIds = new Set<string>()
  await using receiver = await listener((response, { json }) => {
    response.writeHead(eventIds.has(json.id) ? 200 : 500).end()
    eventIds.add(json.id)
  })
  await using bench = await startWebhookBench()
  const { accountNumber } = await createAccount(bench, { notificationUrl: receiver.url })
  const credits = Array.from({ length: EVENTS }, () => simulate(bench, accountNumber, '1'))
  await Promise.all(credits)
  const delivered = async () =>
    (await bench.deliveries()).filter(({ state }) => state === 'delivered').length

  for (let waitedMs = 0; waitedMs < 4 * PAUSE_MAX_MS; waitedMs += PAUSE_MIN_MS) {
    await bench.run()
    bench.advance(PAUSE_MIN_MS)
  }

  assert((await delivered()) > 0, `${receiver.received.length} attempts`)
  const [first] = receiver.received
  const again = receiver.received.filter(({ json }) => json.id === first?.json.id)
  assert.equal(again.length, 2, 'the oldest was sent again, once')
})
