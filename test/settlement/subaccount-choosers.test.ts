// The user who chose the bank account of a subaccount cannot approve a settlement to it, nor can a user to
// whom they gave access. The approver sees that the account was changed (I53).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { type Person, setMakerChecker } from '../support/maker-checker-desk.ts'
import { credit } from '../support/movements.ts'
import { addBankAccount, bankAccountNumber } from '../support/payouts.ts'
import { newBrowser, newBrowserGivenBy } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { closeSettlement, decideOn, setBankAccount, settlementOf } from '../support/settlements.ts'
import {
  createSplit,
  newAccountBody,
  payElsewhere,
  postSplit,
  SUBACCOUNTS,
  splitBody,
  subaccountBody,
} from '../support/splits.ts'

const bench = closeAfterTests(await startTestService())
await setBankAccount(bench)
await createSplit(bench, splitBody('AB', 'percentage', ['A', 60], ['B', 20]))
const shared = await accountWith('AB')
const [other, third] = [await newBrowser(bench), await newBrowser(bench)]
assert.equal((await setMakerChecker(other, true)).statusCode, 200)

async function accountWith(splitCode: string): Promise<string> {
  return (await createAccount(bench, { splitCode })).accountNumber
}

// Closes a settlement of a new credit with the client's credentials, so that no user is its maker.
async function settle(accountNumber = shared): Promise<string> {
  bench.advance(1_000)
  await credit(bench, accountNumber, '100')
  const { reference } = await closeSettlement(bench)
  bench.advance(1_000)
  return reference
}

// Tries to approve a settlement; returns 'approved' or the code of the refusal.
async function approve(by: Person, reference: string): Promise<string> {
  const answer = await decideOn(by, reference, 'approve')
  return answer.statusCode === 200 ? 'approved' : answer.json().code
}

test('the user who chose the account of a subaccount does not approve, until another user has', async () => {
  const chooser = await newBrowser(bench)
  await payElsewhere(chooser, 'A')
  const first = await settle()

  assert.equal(await approve(chooser, first), 'approver_chose_account')
  assert.equal(await approve(other, first), 'approved')
  assert.equal(await approve(chooser, await settle()), 'approved')
  await assertCleanBooks(bench)
})

test('a user whom the chooser created stands for the chooser', async () => {
  const chooser = await newBrowser(bench)
  const created = await newBrowserGivenBy(bench, chooser)
  const { accountNumber } = await addBankAccount(bench, { accountName: 'Ada Vendor' })
  await payElsewhere(chooser, 'A', { ...newAccountBody(), accountNumber })
  const first = await settle()

  assert.equal(await approve(created, first), 'approver_chose_account')
  assert.equal(await approve(other, first), 'approved')
  assert.equal(await approve(created, await settle()), 'approved')
})

test('a user who chose an account that somebody else added chose it', async () => {
  const [adder, chooser] = [await newBrowser(bench), await newBrowser(bench)]
  const { accountNumber } = await addBankAccount(adder, { accountName: 'Ada Vendor' })
  await payElsewhere(chooser, 'A', { ...newAccountBody(), accountNumber })
  const first = await settle()

  assert.equal(await approve(chooser, first), 'approver_chose_account')
  assert.equal(await approve(adder, first), 'approver_chose_account')
  assert.equal(await approve(other, first), 'approved')
  const second = await settle()
  assert.equal(await approve(adder, second), 'approved')
})

test('going back to an account that was approved before is choosing it again', async () => {
  const chooser = await newBrowser(bench)
  const accountBody = newAccountBody()
  await payElsewhere(bench, 'A', accountBody)
  assert.equal(await approve(other, await settle()), 'approved')
  await payElsewhere(bench, 'A')
  assert.equal(await approve(other, await settle()), 'approved')

  await payElsewhere(chooser, 'A', accountBody)
  const last = await settle()

  assert.equal(await approve(chooser, last), 'approver_chose_account')
  assert.equal(await approve(other, last), 'approved')
})

test('an approval counts for the subaccount that it paid, not for another with its account', async () => {
  const chooser = await newBrowser(bench)
  dataOf(await postSplit(bench, splitBody('B', 'percentage', ['B', 20])))
  const ofB = await accountWith('B')
  const body = newAccountBody()
  await payElsewhere(bench, 'B', body)

  await payElsewhere(chooser, 'A', body)
  // The settlement pays only B, so the approval says nothing of A.
  assert.equal(await approve(other, await settle(ofB)), 'approved')
  const first = await settle()

  assert.equal(await approve(chooser, first), 'approver_chose_account')
  assert.equal(await approve(third, first), 'approved')
  assert.equal(await approve(chooser, await settle()), 'approved')
})

test('the creator of a subaccount chose its account, even if another user added that', async () => {
  const creator = await newBrowser(bench)
  const { accountNumber } = await addBankAccount(bench, { accountName: 'Ada Vendor' })
  const body = subaccountBody('C', { accountNumber })
  dataOf(await creator.call({ url: SUBACCOUNTS, body }))
  dataOf(await postSplit(bench, splitBody('C', 'percentage', ['C', 100])))
  const first = await settle(await accountWith('C'))

  assert.equal(await approve(creator, first), 'approver_chose_account')
  assert.equal(await approve(other, first), 'approved')
})

test('giving the same account again is not choosing it, and a later choice ends an earlier one', async () => {
  const [chooser, repeater] = [await newBrowser(bench), await newBrowser(bench)]
  const body = { ...newAccountBody(), accountNumber: bankAccountNumber() }
  await payElsewhere(chooser, 'A', body)
  await payElsewhere(repeater, 'A', body)
  const first = await settle()
  assert.equal(await approve(chooser, first), 'approver_chose_account')
  assert.equal(await approve(repeater, first), 'approved')

  await payElsewhere(chooser, 'A')
  await payElsewhere(bench, 'A') // By the client's credentials.
  assert.equal(await approve(chooser, await settle()), 'approved')
})

test('an approval is refused with the account that was shown, once it was changed', async () => {
  const reference = await settle()
  const { payees: seen, closedAt, revision } = await settlementOf(other, reference)
  const [, ofA] = seen
  assert(ofA.subaccountCode === 'A' && ofA.defaultSince < closedAt)
  const approveRead = (read: string) =>
    decideOn(other, reference, 'approve', { body: { revision: read } })

  const present = await payElsewhere(third, 'A')

  const changed = { status: 409, code: 'request_changed' }
  assertRefused(await approveRead(revision), changed)
  const { payees: now, revision: read } = await settlementOf(other, reference)
  assert.equal(now[1].bankAccount, present)
  assert(now[1].defaultSince > closedAt)
  assert.deepEqual(now.toSpliced(1, 1), seen.toSpliced(1, 1))
  assert.equal((await approveRead(read)).statusCode, 200)
  await assertCleanBooks(bench)
})
