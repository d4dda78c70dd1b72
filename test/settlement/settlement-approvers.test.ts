// I53: a settlement that waits for approval shows each user why they cannot approve it. It is the code with
// which the service would refuse their approval.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import { setMakerChecker } from '../support/maker-checker-desk.ts'
import { credit } from '../support/movements.ts'
import { addBankAccount, makeDefault } from '../support/payouts.ts'
import { type Browser, newBrowser, newBrowserGivenBy, signIn } from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import {
  closeSettlement,
  decideOn,
  removeBankAccount,
  setBankAccount,
  settlementOf,
} from '../support/settlements.ts'

const HOUR_MS = 3_600_000

const bench = closeAfterTests(
  await startTestService({ env: { MANILLA_APPROVER_WAIT_HOURS: '24' } }),
)
const { accountNumber } = await createAccount(bench)

type Caller = Pick<Bench, 'call'>

// Closes a settlement of a new credit, which must wait for approval; returns its reference.
async function close(by: Caller): Promise<string> {
  bench.advance(1_000)
  await credit(bench, accountNumber, '100')
  const { reference, status } = await closeSettlement(by)
  assert.equal(status, 'closed')
  return reference
}

// Moves the clock past the time in which new users cannot approve, and signs the users in again.
async function settleIn(...people: Browser[]): Promise<Browser[]> {
  bench.advance(25 * HOUR_MS)
  return Promise.all(people.map(({ user }) => signIn(bench, user.email)))
}

// Tries to approve. Returns the obstacle that the settlement showed, which must be the one that approving
// returned; undefined if the settlement was approved.
async function obstacleFor(by: Caller, reference: string): Promise<string | undefined> {
  const { cannotApprove, revision } = await settlementOf(by, reference)
  const body = { revision }
  const answer = await decideOn(by, reference, 'approve', { body })
  const { code, message } = answer.json()
  assert.deepEqual(cannotApprove, answer.statusCode === 200 ? null : { code, message }, answer.body)
  return cannotApprove?.code
}

test('without a second person, only scope and bank account keep anybody from approving', async () => {
  await removeBankAccount(bench)
  const maker = await newBrowser(bench)
  const reference = await close(maker)

  assert.equal(
    await obstacleFor(await newBrowser(bench, 'developer'), reference),
    'role_not_allowed',
  )
  assert.equal(await obstacleFor(maker, reference), 'no_default_bank_account')
  await setBankAccount(bench, { status: 'mismatch' })
  assert.equal(await obstacleFor(bench, reference), 'bank_account_mismatch')
  await setBankAccount(bench)
  assert.equal(await obstacleFor(maker, reference), undefined)
  assert.equal((await settlementOf(maker, reference)).cannotApprove, null)
})

test('a settlement to an unconfirmed account shows why a user cannot be the second person', async () => {
  await setBankAccount(bench, { status: 'unconfirmed' })
  const [maker, checker] = await settleIn(await newBrowser(bench), await newBrowser(bench))
  assert(maker && checker)
  const reference = await close(maker)

  assert.equal(await obstacleFor(bench, reference), 'people_only')
  assert.equal(await obstacleFor(maker, reference), 'other_person_needed')
  assert.equal(await obstacleFor(checker, reference), undefined)
})

test('with maker-checker on since the closing, users who cannot be second see why', async () => {
  await removeBankAccount(bench)
  const [maker, chooser, checker] = await settleIn(
    await newBrowser(bench),
    await newBrowser(bench),
    await newBrowser(bench),
  )
  assert(maker && chooser && checker)
  const reference = await close(maker)
  assert.equal((await setMakerChecker(maker, true)).statusCode, 200)
  await makeDefault(chooser, (await addBankAccount(chooser)).reference)
  const invited = await newBrowserGivenBy(bench, maker)

  assert.equal(await obstacleFor(bench, reference), 'people_only')
  assert.equal(await obstacleFor(maker, reference), 'other_person_needed')
  assert.equal(await obstacleFor(invited, reference), 'approver_too_new')
  const [dependent, first, second] = await settleIn(invited, chooser, checker)
  assert(dependent && first && second)
  assert.equal(await obstacleFor(dependent, reference), 'approver_not_independent')
  assert.equal(await obstacleFor(first, reference), 'approver_chose_account')
  assert.equal(await obstacleFor(second, reference), undefined)
})
