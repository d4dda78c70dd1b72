// Transfers that the sandbox's bank makes up: each kind is reported like a real one, and has its outcome.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeExpired } from '#credits/close.ts'
import { withTransaction } from '#db/transaction.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertBooksBalance,
  assertRefused,
  balanceOf,
  createAccount,
  databaseText,
  MINUTE_MS,
  startPayment,
  verify,
} from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const TRANSFERS = '/sandbox/transfers'

const tell = (body: unknown, to: Bench = bench) => to.call({ url: TRANSFERS, body })
// Requests a simulated transfer, which must succeed; returns the response with its steps.
const sent = async (body: object) => {
  const answer = await tell(body)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}
// A payment's status and the amount collected in naira.
const statusOf = async (reference: string) => {
  const { transactionStatus, amountCollected } = await verify(bench, reference)
  return [transactionStatus, Number(amountCollected)]
}
type Step = { step: string; responseCode: string; outcome: string; reason: string | null }
const outcomesOf = (steps: Step[]) =>
  steps.map(({ step, responseCode, outcome, reason }) => [step, responseCode, outcome, reason])

test('exact pays, under pays a part, over pays and leaves the rest in suspense', async () => {
  const one = await startPayment(bench)
  const exact = await sent({ accountNumber: one.bankAccount, kind: 'exact' })
  const two = await startPayment(bench)
  const under = await sent({ accountNumber: two.bankAccount, kind: 'under' })
  const over = await sent({ accountNumber: two.bankAccount, kind: 'over' })

  assert.deepEqual([exact.amount, under.amount, over.amount], [6000, 3000, 3500])
  assert.deepEqual(outcomesOf(exact.steps), [['credit', '00', 'booked', null]])
  assert.deepEqual(outcomesOf(under.steps), [['credit', '00', 'booked', null]])
  assert.deepEqual(outcomesOf(over.steps), [['credit', '00', 'booked', 'excess']])
  assert.equal(over.steps[0].amountInSuspense, 500)
  assert.equal(over.paymentReference, two.paymentReference)
  assert.deepEqual(await statusOf(one.paymentReference), ['Successful', 6000])
  assert.deepEqual(await statusOf(two.paymentReference), ['Successful', 6000])
  const credit = await bench.call({ url: `/api/v1/credits/${over.sessionId}` })
  assert.equal(credit.json().data.id, over.creditId)
  await assertBooksBalance(bench)
})

test('a duplicate is booked once; what is taken back is gone again', async () => {
  const { accountNumber } = await createAccount(bench)
  const twice = await sent({ accountNumber, kind: 'duplicate', amount: '40' })
  assert.deepEqual(outcomesOf(twice.steps), [
    ['credit', '00', 'booked', null],
    ['again', '01', 'duplicate', null],
  ])
  assert.equal(await balanceOf(bench, accountNumber), 40)

  const back = await sent({ accountNumber, kind: 'reversed', amount: 25 })
  assert.deepEqual(outcomesOf(back.steps), [
    ['credit', '00', 'booked', null],
    ['reversal', '00', 'reversed', null],
  ])
  assert.equal(await balanceOf(bench, accountNumber), 40)
  const { bankAccount, paymentReference } = await startPayment(bench)
  await sent({ accountNumber: bankAccount, kind: 'reversed' })
  assert.equal((await statusOf(paymentReference))[0], 'Reversed')
  await assertBooksBalance(bench)
})

test('late is for what has expired, and nothing else is', async () => {
  const { bankAccount: accountNumber } = await startPayment(bench)
  const early = await tell({ accountNumber, kind: 'late' })
  assertRefused(early, { status: 409, code: 'payment_not_late' })
  bench.advance(31 * MINUTE_MS) // Expired, but within the grace.
  const inGrace = await tell({ accountNumber, kind: 'late' })
  assertRefused(inGrace, { status: 409, code: 'payment_not_late' })
  bench.advance(10 * MINUTE_MS)

  const late = await sent({ accountNumber, kind: 'late' })
  assert.deepEqual(outcomesOf(late.steps), [['credit', '00', 'suspended', 'late']])
  assert.equal(late.steps[0].amountInSuspense, 6000)
  for (const kind of ['exact', 'under', 'over', 'duplicate', 'reversed']) {
    const answer = await tell({ accountNumber, kind })
    assertRefused(answer, { status: 409, code: 'payment_not_open' })
  }
})

