// Money that is in suspense for longer than the operator's setting raises an alert. The alert clears when the
// money leaves suspense.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escalateSuspenseRound } from '#suspense/workers.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { credit, resolve } from '../support/movements.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { NOBODYS_NUMBER } from '../support/suspense-desk.ts'

const SETTING = '/api/v1/operator/suspense-escalation'
const DAY_MS = 86_400_000

const set = (bench: Bench, body: object) => bench.call({ method: 'PUT', url: SETTING, body })

// Runs the worker; returns the subjects of the open alerts.
async function aged(bench: Bench): Promise<string[]> {
  await escalateSuspenseRound({ db: bench.db as never, clock: bench.clock })(
    new AbortController().signal,
  )
  const { data } = (
    await bench.call({ url: '/api/v1/operator/alerts?kind=suspense_aged&open=true' })
  ).json()
  return data.map(({ subject }: { subject: string }) => subject)
}

test('an item raises one alert when it becomes older than the setting', async () => {
  await using bench = await startTestService()
  const { sessionId } = await credit(bench, NOBODYS_NUMBER, '40')
  bench.advance(30 * DAY_MS)
  assert.deepEqual(dataOf(await bench.call({ url: SETTING })), { days: null })
  assert.deepEqual(await aged(bench), [], 'without a setting')

  assert.deepEqual(dataOf(await set(bench, { days: 30 })), { days: 30 })
  assert.deepEqual(await aged(bench), [])
  bench.advance(DAY_MS)
  assert.deepEqual(await aged(bench), [`${sessionId}@035`])
  assert.deepEqual(await aged(bench), [`${sessionId}@035`])
  const younger = await credit(bench, NOBODYS_NUMBER, '5')
  bench.advance(31 * DAY_MS)
  assert.equal((await aged(bench)).length, 2)

  await resolve(bench, sessionId, 'return')
  assert.deepEqual(await aged(bench), [`${younger.sessionId}@035`])
  dataOf(await set(bench, { days: 365 }))
  assert.deepEqual(await aged(bench), [])
  dataOf(await set(bench, { days: null }))
  assert.deepEqual(await aged(bench), [])
})

test('ages that make no sense are refused', async () => {
  await using bench = await startTestService()
  for (const days of [0, -1, 3651, 1.5, '30', undefined]) {
    assertRefused(await set(bench, { days }), { code: 'invalid_request' })
  }
})
