// The delivery log finds an endpoint's last attempts, even among many later events and pending deliveries.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { NewEvent } from '#records/events.ts'
import { appendEvents } from '#records/events.ts'
import { readHealth } from '#webhooks/delivery-log.ts'
import { accountCreated, accountUpdated } from '../support/events.ts'
import { listener, startWebhookBench } from '../support/webhook-bench.ts'

test('a failed delivery is shown behind a thousand other events and a long queue', async () => {
  await using hooks = await listener((response) => response.writeHead(500).end())
  await using bench = await startWebhookBench()
  const clientId = await bench.clientId()
  const { id } = await bench.addEndpoint(hooks.url, ['account.updated'])
  // Appends this many copies of an event.
  const append = (event: NewEvent, count: number) => {
    const events = Array.from({ length: count }, () => event)
    return withTransaction(bench.db, (tx) => appendEvents(tx, bench.clock(), events))
  }
  await append(accountUpdated(clientId), 1)
  await bench.run()
  await append(accountCreated(clientId), 1_001)
  await append(accountUpdated(clientId), 60)
  await append(accountCreated(clientId), 1_001)
  await bench.dispatch()

  const waiting = await readHealth(bench.db, clientId, id)
  await bench.db.query(`update deliveries set state = 'failed' where attempts > 0`)
  const givenUp = await readHealth(bench.db, clientId, id)

  for (const { lastAttempts } of [waiting, givenUp]) {
    assert.deepEqual(
      lastAttempts.map(({ attempt, status }) => [attempt, status]),
      [[1, 500]],
    )
  }
})