test('late is as much as is asked for, also when the payment has been closed; paid is not open', async () => {
  const { bankAccount: accountNumber } = await startPayment(bench)
  bench.advance(41 * MINUTE_MS)
  const deps = { sharedAccounts: new SharedAccounts(bench.db), now: bench.clock() }
  await withTransaction(bench.db, (tx) => closeExpired(tx, deps))
  const late = await sent({ accountNumber, kind: 'late', amount: '12.34' })
  assert.deepEqual([late.amount, late.steps[0].reason], [12.34, 'late'])

  const { bankAccount: paid } = await startPayment(bench)
  await sent({ accountNumber: paid, kind: 'exact' })
  for (const kind of ['exact', 'under', 'over', 'duplicate', 'reversed']) {
    const answer = await tell({ accountNumber: paid, kind, amount: 1 })
    assertRefused(answer, { status: 409, code: 'payment_not_open' })
  }
  const notLate = await tell({ accountNumber: paid, kind: 'late' })
  assertRefused(notLate, { status: 409, code: 'payment_not_late' })
})

test('bad requests are refused, and nothing is written', async () => {
  const { bankAccount } = await startPayment(bench)
  const { accountNumber } = await createAccount(bench)
  const before = await databaseText(bench)
  const bad = [
    {},
    { accountNumber: bankAccount },
    { accountNumber: bankAccount, kind: 'wrong' },
    { accountNumber: bankAccount, kind: 'exact', amount: 1 },
    { accountNumber: bankAccount, kind: 'under', amount: 6000 },
    { accountNumber: bankAccount, kind: 'over', amount: 6000 },
    { accountNumber: bankAccount, kind: 'over', amount: '-1' },
    { accountNumber: bankAccount, kind: 'over', amount: '1e9' },
    { accountNumber: bankAccount, kind: 'exact', more: 1 },
    { accountNumber: '١٢٣٤٥٦٧٨٩٠', kind: 'exact' },
    { accountNumber, kind: 'exact' },
    { accountNumber, kind: 'under', amount: 10 },
    { accountNumber, kind: 'late', amount: 10 },
    ...[0, '0.00', -1, '-1', '1e3', 1.001, '1.001', '10000000000000.01', 1e21, '１', null].map(
      (amount) => ({ accountNumber, kind: 'exact', amount }),
    ),
  ]
  for (const body of bad) {
    assertRefused(await tell(body), { status: 400, code: 'invalid_request' })
  }
  const unknown = await tell({ accountNumber: '9999999990', kind: 'exact', amount: 1 })
  assertRefused(unknown, { status: 404, code: 'number_not_found' })
  assert.equal(await databaseText(bench), before)
})

test('no less than a kobo, and no more than a bank may report, is made up', async () => {
  const { bankAccount: kobo } = await startPayment(bench, { amount: '0.01' })
  const { bankAccount: most } = await startPayment(bench, { amount: 10_000_000_000_000 })
  const { bankAccount: nearly } = await startPayment(bench, { amount: 9_999_999_999_999 })

  for (const body of [
    { accountNumber: kobo, kind: 'under' },
    { accountNumber: most, kind: 'over' },
  ]) {
    assertRefused(await tell(body), { status: 400, code: 'invalid_request' })
  }
  assert.equal((await sent({ accountNumber: nearly, kind: 'over' })).amount, 10_000_000_000_000)
})

test('another client’s number is not there, whatever is sent', async () => {
  const token = await bench.newClient('BANKER1')
  const { bankAccount } = await startPayment(bench)
  const { accountNumber } = await createAccount(bench)
  const before = await databaseText(bench)

  for (const number of [bankAccount, accountNumber, '9999999990']) {
    const body = { accountNumber: number, kind: 'exact', amount: 6000 }
    const answer = await bench.call({ url: TRANSFERS, body, token })
    assertRefused(answer, { status: 404, code: 'number_not_found' })
  }
  assert.equal(await databaseText(bench), before)
})

test('a role that may not make payments does not play the bank', async () => {
  const { bankAccount: accountNumber } = await startPayment(bench)
  const body = { accountNumber, kind: 'exact' }

  const finance = await newBrowser(bench, 'finance')
  const refused = await finance.call({ url: TRANSFERS, body })
  assertRefused(refused, { status: 403, code: 'role_not_allowed' })
  const developer = await newBrowser(bench, 'developer')
  assert.equal((await developer.call({ url: TRANSFERS, body })).statusCode, 200)
})

test('the same key sends one transfer, whatever is due by then', async () => {
  const { bankAccount: accountNumber, paymentReference } = await startPayment(bench)
  const call = { url: TRANSFERS, body: { accountNumber, kind: 'under' } }
  const headers = { 'idempotency-key': 'bank-1' }

  const answers = await Promise.all([1, 2, 3].map(() => bench.call({ ...call, headers })))

  assert.equal(new Set(answers.map(({ body }) => body)).size, 1, answers[0]?.body)
  assert.deepEqual(await statusOf(paymentReference), ['PartPayment', 3000])
})

test('live has no such bank', async () => {
  await using live = await startLiveService()
  const token = await live.newClient('LIVE1')

  const body = { accountNumber: '1234567890', kind: 'exact', amount: 1 }
  const answer = await live.call({ url: TRANSFERS, body, token })

  assertRefused(answer, { status: 400, code: 'sandbox_only' })
})
