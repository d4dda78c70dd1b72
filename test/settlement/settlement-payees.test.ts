// The user who chose the bank account of a settlement cannot approve the settlement, nor can a user to whom
// they gave access. The approver sees the account (I53).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount } from '../support/fixtures.ts'
import { setMakerChecker } from '../support/maker-checker-desk.ts'
import { credit } from '../support/movements.ts'
import { addBankAccount, BANK_ACCOUNTS, makeDefault } from '../support/payouts.ts'
import { newBrowser, newBrowserGivenBy } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { closeSettlement, decideOn, setBankAccount, settlementOf } from '../support/settlements.ts'

const bench = closeAfterTests(await startTestService())
await setBankAccount(bench)
const { accountNumber } = await createAccount(bench)
assert.equal((await setMakerChecker(await newBrowser(bench), true)).statusCode, 200)

const refused = { status: 409, code: 'approver_chose_account' }

// Closes a settlement of a new credit; by default with the client's credentials, so that no user is its
// maker.
async function settle(closer: Pick<typeof bench, 'call'> = bench): Promise<string> {
  bench.advance(1_000)
  await credit(bench, accountNumber, '100')
  const { reference } = await closeSettlement(closer)
  bench.advance(1_000)
  return reference
}

test('the user who chose the receiving account does not approve, until another user has', async () => {
  const [chooser, other] = [await newBrowser(bench), await newBrowser(bench)]
  const list = await bench.call({ url: BANK_ACCOUNTS })
  const before = list.json().data.find(({ isDefault }: { isDefault: boolean }) => isDefault)

  await makeDefault(chooser, (await addBankAccount(chooser)).reference)
  const first = await settle()
  assertRefused(await decideOn(chooser, first, 'approve'), refused)
  assert.equal((await decideOn(other, first, 'approve')).statusCode, 200)
  assert.equal((await decideOn(chooser, await settle(), 'approve')).statusCode, 200)

  await makeDefault(chooser, before.reference) // Another user's account; but this user makes it the default.
  const second = await settle(other)
  assertRefused(await decideOn(chooser, second, 'approve'), refused)
  const third = await newBrowser(bench)
  assert.equal((await decideOn(third, second, 'approve')).statusCode, 200)
  await assertCleanBooks(bench)
})

test('a user whom the chooser created stands for the chooser', async () => {
  const [chooser, other] = [await newBrowser(bench), await newBrowser(bench)]
  const created = await newBrowserGivenBy(bench, chooser)
  await makeDefault(chooser, (await addBankAccount(chooser)).reference)

  const first = await settle()
  assertRefused(await decideOn(created, first, 'approve'), refused)
  assertRefused(await decideOn(chooser, first, 'approve'), refused)
  assert.equal((await decideOn(other, first, 'approve')).statusCode, 200)
  assert.equal((await decideOn(created, await settle(), 'approve')).statusCode, 200)
})

test('an approval by a user whom the chooser created does not count', async () => {
  const chooser = await newBrowser(bench)
  const created = await newBrowserGivenBy(bench, chooser)
  const { reference } = await addBankAccount(bench)
  await makeDefault(bench, reference)
  assert.equal((await decideOn(created, await settle(), 'approve')).statusCode, 200)
  // Records the chooser only now, after the settlement was approved.
  await bench.db.query('update bank_accounts set default_by_user = $2 where reference = $1', [
    reference,
    chooser.user.id,
  ])

  assertRefused(await decideOn(chooser, await settle(), 'approve'), refused)
})

test('the user who added an account is known by name where the release before wrote it', async () => {
  const [chooser, other] = [await newBrowser(bench), await newBrowser(bench)]
  const created = await newBrowserGivenBy(bench, chooser)
  const { reference } = await addBankAccount(chooser)
  await makeDefault(other, reference)
  await bench.db.query(
    `update bank_accounts set added_by_user = null, default_by_user = null, default_at = null
      where reference = $1`,
    [reference],
  )

  const first = await settle()
  assertRefused(await decideOn(chooser, first, 'approve'), refused)
  assertRefused(await decideOn(created, first, 'approve'), refused)
  assert.equal((await decideOn(other, first, 'approve')).statusCode, 200)
  assert.equal((await decideOn(chooser, await settle(), 'approve')).statusCode, 200)
})

test('the approver sees the receiving account, and approves only that one', async () => {
  const checker = await newBrowser(bench)
  const account = await addBankAccount(bench)
  await makeDefault(bench, account.reference)
  const reference = await settle()
  const approve = (read: string) =>
    decideOn(checker, reference, 'approve', { body: { revision: read } })
  const { payees, revision } = await settlementOf(checker, reference)
  const changed = { status: 409, code: 'request_changed' }

  const { reference: bankAccount, accountNumber, accountName, bankName } = account
  assert.equal(payees.length, 1)
  const [{ defaultSince, ...payee }] = payees
  assert.deepEqual(payee, {
    subaccountCode: null,
    amount: 100,
    bankAccount,
    bankCode: '058',
    bankName,
    accountNumberMasked: account.accountNumberMasked,
    accountNumber,
    accountName,
    blockedBy: null,
  })
  const reader = await newBrowser(bench, 'developer')
  assert.equal((await settlementOf(reader, reference)).payees[0].accountNumber, null)

  const swapped = await addBankAccount(bench)
  await makeDefault(bench, swapped.reference)
  assertRefused(await approve(revision), changed)
  const { payees: now, closedAt, revision: read } = await settlementOf(checker, reference)
  assert.equal(now[0].bankAccount, swapped.reference)
  assert(defaultSince < closedAt && closedAt < now[0].defaultSince)
  assert.equal((await approve(read)).statusCode, 200)
  assert.deepEqual((await settlementOf(checker, reference)).payees, [])
})
