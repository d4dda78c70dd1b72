// Endpoints with alerts belong to the operators: no other user of their client can take one over, silence
// it or read its secret.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { startWebhookBench } from '../support/webhook-bench.ts'

const bench = closeAfterTests(await startWebhookBench())
const operator = await newBrowser(bench, 'operator')
const ENDPOINTS = '/api/v1/webhook-endpoints'
const REFUSED = { status: 403, code: 'role_not_allowed' } as const
const OTHERS = ['collection.received']
const MINE = { url: 'https://mine.example.com/hooks', eventTypes: OTHERS, isActive: true }

// Creates an endpoint of the operator for these event types; null stands for all.
async function newEndpoint(eventTypes: string[] | null): Promise<{ id: string; secret: string }> {
  const body = { url: 'https://ops.example.com/hooks', eventTypes }
  return dataOf(await operator.call({ url: ENDPOINTS, body }))
}

const waysOf = (id: string) =>
  [
    { method: 'PATCH', url: `${ENDPOINTS}/${id}`, body: MINE },
    { method: 'PATCH', url: `${ENDPOINTS}/${id}`, body: { isActive: false } },
    { method: 'PUT', url: `/sandbox/webhook-endpoints/${id}/chaos`, body: { dropNext: 1000 } },
    { method: 'DELETE', url: `/sandbox/webhook-endpoints/${id}/chaos` },
    { method: 'POST', url: `${ENDPOINTS}/${id}/rotate-secret`, body: {} },
    { method: 'DELETE', url: `${ENDPOINTS}/${id}` },
  ] as const

for (const role of ['developer', 'owner'] as const) {
  for (const eventTypes of [null, ['alert.raised', ...OTHERS]]) {
    test(`no ${role} changes an endpoint for ${eventTypes ?? 'all types'} or its secret`, async () => {
      const browser = await newBrowser(bench, role)
      const { id, secret } = await newEndpoint(eventTypes)
      const before = dataOf(await operator.call({ url: `${ENDPOINTS}/${id}` }))

      for (const way of waysOf(id)) assertRefused(await browser.call(way), REFUSED)
      const view = dataOf(await browser.call({ url: `${ENDPOINTS}/${id}` }))

      assert.deepEqual(view, { ...before, secret: null })
      const after = dataOf(await operator.call({ url: `${ENDPOINTS}/${id}` }))
      assert.deepEqual([after, after.secret], [before, secret])
      for (const way of waysOf(id)) assert.equal((await operator.call(way)).statusCode, 200)
    })
  }
}

test('an endpoint without alerts is every developer’s, once those that wait for it are gone', async () => {
  const developer = await newBrowser(bench, 'developer')
  const { id, secret } = await newEndpoint(null)
  const alert = { kind: 'numbers_exhausted', subject: '035 static', detail: {} } as const
  await withTransaction(bench.db, async (tx) =>
    appendEvents(tx, bench.clock(), await raiseAlerts(tx, bench.clock(), [alert])),
  )
  await bench.dispatch()
  const narrow = { method: 'PATCH', url: `${ENDPOINTS}/${id}` } as const
  await operator.call({ ...narrow, body: { eventTypes: OTHERS } })

  for (const way of waysOf(id)) assertRefused(await developer.call(way), REFUSED)
  await bench.db.query(`update deliveries set state = 'failed' where state = 'pending'`)
  const view = dataOf(await developer.call({ url: `${ENDPOINTS}/${id}` }))

  assert.equal(view.secret, secret)
  for (const way of waysOf(id)) assert.equal((await developer.call(way)).statusCode, 200)
})
