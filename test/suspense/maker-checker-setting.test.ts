// The maker-checker setting of the suspense desk: who may change it, and what the audit log says.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused } from '../support/fixtures.ts'
import { askToDisable, decide, refused } from '../support/maker-checker-desk.ts'
import { actionsOf, newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { SUSPENSE } from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startTestService())
const owner = await newBrowser(bench, 'owner')
const ada = await newBrowser(bench, 'finance')
const operator = await newBrowser(bench, 'operator')

const set = (by: typeof owner, body: object) =>
  by.call({ method: 'PUT', url: `${SUSPENSE}/settings`, body })

const read = async () => (await bench.call({ url: `${SUSPENSE}/settings` })).json().data

test('maker-checker is off at first; only owners and operators turn it on, and that is logged', async () => {
  assert.deepEqual(await read(), { makerChecker: false })
  assertRefused(await set(ada, { makerChecker: true }), { status: 403 })
  const byToken = {
    method: 'PUT',
    url: `${SUSPENSE}/settings`,
    body: { makerChecker: true },
  } as const
  assertRefused(await bench.call(byToken), { status: 401, code: 'session_needed' })
  for (const body of [
    {},
    { makerChecker: 'yes' },
    { makerChecker: null },
    { makerChecker: true, more: 1 },
  ]) {
    assertRefused(await set(owner, body), { code: 'invalid_request' })
  }
  assert.deepEqual(await read(), { makerChecker: false })
  for (let times = 0; times < 2; times++) {
    assert.equal((await set(owner, { makerChecker: true })).statusCode, 200)
  }
  assert.deepEqual(await read(), { makerChecker: true })
  assert.deepEqual(await actionsOf(bench, 'client/MAN0000001'), ['suspense.settings'])
})

test('off, it takes two: one owner or operator asks, another one approves', async () => {
  refused(await set(owner, { makerChecker: false }), 'approval_needed')
  refused(await askToDisable(ada), 'role_not_allowed', 403)
  const asks = await askToDisable(owner)
  assert.equal(asks.statusCode, 200, asks.body)
  const { id, action, itemId, amount, cannotApprove } = asks.json().data
  assert.deepEqual([action, itemId, amount], ['disable_maker_checker', null, null])
  assert.equal(cannotApprove.code, 'other_person_needed')
  refused(await askToDisable(operator), 'disable_requested')

  refused(await decide(owner, id, 'approve'), 'other_person_needed')
  refused(await decide(ada, id, 'approve'), 'role_not_allowed', 403)
  refused(await decide(ada, id, 'reject', { reason: 'No.' }), 'role_not_allowed', 403)
  assert.deepEqual(await read(), { makerChecker: true })
  assert.equal((await decide(operator, id, 'approve')).statusCode, 200)

  assert.deepEqual(await read(), { makerChecker: false })
  refused(await askToDisable(owner), 'maker_checker_off')
  assert.deepEqual(await actionsOf(bench, 'client/MAN0000001'), [
    'suspense.settings',
    'suspense.request',
    'suspense.settings',
    'suspense.approve',
  ])
})

test('after a rejected or withdrawn request maker-checker stays on; it can be requested again', async () => {
  assert.equal((await set(owner, { makerChecker: true })).statusCode, 200)
  const first = (await askToDisable(owner)).json().data.id
  assert.equal((await decide(operator, first, 'reject', { reason: 'No.' })).statusCode, 200)
  const second = (await askToDisable(operator)).json().data.id
  assert.equal((await decide(operator, second, 'withdraw')).statusCode, 200)

  assert.deepEqual(await read(), { makerChecker: true })
  assert.equal((await askToDisable(owner)).statusCode, 200)
})
