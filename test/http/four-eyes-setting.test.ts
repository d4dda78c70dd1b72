// Whether it takes one person or two at the suspense desk: who decides that, and the trace it leaves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused } from '../support/fixtures.ts'
import { actionsOf, newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { SUSPENSE } from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startTestService())
const owner = await newBrowser(bench, 'owner')
const ada = await newBrowser(bench, 'finance')
const operator = await newBrowser(bench, 'operator')

const set = (by: typeof owner, body: object) =>
  by.call({ method: 'PUT', url: `${SUSPENSE}/settings`, body })

test('it is off at first; owners and operators switch it, with a trace, and nobody else', async () => {
  const read = async () => (await bench.call({ url: `${SUSPENSE}/settings` })).json().data

  assert.deepEqual(await read(), { fourEyes: false })
  assertRefused(await set(ada, { fourEyes: true }), 'account', { status: 403 })
  const byToken = { method: 'PUT', url: `${SUSPENSE}/settings`, body: { fourEyes: true } } as const
  assertRefused(await bench.call(byToken), 'account', { status: 401, code: 'session_needed' })
  for (const body of [{}, { fourEyes: 'yes' }, { fourEyes: null }, { fourEyes: true, more: 1 }]) {
    assertRefused(await set(owner, body), 'account', { code: 'invalid_request' })
  }
  assert.deepEqual(await read(), { fourEyes: false })
  for (const fourEyes of [true, true, false]) {
    assert.equal((await set(owner, { fourEyes })).statusCode, 200)
  }
  assert.equal((await set(operator, { fourEyes: true })).statusCode, 200)
  assert.deepEqual(await read(), { fourEyes: true })
  const traces = await actionsOf(bench, 'client/MAN0000001')
  assert.deepEqual(traces, Array(3).fill('suspense.settings'))
})
