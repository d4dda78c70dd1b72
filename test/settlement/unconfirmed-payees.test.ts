// If no bank answers name enquiries, for example because all take payouts in files, settlements wait for a
// second person, who sees the bank account and approves it as for a payout (I53).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findObstacle, type Payee } from '#settlement/approve.ts'
import { assertCleanBooks, startWithBanks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { createFile, download } from '../support/payout-desk.ts'
import { addBankAccount, BANK_ACCOUNTS, makeDefault } from '../support/payouts.ts'
import { type Browser, newBrowser, newBrowserGivenBy, signIn } from '../support/people.ts'
import type { Bench } from '../support/running-service.ts'
import {
  closeSettlement,
  decideOn,
  listOf,
  runSchedule,
  setBankAccount,
  setSettings,
  settlementOf,
} from '../support/settlements.ts'

const DAY_MS = 86_400_000
const FILE_BANK = {
  code: '035',
  connector: 'manilla', // Without an API.
  static: { from: 100_000_000, to: 100_999_999 },
  dynamic: { from: 200_000_000, to: 200_999_999 },
  payoutFiles: { accountNumber: '0123456789', accountName: 'Manilla Operations' },
}

type Caller = Pick<Bench, 'call'>

const bench = closeAfterTests(await startWithBanks([FILE_BANK]))
const { accountNumber } = await createAccount(bench)

const unconfirmed = { status: 409, code: 'bank_account_unconfirmed' }

// Approves a settlement as the approver reads it now.
const approve = (by: Caller, reference: string) => decideOn(by, reference, 'approve')

// The chooser adds a default bank account, and a settlement is closed that waits because the account is
// unconfirmed.
async function settle(chooser: Browser, closer: Caller = bench) {
  const { reference: bankAccount, ...account } = await addBankAccount(chooser)
  assert.equal(account.status, 'unconfirmed')
  await makeDefault(chooser, bankAccount)
  return { account, bankAccount, ...(await settleAgain(closer)) }
}

// Closes another settlement to the same account.
async function settleAgain(closer: Caller = bench) {
  bench.advance(1_000)
  await credit(bench, accountNumber, '100')
  const { reference, heldReason } = await closeSettlement(closer)
  assert.equal(heldReason, 'bank_account_unconfirmed')
  bench.advance(1_000)
  return { reference }
}

test('a scheduled settlement waits, a second person approves it, and the file has it', async () => {
  const chooser = await newBrowser(bench)
  const account = await addBankAccount(chooser)
  await makeDefault(chooser, account.reference)
  dataOf(await setSettings(bench, { schedule: 'daily@23:00' }))
  await credit(bench, accountNumber, '100')
  bench.advance(2 * DAY_MS) // A Sunday, and the Monday.
  await runSchedule(bench)
  const [{ reference, status, heldReason, closedBy }] = await listOf(bench)
  assert.deepEqual([status, heldReason, closedBy], ['closed', unconfirmed.code, 'schedule'])
  const { payees } = await settlementOf(bench, reference)
  assert.equal(payees[0].blockedBy, unconfirmed.code)
  const [first, second] = [
    await signIn(bench, chooser.user.email),
    await newBrowser(bench, 'finance'),
  ]

  const reader = await newBrowser(bench, 'developer')
  const barred = { status: 403, code: 'role_not_allowed' }
  assertRefused(await approve(reader, reference), barred)
  const machine = { status: 403, code: 'people_only' }
  assertRefused(await approve(bench, reference), machine)
  const own = { status: 409, code: 'approver_chose_account' }
  assertRefused(await approve(first, reference), own)
  const changed = { status: 409, code: 'request_changed' }
  const unread = { body: { revision: 'of nothing' } }
  assertRefused(await decideOn(second, reference, 'approve', unread), changed)
  await assertCleanBooks(bench)
  const approved = dataOf(await approve(second, reference))
  const again = dataOf(await approve(second, reference))

  assert.deepEqual([approved.status, again.payouts.length], ['approved', 1])
  const file = await createFile(bench, { bankCode: '035' })
  const { body } = await download(bench, file.id)
  assert(body.includes(approved.payouts[0].reference) && body.includes(account.accountNumber))
  await assertCleanBooks(bench)
  dataOf(await setSettings(bench, { schedule: 'manual' }))
})

test('the user who closed a settlement cannot approve it, nor can a user whom they gave access', async () => {
  const [chooser, maker, third] = [
    await newBrowser(bench),
    await newBrowser(bench),
    await newBrowser(bench),
  ]
  const invited = await newBrowserGivenBy(bench, maker)
  const { reference } = await settle(chooser, maker)

  const own = { status: 409, code: 'other_person_needed' }
  assertRefused(await approve(maker, reference), own)
  const dependent = { status: 409, code: 'approver_not_independent' }
  assertRefused(await approve(invited, reference), dependent)
  assert.equal((await approve(third, reference)).statusCode, 200)
})

test('each settlement to it waits; the audit log of each approval names the account', async () => {
  const [chooser, other] = [await newBrowser(bench), await newBrowser(bench)]
  const { reference: first, bankAccount } = await settle(chooser)
  assert.equal((await approve(other, first)).statusCode, 200)

  // After an independent approval, the chooser may be the second person, as for payouts.
  const { reference: second } = await settleAgain()
  assert.equal((await approve(chooser, second)).statusCode, 200)

  const { rows } = await bench.db.query<{ detail: { unconfirmed: string[] } }>(
    `select detail from audit_log
      where action = 'settlement.approve' and subject = any($1) order by id`,
    [[first, second].map((reference) => `settlement/${reference}`)],
  )
  assert.deepEqual(
    rows.map(({ detail }) => detail.unconfirmed),
    [[bankAccount], [bankAccount]],
  )
})

test('a settlement to an account that is inactive or has another name cannot be approved', async () => {
  const [chooser, other] = [await newBrowser(bench), await newBrowser(bench)]
  const { reference, bankAccount } = await settle(chooser)
  await setBankAccount(bench, { status: 'mismatch' })

  const mismatch = { status: 409, code: 'bank_account_mismatch' }
  assertRefused(await approve(other, reference), mismatch)
  await setBankAccount(bench, { status: 'unconfirmed' })
  const url = `${BANK_ACCOUNTS}/${bankAccount}`
  await chooser.call({ method: 'PATCH', url, body: { isActive: false } })
  const none = { status: 409, code: 'no_default_bank_account' }
  assertRefused(await approve(other, reference), none)

  const payee = (fields: object) =>
    ({ bankAccountId: 1n, isActive: true, status: 'unconfirmed', ...fields }) as Payee
  const others = [{ status: 'mismatch' }, { isActive: false }, { bankAccountId: null }]
  const obstacles = others.map((fields) => findObstacle([payee({}), payee(fields)]))
  assert.deepEqual(obstacles, [
    'bank_account_mismatch',
    'bank_account_inactive',
    'no_default_bank_account',
  ])
})

test('an account that was given another name since it was looked at is not approved', async () => {
  const [chooser, other] = [await newBrowser(bench), await newBrowser(bench)]
  const { reference, bankAccount, account } = await settle(chooser)
  const read = async () => (await settlementOf(other, reference)).revision
  const approveAs = (revision: string) =>
    decideOn(other, reference, 'approve', { body: { revision } })
  const changed = { status: 409, code: 'request_changed' }
  const { bankCode, accountNumber } = account
  const body = { bankCode, accountNumber, accountName: 'Somebody Else' }
  const seen = await read()
  const renamed = dataOf(await chooser.call({ url: BANK_ACCOUNTS, body }))
  assert.deepEqual([renamed.reference, renamed.status], [bankAccount, 'unconfirmed'])

  assertRefused(await approveAs(seen), changed)
  // The approver saw the old name, so the approval is refused even after the bank has confirmed the account.
  await setBankAccount(bench)
  assertRefused(await approveAs(seen), changed)
  await setBankAccount(bench, { status: 'unconfirmed' })
  assert.equal(dataOf(await approveAs(await read())).status, 'approved')
  await assertCleanBooks(bench)
})

test('once the name is confirmed, any user who may pay out can approve the waiting settlement', async () => {
  const { reference } = await settle(await newBrowser(bench))
  await setBankAccount(bench)

  assert.equal((await approve(bench, reference)).statusCode, 200)
  await assertCleanBooks(bench)
})
