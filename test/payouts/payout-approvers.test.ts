// A payout that awaits approval shows each user why they cannot approve it, with the code that approving
// would return (I49).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  addBankAccount,
  BANK_ACCOUNTS,
  createPayout,
  fund,
  getPayout,
  PAYOUTS,
} from '../support/payouts.ts'
import { newBrowser, newBrowserGivenBy, signIn } from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const HOUR_MS = 3_600_000

const env = { MANILLA_APPROVER_WAIT_HOURS: '24' }
const bench = closeAfterTests(await startTestService({ env }))
await fund(bench, '1000')
await addBankAccount(bench)
const body = { payoutApproval: 'all' }
await bench.call({ method: 'PUT', url: '/api/v1/payout-settings', body })

type Caller = Pick<Bench, 'call'>

// Requests a payout that needs approval; returns its reference.
async function ask(by: Caller, more: object = {}): Promise<string> {
  const { reference, approval } = await createPayout(by, { amount: 1, ...more })
  assert.equal(approval, 'needed')
  return reference
}

const decide = (by: Caller, reference: string, verb: string, reason?: string) =>
  by.call({ url: `${PAYOUTS}/${reference}/${verb}`, body: reason ? { reason } : {} })

// Tries to approve a payout. Returns the obstacle that the payout showed, which must be the one that
// approving returned; undefined if the payout was approved.
async function obstacleFor(by: Caller, reference: string): Promise<string | undefined> {
  const { cannotApprove } = await getPayout(by, reference)
  const answer = await decide(by, reference, 'approve')
  const { code, message } = answer.json()
  assert.deepEqual(cannotApprove, answer.statusCode === 200 ? null : { code, message }, answer.body)
  return cannotApprove?.code
}

test('a user who looks at a payout reads why they cannot approve it', async () => {
  const [maker, checker] = [await newBrowser(bench), await newBrowser(bench, 'finance')]
  const [reader, invited] = [
    await newBrowser(bench, 'developer'),
    await newBrowserGivenBy(bench, maker),
  ]
  const reference = await ask(maker)

  assert.equal(await obstacleFor(maker, reference), 'other_person_needed')
  assert.equal(await obstacleFor(reader, reference), 'role_not_allowed')
  assert.equal(await obstacleFor(bench, reference), 'people_only')
  assert.equal(await obstacleFor(invited, reference), 'approver_too_new')
  bench.advance(25 * HOUR_MS)
  const dependent = await signIn(bench, invited.user.email)
  assert.equal(await obstacleFor(dependent, reference), 'approver_not_independent')
  assert.equal(await obstacleFor(await signIn(bench, checker.user.email), reference), undefined)
})

test('the user who chose the bank account cannot approve, and no user once it is inactive', async () => {
  const [chooser, checker] = [await newBrowser(bench), await newBrowser(bench)]
  bench.advance(25 * HOUR_MS)
  const [first, second] = [
    await signIn(bench, chooser.user.email),
    await signIn(bench, checker.user.email),
  ]
  const { reference: bankAccount } = await addBankAccount(first)
  const reference = await ask(bench, { bankAccount })

  assert.equal(await obstacleFor(first, reference), 'approver_chose_account')
  const url = `${BANK_ACCOUNTS}/${bankAccount}`
  await bench.call({ method: 'PATCH', url, body: { isActive: false } })
  assert.equal(await obstacleFor(second, reference), 'bank_account_inactive')
  await bench.call({ method: 'PATCH', url, body: { isActive: true } })
  assert.equal(await obstacleFor(second, reference), undefined)
})

test('a payout that awaits no approval names no obstacle to approving it', async () => {
  const [maker, checker] = [await newBrowser(bench), await newBrowser(bench)]
  const [rejected, cancelled] = [await ask(maker), await ask(maker)]
  assert.equal((await decide(checker, rejected, 'reject', 'No.')).statusCode, 200)
  assert.equal((await decide(maker, cancelled, 'cancel')).statusCode, 200)

  for (const reference of [rejected, cancelled]) {
    assert.equal((await getPayout(maker, reference)).cannotApprove, null)
    assert.equal((await getPayout(bench, reference)).cannotApprove, null)
  }
})
