// I53: a waiting settlement shows each viewer why they cannot approve it: the same reason as the refusal
// of an approval with the shown bank accounts and names.

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
  closed,
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

async function close(by: Caller): Promise<string> {
  bench.advance(1_000)
  await credit(bench, accountNumber, '100')
  const { reference, status } = await closed(by)
  assert.equal(status, 'closed')
  return reference
}

// Past the time in which new users cannot approve.
async function settleIn(...people: Browser[]): Promise<Browser[]> {
  bench.advance(25 * HOUR_MS)
  return Promise.all(people.map(({ user }) => signIn(bench, user.email)))
}

// The shown obstacle, checked against an actual approval. Undefined: it was approved.
async function block(by: Caller, reference: string): Promise<string | undefined> {
  const { cannotApprove, payees } = await settlementOf(by, reference)
  const bankAccounts = payees.map((payee: Record<string, string>) => payee.bankAccount)
  const accountNames = payees.map((payee: Record<string, string>) => payee.accountName)
  const body = { bankAccounts, accountNames }
  const answer = await decideOn(by, reference, 'approve', { body })
  const { code, message } = answer.json()
  assert.deepEqual(cannotApprove, answer.statusCode === 200 ? null : { code, message }, answer.body)
  return cannotApprove?.code
}

test('without a second person, only scope and bank account keep anybody from approving', async () => {
  await removeBankAccount(bench)
  const maker = await newBrowser(bench)
  const reference = await close(maker)

  assert.equal(await block(await newBrowser(bench, 'developer'), reference), 'role_not_allowed')
  assert.equal(await block(maker, reference), 'no_default_bank_account')
  await setBankAccount(bench, { status: 'mismatch' })
  assert.equal(await block(bench, reference), 'bank_account_mismatch')
  await setBankAccount(bench)
  assert.equal(await block(maker, reference), undefined)
  assert.equal((await settlementOf(maker, reference)).cannotApprove, null)
})

test('to an account without a confirmed name, who is no second person is told', async () => {
  await setBankAccount(bench, { status: 'unconfirmed' })
  const [maker, checker] = await settleIn(await newBrowser(bench), await newBrowser(bench))
  assert(maker && checker)
  const reference = await close(maker)

  assert.equal(await block(bench, reference), 'people_only')
  assert.equal(await block(maker, reference), 'other_person_needed')
  assert.equal(await block(checker, reference), undefined)
})

test('under maker-checker, also since it was closed, who may not be second is told why', async () => {
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

  assert.equal(await block(bench, reference), 'people_only')
  assert.equal(await block(maker, reference), 'other_person_needed')
  assert.equal(await block(invited, reference), 'approver_too_new')
  const [dependent, first, second] = await settleIn(invited, chooser, checker)
  assert(dependent && first && second)
  assert.equal(await block(dependent, reference), 'approver_not_independent')
  assert.equal(await block(first, reference), 'approver_chose_account')
  assert.equal(await block(second, reference), undefined)
})
