// Refunds of the same money at the same time, also beside payouts and reversals: never more is refunded than
// is left of the payment, nor more than is available (I58).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, countDeadlocks, startTwin, tally } from '../support/bank-calls.ts'
import { createAccount, ledgerNaira } from '../support/fixtures.ts'
import { CONFIRMED, settleAll, tryPayOut } from '../support/money-out.ts'
import { begin, reverse } from '../support/movements.ts'
import { creditOf, pay, paymentOf, tryRefund } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'

const TOO_LARGE = 'refund_too_large'

test('twenty refunds of a payment at once give back no more than it was paid', async () => {
  await using bench = await startTestService()
  await using twin = await startTwin(bench)
  const token = await bench.login()
  const { payment, number } = await begin(bench)
  await pay(bench, number, '60')
  await pay(bench, number, '40')
  await pay(bench, (await createAccount(bench)).accountNumber, '1000')
  const on = [bench, { ...twin, call: (call) => twin.call({ token, ...call }) } as typeof bench]

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, at) => tryRefund(on[at % 2] as typeof bench, payment, '15')),
  )

  assert.deepEqual(tally(answers), { queued: 6, [TOO_LARGE]: 14 })
  await settleAll(bench, CONFIRMED)
  assert.equal((await paymentOf(bench, payment)).refundedAmount, 90)
  await assertCleanBooks(bench)
})

test('twenty refunds of a credit at once give back no more than it brought', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await pay(bench, accountNumber, '100')
  await pay(bench, accountNumber, '1000')

  const answers = await Promise.all(
    Array.from({ length: 20 }, () => tryRefund(bench, sessionId, '30')),
  )

  assert.deepEqual(tally(answers), { queued: 3, [TOO_LARGE]: 17 })
  await settleAll(bench, CONFIRMED)
  assert.equal((await creditOf(bench, sessionId)).refundedAmount, 90)
})

test('refunds and payouts at once spend no more than is available', async () => {
  await using bench = await startTestService()
  const paid = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const { payment, number } = await begin(bench)
      await pay(bench, number, '100')
      return payment
    }),
  )
  await tryPayOut(bench, 200)

  const answers = await Promise.all([
    ...paid.map((payment) => tryRefund(bench, payment, '80')),
    ...Array.from({ length: 4 }, () => tryPayOut(bench, 80)),
  ])

  assert.deepEqual(tally(answers), { queued: 2, insufficient_balance: 6 })
  assert.equal(await ledgerNaira(bench, 'available'), 40)
  await assertCleanBooks(bench)
})

test('refunds, reversals and payouts of the same money meet no fault and no deadlock', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const scenes = await Promise.all(
    Array.from({ length: 6 }, async () => {
      const { payment, number } = await begin(bench)
      const { sessionId } = await pay(bench, number, '100')
      const collected = await pay(bench, accountNumber, '50')
      return { payment, sessionId, collected: collected.sessionId }
    }),
  )
  const before = await countDeadlocks(bench)

  const answers = await Promise.all(
    scenes.flatMap(({ payment, sessionId, collected }) => [
      tryRefund(bench, payment, '70'),
      reverse(bench, sessionId, '60'),
      tryRefund(bench, collected, '50'),
      reverse(bench, collected, '25'),
      tryPayOut(bench, 90),
      settleAll(bench, CONFIRMED).then(() => 'settled'),
    ]),
  )

  const known = ['queued', 'settled', '00 reversed', TOO_LARGE, 'insufficient_balance']
  assert.deepEqual(
    answers.filter((answer) => !known.includes(answer)),
    [],
  )
  assert.equal(tally(answers)['00 reversed'], 12)
  assert.equal((await countDeadlocks(bench)) - before, 0)
  await settleAll(bench, CONFIRMED)
  await assertCleanBooks(bench)
})
