// A collection account with a number at each of several banks. Money to any of them belongs to the account,
// and any of them finds it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { actionsOf, eventsOf, patchAccount, setLimits } from '../support/account-calls.ts'
import { assertCleanBooks, startTwin } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { erase, finishErasures, PAYER } from '../support/erasing.ts'
import {
  ACCOUNTS,
  assertAlike,
  assertRefused,
  createAccount,
  dataOf,
  readAccount,
} from '../support/fixtures.ts'
import { isNuban } from '../support/nuban.ts'
import { newSessionId, postRail, reportCredit } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { assign, suspend } from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startTestService())
const otherClient = await bench.newClient('OTHER00001')

type Options = { on?: Bench; token?: string }

const tryAdd = (accountNumber: string, bankCode: unknown, { on = bench, token }: Options = {}) =>
  on.call({
    method: 'POST',
    url: `${ACCOUNTS}/${accountNumber}/numbers`,
    body: { bankCode },
    ...(token ? { token } : {}),
  })
const add = async (accountNumber: string, bankCode: string) =>
  dataOf(await tryAdd(accountNumber, bankCode))

// Creates an account and adds a number at bank 058 to it.
async function createAccountAtTwoBanks(changes: object = {}) {
  const { accountNumber: own } = await createAccount(bench, { ...changes })
  const { accounts } = await add(own, '058')
  return { own, added: accounts[1].accountNumber as string }
}

test('an account shows its number at each bank, its own first', async () => {
  const made = await createAccount(bench)
  const { accountNumber: own } = made
  assert.deepEqual(made.accounts, [{ bankCode: '035', bankName: 'Wema Bank', accountNumber: own }])

  await add(own, '101')
  const { accounts, version, ...rest } = await add(own, '058')

  const [, gtb, providus] = accounts
  assert.deepEqual(accounts, [
    ...made.accounts,
    { bankCode: '058', bankName: 'Guaranty Trust Bank', accountNumber: gtb.accountNumber },
    { bankCode: '101', bankName: 'Providus Bank', accountNumber: providus.accountNumber },
  ])
  assert(isNuban('101', providus.accountNumber) && isNuban('058', gtb.accountNumber))
  assert.equal(version, 3)
  assert.equal(rest.accountNumber, own)
  assert.equal(rest.bankCode, '035')
  assert.deepEqual(await readAccount(bench, own), { ...made, accounts, updatedAt: rest.updatedAt })
})

test('adding is an event, an audit log entry and a new ETag; the same bank again is none', async () => {
  const { accountNumber } = await createAccount(bench)
  const first = await tryAdd(accountNumber, '058')

  const again = await tryAdd(accountNumber, '058')
  const own = await tryAdd(accountNumber, '035')

  assert.equal(first.headers.etag, '"2"')
  assert.equal(again.headers.etag, '"2"')
  assert.deepEqual(again.json().data, first.json().data)
  assert.deepEqual(own.json().data, first.json().data)
  const events = await eventsOf(bench, accountNumber)
  assert.deepEqual(
    events.map(({ type }: { type: string }) => type),
    ['account.created', 'account.updated'],
  )
  assert.deepEqual(events[1].data.changes, ['accounts'])
  assert.deepEqual(events[1].data.accounts, first.json().data.accounts)
  const actions = await actionsOf(bench, accountNumber)
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['account.add_number'],
  )
})

test('adds of one bank at once through two processes give one number', async () => {
  await using twin = await startTwin(bench)
  const { accountNumber } = await createAccount(bench)
  const token = await bench.login()

  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      tryAdd(accountNumber, '058', { on: at % 2 ? twin : bench, token }),
    ),
  )

  const numbers = answers.map((answer) => dataOf(answer).accounts[1].accountNumber)
  assert.equal(new Set(numbers).size, 1)
  const { rows } = await bench.db.query(
    `select count(*)::int as count from numbers n join collection_accounts a
         on a.id = n.collection_account_id where a.account_number = $1`,
    [accountNumber],
  )
  assert.deepEqual(rows, [{ count: 2 }])
})

type Received = {
  data: Record<string, unknown> & { credit: Record<string, unknown> }
}

test('money to any of its numbers is booked to the account, each from its own bank only', async () => {
  const { own, added } = await createAccountAtTwoBanks()

  const answers = [
    await reportCredit(bench, { accountNumber: own, amount: '100' }, '035'),
    await reportCredit(bench, { accountNumber: added, amount: '20' }, '058'),
    await reportCredit(bench, { accountNumber: added, amount: '3' }, '035'),
    await reportCredit(bench, { accountNumber: own, amount: '4' }, '058'),
  ]

  assert.deepEqual(
    answers.map(({ outcome, code }) => [outcome, code].filter(Boolean).join(' ')),
    ['booked', 'booked', 'suspended wrong_bank', 'suspended wrong_bank'],
  )
  assert.equal((await readAccount(bench, own)).accountBalance, 120)
  const events = await eventsOf(bench, own)
  const received = events.filter(({ type }: { type: string }) => type === 'collection.received')
  assert.deepEqual(
    received.map(({ data }: Received) => [
      data.accountNumber,
      data.credit.accountNumber,
      data.credit.bankCode,
      data.accountBalance,
    ]),
    [
      [own, own, '035', 100],
      [own, added, '058', 120],
    ],
  )
  await assertCleanBooks(bench)
})

