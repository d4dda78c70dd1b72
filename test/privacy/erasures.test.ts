// Erasing the customer of a collection account: afterwards no table has personal data in the clear, money to
// the number is suspended, and the books are unchanged.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { patchAccount, switchAccount } from '../support/account-calls.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import * as erasing from '../support/erasing.ts'
import {
  ACCOUNTS,
  accountBody,
  assertAlike,
  assertRefused,
  createAccount,
  databaseText,
  readAccount,
} from '../support/fixtures.ts'
import { newSessionId, postRail, reportCredit } from '../support/rail.ts'
import { shownId } from '../support/shown-ids.ts'
import { assign, giveBack, NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'
import { listener, startWebhookBench } from '../support/webhook-bench.ts'

const { PAYER, PERSON, PLAIN_TRACES, reason, TRACES } = erasing
const { assertGone, erase, finishErasures, moneyRows } = erasing
const bench = closeAfterTests(await startWebhookBench())
const ANSWER = 'taken for Ngozi Adichie'
const receiver = closeAfterTests(await listener((response) => response.end(ANSWER)))

test('nothing of the person is left in any table, and the books are as they were', async () => {
  const rules = {
    names: ['Chimamanda Ngozi'],
    accounts: [{ accountNumber: '0987654321', bankCode: '044' }],
  }
  const fields = { ...PERSON, notificationUrl: receiver.url, payerRules: rules }
  const headers = { 'idempotency-key': 'erase-me' }
  const { accountNumber } = await createAccount(bench, fields, { headers })
  await reportCredit(bench, { accountNumber, amount: '2500.50', ...PAYER })
  const stray = await suspend(bench, NOBODYS_NUMBER, '40', PAYER)
  assert.equal((await assign(bench, stray.id, { accountNumber })).statusCode, 200)
  await bench.run()
  const before = await databaseText(bench)
  for (const trace of PLAIN_TRACES) assert(before.includes(trace), `${trace} was there`)
  const money = await moneyRows(bench)

  const answer = await erase(bench, accountNumber)

  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(answer.json().data.accounts.map(shape), [[accountNumber, false]])
  await bench.run()
  await finishErasures(bench)
  const after = await databaseText(bench)
  for (const trace of TRACES) assertGone(after, trace)
  assert.deepEqual(await moneyRows(bench), money)
  await assertCleanBooks(bench)
  const again = await erase(bench, accountNumber)
  assert.deepEqual(again.json().data.accounts.map(shape), [[accountNumber, true]])
})

test('an erased account shows nothing of its customer, and every old event shows it so', async () => {
  const { accountNumber } = await createAccount(bench, PERSON)

  await erase(bench, accountNumber)

  const view = await readAccount(bench, accountNumber)
  const { accountName, bvn, email, phoneNumber, isActive, isDefault } = view
  assert.deepEqual(
    { accountName, bvn, email, phoneNumber, isActive, isDefault },
    {
      accountName: 'Erased',
      bvn: '',
      email: '',
      phoneNumber: '',
      isActive: false,
      isDefault: false,
    },
  )
  const events = await bench.call({ url: `/api/v1/events?accountNumber=${accountNumber}` })
  const types = events.json().data.map((event: { type: string }) => event.type)
  assert.deepEqual(types.sort(), ['account.created', 'account.erased'])
  for (const trace of TRACES) assert(!events.body.includes(trace), trace)
  assert.equal(
    (await bench.call({ url: `${ACCOUNTS}?bvn=${PERSON.bvn}` })).body.includes(accountNumber),
    false,
  )
})

test('money that comes to an erased number is suspended; asked again, its payer is erased too', async () => {
  const { accountNumber } = await createAccount(bench, PERSON)
  await erase(bench, accountNumber)
  await finishErasures(bench)

  const credit = await reportCredit(bench, { accountNumber, amount: '70', ...PAYER })

  assert.deepEqual([credit.outcome, credit.code], ['suspended', 'account_inactive'])
  refused(await erase(bench, accountNumber), 'erasure_waits')
  const item = await bench.db.query(
    `select i.id from suspense_items i join credits c on c.id = i.credit_id
      where c.account_number = $1`,
    [accountNumber],
  )
  assert.equal((await giveBack(bench, shownId('suspense', item.rows[0].id))).statusCode, 200)
  assert.deepEqual((await erase(bench, accountNumber)).json().data.accounts.map(shape), [
    [accountNumber, false],
  ])
  const { rows } = await bench.db.query(
    `select source_account_sealed, source_account_name, narration from credits
      where account_number = $1`,
    [accountNumber],
  )
  assert.deepEqual(rows, [{ sourceAccountSealed: null, sourceAccountName: null, narration: null }])
  await assertCleanBooks(bench)
})

test('with sameBvn, every account of the person at this client is erased, and no others', async () => {
  const other = await bench.newClient('ERASER0001')
  const bvn = '22211122233'
  const mine = [await createAccount(bench, { bvn }), await createAccount(bench, { bvn })]
  const stranger = await createAccount(bench, { bvn: '22211122234' })
  const elsewhere = await createAccount(bench, { bvn }, { token: other })

  const answer = await erase(bench, mine[1].accountNumber, { reason, sameBvn: true })

  const erased = answer.json().data.accounts.map(({ accountNumber }: Named) => accountNumber)
  assert.deepEqual(
    erased,
    mine.map(({ accountNumber }) => accountNumber),
  )
  assert.equal((await readAccount(bench, stranger.accountNumber)).bvn, '22211122234')
  assert.equal((await readOf(other, elsewhere.accountNumber)).bvn, bvn)
  const again = await erase(bench, mine[1].accountNumber, { reason, sameBvn: true })
  assert.deepEqual(again.json().data.accounts.map(shape), [[mine[1].accountNumber, false]])
})

test('the audit log says once who erased, when and why, but not the erased data', async () => {
  const { accountNumber } = await createAccount(bench, PERSON)

  await Promise.all([
    erase(bench, accountNumber),
    erase(bench, accountNumber),
    erase(bench, accountNumber),
  ])

  const { rows } = await bench.db.query(
    'select actor, action, detail from audit_log where subject = $1',
    [`account/${accountNumber}`],
  )
  assert.deepEqual(rows, [
    { actor: 'client:MAN0000001', action: 'account.erase', detail: { reason } },
  ])
  const { rows: events } = await bench.db.query(
    `select from events e join collection_accounts a on a.id = e.collection_account_id
      where a.account_number = $1 and e.type = 'account.erased'`,
    [accountNumber],
  )
  assert.equal(events.length, 1)
})

test('a key that made the account stays taken, though what was asked with it is forgotten', async () => {
  const headers = { 'idempotency-key': 'keeps-its-key' }
  const body = accountBody(PERSON)
  const { accountNumber } = (await bench.call({ url: ACCOUNTS, body, headers })).json().data
  await erase(bench, accountNumber)

  const again = await bench.call({ url: ACCOUNTS, body, headers })

  assert.equal(again.json().code, 'idempotency_key_reused')
})

test('an erasure cannot be undone: the database refuses to fill or to open erased rows', async () => {
  const { accountNumber } = await createAccount(bench, PERSON)
  await erase(bench, accountNumber)

  for (const change of ["email = 'a@b.c'", 'is_active = true', "account_name = 'Ngozi'"]) {
    const update = bench.db.query(
      `update collection_accounts set ${change} where account_number = $1`,
      [accountNumber],
    )
    await assert.rejects(update, { constraint: 'collection_accounts_erased_is_empty' })
  }
  refused(await patchAccount(bench, accountNumber, { email: 'new@example.com' }), 'account_erased')
  for (const to of ['activate', 'deactivate', 'default'] as const) {
    refused(await switchAccount(bench, accountNumber, to), 'account_erased')
  }
})

test('an account with money in suspense is not erased, because the money could not be returned', async () => {
  const { accountNumber } = await createAccount(bench, {
    ...PERSON,
    payerRules: { minAmount: '50' },
  })
  const item = await suspend(bench, accountNumber, '10', PAYER)

  refused(await erase(bench, accountNumber), 'erasure_waits')

  assert.equal((await readAccount(bench, accountNumber)).accountName, PERSON.accountName)
  assert.equal((await assign(bench, item.id, { accountNumber })).statusCode, 200)
  assert.equal((await erase(bench, accountNumber)).statusCode, 200)
})

test('a missing account and another client’s are the same not found', async () => {
  const other = await bench.newClient('ERASER0002')
  const { accountNumber } = await createAccount(bench, {}, { token: other })
  const missing = await erase(bench, '0000000000')
  refused(missing, 'account_not_found', 404)
  assertAlike(missing, await erase(bench, accountNumber))
  refused(await erase(bench, 'nonsense'), 'account_not_found', 404)
  assert.equal((await readOf(other, accountNumber)).isActive, true)
})

test('a reason is needed, and must not contain the erased data', async () => {
  const { accountNumber } = await createAccount(bench, PERSON)
  const bad = [
    {},
    { reason: '' },
    { reason: ' ' },
    { reason: 5 },
    { reason: 'x'.repeat(201) },
    { reason, extra: true },
    { reason, sameBvn: 'yes' },
    { reason: `asked by ngozi adichie` },
    { reason: `BVN ${PERSON.bvn}` },
    { reason: `call 0809 876 5432` },
    { reason: PERSON.email },
  ]

  for (const body of bad) {
    const answer = await erase(bench, accountNumber, body)
    assert.equal(answer.json().code, 'invalid_request', JSON.stringify(body))
  }

  assert.equal((await readAccount(bench, accountNumber)).accountName, PERSON.accountName)
})

test('thousands of credits are erased page by page, but for money that waits to be sent back', async () => {
  const { accountNumber } = await createAccount(bench, PERSON)
  const credits = Array.from({ length: 1_000 }, () => {
    return { sessionId: newSessionId(), accountNumber, amount: '1', ...PAYER }
  })
  for (let each = 0; each < 2; each++) {
    const batch = credits.map((credit) => ({ ...credit, sessionId: newSessionId() }))
    assert.equal((await postRail(bench, '035/credits', batch)).statusCode, 200)
  }
  await finishErasures(bench)

  await erase(bench, accountNumber)

  // How many credits still have their payer's name.
  const countNamed = async () => {
    const { rows } = await bench.db.query<{ left: number }>(
      `select count(source_account_name)::int as left from credits where account_number = $1`,
      [accountNumber],
    )
    return rows[0]?.left
  }
  assert.equal(await countNamed(), 1_000)
  await reportCredit(bench, { accountNumber, amount: '3', ...PAYER })
  await finishErasures(bench)
  assert.equal(await countNamed(), 1)
})

test('credits that come at the same moment are booked before or suspended after, and erased', async () => {
  const { accountNumber } = await createAccount(bench, PERSON)
  const credit = () => reportCredit(bench, { accountNumber, amount: '1', ...PAYER }, '035')

  const [, ...credits] = await Promise.all([
    erase(bench, accountNumber),
    ...Array.from({ length: 20 }, credit),
  ])
  await finishErasures(bench)

  assert(credits.every(({ responseCode }) => responseCode === '00'))
  const { rows } = await bench.db.query<{ outcome: string; told: boolean }>(
    `select outcome, source_account_name is not null as told from credits
      where account_number = $1`,
    [accountNumber],
  )
  assert.equal(rows.length, 20)
  for (const { outcome, told: isNamed } of rows) assert.equal(isNamed, outcome === 'suspended')
  await assertCleanBooks(bench)
})

type Named = { accountNumber: string }

function shape({ accountNumber, isComplete }: Named & { isComplete: boolean }) {
  return [accountNumber, isComplete]
}

function refused(answer: LightMyRequestResponse, code: string, status = 409): void {
  assertRefused(answer, { status, code })
}

async function readOf(token: string, accountNumber: string) {
  return (await bench.call({ url: `${ACCOUNTS}/${accountNumber}`, token })).json().data
}
