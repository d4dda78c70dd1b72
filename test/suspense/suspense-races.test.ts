// Concurrent actions on the same suspended money: one succeeds, the others are refused, and nothing is
// booked twice or waits for ever.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, startTwin, tally } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount, startPayment, verify } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import {
  assign,
  auditLogFor,
  giveBack,
  listItems,
  NOBODYS_NUMBER,
  readItem,
  suspend,
} from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startTestService())
const twin = closeAfterTests(await startTwin(bench))
const by = { token: await bench.login() }

const at = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index))
const either = (index: number): Bench => (index % 2 ? twin : bench)
type Sent = Awaited<ReturnType<typeof assign>>
const words = (answers: readonly Sent[]) =>
  tally(answers.map((answer) => answer.json().code ?? String(answer.statusCode)))

test('one click twenty times at once, at two processes, assigns once and is recorded once', async () => {
  const { accountNumber } = await createAccount(bench)
  const { id } = await suspend(bench, NOBODYS_NUMBER, '10')

  const answers = await Promise.all(at(20, (n) => assign(either(n), id, { accountNumber }, by)))

  assert.deepEqual(words(answers), { 200: 20 })
  assert.equal(await balanceOf(bench, accountNumber), 10)
  assert.equal((await auditLogFor(bench, id)).length, 1)
})

test('two operators assign to two targets: one succeeds, the other is refused', async () => {
  for (let round = 0; round < 5; round++) {
    const [one, two] = [await createAccount(bench), await createAccount(bench)]
    const { id } = await suspend(bench, NOBODYS_NUMBER, '10')

    const answers = await Promise.all([
      assign(bench, id, { accountNumber: one.accountNumber }, by),
      assign(twin, id, { accountNumber: two.accountNumber }, by),
    ])

    assert.deepEqual(words(answers), { 200: 1, suspense_closed: 1 })
    const balances = [
      await balanceOf(bench, one.accountNumber),
      await balanceOf(bench, two.accountNumber),
    ]
    assert.deepEqual(balances.toSorted(), [0, 10])
    assert.equal((await auditLogFor(bench, id)).length, 1)
  }
})

test('one assigns while the other returns: one of the two happens, never both', async () => {
  for (let round = 0; round < 5; round++) {
    const payment = await startPayment(bench, { amount: 10 })
    const { id } = await suspend(bench, NOBODYS_NUMBER, '10')
    const { paymentReference } = payment

    const answers = await Promise.all([
      assign(either(round), id, { paymentReference }, by),
      giveBack(either(round + 1), id, {}, by),
    ])

    assert.deepEqual(words(answers), { 200: 1, suspense_closed: 1 })
    const { state } = await readItem(bench, id)
    const { transactionStatus } = await verify(bench, paymentReference)
    const expected = state === 'assigned' ? 'Successful' : 'Processing'
    assert.deepEqual(
      [['assigned', 'returned'].includes(state), transactionStatus],
      [true, expected],
    )
    assert.equal((await auditLogFor(bench, id)).length, 1)
  }
})

test('a payment takes no more than its amount from the desk and the bank together', async () => {
  for (let round = 0; round < 5; round++) {
    const payment = await startPayment(bench, { amount: 100 })
    const { paymentReference, bankAccount: accountNumber } = payment
    const items = await Promise.all(at(3, () => suspend(bench, NOBODYS_NUMBER, '60')))

    await Promise.all([
      ...items.map(({ id }, n) => assign(either(n), id, { paymentReference }, by)),
      ...at(2, (n) =>
        postRail(either(n), '035/credits', {
          sessionId: newSessionId(),
          accountNumber,
          amount: '60',
        }),
      ),
    ])

    const { transactionStatus, amountCollected } = await verify(bench, paymentReference)
    assert.deepEqual([transactionStatus, amountCollected], ['Successful', 100])
  }
})

test('a payment being cancelled while the desk and the bank pay it holds all or nothing', async () => {
  // Six rounds at once. In each, the desk assigns 60, the bank reports 40, and the client cancels the payment
  // of 100. Returns the status and the amount of each payment.
  const rounds = at(6, async (n) => {
    const payment = await startPayment(bench, { amount: 100 })
    const { paymentReference, bankAccount: accountNumber } = payment
    const { id } = await suspend(bench, NOBODYS_NUMBER, '60')
    const credit = { sessionId: newSessionId(), accountNumber, amount: '40' }
    const answers = await Promise.all([
      assign(either(n), id, { paymentReference }, by),
      postRail(either(n + 1), '035/credits', credit),
      bench.call({ method: 'POST', url: `/Payment/advice/${payment.adviceReference}/cancel` }),
    ])
    assert(answers.every((answer) => answer.statusCode < 500))
    const { transactionStatus, amountCollected } = await verify(bench, paymentReference)
    return `${transactionStatus} ${amountCollected}`
  })

  const ends = await Promise.all(rounds)

  assert.deepEqual(
    ends.filter((end) => !['Cancelled 0', 'Successful 100'].includes(end)),
    [],
  )
  await assertCleanBooks(bench)
})

// Each return must open a ledger account that does not exist yet, which takes a second connection.
test('forty returns at once on a process that has just started are all done', async () => {
  const banks = ['011', '033', '044', '057']
  const items = await Promise.all(
    at(40, (n) => suspend(bench, NOBODYS_NUMBER, '1', { bank: banks[n % 4] as string })),
  )
  await using fresh = await startTwin(bench)

  const answers = await Promise.all(items.map(({ id }) => giveBack(fresh, id, {}, by)))

  assert.deepEqual(words(answers), { 200: 40 })
  const returned = (await listItems(bench, '&state=returned')).map((item) => item.id)
  assert(items.every(({ id }) => returned.includes(id)))
})

test('after all races of this file the books add up', () => assertCleanBooks(bench))