test('credits to two numbers of an account in one batch see each other', async () => {
  const { own, added } = await createAccountAtTwoBanks()
  await setLimits(bench, own, { perDay: 100 })

  const answers = await Promise.all([
    reportCredit(bench, { accountNumber: own, amount: '60' }, '035'),
    reportCredit(bench, { accountNumber: added, amount: '60' }, '058'),
    reportCredit(bench, { accountNumber: own, amount: '40' }, '035'),
  ])

  const booked = answers.filter(({ outcome }) => outcome === 'booked')
  assert.equal(booked.length, 2)
  assert.equal((await readAccount(bench, own)).accountBalance, 100)
  await assertCleanBooks(bench)
})

test('a bank is told the name of its own number, and nothing of the others', async () => {
  const { own, added } = await createAccountAtTwoBanks({ accountName: 'Bola Ade' })
  const enquireName = async (bank: string, accountNumber: string) =>
    (await postRail(bench, `${bank}/name-enquiry`, { accountNumber })).json()

  assert.equal((await enquireName('035', own)).accountName, 'Sandbox Merchant/Bola Ade')
  assert.equal((await enquireName('058', added)).accountName, 'Sandbox Merchant/Bola Ade')
  assert.equal((await enquireName('058', own)).responseCode, '07')
  assert.equal((await enquireName('035', added)).responseCode, '07')
})

test('every look-up and change takes any of its numbers', async () => {
  const { own, added } = await createAccountAtTwoBanks({ accountName: 'Chidi Eze' })
  const sessionId = newSessionId()
  await reportCredit(bench, { sessionId, accountNumber: added, amount: '20' }, '058')
  const readByBothNumbers = (url: (accountNumber: string) => string) =>
    Promise.all([own, added].map(async (number) => (await bench.call({ url: url(number) })).json()))

  for (const path of ['', '/transactions', '/timeline']) {
    const [byOwn, byAdded] = await readByBothNumbers((number) => `${ACCOUNTS}/${number}${path}`)
    assert.deepEqual(byAdded.data, byOwn.data)
    assert(byOwn.isSuccessful)
  }
  const [, found] = await readByBothNumbers((number) => `/api/v1/search?q=${number}`)
  assert.deepEqual(
    found.data.map(({ type, reference }: Record<string, string>) => `${type} ${reference}`),
    [`account ${own}`],
  )
  const { data: credits } = (
    await bench.call({ url: `/api/v1/credits?accountNumber=${added}` })
  ).json()
  assert.deepEqual(
    credits.map((credit: Record<string, string>) => credit.sessionId),
    [sessionId],
  )
  const events = await eventsOf(bench, added)
  assert.deepEqual(events, await eventsOf(bench, own))
  await patchAccount(bench, added, { email: 'chidi@example.com' })
  assert.equal((await readAccount(bench, own)).email, 'chidi@example.com')
  const timeline = (await bench.call({ url: `${ACCOUNTS}/${own}/timeline` })).json().data
  const descriptions = timeline.map(({ description }: Record<string, string>) => description)
  assert(descriptions.includes(`Account number ${added} issued at Guaranty Trust Bank.`))
  assert(descriptions.includes(`Credit received on ${added}.`))
})

test('suspended money can be assigned to the account by any of its numbers', async () => {
  const { own, added } = await createAccountAtTwoBanks()
  const { accountNumber } = await createAccount(bench, { payerRules: { minAmount: 100 } })
  const item = await suspend(bench, accountNumber, '15')

  const answer = await assign(bench, item.id, { accountNumber: added })

  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal((await readAccount(bench, own)).accountBalance, 15)
  await assertCleanBooks(bench)
})

test("somebody else's account answers as one that does not exist, by any number", async () => {
  const { own, added } = await createAccountAtTwoBanks()

  const missing = await tryAdd('0000000000', '101', { token: otherClient })

  assertRefused(missing, { status: 404, code: 'account_not_found' })
  for (const number of [own, added]) {
    assertAlike(await tryAdd(number, '101', { token: otherClient }), missing)
    const url = `${ACCOUNTS}/${number}`
    const read = await bench.call({ url, token: otherClient })
    assertRefused(read, { code: 'account_not_found' })
  }
  assert.equal((await readAccount(bench, own)).accounts.length, 2)
})

test('erasure reaches what came to any number, and waits for what is in suspense', async () => {
  const { own, added } = await createAccountAtTwoBanks({ accountName: 'Ngozi Adichie' })
  await reportCredit(bench, { accountNumber: added, amount: '20', ...PAYER }, '058')
  await reportCredit(bench, { accountNumber: own, amount: '20', ...PAYER }, '035')

  const answer = await erase(bench, added)
  await finishErasures(bench)

  assert.equal(answer.statusCode, 200, answer.body)
  const { rows } = await bench.db.query(
    `select account_number, source_account_name, narration from credits
      where account_number = any($1) order by id`,
    [[own, added]],
  )
  assert.deepEqual(rows, [
    { accountNumber: added, sourceAccountName: null, narration: null },
    { accountNumber: own, sourceAccountName: null, narration: null },
  ])
  await reportCredit(bench, { accountNumber: added, amount: '20', ...PAYER }, '058')
  assertRefused(await erase(bench, own), { status: 409, code: 'erasure_waits' })
  assertRefused(await tryAdd(own, '101'), { status: 409, code: 'account_erased' })
})
