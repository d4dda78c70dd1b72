// docs/webhooks.md against the code: an example of every event, the retry schedule, the test vector, and
// code that verifies it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Value } from 'typebox/value'
import { FAILING_MAX_MS, FAILURES_TO_PAUSE, PAUSE_MAX_MS } from '#records/call-rates.ts'
import { EVENT_TYPES } from '#records/event-types.ts'
import { eventSchema } from '#webhooks/event-views.ts'
import { RETRY_STEPS_MS } from '#webhooks/retry-schedule.ts'

const ROOT = join(import.meta.dirname, '../..')
const document = readFileSync(join(ROOT, 'docs/webhooks.md'), 'utf8')
const [vector] = JSON.parse(readFileSync(join(import.meta.dirname, 'vector.json'), 'utf8')).vectors

test('every event has an example of its shape, and nothing else has', () => {
  const sections = [...document.matchAll(/^### `([a-z_.]+)`$[\s\S]*?```json\n([\s\S]*?)```/gm)]
  assert.deepEqual(sections.map(([, type]) => type).sort(), EVENT_TYPES.toSorted())
  for (const [, type, example] of sections) {
    const schema = eventSchema(type as (typeof EVENT_TYPES)[number])
    const body = JSON.parse(example as string)
    assert.deepEqual([...Value.Errors(schema, body)], [], type)
    const { properties } = schema as unknown as { properties: { data: { properties: object } } }
    const unknown = Object.keys(body.data).filter((key) => !(key in properties.data.properties))
    assert.deepEqual([body.type, unknown], [type, []])
  }
})

test('the ladder, the pause and the end are the real ones', () => {
  const [, row = ''] = /^\| after +\|(.*)\|$/m.exec(document) ?? []
  const units: Record<string, number> = { s: 1_000, min: 60_000, h: 3_600_000 }
  // The waits in the table's cells, such as "5 min", in milliseconds; 0 for the cell "at once".
  const stepsMs = row.split('|').map((cell) => {
    const [, count, unit = ''] = /(\d+) (s|min|h)/.exec(cell) ?? []
    return count ? Number(count) * (units[unit] ?? 0) : 0
  })
  assert.deepEqual(stepsMs, [...RETRY_STEPS_MS])
  assert(document.includes(`After **${FAILURES_TO_PAUSE} failures in a row**`))
  assert(document.includes(`up to ${PAUSE_MAX_MS / 60_000} minutes`))
  assert(document.includes(`failed for **${FAILING_MAX_MS / 86_400_000} days**`))
})

test('the test vector is the published one, and the code shown verifies it', async () => {
  const { secrets, id, timestamp, body, signature } = vector
  for (const value of [secrets[0], id, String(timestamp), body, signature]) {
    assert(document.includes(value), value)
  }
  const [, code = ''] = /```js\n(import \{ createHmac[\s\S]*?)```/.exec(document) ?? []
  const source = `${code}\nexport { isGenuine }`
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(source)}`)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,bm90IHRoaXMgb25l ${signature}`,
  }
  assert.equal(isGenuine(secrets[0], headers, body, timestamp), true)
  assert.equal(isGenuine(secrets[0], headers, `${body} `, timestamp), false)
  assert.equal(isGenuine(secrets[0], headers, body, timestamp + 301), false)
})
