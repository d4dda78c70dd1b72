// Promises that src/approvals/ makes to every maker-checker workflow.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import {
  decide,
  REQUESTS,
  refused,
  requestResolution,
  setMakerChecker,
} from '../support/maker-checker-desk.ts'
import { newBrowser, userIdOf } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { SUSPENSE, suspend } from '../support/suspense-desk.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())
const owner = await newBrowser(bench, 'owner')
const maker = await newBrowser(bench, 'finance')
const { accountNumber: picky } = await createAccount(bench, { payerRules: { minAmount: 100_000 } })
assert.equal((await setMakerChecker(owner, true)).statusCode, 200)

test('a checker whose role is taken away while the approval waits moves no money', async () => {
  const checker = await newBrowser(bench, 'finance')
  const userId = await userIdOf(bench, checker.user.email)
  const { id } = await suspend(bench, picky, '500.00')
  const requestId = await requestResolution(maker, id)

  const { approving } = await withTransaction(bench.db, async (tx) => {
    await tx.query("update users set role = 'support' where id = $1", [userId])
    const approving = decide(checker, requestId, 'approve')
    await untilBlocked(bench.db, 1)
    return { approving }
  })

  refused(await approving, 'role_not_allowed', 403)
  const item = await maker.call({ url: `${SUSPENSE}/${id}` })
  assert.equal(item.json().data.state, 'open')
})

test('a request tells each viewer why they cannot approve it', async () => {
  const { id } = await suspend(bench, picky, '501.00')
  const requestId = await requestResolution(maker, id)
  const checker = await newBrowser(bench, 'finance')
  // Returns the code of the reason why this user cannot approve the request, or null.
  const obstacleTo = async (viewer: Pick<typeof maker, 'call'>) => {
    const { data } = (await viewer.call({ url: `${REQUESTS}?itemId=${id}` })).json()
    assert.deepEqual([data.length, data[0].id], [1, requestId])
    return data[0].cannotApprove?.code ?? null
  }

  assert.equal(await obstacleTo(bench), 'people_only') // The bench calls with client credentials.
  assert.equal(await obstacleTo(maker), 'other_person_needed')
  assert.equal(await obstacleTo(checker), null)
  assert.equal((await decide(checker, requestId, 'approve')).statusCode, 200)
  assert.equal(await obstacleTo(maker), null) // A decided request has no obstacle.
})
